//! `hast explore`: a question about the code. First a map without a model, then, unless it is not
//! wanted, an agent that may only read; the repository is looked at before and after.

use std::path::PathBuf;
use std::sync::Arc;

use hast_flow::docs::files::FlowName;
use hast_flow::explore::map::Map;
use hast_flow::explore::show;
use hast_flow::explore::terms::Terms;
use hast_flow::flows::goals::explore::{ExploreFlow, View};
use hast_flow::flows::goals::layout;
use hast_flow::formats::source::MAX_DOCUMENT_BYTES;
use hast_flow::steps::Ending;
use hast_flow::words::visible;
use hast_world::driver_lock::DriverLock;
use hast_world::explore;
use hast_world::git::GitEnvironment;
use hast_world::root_path::RootPath;
use hast_world::unchanged::Looked;
use serde_json::{Value, json};

use super::auto::effects::Nothing;
use super::calling::{self, Project};
use super::driving::{self, Driven, Eyes, Unit};
use super::flow_root;
use crate::app::App;
use crate::cli::ExploreArgs;
use crate::explore_messages::say;
use crate::problem::{Exit, Problem};
use crate::progress::board::{Row, State};

/// An answer that is missing or empty is asked for again this often.
const MAX_REGENERATIONS: u32 = 2;
/// So many changes are named; the rest is counted by `git status`.
const NAMED: usize = 10;

pub(crate) fn run(app: &mut App, args: &ExploreArgs) -> Result<Exit, Problem> {
    let question = args.question.trim();
    if question.is_empty() {
        return Err(Problem::usage(say::empty(app.lang), say::empty_next(app.lang)));
    }
    let project = calling::project(app)?;
    let terms = Terms::of(question);
    if args.no_agent && terms.is_empty() {
        return Err(Problem::usage(say::no_terms(app.lang), say::no_terms_next(app.lang)));
    }
    let map = explore::map(&project.root, &terms);
    if args.no_agent {
        if app.json {
            app.print_json(&json!({ "question": question, "map": map }))?;
        } else {
            app.print(&show::text(&map, app.lang))?;
        }
        return Ok(Exit::Done);
    }
    ask(app, &project, question, &map, args.tool.clone())
}

fn ask(
    app: &mut App,
    project: &Project,
    question: &str,
    map: &Map,
    tool: Option<String>,
) -> Result<Exit, Problem> {
    let lang = app.lang;
    let documents = project.root.join(layout::DIRECTORY);
    if !documents.is_dir() {
        return Err(Problem::new(say::no_place(lang), say::no_place_next(lang)));
    }
    let trusted = calling::trusted(app, project, &calling::commands(project))?;
    let flow = ExploreFlow {
        question: question.to_owned(),
        map: show::text(map, lang),
        name: name(app, &documents),
        max_regenerations: MAX_REGENERATIONS,
    };
    let name = format!("explore-{}", flow.name);
    let unit = Unit {
        flow: FlowName::Goals,
        project,
        documents: documents.clone(),
        name: name.clone(),
        title: say::title(lang),
        tool,
        trusted,
        held: Exit::Failed,
    };
    let before = look(project);
    let mut eyes = ExploreEyes { name: flow.name.clone(), title: say::asking(lang) };
    let driven = driving::drive(
        app,
        unit,
        &flow,
        |_| Ok(Arc::new(Nothing)),
        &mut eyes,
        |view: &View| view.kept,
    );
    DriverLock::forget(&documents, &name);
    let driven = driven?;
    let after = look(project);
    let kept = driven.seen.then(|| documents.join(flow.path()));
    let end = End { changed: after.changed_since(&before), looked_at: after.count(), kept };
    deliver(app, question, map, &driven, &end)
}

/// What came of it besides the ending.
struct End {
    changed: Vec<String>,
    looked_at: usize,
    kept: Option<RootPath>,
}

fn deliver(
    app: &mut App,
    question: &str,
    map: &Map,
    driven: &Driven<bool>,
    end: &End,
) -> Result<Exit, Problem> {
    let lang = app.lang;
    let text = match &end.kept {
        Some(path) => path
            .read_if_there(MAX_DOCUMENT_BYTES)
            .map_err(|error| flow_root::unread(app, &error))?
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
        None => None,
    };
    let answer = text.as_deref().map(answer_of);
    let changed = (!end.changed.is_empty()).then(|| {
        let named: Vec<&str> = end.changed.iter().take(NAMED).map(String::as_str).collect();
        Problem::new(say::changed(lang, visible(&named.join(", "))), say::changed_next(lang))
    });
    let problem = driving::meaning(lang, &driven.ending).or(changed);
    if app.json {
        app.print_json(&as_json(question, map, driven, end, answer))?;
        if let Some(problem) = &problem {
            app.output.message(&problem.text(lang, &app.output.message_renderer()));
        }
        return Ok(problem.map_or(Exit::Done, |problem| problem.exit));
    }
    if let Some(answer) = answer {
        app.print(&flow_root::printable(answer))?;
    }
    match problem {
        Some(problem) => Err(problem),
        None => {
            if let (Ending::Done(notice), false) = (&driven.ending, app.quiet) {
                let proof = say::unchanged(lang, end.looked_at);
                app.output.message(&format!("{proof}\n{}\n{}\n", notice.what, notice.next));
            }
            Ok(Exit::Done)
        }
    }
}

fn as_json(
    question: &str,
    map: &Map,
    driven: &Driven<bool>,
    end: &End,
    answer: Option<&str>,
) -> Value {
    json!({
        "question": question,
        "status": driving::word(&driven.ending),
        "answer": answer,
        "saved": end.kept.as_deref(),
        "unchanged": end.changed.is_empty(),
        "changed": end.changed,
        "map": map,
    })
}

/// The answer within the file that keeps it: between its question and the map.
fn answer_of(text: &str) -> &str {
    let below = text.split_once("\n\n").map_or("", |(_, below)| below);
    below.rsplit_once("\n\n## ").map_or(below, |(answer, _)| answer)
}

/// The time here, as handoffs have it; a second question of the same second is numbered.
fn name(app: &App, documents: &RootPath) -> String {
    let now = app.clock.now();
    let local = app.clock.local_offset(now).to_datetime(now);
    let time = local.strftime("%Y-%m-%d_%H%M%S").to_string();
    let numbered = (2..).map(|number| format!("{time}_{number}"));
    let is_free = |name: &String| !documents.join(format!("explorations/{name}.md")).exists();
    std::iter::once(time.clone()).chain(numbered).find(is_free).unwrap_or(time)
}

fn look(project: &Project) -> Looked {
    let own = layout::MACHINE_FILES.iter().copied().chain(["explorations"]);
    let directory = project.root.join(layout::DIRECTORY);
    let mut left_out: Vec<PathBuf> =
        own.map(|name| directory.as_path().join(name.trim_end_matches('/'))).collect();
    left_out.push(project.machine.to_path_buf());
    let environment = GitEnvironment::of_this_process().ok();
    Looked::at(&project.root, &left_out, environment)
}

struct ExploreEyes {
    name: String,
    title: String,
}

impl Eyes<View> for ExploreEyes {
    fn rows(&self, view: &View) -> Vec<Row> {
        vec![Row {
            depth: 0,
            id: self.name.clone(),
            title: self.title.clone(),
            state: if view.kept { State::Done } else { State::Running },
            ..Row::default()
        }]
    }
}
