//! What the layers of the opening messages weigh (GV-07, GV-51): bytes and estimated tokens, over all forks of a run.

use sandfork_model::BYTES_PER_TOKEN;
use serde_json::{Map, Value, json};
use std::sync::atomic::{AtomicU64, Ordering};

/// The layers in their order: six, and the shared read-only input behind them.
pub(crate) const LAYERS: [&str; 7] = ["rules", "role", "packet", "dependencies", "tools", "budget", "shared"];

/// Bytes by layer.
pub(crate) type Weights = [u64; LAYERS.len()];

/// The layers of all forks together.
#[derive(Debug, Default)]
pub(crate) struct Layers {
    forks: AtomicU64,
    bytes: [AtomicU64; LAYERS.len()],
}

impl Layers {
    /// Adds one fork's.
    pub(crate) fn add(&self, weights: &Weights) {
        self.forks.fetch_add(1, Ordering::Relaxed);
        for (sum, bytes) in self.bytes.iter().zip(weights).filter(|(_, bytes)| **bytes > 0) {
            sum.fetch_add(*bytes, Ordering::Relaxed);
        }
    }

    /// Bytes so far, by layer.
    pub(crate) fn bytes(&self) -> Weights {
        std::array::from_fn(|layer| self.bytes.get(layer).map_or(0, |bytes| bytes.load(Ordering::Relaxed)))
    }

    /// `{forks, layers: {rules: {bytes, tokens}, …}}`.
    pub(crate) fn to_json(&self) -> Value {
        let layers: Map<String, Value> = LAYERS
            .iter()
            .zip(&self.bytes)
            .map(|(name, bytes)| {
                let bytes = bytes.load(Ordering::Relaxed);
                ((*name).to_owned(), json!({ "bytes": bytes, "tokens": bytes.div_ceil(BYTES_PER_TOKEN) }))
            })
            .collect();
        json!({ "forks": self.forks.load(Ordering::Relaxed), "layers": layers })
    }
}

/// Where each layer of a text ends, turned into what each weighs.
#[derive(Debug, Default)]
pub(crate) struct Scale {
    weights: Weights,
    weighed: u64,
    next: usize,
}

impl Scale {
    /// The next layer ends where the text now has `bytes`.
    pub(crate) fn mark(&mut self, bytes: u64) {
        if let Some(weight) = self.weights.get_mut(self.next) {
            *weight = bytes.saturating_sub(self.weighed);
        }
        self.weighed = bytes;
        self.next += 1;
    }

    pub(crate) fn weights(&self) -> &Weights {
        &self.weights
    }
}
