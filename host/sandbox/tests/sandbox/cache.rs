//! Compiled code kept between hosts: found again, and never believed when anything about it is not as it was left.

use crate::support::*;
use sandfork_model::port::{Ended, LoadOptions, Runtime};
use sandfork_sandbox::{CacheLimits, CodeCache, LoadLimits, PoolLimits, Sandboxes};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const ONE: PoolLimits = PoolLimits { live_forks: 1 };

/// A host of its own, as another process would be.
fn host_at(dir: &Path) -> Sandboxes {
    host_with(CodeCache::open(dir), LoadLimits::default())
}

fn host_with(cache: CodeCache, limits: LoadLimits) -> Sandboxes {
    Sandboxes::with_cache(ONE, limits, Some(cache)).expect("the machine has room")
}

/// Loads and runs a guest; how many components had to be compiled for it, and how it ended.
async fn compiled(host: &Sandboxes, name: &str) -> (u64, Ended) {
    let before = host.components_compiled();
    let agent = host.load(guest(name)).await.unwrap_or_else(|refused| panic!("{name}: {}", refused.message));
    let port = Arc::new(FakePort::with_budget(1_000_000));
    let ended = agent.run("\"a task\"".into(), allowance(1_000_000), port, never()).await;
    (host.components_compiled() - before, ended)
}

async fn count(dir: &Path, name: &str) -> u64 {
    compiled(&host_at(dir), name).await.0
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = match fs::read_dir(dir.join("code")) {
        Ok(entries) => entries.map(|entry| entry.unwrap().path()).collect(),
        Err(_) => Vec::new(),
    };
    files.sort();
    files
}

fn only(dir: &Path) -> PathBuf {
    let files = files(dir);
    assert_eq!(files.len(), 1, "{files:?}");
    files[0].clone()
}

#[tokio::test]
async fn the_next_host_compiles_nothing_and_gets_the_same_outcome() {
    let home = tempfile::tempdir().unwrap();
    // A script's kind, and a language guest's: both engines.
    for name in ["calls", "two_components"] {
        let first = compiled(&host_at(home.path()), name).await;
        let second = compiled(&host_at(home.path()), name).await;
        assert_eq!((first.0, second.0), (1, 0), "{name}");
        assert_eq!(first.1, second.1, "{name}");
        assert_eq!(run(name, 1_000_000).await, first.1, "{name}: as without a cache");
    }
}

// What a trap may hide is not read off the code: it is found out once, and kept with it.
#[tokio::test]
async fn a_trap_in_kept_code_is_charged_as_in_fresh_code() {
    let home = tempfile::tempdir().unwrap();
    let mut used = Vec::new();
    for wanted in [1, 0] {
        let host = host_at(home.path());
        let agent = host.load(guest("divide")).await.map_err(|refused| refused.message).unwrap();
        let port = Arc::new(FakePort::with_budget(100_000_000));
        let ended = agent.run(String::new(), allowance(100_000_000), port, never()).await;
        assert_eq!(host.components_compiled(), wanted);
        used.push(ended);
    }
    assert_eq!(used[0], used[1]);
}

/// Spoils an entry.
type Spoil = fn(&Path);

/// Every way to spoil an entry.
const SINS: &[(&str, Spoil)] = &[
    ("emptied", |path| cut(path, 0)),
    ("cut in its head", |path| cut(path, 50)),
    ("cut behind its head", |path| cut(path, 96)),
    ("cut in its code", |path| cut(path, 5_000)),
    ("another format", |path| flip(path, 6)),
    ("another MAC", |path| flip(path, 20)),
    ("another component", |path| flip(path, 50)),
    ("another profile", |path| flip(path, 72)),
    ("another shape", |path| flip(path, 73)),
    ("another fuel", |path| flip(path, 80)),
    ("another length", |path| flip(path, 90)),
    ("other code", |path| flip(path, 9_000)),
    ("longer", |path| {
        let mut bytes = fs::read(path).unwrap();
        bytes.push(0);
        fs::write(path, bytes).unwrap();
    }),
    ("bare code of the engine, unsealed", |path| {
        let bytes = fs::read(path).unwrap();
        fs::write(path, &bytes[96..]).unwrap();
    }),
    ("a sparse file of a terabyte", |path| {
        let file = fs::File::options().write(true).open(path).unwrap();
        // Where the file system has no such files, the entry is as it was cut.
        let _ = file.set_len(1 << 40);
        drop(file);
        flip_first(path);
    }),
    ("a directory", |path| {
        fs::remove_file(path).unwrap();
        fs::create_dir(path).unwrap();
    }),
    #[cfg(unix)]
    ("a link to itself elsewhere", |path| {
        let elsewhere = path.parent().unwrap().parent().unwrap().join("elsewhere");
        fs::rename(path, &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, path).unwrap();
    }),
    #[cfg(unix)]
    ("a link to a device without end", |path| {
        fs::remove_file(path).unwrap();
        std::os::unix::fs::symlink("/dev/zero", path).unwrap();
    }),
];

