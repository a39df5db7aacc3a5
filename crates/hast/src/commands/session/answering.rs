//! `hast session answer`: which session asks, and the answer beside its question.

use hast_flow::flows::session::{Wish, layout};
use hast_flow::ids::{QuestionId, SessionId};
use hast_flow::steps::Ending;
use hast_flow::trust::Commands;
use hast_flow::words::visible;
use hast_world::root_path::RootPath;
use serde_json::json;

use super::effects::Sources;
use super::eyes::SessionEyes;
use super::questions::asked;
use super::{Errand, all, directory, go, known, there};
use crate::app::App;
use crate::commands::{calling, driving};
use crate::messages::say as common;
use crate::problem::{Exit, Problem};
use crate::session_cli::{AnswerArgs, WorkArgs};
use crate::session_messages::say;

pub(super) fn run(app: &mut App, args: &AnswerArgs) -> Result<Exit, Problem> {
    let lang = app.lang;
    let question: QuestionId = args.question.parse().map_err(|_| {
        let what = say::bad_question(lang, visible(&args.question));
        Problem::usage(what, say::unknown_question_next(lang))
    })?;
    if args.text.trim().is_empty() {
        return Err(Problem::usage(say::empty_answer(lang), say::empty_answer_next(lang)));
    }
    let root = there(app)?;
    let id = match &args.session {
        Some(id) => known(app, &root, id)?,
        None => who_asks(app, &root, &question)?,
    };
    let given = Given { question: question.clone(), text: args.text.clone(), operator: None };
    let what = give(app, &root, &id, given)?;
    let next = format!("hast session resume {id}");
    if app.json {
        app.print_json(&json!({
            "session_id": id, "question_id": question, "status": "ANSWERED",
            "what": what, "next": next,
        }))?;
    } else {
        app.print(&format!("{id} {question}\n{}: {next}\n", common::next(lang)))?;
    }
    Ok(Exit::Done)
}

/// An answer, and whose it is where they said so.
pub(crate) struct Given {
    pub(crate) question: QuestionId,
    pub(crate) text: String,
    pub(crate) operator: Option<String>,
}

/// Writes an answer beside its question.
pub(crate) fn give(
    app: &mut App,
    root: &RootPath,
    id: &SessionId,
    given: Given,
) -> Result<String, Problem> {
    let lang = app.lang;
    let Given { question, text, operator } = given;
    let project = calling::project_at(app, root.to_owned())?;
    // Nobody is started to write an answer down, so there is nothing to approve.
    let trusted = calling::trusted(app, &project, &Commands::default())?;
    let wish = Some(Wish::Answer { question, text, operator });
    let (work, sources) = (WorkArgs { parallel: 1, tool: None, now: false }, Sources::None);
    let errand = Errand { id: id.clone(), new: None, wish, work, sources, trusted };
    let driven = go(app, &project, errand, &mut SessionEyes::new(lang))?;
    match (driving::meaning(lang, &driven.ending), driven.ending) {
        (Some(problem), _) => Err(problem),
        (None, Ending::Done(notice)) => Ok(notice.what),
        (None, _) => Ok(String::new()),
    }
}

/// The one session with this question open; counters begin anew in each.
fn who_asks(app: &App, root: &RootPath, question: &QuestionId) -> Result<SessionId, Problem> {
    let lang = app.lang;
    let asks = |id: &SessionId| {
        directory(root, id).join(layout::question(question)).exists()
            && asked(root, id).iter().any(|asked| asked.waits() && asked.question.id == *question)
    };
    let mut asking: Vec<SessionId> = all(root).into_iter().filter(asks).collect();
    match (asking.pop(), asking.is_empty()) {
        (Some(id), true) => Ok(id),
        (Some(id), false) => {
            asking.push(id);
            let named: Vec<String> = asking.iter().map(ToString::to_string).collect();
            let what = say::several_ask(lang, question, named.join(", "));
            Err(Problem::usage(what, say::several_ask_next(lang)))
        }
        (None, _) => Err(Problem::new(
            say::unknown_question(lang, question),
            say::unknown_question_next(lang),
        )),
    }
}
