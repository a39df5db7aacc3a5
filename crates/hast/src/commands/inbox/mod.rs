//! `hast inbox`: what waits for a person, in all flows, and what they decide about it. A flow adds
//! one file here that says what waits in its documents and what a decision does to them.

mod contract;
pub(crate) mod goals;
mod run;
mod session;
mod shown;

use hast_flow::docs::files::FlowName;
use hast_flow::inbox::{Deed, Inbox, Item, ItemKind, Refused};
use hast_flow::time::UtcTime;
use hast_flow::words::visible;
use hast_world::git;
use hast_world::root_path::RootPath;
use hast_world::roots::git_top;
use serde_json::json;

use super::flow_root::{found, nothing_here, there_or_here};
use crate::app::App;
use crate::ops_cli::{ActArgs, InboxCommands, InboxListArgs};
use crate::ops_messages::say;
use crate::problem::{Exit, Problem};
use crate::queue_cli::StatusArg;

/// Where items of a flow come from, and where decisions about them go.
pub(crate) trait Source {
    fn flow(&self) -> FlowName;

    /// Where its documents are.
    fn root(&self, app: &App) -> Result<Option<RootPath>, Problem> {
        found(app, self.flow()).map(|_| there_or_here(app, self.flow())).transpose()
    }

    /// What waits, and what is still remembered, in the documents below a root.
    fn items(&self, app: &App, root: &RootPath) -> Result<Vec<Item>, Problem>;

    /// Does what a person decided, and writes down who it was. Says what came of it.
    fn act(&self, app: &mut App, decision: &Decision<'_>) -> Result<String, Problem>;
}

/// What a person decided.
pub(crate) struct Decision<'d> {
    pub(crate) root: RootPath,
    pub(crate) item: &'d Item,
    pub(crate) deed: Deed,
    /// For goals: another status than the action has by itself.
    pub(crate) goal_status: Option<StatusArg>,
}

const SOURCES: &[&dyn Source] = &[&goals::Goals, &session::Session, &run::Run, &contract::Contract];

pub(crate) fn run(app: &mut App, command: &InboxCommands) -> Result<Exit, Problem> {
    match command {
        InboxCommands::List(args) => list(app, *args),
        InboxCommands::Summary(args) => summary(app, args.top),
        InboxCommands::Show(args) => show(app, &args.id),
        InboxCommands::Act(args) => act(app, args),
    }
}

/// The inbox of everything that is found from here.
fn inbox(app: &App) -> Result<Inbox, Problem> {
    let mut all = Vec::new();
    for source in SOURCES {
        if let Some(root) = source.root(app)? {
            all.extend(source.items(app, &root)?);
        }
    }
    Ok(Inbox::of(all))
}

/// How much waits.
pub(crate) fn waiting(app: &App) -> Result<usize, Problem> {
    Ok(inbox(app)?.open_items().count())
}

fn list(app: &mut App, args: InboxListArgs) -> Result<Exit, Problem> {
    let inbox = inbox(app)?;
    let mut items = inbox.waiting();
    let open = items.len();
    if args.include_resolved {
        items.extend(inbox.items().filter(|item| !item.is_open()));
    }
    if app.json {
        app.print_json(&json!({ "waiting": open, "items": items }))?;
        return Ok(Exit::Done);
    }
    let mut text: String =
        items.iter().map(|item| shown::line(app.lang, item, &app.local(item.opened_at))).collect();
    if items.is_empty() {
        text = empty(app);
    }
    app.print(&text)?;
    Ok(Exit::Done)
}

/// Nothing waits, or nothing of hast's is here.
fn empty(app: &App) -> String {
    let is_nothing = FlowName::ALL.into_iter().all(|flow| found(app, flow).is_none());
    if is_nothing { nothing_here(app) } else { say::empty_inbox(app.lang) + "\n" }
}

fn summary(app: &mut App, top: usize) -> Result<Exit, Problem> {
    let inbox = inbox(app)?;
    let counts = shown::counts(&inbox);
    let first = inbox.top(top);
    if app.json {
        let waiting = inbox.open_items().count();
        app.print_json(&json!({ "waiting": waiting, "by_kind": counts, "top": first }))?;
        return Ok(Exit::Done);
    }
    if counts.is_empty() {
        let text = empty(app);
        app.print(&text)?;
        return Ok(Exit::Done);
    }
    let mut text = say::waiting(app.lang, inbox.open_items().count()) + "\n";
    text.extend(counts.iter().map(|(kind, count)| format!("  {count:>4}  {kind}\n")));
    for item in first {
        text += "\n";
        text += &screen(app, &inbox, item);
    }
    app.print(&text)?;
    Ok(Exit::Done)
}

