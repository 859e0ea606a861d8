//! Our WASI held to the real one: a component that fits the types of both fits neither by accident.

use super::*;
use crate::engine::Profile;
use wasmtime::component::{Component, ResourceTable};
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};

struct Real(WasiCtx, ResourceTable);

impl WasiView for Real {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.0, table: &mut self.1 }
    }
}

#[test]
fn a_component_that_imports_every_reachable_function_fits_both() {
    let bytes = wat::parse_str(include_str!("../../../../fixtures/wasi/denied.wat")).expect("assembles");
    let (engine, _) = Profile::Wide.start(1, u64::MAX).expect("room for one");
    let component = Component::from_binary(&engine, &bytes).expect("valid");
    let mut real = Linker::<Real>::new(&engine);
    wasmtime_wasi::p2::add_to_linker_async(&mut real).expect("linked");
    real.instantiate_pre(&component).map(drop).expect("these are WASI's types");
    let mut ours = Linker::<Fork>::new(&engine);
    add(&mut ours).expect("linked");
    ours.instantiate_pre(&component).map(drop).expect("these are ours");
}
