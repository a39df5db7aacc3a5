//! The tools that a model may use in one call: the eleven of the seed, and in flows that gather data
//! the data sources. The call's grants are judged before each use; an answer is never unbounded.

mod arguments;
mod finding;
mod matching;
pub mod published;
mod reach;
mod reading;
mod shell;
mod web;
mod writing;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use hast_flow::docs::call::Call;
use hast_flow::docs::files::FlowName;
use hast_flow::tools::Tool as Source;
use serde_json::Value;

use crate::tools::Settings;
use crate::tools::net::time::Time;
use arguments::Arguments;
use published::{Effect, PUBLISHED, Published, named};
pub use reach::Reach;
use shell::Shell;

/// A tool as it is told to a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    pub name: &'static str,
    pub about: String,
    pub schema: Value,
}

/// The answer to one use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub text: String,
    pub how: How,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    Done,
    /// The tool could not do it.
    Failed,
    /// There is no such tool, or its arguments do not fit.
    Malformed,
}

/// After so many failed edits of one file a model is told to write the whole.
const MOST_FAILED_EDITS: u32 = 2;

/// The tools of one call.
#[derive(Debug)]
pub struct Tools {
    reach: Reach,
    offered: Vec<&'static Published>,
    sources: Vec<Source>,
    web: Option<Settings>,
    shell: Shell,
    time: Arc<dyn Time>,
    failed_edits: BTreeMap<String, u32>,
}

/// What tools need besides the call.
#[derive(Debug)]
pub struct Means {
    /// A directory of this call alone.
    pub scratch: PathBuf,
    /// Variables that commands do not get: the key.
    pub withheld: Vec<String>,
    pub web: Option<Settings>,
    pub time: Arc<dyn Time>,
}

impl Tools {
    pub fn of(call: &Call, means: Means) -> Self {
        let Means { scratch, withheld, web, time } = means;
        // Outputs of commands are read there: the path as it is once links are followed.
        let _ = std::fs::create_dir_all(&scratch);
        let reach = Reach::of(call, &scratch);
        let may = |tool: &&Published| match tool.effect {
            Effect::Reads | Effect::WritesDocuments => true,
            Effect::Writes => reach.writes_more_than_documents(),
            Effect::Searches => web.as_ref().is_some_and(web::searches),
            Effect::Fetches => web.is_some(),
        };
        let offered = PUBLISHED.iter().filter(may).collect();
        let gathers = matches!(call.flow, FlowName::Session | FlowName::Run) && web.is_some();
        let sources = match gathers {
            true => Source::ALL.into_iter().filter(|tool| !is_web(*tool)).collect(),
            false => Vec::new(),
        };
        let shell = Shell { scratch, withheld, count: 0 };
        Self { reach, offered, sources, web, shell, time, failed_edits: BTreeMap::new() }
    }

    /// The tools of this call, always in the same order.
    pub fn offers(&self) -> Vec<Offer> {
        let own = self.offered.iter().map(|tool| Offer {
            name: tool.name,
            about: self.about(tool),
            schema: tool.schema(),
        });
        let sources = self.sources.iter().map(|tool| Offer {
            name: tool.name(),
            about: tool.description().to_owned(),
            schema: tool.schema(),
        });
        own.chain(sources).collect()
    }

    fn about(&self, tool: &Published) -> String {
        match (tool.effect, self.reach.writes_more_than_documents()) {
            (Effect::WritesDocuments, false) => {
                format!("{} In this call only the files that it is asked for.", tool.about)
            }
            _ => tool.about.to_owned(),
        }
    }

    /// Uses a tool; whatever the model gave, there is an answer for it.
    pub fn perform(&mut self, name: &str, given: &Value) -> Answer {
        if let Some(source) = self.sources.iter().find(|source| source.name() == name).copied() {
            let answer = match &self.web {
                Some(settings) => web::used(settings, source, given),
                None => Err("there is no network".to_owned()),
            };
            return answered(answer);
        }
        let offered =
            named(name).filter(|tool| self.offered.iter().any(|one| one.name == tool.name));
        let Some(tool) = offered else {
            let names: Vec<&str> = self.offers().iter().map(|offer| offer.name).collect();
            let text =
                format!("there is no tool `{name}` in this call; its tools: {}", names.join(", "));
            return Answer { text, how: How::Malformed };
        };
        let arguments = match Arguments::read(tool, given) {
            Ok(arguments) => arguments,
            Err(text) => return Answer { text, how: How::Malformed },
        };
        answered(self.used(tool, &arguments))
    }

    fn used(&mut self, tool: &Published, arguments: &Arguments) -> Result<String, String> {
        let reach = &self.reach;
        match tool.name {
            "list_directory" => reading::list_directory(reach, arguments),
            "read_file" => reading::read_file(reach, arguments),
            "read_many_files" => reading::read_many_files(reach, arguments),
            "write_file" => writing::write_file(reach, arguments),
            "glob" => finding::glob(reach, arguments),
            "search_file_content" => finding::search_file_content(reach, arguments),
            "create_directory" => writing::create_directory(reach, arguments),
            "replace" => self.replace(arguments),
            "run_shell_command" => self.shell.run(reach, arguments, &*self.time),
            "google_web_search" => self.on_the_web(|settings| web::search(settings, arguments)),
            "web_fetch" => self.on_the_web(|settings| web::fetch(settings, arguments)),
            other => Err(format!("there is no tool `{other}`")),
        }
    }

    fn on_the_web(
        &self,
        used: impl Fn(&Settings) -> Result<String, String>,
    ) -> Result<String, String> {
        self.web.as_ref().map_or_else(|| Err("there is no network".to_owned()), used)
    }

    fn replace(&mut self, arguments: &Arguments) -> Result<String, String> {
        let file = arguments.text("file_path").to_owned();
        let done = writing::replace(&self.reach, arguments);
        if done.is_ok() {
            self.failed_edits.remove(&file);
            return done;
        }
        let failed = self.failed_edits.entry(file).or_default();
        *failed += 1;
        let often = *failed >= MOST_FAILED_EDITS;
        done.map_err(|why| match often {
            true => format!(
                "{why}\nThis has failed {failed} times: write the whole file with write_file."
            ),
            false => why,
        })
    }
}

/// The two that models know by the names of the seed.
fn is_web(tool: Source) -> bool {
    matches!(tool, Source::WebSearch | Source::WebFetch)
}

fn answered(answer: Result<String, String>) -> Answer {
    match answer {
        Ok(text) => Answer { text, how: How::Done },
        Err(text) => Answer { text, how: How::Failed },
    }
}