fn show(app: &mut App, id: &str) -> Result<Exit, Problem> {
    let inbox = inbox(app)?;
    let (item, _) = meant(&inbox, id).ok_or_else(|| refusal(app, id, &Refused::Unknown))?;
    if app.json {
        app.print_json(&json!(item))?;
    } else {
        app.print(&screen(app, &inbox, item))?;
    }
    Ok(Exit::Done)
}

/// The item of an id, or the newest open one about a goal or another unit; and the ids of its others.
fn meant<'i>(inbox: &'i Inbox, typed: &str) -> Option<(&'i Item, Vec<String>)> {
    if let Some(item) = inbox.named(typed) {
        return Some((item, Vec::new()));
    }
    let folded = typed.to_lowercase();
    let is_about = |item: &&Item| item.unit.to_lowercase() == folded;
    let mut about: Vec<&Item> = inbox.open_items().filter(is_about).collect();
    about.sort_by(|one, other| (one.opened_at, &one.id).cmp(&(other.opened_at, &other.id)));
    let newest = about.pop()?;
    Some((newest, about.iter().map(|item| item.id.to_string()).collect()))
}

fn screen(app: &App, inbox: &Inbox, item: &Item) -> String {
    shown::screen(app.lang, item, &app.local(item.opened_at), name_of(inbox, item))
}

/// The shortest name that means an item.
fn name_of<'i>(inbox: &Inbox, item: &'i Item) -> &'i str {
    let by_unit = meant(inbox, &item.unit).is_some_and(|(meant, _)| meant.id == item.id);
    if by_unit { &item.unit } else { item.id.as_str() }
}

/// The name of the person who decides: as it is typed, else as git knows the user.
fn operator(app: &App, typed: Option<&str>) -> Result<String, Problem> {
    let known = || git::user_name(&git_top(app.here()).unwrap_or_else(|| app.here().to_owned()));
    let name = typed.map(str::to_owned).or_else(known).filter(|name| !name.trim().is_empty());
    let (what, next) = (say::empty_operator(app.lang), say::empty_operator_next(app.lang));
    name.ok_or_else(|| Problem::usage(what, next))
}

fn act(app: &mut App, args: &ActArgs) -> Result<Exit, Problem> {
    let lang = app.lang;
    let operator = operator(app, args.operator.as_deref())?;
    let inbox = inbox(app)?;
    let deed = Deed {
        action: args.action.action(),
        operator,
        text: args.text.clone(),
        at: UtcTime::new(app.clock.now()),
    };
    let refused = |refused: Refused| refusal(app, &args.id, &refused);
    let (item, others) = meant(&inbox, &args.id).ok_or_else(|| refused(Refused::Unknown))?;
    inbox.act(&item.id, deed.clone()).map_err(refused)?;
    let source = SOURCES.iter().find(|source| source.flow() == item.flow);
    let Some(source) = source else {
        return Err(refusal(app, &args.id, &Refused::Unknown));
    };
    let Some(root) = source.root(app)? else {
        return Err(refusal(app, &args.id, &Refused::Unknown));
    };
    let of_goal = item.flow == FlowName::Goals && item.kind != ItemKind::Decision;
    if args.goal_status.is_some() && !of_goal {
        return Err(Problem::usage(say::no_goal(lang, &item.id), say::no_goal_next(lang)));
    }
    let decision = Decision { root, item, deed: deed.clone(), goal_status: args.goal_status };
    let told = source.act(app, &decision)?;
    if app.json {
        app.print_json(&json!({
            "id": item.id, "flow": item.flow, "unit": item.unit, "action": deed.action,
            "operator": deed.operator, "text": deed.text, "told": told, "others": others,
        }))?;
    } else {
        let acted = say::acted(app.lang, &item.id, shown::word(deed.action));
        let others = (!others.is_empty())
            .then(|| say::others_wait(app.lang, visible(&item.unit), others.join(", ")));
        let lines =
            [acted, told, others.unwrap_or_default()].into_iter().filter(|line| !line.is_empty());
        app.print(&lines.map(|line| line + "\n").collect::<String>())?;
    }
    Ok(Exit::Done)
}

/// Why nothing was done.
fn refusal(app: &App, id: &str, refused: &Refused) -> Problem {
    let lang = app.lang;
    match refused {
        Refused::Unknown => Problem::new(say::unknown_item(lang, id), say::unknown_item_next(lang))
            .coded("unknown_item"),
        Refused::AlreadyActed(deed) => {
            let what = say::already_acted(lang, &deed.operator, shown::word(deed.action), deed.at);
            Problem::new(what, say::already_acted_next(lang)).coded("already_acted")
        }
        Refused::AlreadyResolved { why } => {
            let next = say::already_acted_next(lang);
            Problem::new(say::already_resolved(lang, why), next).coded("already_resolved")
        }
        Refused::NeedsText => {
            Problem::new(say::needs_text(lang), say::needs_text_next(lang)).coded("needs_text")
        }
    }
}
