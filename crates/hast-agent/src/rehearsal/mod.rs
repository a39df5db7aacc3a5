//! Plays the actions of a rehearsal as an agent's process would do them: under the same guard, in
//! the same sandbox, with nothing but what the call gives.

pub mod escape;
mod expectation;
mod files;
mod programs;
mod speech;
mod trouble;

use std::time::Duration;

use hast_flow::agents::limit::Moment;
use hast_flow::agents::rehearsal::{dialect, values};
use hast_flow::docs::call::{Call, CallBlocked, CallFailed};
use hast_flow::docs::rehearsal::{Act, Action, expand};
use hast_flow::ports::Clock;
use hast_flow::words::Lang;

pub use trouble::say;

use trouble::Trouble;

/// No reply of the rehearsal fits the call.
pub const NO_REPLY: u8 = 96;
/// An `expect` was not met.
pub const UNEXPECTED: u8 = 97;
/// An action could not be done.
pub const REFUSED: u8 = 98;

/// What a reply is played for.
#[derive(Clone, Copy)]
pub struct Stage<'a> {
    pub call: &'a Call,
    pub call_file: &'a str,
    pub clock: &'a dyn Clock,
    pub voice: Voice,
    pub lang: Lang,
}

/// How lines of a preset are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voice {
    /// With the preset's name, for hast, which knows that this is a rehearsal.
    Played,
    /// As the agent itself prints them, for whoever takes this process for that agent.
    Raw,
}

/// What comes after an action.
enum Then {
    Next,
    End(u8),
}

/// Plays actions to their end and gives the exit code.
pub fn play(actions: &[Action], stage: &Stage<'_>) -> u8 {
    for action in actions {
        match stage.perform(action) {
            Ok(Then::Next) => {}
            Ok(Then::End(code)) => return code,
            Err(trouble) if action.may_fail => speech::complain(&trouble.text(stage.lang)),
            Err(trouble) => {
                speech::complain(&trouble.text(stage.lang));
                give_up(stage.call, &trouble.what(stage.lang));
                return trouble.exit_code();
            }
        }
    }
    0
}

/// Writes `failed.json`, so that the call fails whatever else the outbox holds.
pub fn give_up(call: &Call, error: &str) {
    let failed = CallFailed { error: format!("rehearsal: {error}") };
    // Who cannot even write this still has the exit code.
    let _ = files::put_document(call, "failed.json", &failed);
}

impl std::fmt::Debug for Stage<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stage").field("call_file", &self.call_file).finish_non_exhaustive()
    }
}

impl Stage<'_> {
    fn perform(&self, action: &Action) -> Result<Then, Trouble> {
        let Some(act) = action.act() else { return Err(Trouble::NoAction) };
        match act {
            Act::Write(write) => self.write(write)?,
            Act::Outbox(documents) => self.outbox(documents)?,
            Act::Append(append) => self.append(append)?,
            Act::Replace(replace) => self.replace(replace)?,
            Act::Delete(paths) => self.delete(paths)?,
            Act::Rename(rename) => self.rename(rename)?,
            Act::Symlink(link) => self.symlink(link)?,
            Act::Mkdir(paths) => self.mkdir(paths)?,
            Act::Chmod(chmod) => self.chmod(chmod)?,
            Act::Run(run) => self.run(run)?,
            Act::Print(print) => self.print(&print.0)?,
            Act::Stream(speech) => self.speak(speech)?,
            Act::Sleep(&seconds) => std::thread::sleep(duration(seconds)),
            Act::WaitFor(wait) => self.wait_for(&wait.0)?,
            Act::Spawn(escape) => self.spawn(escape)?,
            Act::Flood(&bytes) => speech::flood(bytes)?,
            Act::Exit(&code) => return Ok(Then::End(code)),
            Act::Signal(&signal) => return programs::die_by(signal).map(|()| Then::End(REFUSED)),
            Act::Crash(_) => std::process::abort(),
            Act::Hang(hang) => programs::hang(hang.ignore_term)?,
            Act::Limit(report) => {
                self.speak(&dialect::limit(&report.0))?;
                return Ok(Then::End(1));
            }
            Act::Login(report) => {
                self.speak(&dialect::login(&report.0))?;
                return Ok(Then::End(1));
            }
            Act::Failed(error) => {
                let failed = CallFailed { error: self.expand(error)? };
                files::put_document(self.call, "failed.json", &failed)?;
            }
            Act::Blocked(reason) => {
                let blocked = CallBlocked { reason: self.expand(reason)? };
                files::put_document(self.call, "blocked.json", &blocked)?;
            }
            Act::Handoff(handoff) => self.handoff(handoff)?,
            Act::Expect(expect) => self.expect(expect)?,
        }
        Ok(Then::Next)
    }

    /// A text with its placeholders filled.
    fn expand(&self, text: &str) -> Result<String, Trouble> {
        let moment = self.moment();
        let value = |name: &str| values::value(name, self.call, self.call_file, moment);
        expand(text, &value).map_err(|unresolved| Trouble::NoValue(unresolved.to_string()))
    }

    fn moment(&self) -> Moment {
        let now = self.clock.now();
        Moment { now, offset: self.clock.local_offset(now) }
    }
}

/// The rules of the document keep it between nothing and a day.
fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}
