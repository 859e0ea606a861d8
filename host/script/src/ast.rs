//! A script after reading: steps with places. Knows the language's shapes, neither its source format nor its encoding.

use crate::compile::Manifest;
use sandfork_source::Place;

/// A whole script.
#[derive(Debug)]
pub(crate) struct Script {
    pub(crate) manifest: Manifest,
    pub(crate) turns: Vec<Turn>,
}

/// One model call and what it leads to. A turn's `return` or `fail` is its last step.
#[derive(Debug)]
pub(crate) struct Turn {
    pub(crate) place: Place,
    /// What follows `{"provider":"scripted","turn":n` in the model's arguments.
    pub(crate) arguments: Built,
    pub(crate) steps: Vec<Step>,
}

/// One thing done.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) place: Place,
    pub(crate) act: Act,
}

/// What a step does.
#[derive(Debug)]
pub(crate) enum Act {
    Tool { name: Name, with: Built, bind: Option<Name> },
    Spawn { requests: Vec<Request>, options: Built, bind: Option<Name> },
    Note(Built),
    If { condition: Condition, then: Vec<Step>, otherwise: Vec<Step> },
    ForEach { list: Built, item: Name, index: Option<Name>, body: Body },
    Repeat { bound: u32, until: Option<Condition>, body: Body },
    Fail { code: Built, message: Built, details: Built },
    Return(Built),
}

/// What a loop repeats.
#[derive(Debug)]
pub(crate) enum Body {
    Steps(Vec<Step>),
    Turns(Vec<Turn>),
}

/// A request of `spawn`: two plain texts, two JSON texts.
#[derive(Debug)]
pub(crate) struct Request {
    /// Where the agent is named.
    pub(crate) place: Place,
    pub(crate) agent: Built,
    pub(crate) goal: Built,
    pub(crate) context: Built,
    pub(crate) options: Built,
}

/// A word with its place.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    pub(crate) place: Place,
    pub(crate) text: String,
}

/// A condition.
#[derive(Debug)]
pub(crate) enum Condition {
    /// The answer or outcome went well.
    Ok(Reference),
    /// The answer or outcome failed with this code, a JSON string.
    Failed {
        of: Reference,
        code: Built,
    },
    /// The reference leads somewhere.
    Present(Reference),
    Equal(Built, Built),
    Contains(Built, Built),
    /// Numbers as decimals.
    Compare(Order, Built, Built),
    /// The reference is true.
    Flag(Reference),
    Not(Box<Condition>),
    All(Vec<Condition>),
    Any(Vec<Condition>),
}

/// How two numbers may stand to each other.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Order {
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

/// A text put together when the script runs: a JSON text or a plain one, as its place demands.
#[derive(Clone, Debug, Default)]
pub(crate) struct Built {
    pub(crate) pieces: Vec<Piece>,
}

/// A part of a built text.
#[derive(Clone, Debug)]
pub(crate) enum Piece {
    /// Exactly this, already in the form that the text around it wants.
    Text(String),
    Reference(Reference, Mode),
}

/// How a reference appears in the text around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Alone: a JSON value as it is.
    Whole,
    /// Inside plain text.
    Plain,
    /// Inside a JSON string.
    Quoted,
}

/// A path into the task or an earlier answer.
#[derive(Clone, Debug)]
pub(crate) struct Reference {
    pub(crate) place: Place,
    /// As written, without `${` and `}`.
    pub(crate) text: String,
    /// `task` or a name.
    pub(crate) root: String,
    pub(crate) path: Vec<Hop>,
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Hop {
    Key(String),
    /// Negative: from the end.
    Index(i32),
}

impl Built {
    /// A text without references.
    pub(crate) fn text(text: impl Into<String>) -> Self {
        let mut built = Self::default();
        built.push(&text.into());
        built
    }

    /// Adds text, joining it with text before it.
    pub(crate) fn push(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        match self.pieces.last_mut() {
            Some(Piece::Text(last)) => last.push_str(text),
            _ => self.pieces.push(Piece::Text(text.into())),
        }
    }

    /// Adds all of another built text.
    pub(crate) fn append(&mut self, other: Self) {
        for piece in other.pieces {
            match piece {
                Piece::Text(text) => self.push(&text),
                reference @ Piece::Reference(..) => self.pieces.push(reference),
            }
        }
    }

    /// Its references, in order.
    pub(crate) fn references(&self) -> impl Iterator<Item = &Reference> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Reference(reference, _) => Some(reference),
            Piece::Text(_) => None,
        })
    }

    /// The text, if nothing in it waits for the run.
    pub(crate) fn as_text(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [] => Some(""),
            [Piece::Text(text)] => Some(text),
            _ => None,
        }
    }
}
