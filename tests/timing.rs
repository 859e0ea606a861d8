//! The timing claims, exact under virtual time. Real time is `sandfork bench`'s business, not a test's.

use crate::harness::{Run, fixture};

fn elapsed(args: &[&str]) -> f64 {
    let ran = Run::fixture("fork-two-modules/plan.yaml").arg("--virtual-time").with(args.iter().copied()).json();
    ran.expect_code(0).report()["elapsed_ms"].as_f64().expect("a number")
}

// M4-42, M4-43, M4-46, M4-47, M4-48, X M4-47: 2 children × 3 calls × 80 ms
#[test]
fn parallel_takes_one_childs_time_and_serial_takes_the_sum() {
    let (parallel, serial) = (elapsed(&[]), elapsed(&["--serial"]));
    // What is over 240 and 480 ms is fuel at 1 ns a unit: well under a millisecond.
    assert!((240.0..241.0).contains(&parallel), "{parallel}");
    assert!((480.0..481.0).contains(&serial), "{serial}");
    assert!(serial / parallel > 1.98 && serial / parallel <= 2.0, "{serial} / {parallel}");
}

// M4-32, M4-36: both modes give the same results
#[test]
fn serial_and_parallel_runs_differ_in_time_alone() {
    let outputs = |args: &[&str]| {
        let run = Run::fixture("fork-two-modules/plan.yaml").arg("--virtual-time").with(args.iter().copied());
        run.json().expect_code(0).report()["merged"].clone()
    };
    assert_eq!(outputs(&[]), outputs(&["--serial"]));
}

// M4-41, M4-52: think time is in the script, off by default, and changing it changes what is observed
#[test]
fn think_time_comes_from_the_script() {
    let run = |think: &str| {
        let mut run = Run::args(["run", "plan.yaml", "--virtual-time"]);
        for file in ["plan.yaml", "lead.yaml", "workspace/alpha_module.py", "workspace/beta_module.py"] {
            run = run.file(file, std::fs::read(fixture("fork-two-modules").join(file)).expect("the fixture"));
        }
        for agent in ["alpha", "beta"] {
            let text = std::fs::read_to_string(fixture("fork-two-modules").join(format!("{agent}.yaml"))).expect("it");
            run = run.file(&format!("{agent}.yaml"), text.replace("think: 80ms", think));
        }
        run.json().expect_code(0).report()["elapsed_ms"].as_f64().expect("a number")
    };
    assert!((30.0..31.0).contains(&run("think: 10ms")));
    assert!(run("think: 0ms") < 1.0);
}

// M4-44, M4-45, M4-53: the bench reports rounds, medians and their ratio; what the ratio is, it only measures
#[test]
fn the_bench_reports_five_rounds_of_each_mode_and_resets_the_workspace() {
    let plan = fixture("fork-two-modules/plan.yaml").display().to_string();
    let ran = Run::args(["bench", &plan, "--rounds", "5", "--json"]).go().expect_code(0);
    let report = ran.report();
    assert_eq!(report["rounds"].as_array().expect("rounds").len(), 5);
    for field in ["serial_median_ms", "parallel_median_ms", "speedup"] {
        assert!(report[field].as_f64().expect(field) > 0.0);
    }
}
