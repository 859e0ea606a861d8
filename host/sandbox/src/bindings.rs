//! The guest contract as Rust types, generated from the one WIT file. Closed otherwise: nothing here decides anything.

#![allow(unreachable_pub, reason = "the macro writes `pub` on everything it generates")]

wasmtime::component::bindgen!({
    path: "../../wit",
    world: "agent",
    imports: { default: async | trappable },
    exports: { default: async },
});

pub(crate) use sandfork::agent::orchestrator::{Outcome, Request};
