//! WASI preview 2 with nothing behind it, for components that a plan marks `wasi: denied`. Everything is answered from the fork
//! itself: no file, socket, clock, environment or randomness of the machine is known here or below.
//!
//! A function of our own for each of WASI's, because it must be paid for: whoever answers needs the store's fuel, and what is
//! printed goes through the port. Functions that need a thing which nobody can have (a file, a socket) are there by name alone.

mod cli;
mod clocks;
mod console;
mod interface;
mod nowhere;
mod random;
mod streams;

pub(crate) use cli::Exited;
pub(crate) use console::Console;
pub(crate) use random::Random;
pub(crate) use streams::finish;

use crate::fork::Fork;
use interface::Interface;
use wasmtime::component::{Linker, LinkerInstance};

/// The version our types are those of; the linker gives it to whoever asks for any of 0.2.
const VERSION: &str = "0.2.12";
/// What an asked version must begin with.
const COMPATIBLE: &str = "0.2.";

/// What one interface offers.
type Fill = fn(&mut Interface<'_>) -> wasmtime::Result<()>;

/// Every interface on offer. What is not in this list is refused by name.
const INTERFACES: &[(&str, Fill)] = &[
    ("wasi:io/error", nowhere::io_error),
    ("wasi:io/poll", clocks::poll),
    ("wasi:io/streams", streams::streams),
    ("wasi:cli/environment", cli::environment),
    ("wasi:cli/exit", cli::exit),
    ("wasi:cli/stdin", streams::stdin),
    ("wasi:cli/stdout", streams::stdout),
    ("wasi:cli/stderr", streams::stderr),
    ("wasi:cli/terminal-input", cli::terminal_input),
    ("wasi:cli/terminal-output", cli::terminal_output),
    ("wasi:cli/terminal-stdin", cli::terminal_stdin),
    ("wasi:cli/terminal-stdout", cli::terminal_stdout),
    ("wasi:cli/terminal-stderr", cli::terminal_stderr),
    ("wasi:clocks/monotonic-clock", clocks::monotonic),
    ("wasi:clocks/wall-clock", clocks::wall),
    ("wasi:random/random", random::random),
    ("wasi:random/insecure", random::insecure),
    ("wasi:random/insecure-seed", random::insecure_seed),
    ("wasi:filesystem/preopens", nowhere::preopens),
    ("wasi:filesystem/types", nowhere::filesystem),
    ("wasi:sockets/network", nowhere::network),
    ("wasi:sockets/instance-network", nowhere::instance_network),
    ("wasi:sockets/ip-name-lookup", nowhere::ip_name_lookup),
    ("wasi:sockets/tcp", nowhere::tcp),
    ("wasi:sockets/tcp-create-socket", nowhere::tcp_create_socket),
    ("wasi:sockets/udp", nowhere::udp),
    ("wasi:sockets/udp-create-socket", nowhere::udp_create_socket),
];

/// Whether an import of this name, version included, is on offer.
pub(crate) fn is_offered(import: &str) -> bool {
    let Some((name, version)) = import.split_once('@') else { return false };
    let patch = version.strip_prefix(COMPATIBLE);
    let is_compatible = patch.is_some_and(|patch| !patch.is_empty() && patch.bytes().all(|byte| byte.is_ascii_digit()));
    is_compatible && INTERFACES.iter().any(|(offered, _)| *offered == name)
}

/// Offers all of it beside what `linker` offers already.
///
/// # Errors
/// When the engine does not accept a definition: a fault of the host.
pub(crate) fn add(linker: &mut Linker<Fork>) -> wasmtime::Result<()> {
    for (name, fill) in INTERFACES {
        let instance: LinkerInstance<'_, Fork> = linker.instance(&format!("{name}@{VERSION}"))?;
        fill(&mut Interface(instance))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
