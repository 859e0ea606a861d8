//! The reservation of one request: what to move, at which model tier, and what the plan wants done on a shortage (GV-29).
//! Moves nothing itself.

use crate::asker::Asker;
use crate::look::Candidate;
use crate::shares::{Shares, Short};
use sandfork_model::{Amounts, Ask, Budget, Cap, OnShortage};

/// What the budget can do for a request.
#[derive(Debug)]
pub(crate) enum Reservation {
    /// Move this now.
    Now { amounts: Amounts, tier: Option<String> },
    /// Not now, but once siblings have ended.
    Later(Short),
}

/// Works out the reservation, or what it falls short of.
pub(crate) fn reserve(
    asker: Asker<'_>,
    candidate: &Candidate<'_>,
    shares: &Shares,
    budget: &Budget,
) -> Result<Reservation, Short> {
    let limits = &asker.run().plan.limits;
    if asker.asks_for_root() {
        return Ok(Reservation::Now { amounts: root_amounts(budget, &candidate.ask), tier: None });
    }
    let policy = &limits.policy;
    let (_, level) = asker.run().gauge.level();
    let cheapest = || policy.tiers.iter().min_by_key(|(_, percent)| **percent).map(|(name, _)| name.clone());
    let usual = if asker.depth() > 0 { policy.child_tier.clone() } else { None };
    let tier = match &candidate.options.tier {
        Some(written) => Some(written.clone()),
        None if level >= policy.water.spare => cheapest().or(usual),
        None => usual,
    };
    let attempt = |tier: Option<&String>| {
        let ask = priced(&candidate.ask, tier.and_then(|name| policy.tiers.get(name)).copied());
        shares.amounts(budget, &ask, limits.fork.fuel_per_step)
    };
    let short = match attempt(tier.as_ref()) {
        Ok(amounts) => return Ok(Reservation::Now { amounts, tier }),
        Err(short) => short,
    };
    match &policy.on_shortage {
        OnShortage::Refuse => Err(short),
        OnShortage::Queue => {
            let fits_later = shares.fits_once_siblings_end(budget, &candidate.ask, limits.fork.fuel_per_step);
            if fits_later { Ok(Reservation::Later(short)) } else { Err(short) }
        }
        OnShortage::Shrink => {
            let least = &candidate.options.budget_min;
            let amounts = shares.shrunk(budget, &candidate.ask, least, limits.fork.fuel_per_step).ok_or(short)?;
            Ok(Reservation::Now { amounts, tier })
        }
        OnShortage::Tier(other) => {
            let amounts = attempt(Some(other)).map_err(|_| short)?;
            Ok(Reservation::Now { amounts, tier: Some(other.clone()) })
        }
    }
}

/// A root holds the whole tank to hand on; only what its ask writes out is narrower. Its own turns are bounded apart.
fn root_amounts(budget: &Budget, ask: &Ask) -> Amounts {
    let narrower = Ask { steps: None, ..ask.clone() };
    let asked = narrower.amounts(0);
    Amounts::from_fn(|dimension| {
        let left = budget.left().get(dimension);
        asked(dimension).map_or(left, |asked| asked.min(left))
    })
}

/// An ask in tokens of another tier, in units of the normal price.
fn priced(ask: &Ask, percent: Option<u64>) -> Ask {
    let Some(percent) = percent else { return ask.clone() };
    let price = |cap: Option<Cap>| cap.map(|cap| Cap::Finite(tokens_at(cap.ceiling(), percent)));
    Ask { input_tokens: price(ask.input_tokens), output_tokens: price(ask.output_tokens), ..ask.clone() }
}

/// What tokens cost at a tier, rounded up.
pub(crate) fn tokens_at(tokens: u64, percent: u64) -> u64 {
    let cost = (u128::from(tokens) * u128::from(percent)).div_ceil(100);
    u64::try_from(cost).unwrap_or(u64::MAX)
}
