//! Opens the documents of a flow. What opening had to repair is told to whoever called: a killed process
//! may have left a commit half published, and a person may have edited there since.

use hast_flow::store::disk::{DiskError, DiskErrorKind};
use hast_flow::store::seal::{Glance, glance, has_own_journal};
use hast_flow::store::{Conflict, DocPath, Opened, Options, Store, StoreError};
use hast_flow::words::Lang;
use hast_world::disk::RealDisk;
use hast_world::disk::sealing::Sealing;
use hast_world::files::PathError;
use hast_world::root_path::RootPath;
use serde_json::{Value, json};

use super::verify::shown_path;
use crate::app::App;
use crate::flow_messages::say;
use crate::messages::say as common;
use crate::problem::{LINK_IN_THE_WAY, Problem};

/// Something that was found when documents were opened, and that a person has to know.
#[derive(Clone, Debug)]
pub(crate) struct Repair {
    /// The document, and where the other side of it lies.
    path: String,
    kept: Option<String>,
    what: String,
    next: String,
}

impl Repair {
    pub(crate) fn text(&self, lang: Lang) -> String {
        format!("{}: {}\n{}: {}\n", common::warning(lang), self.what, common::next(lang), self.next)
    }

    pub(crate) fn json(&self) -> Value {
        json!({ "path": self.path, "kept": self.kept, "what": self.what, "next": self.next })
    }
}

/// The store of documents, and its disk for whoever has to know what is written through it.
pub(crate) fn store(
    app: &App,
    documents: &RootPath,
) -> Result<(Store<RealDisk>, RealDisk), Problem> {
    let variables: Vec<_> = std::env::vars_os().collect();
    store_of(app, documents, Sealing::to_write(documents, &variables))
}

/// The same in a directory that the user approved for others too: their journals count.
pub(crate) fn shared_store(app: &App, documents: &RootPath) -> Result<Store<RealDisk>, Problem> {
    store_of(app, documents, Sealing::Any).map(|(store, _)| store)
}

fn store_of(
    app: &App,
    documents: &RootPath,
    sealing: Sealing,
) -> Result<(Store<RealDisk>, RealDisk), Problem> {
    let failed = |error: StoreError| store_problem(app.lang, &error);
    let disk = RealDisk::open_in(documents, sealing).map_err(|error| failed(error.into()))?;
    let disk = disk.remembering();
    let (store, opened) = Store::open(disk.clone(), Options::default()).map_err(failed)?;
    app.repairs.borrow_mut().extend(repairs(app, documents, &opened));
    Ok((store, disk))
}

/// Finishes a commit that was cut off after it counted, for whoever looks at documents. A journal that
/// somebody else made is left alone and told of; where nothing was cut off, nothing is written.
pub(crate) fn recover(app: &App, documents: &RootPath) -> Result<(), Problem> {
    let refused = |error: PathError| Problem::cannot_read(app.lang, &error.path, &error.source);
    let own = documents.join(".hast");
    own.check_directory().map_err(refused)?;
    if !own.is_dir() {
        return Ok(());
    }
    let disk = disk_to_look(app, documents)?;
    match glance(&disk).map_err(|error| store_problem(app.lang, &error))? {
        Glance::AtRest => {}
        Glance::Unfinished => drop(store(app, documents)?),
        Glance::Foreign(count) => {
            let path = shown_path(app, &own.join("journal"));
            let what = say::foreign_journal(app.lang, &path, count);
            let next = say::foreign_journal_next(app.lang);
            app.repairs.borrow_mut().push(Repair { path, kept: None, what, next });
        }
    }
    Ok(())
}

/// Whether no commit waits in a journal there.
pub(crate) fn is_at_rest(app: &App, documents: &RootPath) -> bool {
    let journal = documents.join(".hast/journal");
    let looked = || glance(&disk_to_look(app, documents).ok()?).ok();
    !journal.exists() || matches!(looked(), Some(Glance::AtRest))
}

/// Whether documents were written by this user's hast, so that a command may tidy up among them.
pub(crate) fn are_own(app: &App, documents: &RootPath) -> Result<bool, Problem> {
    let disk = disk_to_look(app, documents)?;
    has_own_journal(&disk).map_err(|error| store_problem(app.lang, &error))
}

/// The disk of documents for whoever only looks.
pub(crate) fn disk_to_look(app: &App, documents: &RootPath) -> Result<RealDisk, Problem> {
    let variables: Vec<_> = std::env::vars_os().collect();
    let sealing = Sealing::to_look(documents, &variables);
    RealDisk::open_in(documents, sealing).map_err(|error| store_problem(app.lang, &error.into()))
}

pub(crate) fn store_problem(lang: Lang, error: &StoreError) -> Problem {
    let problem =
        Problem::new(say::store_failed(lang), error.next(lang)).because(error.to_string());
    match error {
        StoreError::Disk(DiskError { kind: DiskErrorKind::Link, .. }) => {
            problem.coded(LINK_IN_THE_WAY)
        }
        _ => problem,
    }
}

fn repairs(app: &App, documents: &RootPath, opened: &Opened) -> Vec<Repair> {
    let lang = app.lang;
    let shown = |path: &DocPath| shown_path(app, &documents.join(path.as_str()));
    let stands = |conflict: &Conflict| {
        let (path, kept) = (shown(&conflict.path), conflict.ours.as_ref().map(shown));
        let (what, next) = match &kept {
            Some(kept) => {
                (say::edit_stands(lang, &path, kept), say::edit_stands_next(lang, kept, &path))
            }
            None => (say::tree_stands(lang, &path), say::tree_stands_next(lang, &path)),
        };
        Repair { path, kept, what, next }
    };
    let rescued = |conflict: &Conflict| {
        let (path, kept) = (shown(&conflict.path), conflict.ours.as_ref().map(shown));
        let place = kept.clone().unwrap_or_default();
        let what = say::edit_rescued(lang, &path, &place);
        Repair { next: say::edit_stands_next(lang, &place, &path), path, kept, what }
    };
    let aside = |journal: &DocPath| {
        let path = shown(journal);
        let (what, next) = (say::journal_aside(lang, &path), say::journal_aside_next(lang));
        Repair { kept: Some(path.clone()), path, what, next }
    };
    let foreign = |journal: &DocPath| {
        let path = shown(journal);
        let (what, next) = (say::foreign_aside(lang, &path), say::foreign_aside_next(lang, &path));
        Repair { kept: Some(path.clone()), path, what, next }
    };
    let found = opened.conflicts.iter().map(stands).chain(opened.rescued.iter().map(rescued));
    let found = found.chain(opened.set_aside.as_ref().map(aside));
    found.chain(opened.foreign.as_ref().map(foreign)).collect()
}
