//! Tries as many guests as one likes: `just prove 1000000 7`. Half of them are mutated components, half generated. Ends at the
//! first broken promise, and writes that guest to `broken.wasm`.
#![allow(
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a proof stops at what it did not expect"
)]

mod guests;
mod trial;

use guests::{Dice, generated, mutated};
use trial::Trials;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let numbers: Vec<u64> = std::env::args().skip(1).map(|text| text.parse().expect("two numbers: N SEED")).collect();
    let [count, seed] = numbers[..] else { panic!("two numbers: N SEED") };
    let guests = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/guests");
    let mut seeds: Vec<Vec<u8>> = Vec::new();
    let mut files: Vec<_> =
        std::fs::read_dir(guests).expect("the guests").map(|file| file.expect("one").path()).collect();
    files.sort();
    for file in files {
        seeds.push(wat::parse_file(&file).expect("a component"));
    }
    let mut dice = Dice::new(seed);
    let mut trials = Trials::new();
    let started = std::time::Instant::now();
    for round in 1..=count {
        let bytes = if round % 2 == 0 {
            wat::parse_str(generated(&mut dice)).expect("a component")
        } else {
            let seed = dice.one_of(&seeds);
            mutated(seed, &mut dice)
        };
        if let Err(broken) = trials.run(bytes.clone()).await {
            std::fs::write("broken.wasm", bytes).expect("written");
            panic!("seed {seed}, guest {round}: {broken}; see broken.wasm");
        }
        if round % 10_000 == 0 || round == count {
            println!("{round} guests in {} s, seed {seed}: {:?}", started.elapsed().as_secs(), trials.tried());
        }
    }
}
