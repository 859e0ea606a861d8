//! Guests that nobody wrote: mutated components and generated ones. Whatever they are, the host keeps its promises. Seeded, so
//! that a failure can be repeated; `just prove` runs the same for as long as one likes.

#[path = "../../examples/prove/guests.rs"]
mod guests;
#[path = "../../examples/prove/trial.rs"]
mod trial;

use crate::support::guest;
use guests::{Dice, generated, mutated};
use trial::{Trials, Tried};

// HOSTILE 34. Of the mutated ones most are refused; those that still load must run to an end, too.
#[tokio::test]
async fn ten_thousand_mutated_components_are_refused_or_run_to_an_end() {
    let mut dice = Dice::new(0x5a4d_f0c4);
    let mut trials = Trials::new();
    let seeds = ["calls", "echo", "two_components", "memory_grow", "counter"].map(guest);
    for round in 0..10_000 {
        let seed = dice.one_of(&seeds);
        let bytes = mutated(seed, &mut dice);
        trials.run(bytes).await.unwrap_or_else(|broken| panic!("round {round}: {broken}"));
    }
    let Tried { refused, ran, .. } = trials.tried();
    assert!(refused > 1_000 && ran > 100, "refused {refused}, ran {ran}: the mutations are too wild or too tame");
}

// HOSTILE 10, 12, 13, 14, in every mixture: calls, growth, spinning, traps, recursion, bad pointers.
#[tokio::test]
async fn a_thousand_generated_guests_stay_within_their_limits() {
    let mut dice = Dice::new(0x0ddb_a115);
    let mut trials = Trials::new();
    for round in 0..1_000 {
        let text = generated(&mut dice);
        let bytes = wat::parse_str(&text).unwrap_or_else(|error| panic!("round {round}: {error}\n{text}"));
        trials.run(bytes).await.unwrap_or_else(|broken| panic!("round {round}: {broken}\n{text}"));
    }
    let tried = trials.tried();
    assert_eq!(tried.refused, 0, "a generated guest is a valid component");
    for (end, count) in tried.ends {
        assert!(count > 0, "no generated guest ended with {end}");
    }
}
