//! How one `spawn` call divides a budget: explicit asks first, the rest in equal shares up to the fork default. Pure sums;
//! who may ask is the gate's business, moving is the budget's.

use sandfork_model::{Amounts, Ask, Budget, Dimension, Shortfall};

/// The share of one fork that asks for nothing, per dimension.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shares {
    share: Amounts,
    default: Amounts,
    kept: Amounts,
}

impl Shares {
    /// Divides `budget` among the asks of one call. `kept` is what the asking fork keeps while it waits.
    pub(crate) fn divide<'a>(
        budget: &Budget,
        kept: Amounts,
        default: Amounts,
        fuel_per_step: u64,
        asks: impl Iterator<Item = &'a Ask> + Clone,
    ) -> Self {
        let share = Amounts::from_fn(|dimension| {
            let mut available = budget.left().get(dimension).saturating_sub(kept.get(dimension));
            let mut absent = 0_u64;
            for ask in asks.clone() {
                match ask.amounts(fuel_per_step)(dimension) {
                    // An ask that cannot be met is refused alone and takes nothing from its siblings.
                    Some(asked) if asked <= available => available -= asked,
                    Some(_) => {}
                    None => absent += 1,
                }
            }
            default.get(dimension).min(available.checked_div(absent).unwrap_or(available))
        });
        Self { share, default, kept }
    }

    /// What to move for one ask, or the first dimension that cannot carry it.
    pub(crate) fn amounts(&self, budget: &Budget, ask: &Ask, fuel_per_step: u64) -> Result<Amounts, Short> {
        let asked = ask.amounts(fuel_per_step);
        let amounts = Amounts::from_fn(|dimension| asked(dimension).unwrap_or_else(|| self.share.get(dimension)));
        for (dimension, amount) in amounts.iter() {
            let left = self.room(budget, dimension);
            let is_empty_share = asked(dimension).is_none() && amount == 0 && self.is_vital(dimension);
            if amount > left || is_empty_share {
                let wanted = if is_empty_share { self.default.get(dimension) } else { amount };
                let limit = budget.granted().get(dimension);
                return Err(Short { dimension, asked: wanted, left, limit, is_share: is_empty_share });
            }
        }
        Ok(amounts)
    }

    /// What of a dimension may be moved now.
    fn room(&self, budget: &Budget, dimension: Dimension) -> u64 {
        budget.left().get(dimension).saturating_sub(self.kept.get(dimension))
    }

    /// Whether a fork needs some of it to be of any use. Without second attempts it does its work all the same.
    fn is_vital(&self, dimension: Dimension) -> bool {
        dimension != Dimension::Retries && self.default.get(dimension) > 0
    }

    /// Whether an ask fits what is here and what siblings hold together: it is worth waiting for.
    pub(crate) fn fits_once_siblings_end(&self, budget: &Budget, ask: &Ask, fuel_per_step: u64) -> bool {
        let asked = ask.amounts(fuel_per_step);
        Dimension::ALL.into_iter().all(|dimension| {
            let lent = budget.lent().get(dimension);
            let there = budget.left().get(dimension).saturating_add(lent).saturating_sub(self.kept.get(dimension));
            let least = u64::from(self.is_vital(dimension));
            asked(dimension).unwrap_or(least) <= there
        }) && Dimension::ALL.into_iter().any(|dimension| budget.lent().get(dimension) > 0)
    }

    /// As much of the ask as is left, if that is at least `least` in every dimension that is short.
    pub(crate) fn shrunk(&self, budget: &Budget, ask: &Ask, least: &Ask, fuel_per_step: u64) -> Option<Amounts> {
        let (asked, least) = (ask.amounts(fuel_per_step), least.amounts(fuel_per_step));
        let mut amounts = Amounts::default();
        for dimension in Dimension::ALL {
            let wanted = asked(dimension).unwrap_or_else(|| self.share.get(dimension));
            let left = self.room(budget, dimension);
            let is_empty_share = asked(dimension).is_none() && wanted == 0 && self.is_vital(dimension);
            if wanted > left || is_empty_share {
                // Without a stated minimum there is nothing to shrink to.
                if left == 0 || left < least(dimension)? {
                    return None;
                }
            }
            amounts.set(dimension, wanted.min(left));
        }
        Some(amounts)
    }
}

impl From<Shortfall> for Short {
    fn from(shortfall: Shortfall) -> Self {
        let Shortfall { dimension, asked, left, limit } = shortfall;
        Self { dimension, asked, left, limit, is_share: false }
    }
}

/// A reservation that cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Short {
    pub(crate) dimension: Dimension,
    pub(crate) asked: u64,
    pub(crate) left: u64,
    pub(crate) limit: u64,
    /// Nobody asked: the equal share of what is left came to nothing.
    pub(crate) is_share: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use sandfork_model::Cap;

    fn ask(fuel: Option<u64>) -> Ask {
        Ask { fuel: fuel.map(Cap::Finite), ..Ask::default() }
    }

    fn divided(left: u64, kept: u64, asks: &[Ask]) -> (Budget, Shares) {
        let budget = Budget::tank(Amounts::from_fn(|_| left));
        let kept = Amounts::from_fn(|_| kept);
        let shares = Shares::divide(&budget, kept, Amounts::from_fn(|_| 40), 1, asks.iter());
        (budget, shares)
    }

    #[test]
    fn absent_asks_share_what_explicit_ones_leave() {
        let asks = [ask(Some(30)), ask(None), ask(None)];
        let (budget, shares) = divided(100, 10, &asks);
        assert_eq!(shares.amounts(&budget, &asks[0], 1).expect("fits").get(Dimension::Fuel), 30);
        assert_eq!(shares.amounts(&budget, &asks[1], 1).expect("fits").get(Dimension::Fuel), 30);
    }

    #[test]
    fn a_share_never_exceeds_the_default() {
        let asks = [ask(None)];
        let (budget, shares) = divided(100, 0, &asks);
        assert_eq!(shares.amounts(&budget, &asks[0], 1).expect("fits").get(Dimension::Fuel), 40);
    }

    #[test]
    fn a_share_of_nothing_is_short() {
        let asks = [ask(None)];
        let (budget, shares) = divided(10, 10, &asks);
        let short = shares.amounts(&budget, &asks[0], 1).expect_err("nothing left");
        assert_eq!((short.dimension, short.left, short.limit), (Dimension::Fuel, 0, 10));
    }

    #[test]
    fn a_share_without_second_attempts_is_a_share_all_the_same() {
        let mut tank = Amounts::from_fn(|_| 100);
        tank.set(Dimension::Retries, 3);
        let budget = Budget::tank(tank);
        let asks = vec![ask(None); 5];
        let shares = Shares::divide(&budget, Amounts::default(), Amounts::from_fn(|_| 40), 1, asks.iter());
        let amounts = shares.amounts(&budget, &asks[0], 1).expect("five children of three retries");
        assert_eq!((amounts.get(Dimension::Retries), amounts.get(Dimension::Fuel)), (0, 20));
    }

    #[test]
    fn an_ask_too_large_takes_nothing_from_its_siblings() {
        let asks = [ask(Some(500)), ask(None)];
        let (budget, shares) = divided(100, 0, &asks);
        assert!(shares.amounts(&budget, &asks[0], 1).is_err());
        assert_eq!(shares.amounts(&budget, &asks[1], 1).expect("fits").get(Dimension::Fuel), 40);
    }
}
