//! What a fork may spend. A [`Budget`] is owned by exactly one fork: a split moves, never copies, so the sum over the tree
//! can never exceed the root's, whatever the interleaving. Knows nothing of policy: who may split, and when, is the gate's.

use std::fmt;

/// What is divided down the tree. Ceilings (time, depth, single sizes) are not: they are compared, never spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dimension {
    /// Units of wasm work, priced by the engine's table and the host-call price list.
    Fuel,
    /// Model calls together with what they lead to (DESIGN: turn, step).
    Turns,
    /// Calls of `note`, `spawn` and `tool` together.
    HostCalls,
    /// Estimated tokens sent to models, cumulative.
    InputTokens,
    /// Estimated tokens received from models, cumulative.
    OutputTokens,
    /// Bytes of tool results handed to the guest.
    ResultBytes,
    /// Bytes of the fork's final output.
    OutputBytes,
    /// Bytes of notes in the private notebook.
    NoteBytes,
    /// Second attempts.
    Retries,
}

impl Dimension {
    /// Every divided dimension, in the order of all tables.
    pub const ALL: [Self; 9] = [
        Self::Fuel,
        Self::Turns,
        Self::HostCalls,
        Self::InputTokens,
        Self::OutputTokens,
        Self::ResultBytes,
        Self::OutputBytes,
        Self::NoteBytes,
        Self::Retries,
    ];

    /// The name used in plans, events, errors and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Fuel => "fuel",
            Self::Turns => "turns",
            Self::HostCalls => "host_calls",
            Self::InputTokens => "input_tokens",
            Self::OutputTokens => "output_tokens",
            Self::ResultBytes => "result_bytes",
            Self::OutputBytes => "output_bytes",
            Self::NoteBytes => "note_bytes",
            Self::Retries => "retries",
        }
    }
}

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One number per dimension, each in its own unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amounts([u64; Dimension::ALL.len()]);

impl Amounts {
    /// Builds a table from a function of the dimension.
    #[must_use]
    pub fn from_fn(mut of: impl FnMut(Dimension) -> u64) -> Self {
        let mut table = Self::default();
        for dimension in Dimension::ALL {
            table.set(dimension, of(dimension));
        }
        table
    }

    /// The number of one dimension.
    #[must_use]
    pub fn get(&self, dimension: Dimension) -> u64 {
        self.0.get(dimension as usize).copied().unwrap_or_default()
    }

    /// Replaces the number of one dimension.
    pub fn set(&mut self, dimension: Dimension, amount: u64) {
        if let Some(slot) = self.0.get_mut(dimension as usize) {
            *slot = amount;
        }
    }

    /// Dimension and number, in table order.
    pub fn iter(&self) -> impl Iterator<Item = (Dimension, u64)> + '_ {
        Dimension::ALL.into_iter().map(|dimension| (dimension, self.get(dimension)))
    }

    fn add(&mut self, other: &Self) {
        for (dimension, amount) in other.iter() {
            self.set(dimension, self.get(dimension).saturating_add(amount));
        }
    }
}

/// More was asked of a budget than it has left. Nothing was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shortfall {
    /// Which dimension fell short first, in table order.
    pub dimension: Dimension,
    /// What was asked of it.
    pub asked: u64,
    /// What was left in it.
    pub left: u64,
    /// What the budget was granted at the start.
    pub limit: u64,
}

/// The purse of one fork. Not `Clone`: what a child gets, the parent no longer has, until [`Budget::absorb`].
#[derive(Debug)]
#[must_use = "a dropped budget is lost to the ledger: absorb it into its parent"]
pub struct Budget {
    granted: Amounts,
    left: Amounts,
    spent: Amounts,
    lent: Amounts,
}

impl Budget {
    /// The tank of a whole run. Everything else comes from splits of it.
    pub fn tank(granted: Amounts) -> Self {
        Self { granted, left: granted, spent: Amounts::default(), lent: Amounts::default() }
    }

