//! The three host functions: price, ask the port, take the next leash, price the answer. Answers nothing itself.

use crate::bindings::{Error, Outcome, Request};
use crate::crossing::{answer_bytes, outcomes_bytes, requests_bytes};
use crate::fork::{Fork, Halted};
use crate::imports::INTERFACE;
use crate::prices;
use sandfork_model::port::{Leash, Meter, RawRequest};
use std::task::Poll;
use wasmtime::component::Linker;
use wasmtime::{Engine, StoreContextMut, Trap};

/// A guest in the middle of a call.
pub(crate) type Guest<'a> = StoreContextMut<'a, Fork>;

/// Offers the one interface.
///
/// # Errors
/// When the engine does not accept a definition: a fault of the host.
pub(crate) fn linker(engine: &Engine) -> wasmtime::Result<Linker<Fork>> {
    let mut linker = Linker::new(engine);
    let mut interface = linker.instance(INTERFACE)?;
    interface.func_wrap_async("note", |guest: Guest<'_>, (text,): (String,)| Box::new(note(guest, text)))?;
    interface.func_wrap_async("spawn", |guest: Guest<'_>, (requests, options): (Vec<Request>, String)| {
        Box::new(spawn(guest, requests, options))
    })?;
    interface.func_wrap_async("tool", |guest: Guest<'_>, (name, arguments): (String, String)| {
        Box::new(tool(guest, name, arguments))
    })?;
    Ok(linker)
}

/// Writes to the notebook.
///
/// # Errors
/// When the fork cannot pay, or the port says that it must end.
pub(crate) async fn note(mut guest: Guest<'_>, text: String) -> wasmtime::Result<()> {
    let meter = pay(&mut guest, prices::call(text.len())).await?;
    let leash = guest.data().port().note(meter, text).await.map_err(Halted::from)?;
    go_on(&mut guest, leash, 0)
}

async fn spawn(mut guest: Guest<'_>, requests: Vec<Request>, options: String) -> wasmtime::Result<(Vec<Outcome>,)> {
    let price = prices::spawn(requests.len(), requests_bytes(&requests, &options));
    let meter = pay(&mut guest, price).await?;
    let requests = requests.into_iter().map(RawRequest::from).collect();
    let (outcomes, leash) = guest.data().port().spawn(meter, requests, options).await.map_err(Halted::from)?;
    go_on(&mut guest, leash, outcomes_bytes(&outcomes))?;
    Ok((outcomes.into_iter().map(Outcome::from).collect(),))
}

async fn tool(mut guest: Guest<'_>, name: String, arguments: String) -> wasmtime::Result<(Result<String, Error>,)> {
    let meter = pay(&mut guest, prices::call(name.len().saturating_add(arguments.len()))).await?;
    let (answer, leash) = guest.data().port().tool(meter, name, arguments).await.map_err(Halted::from)?;
    go_on(&mut guest, leash, answer_bytes(&answer))?;
    Ok((answer.map_err(Error::from),))
}

/// Charges a call before the port hears of it. Setting a store's fuel starts a new yield slice, so a guest that does little
/// but call would hardly ever let others run: a call does it, once for each slice of fuel, the price of calls included.
pub(crate) async fn pay(guest: &mut Guest<'_>, price: u64) -> wasmtime::Result<Meter> {
    burn(guest, price)?;
    let left = guest.get_fuel()?;
    let meter = guest.data().meter(left);
    if guest.data_mut().is_due(meter) {
        let_others_run().await;
    }
    Ok(meter)
}

/// Goes to the back of the line of the runtime's tasks, once.
async fn let_others_run() {
    let mut has_waited = false;
    std::future::poll_fn(|context| {
        if std::mem::replace(&mut has_waited, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Lets the guest go on with its next leash, less the price of what the answer brings.
fn go_on(guest: &mut Guest<'_>, leash: Leash, answer_bytes: usize) -> wasmtime::Result<()> {
    let left = guest.get_fuel()?;
    let filled = guest.data_mut().take_leash(left, leash);
    guest.set_fuel(filled)?;
    burn(guest, prices::crossing(answer_bytes))
}

/// Takes `price` from the store, or all there is and the guest's end with it.
fn burn(guest: &mut Guest<'_>, price: u64) -> wasmtime::Result<()> {
    match guest.get_fuel()?.checked_sub(price) {
        Some(left) => guest.set_fuel(left),
        None => {
            guest.set_fuel(0)?;
            Err(Trap::OutOfFuel.into())
        }
    }
}
