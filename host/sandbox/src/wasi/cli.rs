//! `wasi:cli`: no environment, no arguments, no directory, no terminal. An exit ends the fork without an output.

use crate::wasi::interface::Interface;
use wasmtime::component::Resource;

/// The guest ended itself instead of returning from `run`.
#[derive(Debug, thiserror::Error)]
#[error("exited")]
pub(crate) struct Exited;

/// A terminal: nobody has one.
pub(crate) enum Terminal<const IS_INPUT: bool> {}

type Variables = Vec<(String, String)>;
type NoTerminal<const IS_INPUT: bool> = Option<Resource<Terminal<IS_INPUT>>>;

pub(crate) fn environment(interface: &mut Interface<'_>) -> wasmtime::Result<()> {
    interface.answers("get-environment", |_, ()| Ok((Variables::new(),)))?;
    interface.answers("get-arguments", |_, ()| Ok((Vec::<String>::new(),)))?;
    interface.answers("initial-cwd", |_, ()| Ok((None::<String>,)))
}

pub(crate) fn exit(interface: &mut Interface<'_>) -> wasmtime::Result<()> {
    interface.answers("exit", |_, (_,): (Result<(), ()>,)| Err::<(), _>(Exited.into()))?;
    interface.answers("exit-with-code", |_, (_,): (u8,)| Err::<(), _>(Exited.into()))
}

pub(crate) fn terminal_input(interface: &mut Interface<'_>) -> wasmtime::Result<()> {
    interface.resource::<Terminal<true>>("terminal-input")
}

pub(crate) fn terminal_output(interface: &mut Interface<'_>) -> wasmtime::Result<()> {
    interface.resource::<Terminal<false>>("terminal-output")
}

pub(crate) fn terminal_stdin(interface: &mut Interface<'_>) -> wasmtime::Result<()> {
    interface.answers("get-terminal-stdin", |_, ()| Ok((NoTerminal::<true>::None,)))
}

pub(crate) fn terminal_stdout(interface: &mut Interface<'_>) -> wasmtime::Result<()> {
    interface.answers("get-terminal-stdout", |_, ()| Ok((NoTerminal::<false>::None,)))
}

pub(crate) fn terminal_stderr(interface: &mut Interface<'_>) -> wasmtime::Result<()> {
    interface.answers("get-terminal-stderr", |_, ()| Ok((NoTerminal::<false>::None,)))
}
