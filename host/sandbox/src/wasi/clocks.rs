//! `wasi:clocks` and `wasi:io/poll`: time stands still. The clocks show 0, and whatever is waited for is there at once, so that no
//! guest can sleep: a loop that waits for time to pass burns its fuel.

use crate::link::{Guest, pay};
use crate::prices;
use crate::wasi::interface::{Answer, Interface, Refused};
use wasmtime::component::{ComponentType, Lower, Resource};

/// Something to wait for: always there already.
pub(crate) enum Pollable {}

/// What the clocks tell of their precision. Not 0, by which programs divide.
const RESOLUTION_NS: u32 = 1;

#[derive(ComponentType, Lower)]
#[component(record)]
struct Datetime {
    seconds: u64,
    nanoseconds: u32,
}

/// A new thing to wait for.
pub(crate) fn pollable() -> Resource<Pollable> {
    Resource::new_own(0)
}

pub(crate) fn monotonic(interface: &mut Interface<'_>) -> wasmtime::Result<()> {
    interface.answers("now", |_, ()| Ok((0_u64,)))?;
    interface.answers("resolution", |_, ()| Ok((u64::from(RESOLUTION_NS),)))?;
    interface.answers("subscribe-instant", |_, (_,): (u64,)| Ok((pollable(),)))?;
    interface.answers("subscribe-duration", |_, (_,): (u64,)| Ok((pollable(),)))
}

pub(crate) fn wall(interface: &mut Interface<'_>) -> wasmtime::Result<()> {
    interface.answers("now", |_, ()| Ok((Datetime { seconds: 0, nanoseconds: 0 },)))?;
    interface.answers("resolution", |_, ()| Ok((Datetime { seconds: 0, nanoseconds: RESOLUTION_NS },)))
}

pub(crate) fn poll(interface: &mut Interface<'_>) -> wasmtime::Result<()> {
    interface.resource::<Pollable>("pollable")?;
    interface.answers("[method]pollable.ready", |_, (_,): (Resource<Pollable>,)| Ok((true,)))?;
    interface.answers("[method]pollable.block", |_, (_,): (Resource<Pollable>,)| Ok(()))?;
    interface.prices_itself("poll", all_are_there)
}

fn all_are_there(mut guest: Guest<'_>, (polled,): (Vec<Resource<Pollable>>,)) -> Answer<'_, (Vec<u32>,)> {
    Box::new(async move {
        let bytes = polled.len().saturating_mul(size_of::<u32>());
        pay(&mut guest, prices::call(bytes).saturating_add(prices::crossing(bytes))).await?;
        // Handles that are lent count as handles, so that there are never more than a guest can have.
        match u32::try_from(polled.len()) {
            Ok(count) if count > 0 => Ok(((0..count).collect(),)),
            _ => Err(Refused::EmptyPoll.into()),
        }
    })
}
