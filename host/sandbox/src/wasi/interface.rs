//! How one interface is put together, so that nothing in it is free: every function pays the price of a call before it answers,
//! and lets others run as the fork's own calls do. Knows no function.

use crate::fork::Fork;
use crate::link::{Guest, pay};
use crate::prices;
use std::future::Future;
use wasmtime::component::types::ComponentFunc;
use wasmtime::component::{ComponentNamedList, Lift, LinkerInstance, Lower, Resource, ResourceType, Val};

/// A host function's answer to come.
pub(crate) type Answer<'a, R> = Box<dyn Future<Output = wasmtime::Result<R>> + Send + 'a>;

/// The guest asked for what cannot be had.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refused {
    /// A function that works on something nobody has.
    #[error("WASI is denied: there is nothing that this function could work on")]
    Nothing,
    /// More at once than is given.
    #[error("WASI is denied: {asked} {what} were asked for at once; at most {most} are given")]
    TooMuch {
        /// How many.
        asked: u64,
        /// Of what.
        what: &'static str,
        /// How many are given.
        most: u64,
    },
    /// A poll of nothing, which WASI forbids.
    #[error("WASI is denied: a poll of nothing would never end")]
    EmptyPoll,
}

/// Arguments without bytes of their own, so that the base price is all of theirs. What brings text or a list prices itself.
pub(crate) trait Flat {}

/// One argument of that kind.
pub(crate) trait Scalar {}

impl Scalar for u8 {}
impl Scalar for u64 {}
impl Scalar for Result<(), ()> {}
impl<T> Scalar for Resource<T> {}

impl Flat for () {}
impl<A: Scalar> Flat for (A,) {}
impl<A: Scalar, B: Scalar> Flat for (A, B) {}
impl<A: Scalar, B: Scalar, C: Scalar> Flat for (A, B, C) {}

/// One interface that is being filled.
pub(crate) struct Interface<'a>(pub(crate) LinkerInstance<'a, Fork>);

impl Interface<'_> {
    /// A function that is answered from the fork alone, at the base price.
    pub(crate) fn answers<P, R>(
        &mut self,
        name: &str,
        answer: fn(&mut Fork, P) -> wasmtime::Result<R>,
    ) -> wasmtime::Result<()>
    where
        P: ComponentNamedList + Lift + Flat + Send + 'static,
        R: ComponentNamedList + Lower + Send + 'static,
    {
        self.0
            .func_wrap_async(name, move |guest: Guest<'_>, parameters: P| Box::new(answered(guest, parameters, answer)))
    }

    /// A function that prices itself.
    pub(crate) fn prices_itself<P, R>(
        &mut self,
        name: &str,
        answer: for<'a> fn(Guest<'a>, P) -> Answer<'a, R>,
    ) -> wasmtime::Result<()>
    where
        P: ComponentNamedList + Lift + Send + 'static,
        R: ComponentNamedList + Lower + Send + 'static,
    {
        self.0.func_wrap_async(name, answer)
    }

    /// A resource of which any number may be held: it is a number and nothing else, so that nothing need be given back.
    pub(crate) fn resource<T: 'static>(&mut self, name: &str) -> wasmtime::Result<()> {
        self.0.resource(name, ResourceType::host::<T>(), |_, _| Ok(()))
    }

    /// Functions that work on something which nobody can have. Their types are the component's own affair.
    pub(crate) fn nothing(&mut self, names: impl IntoIterator<Item = String>) -> wasmtime::Result<()> {
        names.into_iter().try_for_each(|name| self.0.func_new_async(&name, refuse))
    }

    /// As [`Self::nothing`], for methods of one resource, which is defined too.
    pub(crate) fn nobody<T: 'static>(&mut self, resource: &str, methods: &[&str]) -> wasmtime::Result<()> {
        self.resource::<T>(resource)?;
        self.nothing(methods.iter().map(|method| format!("[method]{resource}.{method}")))
    }
}

async fn answered<P, R>(
    mut guest: Guest<'_>,
    parameters: P,
    answer: fn(&mut Fork, P) -> wasmtime::Result<R>,
) -> wasmtime::Result<R> {
    pay(&mut guest, prices::call(0)).await?;
    answer(guest.data_mut(), parameters)
}

fn refuse<'a>(mut guest: Guest<'a>, _: ComponentFunc, _: &'a [Val], _: &'a mut [Val]) -> Answer<'a, ()> {
    Box::new(async move {
        pay(&mut guest, prices::call(0)).await?;
        Err(Refused::Nothing.into())
    })
}
