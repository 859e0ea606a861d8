//! `wasi:io/streams` and the three standard ones: nothing comes in, and what goes out becomes notes in the fork's notebook, at the
//! price of notes and within their limit.

use crate::fork::Fork;
use crate::link::{Guest, note, pay};
use crate::prices;
use crate::wasi::clocks::{Pollable, pollable};
use crate::wasi::console::{Stream, WRITE_BYTES};
use crate::wasi::interface::{Answer, Interface, Refused};
use crate::wasi::nowhere::IoError;
use wasmtime::component::{ComponentType, Lower, Resource};

/// Where a guest reads from: it has ended.
pub(crate) enum Input {}
/// Where a guest writes to: the notebook. Its number says which of the two streams it is.
pub(crate) enum Output {}

#[derive(ComponentType, Lower)]
#[component(variant)]
enum StreamError {
    #[component(name = "last-operation-failed")]
    #[allow(dead_code, reason = "the type has it; nothing here ever fails so")]
    Failed(Resource<IoError>),
    #[component(name = "closed")]
    Closed,
}

type Streamed<T> = Result<T, StreamError>;
/// A method's arguments: itself, and how much.
type Asked<S> = (Resource<S>, u64);

const OUT: u32 = 1;
const ERROR: u32 = 2;

pub(crate) fn stdin(interface: &mut Interface<'_>) -> wasmtime::Result<()> {
    interface.answers("get-stdin", |_, ()| Ok((Resource::<Input>::new_own(0),)))
}

pub(crate) fn stdout(interface: &mut Interface<'_>) -> wasmtime::Result<()> {
    interface.answers("get-stdout", |_, ()| Ok((Resource::<Output>::new_own(OUT),)))
}

pub(crate) fn stderr(interface: &mut Interface<'_>) -> wasmtime::Result<()> {
    interface.answers("get-stderr", |_, ()| Ok((Resource::<Output>::new_own(ERROR),)))
}

pub(crate) fn streams(interface: &mut Interface<'_>) -> wasmtime::Result<()> {
    input(interface)?;
    interface.resource::<Output>("output-stream")?;
    interface.answers("[method]output-stream.check-write", |_, (_,): (Resource<Output>,)| {
        Ok((Streamed::Ok(WRITE_BYTES as u64),))
    })?;
    for name in ["write", "blocking-write-and-flush"] {
        interface.prices_itself(&format!("[method]output-stream.{name}"), write)?;
    }
    for name in ["write-zeroes", "blocking-write-zeroes-and-flush"] {
        interface.prices_itself(&format!("[method]output-stream.{name}"), write_zeroes)?;
    }
    // What is held back is the beginning of a line, and waits for its end.
    for name in ["flush", "blocking-flush"] {
        interface.answers(&format!("[method]output-stream.{name}"), |_, (_,): (Resource<Output>,)| {
            Ok((Streamed::Ok(()),))
        })?;
    }
    interface.answers("[method]output-stream.subscribe", |_, (_,): (Resource<Output>,)| Ok((pollable(),)))?;
    for name in ["splice", "blocking-splice"] {
        let name = format!("[method]output-stream.{name}");
        interface.answers(&name, |_, (_, _, _): (Resource<Output>, Resource<Input>, u64)| {
            Ok((Streamed::<u64>::Err(StreamError::Closed),))
        })?;
    }
    Ok(())
}

fn input(interface: &mut Interface<'_>) -> wasmtime::Result<()> {
    interface.resource::<Input>("input-stream")?;
    for name in ["read", "blocking-read"] {
        interface.answers(&format!("[method]input-stream.{name}"), |_, (_, _): Asked<Input>| {
            Ok((Streamed::<Vec<u8>>::Err(StreamError::Closed),))
        })?;
    }
    for name in ["skip", "blocking-skip"] {
        interface.answers(&format!("[method]input-stream.{name}"), |_, (_, _): Asked<Input>| {
            Ok((Streamed::<u64>::Err(StreamError::Closed),))
        })?;
    }
    interface.answers(
        "[method]input-stream.subscribe",
        |_: &mut Fork, (_,): (Resource<Input>,)| -> wasmtime::Result<(Resource<Pollable>,)> { Ok((pollable(),)) },
    )
}

fn write(guest: Guest<'_>, (stream, bytes): (Resource<Output>, Vec<u8>)) -> Answer<'_, (Streamed<()>,)> {
    Box::new(print(guest, stream, bytes.len() as u64, move || bytes))
}

fn write_zeroes(guest: Guest<'_>, (stream, asked): Asked<Output>) -> Answer<'_, (Streamed<()>,)> {
    Box::new(print(guest, stream, asked, move || {
        vec![0; WRITE_BYTES.min(usize::try_from(asked).unwrap_or(usize::MAX))]
    }))
}

/// Prints `asked` bytes, which `bytes` makes once it is known that they are not too many and paid for.
async fn print(
    mut guest: Guest<'_>,
    stream: Resource<Output>,
    asked: u64,
    bytes: impl FnOnce() -> Vec<u8>,
) -> wasmtime::Result<(Streamed<()>,)> {
    pay(&mut guest, prices::call(usize::try_from(asked).unwrap_or(usize::MAX))).await?;
    if asked > WRITE_BYTES as u64 {
        return Err(Refused::TooMuch { asked, what: "bytes of output", most: WRITE_BYTES as u64 }.into());
    }
    let stream = if stream.rep() == ERROR { Stream::Error } else { Stream::Out };
    if let Some(text) = guest.data_mut().console().print(stream, &bytes()) {
        note(guest, text).await?;
    }
    Ok((Ok(()),))
}

/// Notes what was printed without an end of line, when the guest has returned.
///
/// # Errors
/// As a note of the guest's own.
pub(crate) async fn finish(mut guest: Guest<'_>) -> wasmtime::Result<()> {
    while let Some(text) = guest.data_mut().console().rest() {
        note(reborrow(&mut guest), text).await?;
    }
    Ok(())
}

fn reborrow<'a>(guest: &'a mut Guest<'_>) -> Guest<'a> {
    use wasmtime::AsContextMut as _;
    guest.as_context_mut()
}
