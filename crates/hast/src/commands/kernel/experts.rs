//! `hast kernel experts`: who works in a kernel, whether they can, and one more.

use hast_flow::docs::document::read;
use hast_flow::docs::kernel::{Expert, ExpertIndex, ExpertLimits, IndexEntry};
use hast_flow::docs::registry::find;
use hast_flow::flows::kernel::experts::file_of;
use hast_flow::flows::kernel::{boot, layout};
use hast_flow::formats::source::{MAX_DOCUMENT_BYTES, Source};
use hast_flow::words::{Lang, visible};
use hast_world::files::PathError;
use hast_world::root_path::{Made, RootPath};
use serde_json::json;

use super::super::flow_root::unread;
use super::{brain, reading, there};
use crate::app::App;
use crate::kernel_cli::{AddArgs, ExpertsCommands};
use crate::kernel_messages::say;
use crate::problem::{Exit, Problem};

pub(super) fn run(app: &mut App, command: &ExpertsCommands) -> Result<Exit, Problem> {
    match command {
        ExpertsCommands::List => list(app),
        ExpertsCommands::Check => check(app),
        ExpertsCommands::Add(args) => add(app, args),
    }
}

fn list(app: &mut App) -> Result<Exit, Problem> {
    let root = there(app)?;
    let view = reading::view(app, &root)?;
    let index = view.index.and_then(Result::ok).unwrap_or_default();
    let known =
        |entry: &IndexEntry| view.experts.get(&entry.name).and_then(|read| read.as_ref().ok());
    if app.json {
        let row = |entry: &IndexEntry| {
            let expert = known(entry);
            json!({
                "name": entry.name,
                "role": entry.role,
                "agent": expert.and_then(|expert| expert.agent.as_ref()),
                "writes": expert.map(|expert| &expert.writes),
                "limits": expert.map(|expert| &expert.limits),
            })
        };
        app.print_json(&json!({ "experts": index.experts.iter().map(row).collect::<Vec<_>>() }))?;
        return Ok(Exit::Done);
    }
    let line = |entry: &IndexEntry| {
        let more = known(entry).map(|expert| settings(app.lang, expert)).unwrap_or_default();
        format!("{}  {}\n{more}", visible(&entry.name), visible(&entry.role))
    };
    let text: String = index.experts.iter().map(line).collect();
    app.print(&text)?;
    Ok(Exit::Done)
}

/// What an expert has of its own, if anything.
fn settings(lang: Lang, expert: &Expert) -> String {
    let writes = (!expert.writes.is_empty()).then(|| say::writes(lang, expert.writes.join(", ")));
    let parts = [
        expert.agent.as_ref().map(|agent| say::agent(lang, agent)),
        writes,
        expert.limits.timeout_minutes.map(|minutes| say::minutes(lang, minutes)),
    ];
    let parts: Vec<String> =
        parts.into_iter().flatten().map(|part| visible(&part).into_owned()).collect();
    if parts.is_empty() { String::new() } else { format!("    {}\n", parts.join(" · ")) }
}

fn check(app: &mut App) -> Result<Exit, Problem> {
    let root = there(app)?;
    let view = reading::view(app, &root)?;
    let troubles = boot::troubles(&view);
    let faults: Vec<String> = troubles.iter().map(|trouble| trouble.words(app.lang)).collect();
    if app.json {
        app.print_json(&json!({ "experts": view.known_experts(), "faults": faults }))?;
        return Ok(if faults.is_empty() { Exit::Done } else { Exit::Failed });
    }
    if faults.is_empty() {
        let count = view.known_experts().len();
        app.print(&(say::experts_good(app.lang, count) + "\n"))?;
        return Ok(Exit::Done);
    }
    let text: String = faults.iter().map(|fault| format!("{}\n", visible(fault))).collect();
    app.print(&text)?;
    let next = say::experts_bad_next(app.lang);
    Err(Problem::new(say::experts_bad(app.lang, faults.len()), next))
}

