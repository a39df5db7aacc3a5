//! Opens the documents of a flow. What opening had to repair is told to whoever called: a killed process
//! may have left a commit half published, and a person may have edited there since.

use std::path::Path;

use hast_flow::store::{Conflict, DocPath, Opened, Options, Store, StoreError};
use hast_flow::words::Lang;
use hast_world::disk::RealDisk;
use serde_json::{Value, json};

use super::verify::shown_path;
use crate::app::App;
use crate::flow_messages::say;
use crate::messages::say as common;
use crate::problem::Problem;

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
pub(crate) fn store(app: &App, documents: &Path) -> Result<(Store<RealDisk>, RealDisk), Problem> {
    let failed = |error: StoreError| store_problem(app.lang, &error);
    let disk = RealDisk::open(documents).map_err(|error| failed(error.into()))?.remembering();
    let (store, opened) = Store::open(disk.clone(), Options::default()).map_err(failed)?;
    app.repairs.borrow_mut().extend(repairs(app, documents, &opened));
    Ok((store, disk))
}

pub(crate) fn store_problem(lang: Lang, error: &StoreError) -> Problem {
    Problem::new(say::store_failed(lang), error.next(lang)).because(error.to_string())
}

fn repairs(app: &App, documents: &Path, opened: &Opened) -> Vec<Repair> {
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
    let found = opened.conflicts.iter().map(stands).chain(opened.rescued.iter().map(rescued));
    found.chain(opened.set_aside.as_ref().map(aside)).collect()
}