fn flip(path: &Path, at: usize) {
    let mut bytes = fs::read(path).unwrap();
    bytes[at] ^= 1;
    fs::write(path, bytes).unwrap();
}

fn cut(path: &Path, to: usize) {
    let bytes = fs::read(path).unwrap();
    fs::write(path, &bytes[..to.min(bytes.len())]).unwrap();
}

/// Flips the first byte in place, whatever the size of the file.
fn flip_first(path: &Path) {
    use std::io::{Seek as _, Write as _};
    let mut file = fs::File::options().write(true).open(path).unwrap();
    file.rewind().unwrap();
    file.write_all(b"S").unwrap();
}

#[tokio::test]
async fn an_entry_that_is_not_as_it_was_left_is_a_miss_and_never_more() {
    for (sin, spoil) in SINS {
        let home = tempfile::tempdir().unwrap();
        let (_, wanted) = compiled(&host_at(home.path()), "calls").await;
        spoil(&only(home.path()));
        let (fresh, ended) = compiled(&host_at(home.path()), "calls").await;
        assert_eq!((fresh, ended), (1, wanted), "{sin}");
        if *sin != "a directory" {
            assert_eq!(count(home.path(), "calls").await, 0, "{sin}: it was put right");
        }
    }
}

#[tokio::test]
async fn an_entry_of_another_component_is_a_miss_in_its_place() {
    let home = tempfile::tempdir().unwrap();
    count(home.path(), "calls").await;
    let calls = only(home.path());
    count(home.path(), "echo").await;
    let echo = files(home.path()).into_iter().find(|path| *path != calls).unwrap();
    fs::copy(&calls, &echo).unwrap();
    assert_eq!(count(home.path(), "echo").await, 1);
    assert_eq!(count(home.path(), "calls").await, 0);
}

// Code that was let through by looser limits, or with WASI, says nothing about stricter ones.
#[tokio::test]
async fn other_limits_and_options_find_nothing() {
    let home = tempfile::tempdir().unwrap();
    count(home.path(), "calls").await;
    let limits = LoadLimits { functions: 1, ..LoadLimits::default() };
    let strict = host_with(CodeCache::open(home.path()), limits);
    assert!(strict.load(guest("calls")).await.is_err());
    let host = host_at(home.path());
    assert!(host.load_with(guest("calls"), LoadOptions { wasi_denied: true }).await.is_ok());
    assert_eq!(host.components_compiled(), 1);
    assert_eq!(files(home.path()).len(), 2);
}

#[tokio::test]
async fn another_key_believes_nothing() {
    let home = tempfile::tempdir().unwrap();
    count(home.path(), "calls").await;
    fs::remove_file(home.path().join("key")).unwrap();
    assert_eq!(count(home.path(), "calls").await, 1, "the key is gone");
    assert_eq!(count(home.path(), "calls").await, 0, "a new one was made, and the entry again");
    fs::write(home.path().join("key"), [7; 32]).unwrap();
    assert_eq!(count(home.path(), "calls").await, 1, "other bytes");
}

// A state directory can come with a clone or an archive: then its author knows the key, and could have sealed any code with it.
#[cfg(unix)]
#[tokio::test]
async fn a_cache_that_was_brought_here_with_its_key_is_not_believed() {
    use std::os::unix::fs::PermissionsExt as _;
    let (home, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    count(home.path(), "calls").await;
    fs::create_dir(other.path().join("code")).unwrap();
    let entry = only(home.path());
    fs::copy(&entry, other.path().join("code").join(entry.file_name().unwrap())).unwrap();
    fs::copy(home.path().join("key"), other.path().join("key")).unwrap();
    fs::set_permissions(other.path().join("key"), fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(count(other.path(), "calls").await, 1);
    assert_eq!(count(other.path(), "calls").await, 0, "what was compiled here is believed here");
    assert_eq!(count(home.path(), "calls").await, 0);
}

#[cfg(unix)]
#[tokio::test]
async fn a_key_that_others_can_read_vouches_for_nothing() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = tempfile::tempdir().unwrap();
    count(home.path(), "calls").await;
    let key = home.path().join("key");
    assert_eq!(fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(only(home.path())).unwrap().permissions().mode() & 0o777, 0o600);
    fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).unwrap();
    for _ in 0..2 {
        assert_eq!(count(home.path(), "calls").await, 1);
    }
    assert_eq!(count(home.path(), "echo").await, 1);
    assert_eq!(files(home.path()).len(), 1, "nor is anything kept under it");
}

