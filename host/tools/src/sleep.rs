//! Tool `sleep`: an empty answer that arrives later. It holds no timer; the time passes on the run's own clock.

use crate::arguments::{Arguments, Misread};
use crate::{duration, specs};
use sandfork_model::limits::HOST_TIME_CEILING;
use sandfork_model::{BoxFuture, Reply, ToolCall, ToolProvider, ToolSpec};
use std::time::Duration;

/// Answers tool `sleep`.
#[derive(Debug, Default)]
pub struct Sleep;

impl ToolProvider for Sleep {
    fn specs(&self) -> Vec<ToolSpec> {
        vec![specs::sleep()]
    }

    fn call(&self, call: ToolCall) -> BoxFuture<'_, Reply> {
        Box::pin(std::future::ready(match delay(&call) {
            Ok(delay) => Reply { result: Ok("{}".into()), delay },
            Err(misread) => Reply::now(Err(misread.to_error(&call.name))),
        }))
    }
}

fn delay(call: &ToolCall) -> Result<Duration, Misread> {
    let read = Arguments::read(&call.arguments, &["ms", "duration"])?;
    let most_ms = u64::try_from(HOST_TIME_CEILING.as_millis()).unwrap_or(u64::MAX);
    match (read.optional_number("ms", most_ms)?, read.optional_text("duration")?) {
        (Some(ms), None) => Ok(Duration::from_millis(ms)),
        (None, Some(text)) => match duration::parse(text) {
            Some(delay) if delay <= HOST_TIME_CEILING => Ok(delay),
            _ => Err(Misread("argument `duration` expects a time such as \"80ms\" or \"1.5s\", at most 24h".into())),
        },
        (Some(_), Some(_)) => Err(Misread("give either `ms` or `duration`, not both".into())),
        (None, None) => Err(Misread("argument `ms` is missing; it expects a whole number of milliseconds".into())),
    }
}