fn add(app: &mut App, args: &AddArgs) -> Result<Exit, Problem> {
    let (lang, name) = (app.lang, args.name.as_str());
    let root = there(app)?;
    let role = args.role.clone().unwrap_or_else(|| say::new_role(lang));
    let expert = Expert {
        name: name.to_owned(),
        role: role.clone(),
        responsibilities: vec![say::new_duty(lang)],
        instructions: say::new_instructions(lang),
        agent: args.agent.clone(),
        writes: args.writes.clone(),
        limits: ExpertLimits { timeout_minutes: args.timeout },
    };
    let text = file_of(&expert);
    usable(lang, &expert, &text)?;
    let index = brain(&root).join(layout::INDEX);
    let before = index
        .read_if_there(MAX_DOCUMENT_BYTES)
        .map_err(|error| unread(app, &error))?
        .ok_or_else(|| Problem::new(say::no_kernel(lang), say::no_kernel_next(lang)).at(&index))?;
    let by_hand =
        || Problem::new(say::index_by_hand(lang, name), say::index_by_hand_next(lang)).at(&index);
    let after = with_entry(&before, IndexEntry { name: name.to_owned(), role });
    let path = layout::expert(name);
    let there_already = || {
        Problem::new(say::expert_there(lang, name), say::expert_there_next(lang))
            .at(&brain(&root).join(&path))
    };
    let after = match after {
        Added::Text(after) => after,
        Added::There => return Err(there_already()),
        Added::Cannot => return Err(by_hand()),
    };
    // The file first: an index that names nobody would keep the kernel from booting.
    let made = brain(&root).join(&path).create(text.as_bytes());
    if made.map_err(|error| unread(app, &error))? == Made::WasThere {
        return Err(there_already());
    }
    index.replace(&before, after.as_bytes()).map_err(|error| unread(app, &error))?;
    write_schemas(&root).map_err(|error| unread(app, &error))?;
    if app.json {
        app.print_json(&json!({ "name": name, "file": format!(".brain/{path}") }))?;
    } else {
        let next = say::expert_added_next(lang, format!(".brain/{path}"));
        app.print(&format!("{}\n{next}\n", say::expert_added(lang, name)))?;
    }
    Ok(Exit::Done)
}

/// The reader knows which names are names, and what else an expert may say.
fn usable(lang: Lang, expert: &Expert, text: &str) -> Result<(), Problem> {
    let name = &expert.name;
    let named = Expert { writes: Vec::new(), ..expert.clone() };
    let is_good = |text: &str| read::<Expert>(&Source::new(name, text)).is_ok();
    if !is_good(&file_of(&named)) || layout::expert_of(&layout::expert(name)).is_none() {
        let what = say::bad_name(lang, visible(name));
        return Err(Problem::usage(what, say::bad_name_next(lang)));
    }
    if !is_good(text) {
        let what = say::bad_writes(lang, visible(&expert.writes.join(", ")));
        return Err(Problem::usage(what, say::bad_writes_next(lang)));
    }
    Ok(())
}

/// The schemas that the first lines of the files name, for editors. They are made from the binary
/// whenever they are missing or old; nothing of hast reads them.
pub(super) fn write_schemas(root: &RootPath) -> Result<(), PathError> {
    for name in ["brain", "expert-index", "expert"] {
        let Some(entry) = find(name) else { continue };
        let path = brain(root).join(format!(".hast/{name}.schema.json"));
        let text = format!("{:#}\n", (entry.schema)());
        match path.read_if_there(MAX_DOCUMENT_BYTES)? {
            None => drop(path.create(text.as_bytes())?),
            Some(before) if before == text.as_bytes() => {}
            Some(before) => path.replace(&before, text.as_bytes())?,
        }
    }
    Ok(())
}

enum Added {
    Text(String),
    There,
    Cannot,
}

/// The index with one more entry at its end, everything else untouched. What comes out is read
/// back: a file of another shape is left to its writer.
fn with_entry(before: &[u8], entry: IndexEntry) -> Added {
    let parse = |bytes: &[u8]| {
        let source = Source::from_bytes(layout::INDEX, bytes).ok()?;
        read::<ExpertIndex>(&source).ok().map(|read| read.value)
    };
    let (Some(mut wanted), Ok(text)) = (parse(before), std::str::from_utf8(before)) else {
        return Added::Cannot;
    };
    if wanted.experts.iter().any(|known| known.name == entry.name) {
        return Added::There;
    }
    let dash = text.lines().rev().find(|line| line.trim_start().starts_with("- "));
    let indent = dash.map_or(2, |line| line.len() - line.trim_start().len());
    let indent = " ".repeat(indent);
    let role = json!(entry.role);
    let added = format!("{indent}- name: {}\n{indent}  role: {role}\n", entry.name);
    let after = format!("{}\n{added}", text.trim_end());
    wanted.experts.push(entry);
    match parse(after.as_bytes()) {
        Some(index) if index == wanted => Added::Text(after),
        _ => Added::Cannot,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> IndexEntry {
        IndexEntry { name: "Mine".to_owned(), role: "says: \"hi\" # 안녕".to_owned() }
    }

    #[test]
    fn an_entry_is_added_and_the_writers_comments_stay() {
        let before = "# my experts\nexperts:\n  - name: A # first\n    role: r\n";
        let Added::Text(after) = with_entry(before.as_bytes(), entry()) else { panic!() };
        assert!(after.starts_with(before), "{after}");
        assert!(matches!(with_entry(after.as_bytes(), entry()), Added::There));
    }

    #[test]
    fn an_index_of_another_shape_is_left_to_its_writer() {
        let before = b"experts: [{name: A, role: r}]\n";
        assert!(matches!(with_entry(before, entry()), Added::Cannot));
    }
}