    /// What this budget was given at the start.
    #[must_use]
    pub fn granted(&self) -> &Amounts {
        &self.granted
    }

    /// What may still be spent or handed on.
    #[must_use]
    pub fn left(&self) -> &Amounts {
        &self.left
    }

    /// What this fork and all that it absorbed have spent.
    #[must_use]
    pub fn spent(&self) -> &Amounts {
        &self.spent
    }

    /// What children hold at this moment.
    #[must_use]
    pub fn lent(&self) -> &Amounts {
        &self.lent
    }

    /// Moves `ask` into a new budget, all dimensions or none.
    ///
    /// # Errors
    /// The first dimension that falls short; this budget is unchanged then.
    pub fn split(&mut self, ask: &Amounts) -> Result<Self, Shortfall> {
        for (dimension, asked) in ask.iter() {
            let left = self.left.get(dimension);
            if asked > left {
                return Err(Shortfall { dimension, asked, left, limit: self.granted.get(dimension) });
            }
        }
        for (dimension, asked) in ask.iter() {
            self.left.set(dimension, self.left.get(dimension).saturating_sub(asked));
        }
        self.lent.add(ask);
        Ok(Self::tank(*ask))
    }

    /// Spends `amount` of one dimension.
    ///
    /// # Errors
    /// When less is left; nothing is taken then.
    pub fn charge(&mut self, dimension: Dimension, amount: u64) -> Result<(), Shortfall> {
        let left = self.left.get(dimension);
        match left.checked_sub(amount) {
            Some(rest) => {
                self.left.set(dimension, rest);
                self.spent.set(dimension, self.spent.get(dimension).saturating_add(amount));
                Ok(())
            }
            None => Err(Shortfall { dimension, asked: amount, left, limit: self.granted.get(dimension) }),
        }
    }

    /// Spends `amount`, or all that is left if that is less: for work that has already happened. Returns what was taken.
    pub fn drain(&mut self, dimension: Dimension, amount: u64) -> u64 {
        let taken = amount.min(self.left.get(dimension));
        self.left.set(dimension, self.left.get(dimension).saturating_sub(taken));
        self.spent.set(dimension, self.spent.get(dimension).saturating_add(taken));
        taken
    }

    /// Takes a child's budget back: what it did not spend can be spent again, what it spent is spent here too.
    pub fn absorb(&mut self, child: Self) {
        for (dimension, granted) in child.granted.iter() {
            self.lent.set(dimension, self.lent.get(dimension).saturating_sub(granted));
        }
        self.left.add(&child.left);
        self.spent.add(&child.spent);
    }

    /// Whether every unit ever granted is either left or spent, and nothing is still lent.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.granted.iter().all(|(dimension, granted)| {
            let there = u128::from(self.left.get(dimension)) + u128::from(self.spent.get(dimension));
            there == u128::from(granted) && self.lent.get(dimension) == 0
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tank(each: u64) -> Budget {
        Budget::tank(Amounts::from_fn(|_| each))
    }

    #[test]
    fn a_refused_split_leaves_the_parent_untouched() {
        let mut parent = tank(100);
        let mut ask = Amounts::default();
        ask.set(Dimension::Fuel, 10);
        ask.set(Dimension::NoteBytes, 101);
        let short = parent.split(&ask).err();
        assert_eq!(short, Some(Shortfall { dimension: Dimension::NoteBytes, asked: 101, left: 100, limit: 100 }));
        assert_eq!(parent.left(), &Amounts::from_fn(|_| 100));
        assert!(parent.is_whole());
    }

    // GV-30, HOSTILE 17
    #[test]
    fn an_absorbed_child_returns_what_it_did_not_spend() {
        let mut parent = tank(100);
        let mut child = parent.split(&Amounts::from_fn(|_| 30)).expect("fits");
        assert!(!parent.is_whole(), "a lent part is not whole");
        child.charge(Dimension::Fuel, 12).expect("fits");
        parent.absorb(child);
        assert_eq!(parent.left().get(Dimension::Fuel), 88);
        assert_eq!(parent.spent().get(Dimension::Fuel), 12);
        assert!(parent.is_whole());
    }