#[tokio::test]
async fn a_cache_that_cannot_be_written_is_no_hindrance() {
    let home = tempfile::tempdir().unwrap();
    // A file where the directory should be: nothing can be made below it, whoever asks.
    let file = home.path().join("file");
    fs::write(&file, "x").unwrap();
    assert_eq!(count(&file, "calls").await, 1);
    assert_eq!(count(&file.join("below"), "calls").await, 1);
    let code = home.path().join("half");
    fs::create_dir(&code).unwrap();
    fs::write(code.join("code"), "x").unwrap();
    assert_eq!(count(&code, "calls").await, 1);
    assert_eq!(fs::read(code.join("code")).unwrap(), b"x");
}

#[cfg(unix)]
#[tokio::test]
async fn a_directory_that_can_only_be_read_still_serves() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = tempfile::tempdir().unwrap();
    count(home.path(), "calls").await;
    let mode = |mode| {
        for dir in [home.path().join("code"), home.path().to_path_buf()] {
            fs::set_permissions(dir, fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    mode(0o500);
    let (calls, echo) = (count(home.path(), "calls").await, count(home.path(), "echo").await);
    mode(0o700);
    assert_eq!((calls, echo), (0, 1));
}

// Each host stands for a process: nothing is shared but the directory.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hosts_that_start_at_once_share_one_cache_and_disturb_nobody() {
    let home = tempfile::tempdir().unwrap();
    let wanted = run("calls", 1_000_000).await;
    let hosts: Vec<_> = (0..6)
        .map(|_| {
            let dir = home.path().to_path_buf();
            tokio::spawn(async move { compiled(&host_at(&dir), "calls").await.1 })
        })
        .collect();
    for host in hosts {
        assert_eq!(host.await.unwrap(), wanted);
    }
    assert_eq!(count(home.path(), "calls").await, 0, "whoever was last, it is whole");
    assert_eq!(files(home.path()).len(), 1, "nothing unfinished is left");
}

#[tokio::test]
async fn who_was_not_used_for_longest_goes_first() {
    let home = tempfile::tempdir().unwrap();
    let limits = CacheLimits { entries: 2, ..CacheLimits::default() };
    let fresh = async |name: &str| {
        compiled(&host_with(CodeCache::with_limits(home.path(), limits), LoadLimits::default()), name).await.0
    };
    assert_eq!((fresh("calls").await, fresh("echo").await, fresh("calls").await), (1, 1, 0));
    assert_eq!(fresh("counter").await, 1);
    assert_eq!(files(home.path()).len(), 2);
    assert_eq!((fresh("calls").await, fresh("echo").await), (0, 1));
}

#[tokio::test]
async fn the_bytes_of_all_entries_have_a_limit_and_what_exceeds_it_alone_is_not_kept() {
    let home = tempfile::tempdir().unwrap();
    count(home.path(), "calls").await;
    let size = fs::metadata(only(home.path())).unwrap().len();
    let limits = |total_bytes| CacheLimits { total_bytes, ..CacheLimits::default() };
    let at =
        |name: &str, total| (home.path().join(name), CodeCache::with_limits(home.path().join(name), limits(total)));
    let (small, cache) = at("small", size - 1);
    compiled(&host_with(cache, LoadLimits::default()), "calls").await;
    assert!(files(&small).is_empty());
    let (enough, cache) = at("enough", size + 100);
    let host = host_with(cache, LoadLimits::default());
    compiled(&host, "echo").await;
    compiled(&host, "calls").await;
    assert_eq!(files(&enough).len(), 1, "the first had to go");
    assert_eq!(count(&enough, "calls").await, 0);
}

#[tokio::test]
async fn the_cache_says_what_is_in_it_and_can_be_emptied() {
    let home = tempfile::tempdir().unwrap();
    let cache = CodeCache::open(home.path());
    assert_eq!((cache.entries().unwrap(), cache.clear().unwrap()), (vec![], 0), "one that is not there is empty");
    count(home.path(), "calls").await;
    count(home.path(), "two_components").await;
    fs::write(home.path().join("code").join("not an entry"), "x").unwrap();
    let entries = cache.entries().unwrap();
    let told: Vec<_> = entries.iter().map(|entry| (entry.digest.clone(), entry.profile)).collect();
    let digest = |name: &str| sandfork_model::sha256_hex(&guest(name));
    assert_eq!(told, [(digest("two_components"), "language guest"), (digest("calls"), "script")]);
    assert!(entries.iter().all(|entry| entry.size_bytes > 1_000 && entry.last_used.elapsed().is_ok()));
    assert_eq!(cache.clear().unwrap(), 3);
    assert_eq!(cache.entries().unwrap(), []);
    assert_eq!(count(home.path(), "calls").await, 1);
}

// A refusal is quick to find again, and must be found again: limits change.
#[tokio::test]
async fn what_cannot_be_loaded_is_not_kept() {
    let home = tempfile::tempdir().unwrap();
    let host = host_at(home.path());
    for name in ["other_types", "no_run", "wasi_sockets", "threads"] {
        assert!(host.load(guest(name)).await.is_err(), "{name}");
    }
    assert!(files(home.path()).is_empty());
}
