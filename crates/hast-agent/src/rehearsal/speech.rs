//! Output of a scripted agent: its own words, the lines of a real agent, or far too many bytes.

use std::io::{self, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hast_flow::agents::presets::own_lines::played_line;
use hast_flow::agents::rehearsal::dialect;
use hast_flow::docs::rehearsal::{ApiFailure, Dialect, OutputName, Print, Speech, Texts};

use super::trouble::Trouble;
use super::{Stage, Voice};

/// Says something on standard error; whoever closed it does not want to know.
pub(super) fn complain(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Prints so many bytes and no line break.
pub(super) fn flood(bytes: u64) -> Result<(), Trouble> {
    let piece = [b'x'; 64 * 1024];
    let mut left = bytes;
    let mut stdout = io::stdout().lock();
    while left > 0 {
        let now = usize::try_from(left).unwrap_or(piece.len()).min(piece.len());
        stdout.write_all(&piece[..now]).map_err(|error| refused(&error))?;
        left -= now as u64;
    }
    stdout.flush().map_err(|error| refused(&error))
}

impl Stage<'_> {
    pub(super) fn print(&self, print: &Print) -> Result<(), Trouble> {
        let bytes = match (&print.text, &print.base64) {
            (Some(text), _) => {
                let text = self.voiced_lines(&self.expand(text)?, print.like.unwrap_or_default());
                let newline = print.newline.unwrap_or(true) && !text.ends_with('\n');
                (if newline { text + "\n" } else { text }).into_bytes()
            }
            (None, Some(base64)) => STANDARD.decode(base64).map_err(|_| Trouble::NoAction)?,
            (None, None) => return Err(Trouble::NoAction),
        };
        put(print.to.unwrap_or_default(), &bytes)
    }

    pub(super) fn speak(&self, speech: &Speech) -> Result<(), Trouble> {
        let dialect = speech.like.unwrap_or_default();
        let mut text = String::new();
        for line in dialect::lines(&self.filled_speech(speech)?, self.clock.now()) {
            text += &self.voiced(&line, dialect);
            text.push('\n');
        }
        put(OutputName::Stdout, text.as_bytes())
    }

    fn voiced_lines(&self, text: &str, dialect: Dialect) -> String {
        if dialect == Dialect::Hast || self.voice == Voice::Raw {
            return text.to_owned();
        }
        text.split_inclusive('\n')
            .map(|line| match line.strip_suffix('\n') {
                Some(whole) => self.voiced(whole, dialect) + "\n",
                None => self.voiced(line, dialect),
            })
            .collect()
    }

    fn voiced(&self, line: &str, dialect: Dialect) -> String {
        match (dialect::preset(dialect), self.voice) {
            (Some(preset), Voice::Played) => played_line(preset, line),
            (None, _) | (_, Voice::Raw) => line.to_owned(),
        }
    }

    fn filled_speech(&self, speech: &Speech) -> Result<Speech, Trouble> {
        let text = |text: &Option<String>| text.as_ref().map(|text| self.expand(text)).transpose();
        let texts = |texts: &Option<Texts>| -> Result<Option<Texts>, Trouble> {
            let Some(Texts(texts)) = texts else { return Ok(None) };
            let filled = texts.iter().map(|text| self.expand(text)).collect::<Result<_, _>>()?;
            Ok(Some(Texts(filled)))
        };
        let failure = |failure: &Option<ApiFailure>| -> Result<Option<ApiFailure>, Trouble> {
            let Some(failure) = failure else { return Ok(None) };
            Ok(Some(ApiFailure { text: self.expand(&failure.text)?, ..failure.clone() }))
        };
        Ok(Speech {
            like: speech.like,
            session: text(&speech.session)?,
            model: text(&speech.model)?,
            say: texts(&speech.say)?,
            tool: texts(&speech.tool)?,
            denied: texts(&speech.denied)?,
            retry: failure(&speech.retry)?,
            error: failure(&speech.error)?,
            usage: speech.usage,
            end: speech.end,
        })
    }
}

fn put(output: OutputName, bytes: &[u8]) -> Result<(), Trouble> {
    let written = match output {
        OutputName::Stdout => {
            let mut stdout = io::stdout().lock();
            stdout.write_all(bytes).and_then(|()| stdout.flush())
        }
        OutputName::Stderr => io::stderr().lock().write_all(bytes),
    };
    written.map_err(|error| refused(&error))
}

fn refused(error: &io::Error) -> Trouble {
    Trouble::Output { why: error.to_string() }
}
