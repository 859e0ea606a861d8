//! `wasi:random`: the same numbers in every fork. They are good for hash tables and for nothing that must be secret.

use crate::link::{Guest, pay};
use crate::prices;
use crate::wasi::interface::{Answer, Interface, Refused};

/// Most bytes given at once: what a guest asks for is made before it is known whether the guest can hold it.
const BYTES: u64 = 64 << 10;

/// The numbers of one fork: SplitMix64 from 0.
#[derive(Debug, Default)]
pub(crate) struct Random {
    state: u64,
}

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        std::iter::repeat_with(|| self.next().to_le_bytes()).flatten().take(count).collect()
    }
}

pub(crate) fn random(interface: &mut Interface<'_>) -> wasmtime::Result<()> {
    interface.prices_itself("get-random-bytes", some_bytes)?;
    interface.answers("get-random-u64", |fork, ()| Ok((fork.random().next(),)))
}

pub(crate) fn insecure(interface: &mut Interface<'_>) -> wasmtime::Result<()> {
    interface.prices_itself("get-insecure-random-bytes", some_bytes)?;
    interface.answers("get-insecure-random-u64", |fork, ()| Ok((fork.random().next(),)))
}

pub(crate) fn insecure_seed(interface: &mut Interface<'_>) -> wasmtime::Result<()> {
    interface.answers("insecure-seed", |fork, ()| Ok(((fork.random().next(), fork.random().next()),)))
}

fn some_bytes(mut guest: Guest<'_>, (asked,): (u64,)) -> Answer<'_, (Vec<u8>,)> {
    Box::new(async move {
        let count = usize::try_from(asked).unwrap_or(usize::MAX);
        pay(&mut guest, prices::call(0).saturating_add(prices::crossing(count))).await?;
        if asked > BYTES {
            return Err(Refused::TooMuch { asked, what: "random bytes", most: BYTES }.into());
        }
        Ok((guest.data_mut().random().bytes(count),))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_published_generator() {
        let mut random = Random::default();
        assert_eq!([random.next(), random.next()], [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4]);
        assert_eq!(Random::default().bytes(11).len(), 11);
        assert_eq!(Random::default().bytes(8), 0xe220_a839_7b1d_cdaf_u64.to_le_bytes());
    }
}
