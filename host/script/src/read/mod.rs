//! Source tree in, steps out. Says what is unknown, missing or of the wrong kind, and where; whether the steps make sense
//! together is not its business.

mod condition;
mod entries;
pub(crate) mod keys;
mod script;
mod spawn;
mod step;
mod template;
mod turn;
mod value;

pub(crate) use script::script;
