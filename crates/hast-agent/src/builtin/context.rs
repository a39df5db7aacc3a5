//! How full the window of the model is, and what is done about it. Nothing is summed up by a model.

use hast_flow::agents::usage::Tokens;

use super::client::{Message, Request};

/// Where the settings say nothing and no server told, models of today have at least this.
pub const UNKNOWN_WINDOW: u64 = 128_000;

/// What to do before the next request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pressure {
    None,
    /// Over 60 %: the oldest results go.
    Shorten,
    /// Over 85 %, once: time to write down what there is.
    Warn,
    /// Over 95 %.
    Full,
}

/// After shortening, so much of the window is in use at most, where there was enough to shorten.
const SHORT: u64 = 30;
/// The results of the last turns stay.
const KEPT_TURNS: usize = 2;

/// The fill of the window: what the service counted last, and a guess for what came after.
#[derive(Debug)]
pub struct Context {
    window: u64,
    counted: u64,
    warned: bool,
}

impl Context {
    pub fn new(window: u64, request: Request<'_>) -> Self {
        let tools: u64 = request.tools.iter().map(|tool| guess(&tool.schema.to_string())).sum();
        let messages: u64 = request.messages.iter().map(of_message).sum();
        Self { window, counted: guess(request.system) + tools + messages, warned: false }
    }

    pub fn used(&self) -> u64 {
        self.counted
    }

    /// What a service counted of the last request, and of the answer, which goes back.
    pub fn count(&mut self, usage: Option<Tokens>, said: &Message) {
        match usage {
            Some(tokens) if tokens.input > 0 => self.counted = tokens.total(),
            // Nothing counted, or zeros.
            Some(_) | None => self.counted += of_message(said),
        }
    }

    pub fn add(&mut self, message: &Message) {
        self.counted += of_message(message);
    }

    pub fn pressure(&mut self) -> Pressure {
        let percent = self.counted.saturating_mul(100) / self.window.max(1);
        match percent {
            95.. => Pressure::Full,
            85.. if !std::mem::replace(&mut self.warned, true) => Pressure::Warn,
            60.. => Pressure::Shorten,
            _ => Pressure::None,
        }
    }

    /// Makes one line of the oldest results, in one step, because each change of an old message
    /// costs the cache all that comes after it.
    pub fn shorten(&mut self, messages: &mut [Message]) {
        let target = self.window.saturating_mul(SHORT) / 100;
        let turns = messages.iter().filter(|one| matches!(one, Message::Results { .. })).count();
        let mut left = turns.saturating_sub(KEPT_TURNS);
        for message in messages {
            let Message::Results { results, .. } = message else { continue };
            if left == 0 || self.counted <= target {
                return;
            }
            left -= 1;
            for result in results {
                let before = guess(&result.text);
                let line = format!(
                    "[{}: its {} bytes were taken out to make room; use the tool again if you need them]",
                    result.tool,
                    result.text.len()
                );
                if guess(&line) < before {
                    self.counted = self.counted.saturating_sub(before - guess(&line));
                    result.text = line;
                }
            }
        }
    }
}

fn of_message(message: &Message) -> u64 {
    match message {
        Message::Asked(text) => guess(text),
        Message::Said(raw) => guess(&raw.to_string()),
        Message::Results { results, note } => {
            let results: u64 = results.iter().map(|result| guess(&result.text) + 8).sum();
            results + note.as_deref().map_or(0, guess)
        }
    }
}

/// Tokens of a text: four letters each, and each character that is no ASCII one of its own.
pub fn guess(text: &str) -> u64 {
    let ascii = text.bytes().filter(u8::is_ascii).count();
    let wide = text.chars().count() - ascii;
    u64::try_from(ascii.div_ceil(4) + wide).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin::client::CallResult;

    fn results(bytes: usize) -> Message {
        let result = CallResult {
            id: "c".into(),
            tool: "read_file".into(),
            text: "x".repeat(bytes),
            ok: true,
        };
        Message::Results { results: vec![result], note: None }
    }

    fn context(window: u64, messages: &[Message]) -> Context {
        Context::new(window, Request { system: "", tools: &[], messages })
    }

    #[test]
    fn each_mark_of_the_window_has_its_act() {
        for (used, expected) in [
            (59, Pressure::None),
            (60, Pressure::Shorten),
            (84, Pressure::Shorten),
            (85, Pressure::Warn),
            (94, Pressure::Warn),
            (95, Pressure::Full),
        ] {
            let mut context = context(1_000, &[results((used * 10 - 8) * 4)]);
            assert_eq!(context.pressure(), expected, "{used}");
        }
        let mut context = context(1_000, &[results(880 * 4)]);
        assert_eq!([context.pressure(), context.pressure()], [Pressure::Warn, Pressure::Shorten]);
    }

    #[test]
    fn the_oldest_results_go_in_one_step_and_the_last_turns_stay() {
        let mut messages: Vec<Message> = (0..6).map(|_| results(4_000)).collect();
        let mut context = context(10_000, &messages);
        context.shorten(&mut messages);
        let shortened: Vec<bool> = messages
            .iter()
            .map(|message| match message {
                Message::Results { results, .. } => results[0].text.contains("taken out"),
                _ => false,
            })
            .collect();
        assert_eq!(shortened, [true, true, true, true, false, false]);
        assert!(context.used() <= 3_000, "{}", context.used());
        let again = messages.clone();
        context.shorten(&mut messages);
        assert_eq!(messages, again, "what was shortened stays as it is");
    }

    #[test]
    fn a_korean_character_is_a_token_of_its_own() {
        assert_eq!((guess("abcdefgh"), guess("한글"), guess("")), (2, 2, 0));
    }
}