    // GV-32
    #[test]
    fn a_hundred_units_hold_three_children_of_thirty() {
        let mut parent = tank(100);
        let ask = Amounts::from_fn(|_| 30);
        let children: Vec<_> = (0..4).map_while(|_| parent.split(&ask).ok()).collect();
        assert_eq!(children.len(), 3);
    }

    use proptest::prelude::*;

    /// One step of a schedule: who acts, and what it does with how much.
    #[derive(Clone, Copy, Debug)]
    enum Step {
        Split(usize, u64),
        Charge(usize, u64),
        Drain(usize, u64),
        End(usize),
    }

    fn step() -> impl Strategy<Value = Step> {
        let (who, much) = (0_usize..8, 0_u64..60);
        prop_oneof![
            (who.clone(), much.clone()).prop_map(|(who, much)| Step::Split(who, much)),
            (who.clone(), much.clone()).prop_map(|(who, much)| Step::Charge(who, much)),
            (who.clone(), much).prop_map(|(who, much)| Step::Drain(who, much)),
            who.prop_map(Step::End),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

        // GV-28, GV-30, HOSTILE 17: a scheduler over the reservation protocol; forks end in any order a tree allows
        #[test]
        fn no_interleaving_of_splits_charges_and_ends_exceeds_the_tank_or_loses_a_unit(
            steps in prop::collection::vec(step(), 0..60),
        ) {
            // A fork is its budget and its parent's place; the tank is at 0 and never ends.
            let mut forks: Vec<Option<(Budget, usize)>> = vec![Some((tank(100), 0))];
            for step in steps {
                let living: Vec<usize> = (0..forks.len()).filter(|at| forks[*at].is_some()).collect();
                let at = |who: usize| living[who % living.len()];
                match step {
                    Step::Split(who, much) => {
                        let parent = at(who);
                        let ask = Amounts::from_fn(|_| much);
                        let child = forks[parent].as_mut().and_then(|(budget, _)| budget.split(&ask).ok());
                        if let Some(child) = child {
                            forks.push(Some((child, parent)));
                        }
                    }
                    Step::Charge(who, much) => {
                        let (budget, _) = forks[at(who)].as_mut().expect("it lives");
                        let before = *budget.left();
                        if budget.charge(Dimension::Fuel, much).is_err() {
                            prop_assert_eq!(budget.left(), &before, "a refused charge takes nothing");
                        }
                    }
                    Step::Drain(who, much) => {
                        let (budget, _) = forks[at(who)].as_mut().expect("it lives");
                        prop_assert!(budget.drain(Dimension::Fuel, much) <= much);
                    }
                    Step::End(who) => {
                        let ending = at(who);
                        let has_children = forks.iter().flatten().any(|(_, parent)| *parent == ending);
                        if ending != 0 && !has_children {
                            let (budget, parent) = forks[ending].take().expect("it lives");
                            forks[parent].as_mut().expect("a parent outlives its children").0.absorb(budget);
                        }
                    }
                }
                for dimension in Dimension::ALL {
                    let held: u64 = forks.iter().flatten().map(|(budget, _)| budget.left().get(dimension)).sum();
                    let spent: u64 = forks.iter().flatten().map(|(budget, _)| budget.spent().get(dimension)).sum();
                    prop_assert_eq!(held + spent, 100, "every unit is somewhere, once");
                }
            }
            for ending in (1..forks.len()).rev() {
                if let Some((budget, parent)) = forks[ending].take() {
                    forks[parent].as_mut().expect("a parent outlives its children").0.absorb(budget);
                }
            }
            prop_assert!(forks[0].as_ref().expect("the tank").0.is_whole());
        }
    }
}
