//! `sandfork compare`: two reports as one table, and what it says about the split.

use crate::cli::args::CompareArgs;
use crate::cli::exit::Exit;
use crate::cli::{plan, show};

pub(crate) fn compare(args: &CompareArgs) -> Exit {
    match sandfork::compare(&args.a, &args.b) {
        Ok(comparison) if args.json => show::document(&comparison.document(), Exit::Completed),
        Ok(comparison) => show::text(&comparison.words(), Exit::Completed),
        Err(error) => plan::refuse(&error, args.json),
    }
}
