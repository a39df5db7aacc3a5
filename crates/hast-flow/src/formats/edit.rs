//! The smallest change of a text: these bytes become those.

use std::ops::Range;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    pub range: Range<usize>,
    pub text: String,
}

impl Edit {
    pub fn insert(at: usize, text: String) -> Self {
        Self { range: at..at, text }
    }

    /// The text with the change. A range outside of it changes nothing.
    pub fn apply(&self, text: &str) -> String {
        let (Some(before), Some(after)) =
            (text.get(..self.range.start), text.get(self.range.end..))
        else {
            return text.to_owned();
        };
        [before, &self.text, after].concat()
    }
}
