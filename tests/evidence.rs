//! The evidence that `just evidence` writes: its metrics, its checks and its control group.

#[path = "../host/sandfork/examples/founding/gather.rs"]
mod gather;

use crate::harness::fixture;
use gather::{Metrics, Scenes};
use sandfork::Host;
use serde_json::json;

// OR-53, OR-54, OR-55, OR-56, OR-57, M4-51
#[test]
fn the_evidence_has_the_expected_metrics_and_the_control_group() {
    let state = tempfile::tempdir().expect("a directory");
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let scenes = runtime.block_on(async {
        let host = Host::builder().live_forks(160).state_dir(state.path()).build().expect("a host");
        Scenes::play(&host, &fixture("")).await.expect("every scene plays")
    });
    let metrics = Metrics::of(&scenes);
    let failed: Vec<_> = metrics.checks.iter().filter(|(_, holds)| !holds).collect();
    assert!(failed.is_empty(), "{failed:?}");
    let evidence = metrics.evidence();
    assert_eq!(evidence["schema"], "learn-llm.evidence.v1");
    assert_eq!(
        evidence["metrics"],
        json!({
            "multi_agent_tests_passed": 16,
            "isolation_orchestrator_free_of_subagent_notes": true,
            "isolation_sibling_contexts_disjoint": true,
            "loop_depth_limit_events": 1,
            "loop_tasks_used": 3,
            "conflict_count": 1,
            "timeout_output_discarded": true,
        })
    );
    assert!(evidence["control_group"]["loop_tasks_used"].as_u64().expect("a number") > 100);
    let lines = metrics.lines(&scenes.research);
    assert_eq!(
        lines,
        [
            "demo: 2 subagents complete, 3 keys merged, report completed",
            "isolation: orchestrator context has no subagent notes; sibling context windows disjoint",
            "loop: A↔B third hop intercepted by depth_limit (1 event, tasks_used=3)",
            "conflict: two subagents disagree on fact:population → 1 conflict record, deterministically keeps \"14M\"",
            "timeout: timed-out output discarded (status=timeout, output=None)",
        ]
    );
    assert!(!scenes.two_modules.events.is_empty());
}
