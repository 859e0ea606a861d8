//! `wasi:filesystem`, `wasi:sockets` and `wasi:io/error`: there are no directories, no network lets anybody in, and so nobody ever
//! has a file, a socket or an error to ask about. Their functions are here by name, for programs that would link them.

use crate::link::{Guest, pay};
use crate::prices;
use crate::wasi::interface::{Answer, Interface, Scalar};
use wasmtime::component::{ComponentType, Lift, Lower, Resource};

/// Things that nobody has.
pub(crate) enum IoError {}
enum Descriptor {}
enum DirectoryEntries {}
enum TcpSocket {}
enum UdpSocket {}
enum Incoming {}
enum Outgoing {}
enum Addresses {}
/// The one thing that may be held: a network that denies everything.
enum Network {}

/// Why a socket cannot be had. WASI's list; only one of its reasons is ever given.
#[derive(ComponentType, Lower, Clone, Copy)]
#[component(enum)]
#[repr(u8)]
#[allow(dead_code, reason = "the type has all of them")]
enum ErrorCode {
    #[component(name = "unknown")]
    Unknown,
    #[component(name = "access-denied")]
    AccessDenied,
    #[component(name = "not-supported")]
    NotSupported,
    #[component(name = "invalid-argument")]
    InvalidArgument,
    #[component(name = "out-of-memory")]
    OutOfMemory,
    #[component(name = "timeout")]
    Timeout,
    #[component(name = "concurrency-conflict")]
    ConcurrencyConflict,
    #[component(name = "not-in-progress")]
    NotInProgress,
    #[component(name = "would-block")]
    WouldBlock,
    #[component(name = "invalid-state")]
    InvalidState,
    #[component(name = "new-socket-limit")]
    NewSocketLimit,
    #[component(name = "address-not-bindable")]
    AddressNotBindable,
    #[component(name = "address-in-use")]
    AddressInUse,
    #[component(name = "remote-unreachable")]
    RemoteUnreachable,
    #[component(name = "connection-refused")]
    ConnectionRefused,
    #[component(name = "connection-reset")]
    ConnectionReset,
    #[component(name = "connection-aborted")]
    ConnectionAborted,
    #[component(name = "datagram-too-large")]
    DatagramTooLarge,
    #[component(name = "name-unresolvable")]
    NameUnresolvable,
    #[component(name = "temporary-resolver-failure")]
    TemporaryResolverFailure,
    #[component(name = "permanent-resolver-failure")]
    PermanentResolverFailure,
}

#[derive(ComponentType, Lift, Clone, Copy)]
#[component(enum)]
#[repr(u8)]
#[allow(dead_code, reason = "a guest makes these")]
enum Family {
    #[component(name = "ipv4")]
    Ipv4,
    #[component(name = "ipv6")]
    Ipv6,
}

impl Scalar for Family {}

type Denied<T> = Result<Resource<T>, ErrorCode>;

pub(crate) fn io_error(interface: &mut Interface<'_>) -> wasmtime::Result<()> {
    interface.nobody::<IoError>("error", &["to-debug-string"])
}

pub(crate) fn preopens(interface: &mut Interface<'_>) -> wasmtime::Result<()> {
    interface.answers("get-directories", |_, ()| Ok((Vec::<(Resource<Descriptor>, String)>::new(),)))
}

pub(crate) fn filesystem(interface: &mut Interface<'_>) -> wasmtime::Result<()> {
    interface.nobody::<Descriptor>(
        "descriptor",
        &[
            "read-via-stream",
            "write-via-stream",
            "append-via-stream",
            "advise",
            "sync-data",
            "get-flags",
            "get-type",
            "set-size",
            "set-times",
            "read",
            "write",
            "read-directory",
            "sync",
            "create-directory-at",
            "stat",
            "stat-at",
            "set-times-at",
            "link-at",
            "open-at",
            "readlink-at",
            "remove-directory-at",
            "rename-at",
            "symlink-at",
            "unlink-file-at",
            "is-same-object",
            "metadata-hash",
            "metadata-hash-at",
        ],
    )?;
    interface.nobody::<DirectoryEntries>("directory-entry-stream", &["read-directory-entry"])?;
    interface.nothing(["filesystem-error-code".to_owned()])
}

pub(crate) fn network(interface: &mut Interface<'_>) -> wasmtime::Result<()> {
    interface.resource::<Network>("network")
}

pub(crate) fn instance_network(interface: &mut Interface<'_>) -> wasmtime::Result<()> {
    interface.answers("instance-network", |_, ()| Ok((Resource::<Network>::new_own(0),)))
}

pub(crate) fn ip_name_lookup(interface: &mut Interface<'_>) -> wasmtime::Result<()> {
    interface.nobody::<Addresses>("resolve-address-stream", &["resolve-next-address", "subscribe"])?;
    interface.prices_itself("resolve-addresses", no_addresses)
}

fn no_addresses(mut guest: Guest<'_>, (_, name): (Resource<Network>, String)) -> Answer<'_, (Denied<Addresses>,)> {
    Box::new(async move {
        // The name was copied, whatever comes of it.
        pay(&mut guest, prices::call(name.len())).await?;
        Ok((Err(ErrorCode::AccessDenied),))
    })
}

pub(crate) fn tcp_create_socket(interface: &mut Interface<'_>) -> wasmtime::Result<()> {
    interface
        .answers("create-tcp-socket", |_, (_,): (Family,)| Ok((Denied::<TcpSocket>::Err(ErrorCode::AccessDenied),)))
}

pub(crate) fn udp_create_socket(interface: &mut Interface<'_>) -> wasmtime::Result<()> {
    interface
        .answers("create-udp-socket", |_, (_,): (Family,)| Ok((Denied::<UdpSocket>::Err(ErrorCode::AccessDenied),)))
}

pub(crate) fn tcp(interface: &mut Interface<'_>) -> wasmtime::Result<()> {
    interface.nobody::<TcpSocket>(
        "tcp-socket",
        &[
            "start-bind",
            "finish-bind",
            "start-connect",
            "finish-connect",
            "start-listen",
            "finish-listen",
            "accept",
            "local-address",
            "remote-address",
            "is-listening",
            "address-family",
            "set-listen-backlog-size",
            "keep-alive-enabled",
            "set-keep-alive-enabled",
            "keep-alive-idle-time",
            "set-keep-alive-idle-time",
            "keep-alive-interval",
            "set-keep-alive-interval",
            "keep-alive-count",
            "set-keep-alive-count",
            "hop-limit",
            "set-hop-limit",
            "receive-buffer-size",
            "set-receive-buffer-size",
            "send-buffer-size",
            "set-send-buffer-size",
            "subscribe",
            "shutdown",
        ],
    )
}

pub(crate) fn udp(interface: &mut Interface<'_>) -> wasmtime::Result<()> {
    interface.nobody::<UdpSocket>(
        "udp-socket",
        &[
            "start-bind",
            "finish-bind",
            "stream",
            "local-address",
            "remote-address",
            "address-family",
            "unicast-hop-limit",
            "set-unicast-hop-limit",
            "receive-buffer-size",
            "set-receive-buffer-size",
            "send-buffer-size",
            "set-send-buffer-size",
            "subscribe",
        ],
    )?;
    interface.nobody::<Incoming>("incoming-datagram-stream", &["receive", "subscribe"])?;
    interface.nobody::<Outgoing>("outgoing-datagram-stream", &["check-send", "send", "subscribe"])
}
