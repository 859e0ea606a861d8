//! `sandfork cache`: what compiled code is kept, where, and the way to be rid of it. Knows nothing of what is in an entry.

use crate::cli::args::{CacheArgs, CacheDo};
use crate::cli::exit::Exit;
use crate::cli::show;
use sandfork::{CacheEntry, CodeCache, code_cache_dir};
use serde_json::{Value, json};
use std::io;
use std::path::Path;
use std::time::SystemTime;

pub(crate) fn cache(args: &CacheArgs) -> Exit {
    let dir = code_cache_dir(&args.state_dir);
    let cache = CodeCache::open(&dir);
    let told = match args.what {
        CacheDo::Show => cache.entries().map(|entries| shown(&dir, &entries)),
        CacheDo::Clear => cache.clear().map(|files| {
            let document = json!({ "schema": "sandfork.cache.v1", "path": dir, "removed": files });
            (document, format!("{files} files removed from {}\n", dir.display()))
        }),
        CacheDo::Path => Ok((json!({ "schema": "sandfork.cache.v1", "path": dir }), format!("{}\n", dir.display()))),
    };
    match told {
        Ok((document, _)) if args.json => show::document(&document, Exit::Completed),
        Ok((_, text)) => show::text(&text, Exit::Completed),
        Err(error) => unusable(&dir, &error),
    }
}

/// The entries, the one used last first, as a document and as lines for people.
fn shown(dir: &Path, entries: &[CacheEntry]) -> (Value, String) {
    let now = SystemTime::now();
    let bytes: u64 = entries.iter().map(|entry| entry.size_bytes).sum();
    let mut text = format!("{} components, {bytes} bytes in {}\n", entries.len(), dir.display());
    let mut rows = Vec::with_capacity(entries.len());
    for CacheEntry { size_bytes, digest, profile, last_used } in entries {
        // A clock that was set back makes an entry new, not an error.
        let age_s = now.duration_since(*last_used).unwrap_or_default().as_secs();
        text.push_str(&format!("{digest}  {profile:<14}  {size_bytes:>12} bytes  used {age_s} s ago\n"));
        rows.push(json!({ "digest": digest, "profile": profile, "bytes": size_bytes, "last_used_s_ago": age_s }));
    }
    (json!({ "schema": "sandfork.cache.v1", "path": dir, "bytes": bytes, "entries": rows }), text)
}

fn unusable(dir: &Path, error: &io::Error) -> Exit {
    show::say(&format!("error: the cache {} cannot be read or cleared: {error}", dir.display()));
    show::say("  hint: remove the directory by hand; what is missing is compiled again");
    Exit::Usage
}
