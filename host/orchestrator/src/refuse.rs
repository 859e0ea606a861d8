//! The words of refusals: what happened, to whom, what to do, and every number. One function a code.

use crate::grants::Excess;
use crate::run::Run;
use crate::shares::Short;
use sandfork_model::{Cap, Dimension, Footprint, Grant, Plan, Refusal, RefusalCode};
use serde_json::{Value, json};

fn refusal(code: RefusalCode, node: &str, dimension: &str, numbers: [Value; 3], message: String) -> Box<Refusal> {
    let [asked, left, limit] = numbers;
    Box::new(Refusal { code, node: node.into(), dimension: dimension.into(), asked, left, limit, message })
}

pub(crate) fn invalid(node: &str, agent: &str, why: &str) -> Box<Refusal> {
    let message = format!("request for {agent} refused: {why}");
    refusal(RefusalCode::InvalidRequest, node, "options", [Value::Null, Value::Null, Value::Null], message)
}

pub(crate) fn unknown(node: &str, agent: &str, plan: &Plan) -> Box<Refusal> {
    let known: Vec<&str> = plan.agents.iter().map(|entry| entry.name.as_str()).collect();
    let message = format!("unknown agent {agent:?}; the plan has: {}", known.join(", "));
    refusal(RefusalCode::UnknownSubagent, node, "agents", [json!(agent), Value::Null, json!(known)], message)
}

pub(crate) fn not_granted(node: &str, agent: &str, parent: &str, grant: &Grant) -> Box<Refusal> {
    let message = format!("{parent} may not fork {agent}; list it under `spawn` of {parent}'s plan entry to allow it");
    let limit = json!(grant.spawn);
    refusal(RefusalCode::SpawnNotGranted, node, "spawn", [json!(agent), Value::Null, limit], message)
}

pub(crate) fn too_deep(node: &str, agent: &str, depth: u32, max: Cap) -> Box<Refusal> {
    let message = format!(
        "{agent} would run at depth {depth}, but max_depth is {max}; do the work here, or raise it with --limit max_depth={depth}"
    );
    let numbers = [json!(depth), json!(0), json!(max.ceiling())];
    refusal(RefusalCode::DelegationDepthExceeded, node, "depth", numbers, message)
}

pub(crate) fn cycle(node: &str, agent: &str, ancestor: &str) -> Box<Refusal> {
    let message = format!(
        "{agent} is already working on this very task at {ancestor}; change the goal or the context, or set limits.ancestors: allow"
    );
    refusal(RefusalCode::AncestorCycle, node, "ancestors", [json!(ancestor), Value::Null, Value::Null], message)
}

pub(crate) fn children(node: &str, agent: &str, started: u64, max: Cap) -> Box<Refusal> {
    let message = format!("{node} has started {started} children and max_children is {max}; {agent} was not started");
    let left = max.ceiling().saturating_sub(started);
    refusal(RefusalCode::ChildrenExceeded, node, "children", [json!(1), json!(left), json!(max.ceiling())], message)
}

pub(crate) fn rounds(node: &str, agent: &str, what: &str, used: u64, limit: u64) -> Box<Refusal> {
    let message = if what == "parallel_rounds" {
        format!(
            "{node} has forked in parallel {used} of {limit} times, and after that no more at all; {agent} was not started: work with what came back"
        )
    } else {
        format!(
            "{node} has forked one by one {used} of {limit} times; {agent} was not started: ask for the rest in one call"
        )
    };
    refusal(
        RefusalCode::ChildrenExceeded,
        node,
        what,
        [json!(1), json!(limit.saturating_sub(used)), json!(limit)],
        message,
    )
}

pub(crate) fn similar(node: &str, agent: &str, similarity: f64, threshold: f64) -> Box<Refusal> {
    let message = format!(
        "the task for {agent} is {similarity:.2} alike to one that is there (threshold {threshold}); use that result, or make the tasks differ"
    );
    let numbers = [json!(similarity), Value::Null, json!(threshold)];
    refusal(RefusalCode::SimilarTask, node, "similarity", numbers, message)
}

pub(crate) fn tasks(run: &str, agent: &str, used: u64, max: Cap) -> Box<Refusal> {
    let message = format!(
        "the run has started {used} of max_tasks {max} forks; {agent} was not started; raise it with --limit max_tasks=N"
    );
    let left = max.ceiling().saturating_sub(used);
    refusal(RefusalCode::TaskBudgetExceeded, run, "tasks", [json!(1), json!(left), json!(max.ceiling())], message)
}

pub(crate) fn grant_exceeds(node: &str, agent: &str, excess: &Excess) -> Box<Refusal> {
    let message = format!(
        "{agent} asks for {} beyond {}; {}, or do without",
        excess.tools.join(", "),
        excess.beyond,
        excess.remedy
    );
    let asked = json!(excess.tools);
    refusal(RefusalCode::GrantExceedsParent, node, "tools", [asked, Value::Null, json!(excess.beyond)], message)
}

pub(crate) fn budget(node: &str, agent: &str, short: Short) -> Box<Refusal> {
    let message = if short.is_share {
        format!(
            "{node} has {} of {} {} left, which is nothing each for the requests of this call; {agent} was not started: fork fewer at a time, ask for a part, or raise limits.budget",
            short.left, short.limit, short.dimension
        )
    } else {
        budget_message(node, agent, short)
    };
    let numbers = [json!(short.asked), json!(short.left), json!(short.limit)];
    refusal(RefusalCode::BudgetExceeded, node, short.dimension.name(), numbers, message)
}

fn budget_message(node: &str, agent: &str, short: Short) -> String {
    format!(
        "{agent} asks {} {} of {node}, which has {} of {} left; ask for less, wait for siblings, or give {node} more",
        short.asked, short.dimension, short.left, short.limit
    )
}

pub(crate) fn time(node: &str, agent: &str) -> Box<Refusal> {
    let message = format!("{node} has no time left to give to {agent}; raise its timeout or fork earlier");
    refusal(RefusalCode::BudgetExceeded, node, "time", [Value::Null, json!(0), Value::Null], message)
}

pub(crate) fn converging(run: &str, agent: &str, dimension: Dimension, percent: u64, threshold: u64) -> Box<Refusal> {
    let message = format!(
        "the run has consumed {percent} % of its {dimension}; new forks such as {agent} stop at {threshold} %: return what there is"
    );
    let numbers = [json!(percent), json!(100_u64.saturating_sub(percent)), json!(threshold)];
    refusal(RefusalCode::BudgetConverging, run, dimension.name(), numbers, message)
}

pub(crate) fn host_full(run: &Run, agent: &str, footprint: Footprint) -> Box<Refusal> {
    let (own, host) = (run.plan.limits.max_live, run.seats.capacity(footprint));
    let limit = own.min(host);
    let kind = match footprint {
        Footprint::Large if host < run.seats.capacity(Footprint::Small) => " for language guests",
        Footprint::Large | Footprint::Small => "",
    };
    let message =
        format!("no sandbox is free for {agent} (limit{kind} {limit}, waiting forks included); fork fewer at a time");
    refusal(RefusalCode::HostFull, &run.id.name, "live", [json!(1), json!(0), json!(limit)], message)
}
