use crate::support::*;
use sandfork_model::port::Runtime;
fn with_function(wide: bool, locals: &str, body: &str) -> Vec<u8> {
    let echo = std::fs::read_to_string(guests_dir().join("echo.wat")).unwrap();
    let t = if wide { "(table 100 funcref)" } else { "" };
    let text = echo.replacen("(core module $guest", &format!("(core module $guest {t} (type $v (func)) (func $f (export \"f\") (param $p i32) {locals} {body})"), 1);
    wat::parse_str(text).unwrap()
}
#[tokio::test]
async fn timing() {
    let only = std::env::var("ONLY").unwrap_or_default();
    let size: usize = std::env::var("SIZE").map(|s| s.parse().unwrap()).unwrap_or(250_000);
    for wide in [false, true] {
        let shapes: Vec<(&str, String, String)> = vec![
            ("adds", "".into(), "(local.set $p (i32.add (local.get $p) (i32.const 1)))".repeat(size / 7)),
            ("stores", "".into(), "(i32.store (local.get $p) (i32.const 1))".repeat(size / 7)),
            ("calls", "".into(), "(call $f (i32.const 1))".repeat(size / 4)),
            ("loads", "".into(), "(local.set $p (i32.load (local.get $p)))".repeat(size / 7)),
            ("loops", "".into(), "(loop)".repeat(size / 3)),
            ("ifs", "".into(), "(if (local.get $p) (then (local.set $p (i32.const 1))))".repeat(size / 10)),
            ("nested", "".into(), format!("{}{}", "block ".repeat(size / 3), "end ".repeat(size / 3))),
            ("nested loops", "".into(), format!("{}{}", "loop ".repeat(size / 3), "end ".repeat(size / 3))),
            ("nested loops br", "".into(), format!("{}{}", "loop ".repeat(size / 8), "local.get $p br_if 0 end ".repeat(size / 8))),
            ("brtable", "".into(), format!("(block (br_table {} (local.get $p)))", "0 ".repeat(size))),
            ("brtables", "".into(), format!("(block {} )", "(br_table 0 0 0 0 0 0 (local.get $p))".repeat(size/11))),
            ("bulk", "".into(), "(memory.fill (local.get $p) (local.get $p) (local.get $p))".repeat(size / 9)),
            ("indirect", "".into(), "(call_indirect (type $v) (local.get $p))".repeat(if wide {size / 5} else {1})),
            ("divs", "".into(), "(local.set $p (i32.div_s (local.get $p) (local.get $p)))".repeat(size / 7)),
            ("v128", "(local $x v128)".into(), "(local.set $x (i8x16.mul_dummy))".replace("(i8x16.mul_dummy)", "(i64x2.mul (local.get $x) (local.get $x))").repeat(size / 9)),
            ("f64", "(local $x f64)".into(), "(local.set $x (f64.add (local.get $x) (local.get $x)))".repeat(size / 7)),
            ("deep expr", "".into(), format!("(local.set $p {} )", "local.get $p ".repeat(size / 3) + &"i32.add ".repeat(size / 3 - 1)).replace("(local.set $p ", "").replace(" )", " local.set $p")),
            ("locals", format!("(local {})", "i32 ".repeat(40_000)), (0..size / 8).map(|k| format!("local.get {0} i32.const 1 i32.add local.set {0} ", k % 40_000)).collect()),
            ("joins 1000x500", format!("(local {})", "i32 ".repeat(1000)), joins(1000, 500)),
            ("joins 1000x1000", format!("(local {})", "i32 ".repeat(1000)), joins(1000, 1000)),
            ("joins 1000x2000", format!("(local {})", "i32 ".repeat(1000)), joins(1000, 2000)),
            ("joins 100x2000", format!("(local {})", "i32 ".repeat(100)), joins(100, 2000)),
            ("joins 100x4000", format!("(local {})", "i32 ".repeat(100)), joins(100, 4000)),
            ("joins 4000x500", format!("(local {})", "i32 ".repeat(4000)), joins(4000, 500)),
            ("joins 50x8000", format!("(local {})", "i32 ".repeat(50)), joins(50, 8000)),
            ("ifjoins 1000x2000", format!("(local {})", "i32 ".repeat(1000)), ifjoins(1000, 2000)),
            ("ifjoins 100x8000", format!("(local {})", "i32 ".repeat(100)), ifjoins(100, 8000)),
            ("loops 2000", "".into(), "(loop)".repeat(2000)),
            ("loops 4000", "".into(), "(loop)".repeat(4000)),
            ("loops 8000", "".into(), "(loop)".repeat(8000)),
            ("loops 16000", "".into(), "(loop)".repeat(16000)),
            ("calls 8000", "".into(), "(call $f (i32.const 1))".repeat(8000)),
            ("calls 32000", "".into(), "(call $f (i32.const 1))".repeat(32000)),
            ("bulk 3500", "".into(), "(memory.fill (local.get $p) (local.get $p) (local.get $p))".repeat(3500)),
            ("bulk 7000", "".into(), "(memory.fill (local.get $p) (local.get $p) (local.get $p))".repeat(7000)),
            ("ifs 10000", "".into(), "(if (local.get $p) (then (local.set $p (i32.const 1))))".repeat(10000)),
            ("ifs 40000", "".into(), "(if (local.get $p) (then (local.set $p (i32.const 1))))".repeat(40000)),
            ("many funcs of 30k", "".into(), {
                let one = "(local.set 0 (i32.add (local.get 0) (i32.const 1)))".repeat(30_000 / 7);
                let mut s = String::new();
                for _ in 0..size / 30_000 { s.push_str(&format!(") (func (param i32) {one}")); }
                s }),
        ];
        for (name, locals, body) in shapes {
            if !name.contains(&only) { continue }
            let bytes = with_function(wide, &locals, &body);
            let n = bytes.len();
            let t = std::time::Instant::now();
            let h = sandfork_sandbox::Sandboxes::new(sandfork_sandbox::PoolLimits { live_forks: 2 }, sandfork_sandbox::LoadLimits { optimised_function_bytes: 2 << 20, function_bytes: 2<<20, function_joins: u64::MAX, ..Default::default() }).unwrap(); let t = std::time::Instant::now(); let r = h.load(bytes.into()).await.err().map(|e| e.message);
            let rss = std::fs::read_to_string("/proc/self/status").unwrap().lines().filter(|l| l.starts_with("VmHWM")).collect::<String>();
            println!("wide {wide} {name} {n} bytes: {:?} {r:?} {rss}", t.elapsed());
        }
    }
}

fn joins(l: usize, n: usize) -> String {
    let uses: String = (1..l).map(|k| format!("local.get {0} i32.const 1 i32.add local.set {0} ", k)).collect();
    format!("{uses}{}{uses}", "loop local.get $p br_if 0 end ".repeat(n))
}
fn ifjoins(l: usize, n: usize) -> String {
    let uses: String = (1..l).map(|k| format!("local.get {0} i32.const 1 i32.add local.set {0} ", k)).collect();
    let ifs: String = (0..n).map(|k| format!("local.get 0 if i32.const {k} local.set {} end ", 1 + k % (l-1))).collect();
    format!("{uses}{ifs}{uses}")
}
