//! The person of a run: saves documents while hast runs, and puts right what hast tells them of. Their
//! edit is kept or told of, never lost.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use hast_flow::steps::Ending;
use hast_flow::store::DocPath;
use hast_flow::store::disk::Disk as _;

use super::case::{Blow, Case};
use super::subject::{PersonsEdit, Promise, Subject};
use crate::disk::{Edit, EditStyle, Event, SimDisk, World};
use crate::rng::Rng;

/// How often a person puts a document back that hast goes on complaining of.
const MOST_TELLINGS: u32 = 3;

/// What people save over any document.
const TEXTS: [&str; 5] = ["", "mine\n", "나의: [글\n", "{}\n", "\n"];

/// Saves one document, once.
#[derive(Debug, Default)]
pub(crate) struct Person {
    pub(crate) edit: Option<PersonsEdit>,
    /// How often hast told of the edit.
    told: Cell<u32>,
}

impl Person {
    /// The edit that a case means, where a flow has looked at so many documents.
    pub(crate) fn of<S: Subject>(case: Case, subject: &S, read: &[DocPath]) -> Self {
        let mut chance = Rng::new(case.seed).fork(case.at);
        if case.blow != Some(Blow::Edit) {
            return Self::of_any(case, read);
        }
        let style = if case.at.is_multiple_of(2) { EditStyle::Rename } else { EditStyle::InPlace };
        let edit = subject.edit(&mut chance);
        Self { edit: edit.map(|edit| PersonsEdit { style, ..edit }), told: Cell::default() }
    }

    /// Spoils any document that the flow looks at; nothing more is known of it.
    pub(crate) fn of_any(case: Case, read: &[DocPath]) -> Self {
        if case.blow != Some(Blow::EditAny) || read.is_empty() {
            return Self::default();
        }
        let mut chance = Rng::new(case.seed).fork(case.at);
        // In turn, so that a sweep comes to each.
        let path = read[(case.at % read.len() as u64) as usize].clone();
        let bytes = TEXTS[chance.below(TEXTS.len())].as_bytes().to_vec();
        let style = [EditStyle::Rename, EditStyle::InPlace, EditStyle::AtEnd][chance.below(3)];
        let edit = PersonsEdit { path, bytes, style, promise: Promise::Told, puts_back: true };
        Self { edit: Some(edit), told: Cell::default() }
    }

    pub(crate) fn plan(&self, at: u64, machine: &RefCell<World>) {
        if let Some(PersonsEdit { path, bytes, style, .. }) = self.edit.clone() {
            machine.borrow_mut().plan_edit(Edit { at, path, bytes, style });
        }
    }

    /// Whether nothing is known of what the edit leads to.
    pub(crate) fn spoils(&self) -> bool {
        self.edit.as_ref().is_some_and(|edit| edit.promise == Promise::Told)
    }

    /// Whether hast says something of the document.
    pub(crate) fn is_told(&self, text: &str) -> bool {
        let told = self.edit.as_ref().is_some_and(|edit| text.contains(edit.file_name()));
        self.told.set(self.told.get() + u32::from(told));
        told
    }

    /// Whether hast was asked often enough to go on with what was put back.
    pub(crate) fn gives_up(&self) -> bool {
        self.spoils() && self.told.get() > MOST_TELLINGS
    }

    /// Whether a process may end so for good: a document was spoiled, and hast says what to do. It never
    /// calls that a mistake of its own.
    pub(crate) fn may_stay(&self, text: &str) -> bool {
        let is_ours = text.contains("mistake in hast") || text.contains("hast의 오류");
        self.spoils() && !is_ours
    }

    /// Moves their file out of the way; what was there comes back.
    pub(crate) fn put_right(&self, machine: &Rc<RefCell<World>>) {
        let Some(PersonsEdit { path, puts_back, .. }) = &self.edit else { return };
        let aside = kept_aside(path, &machine.borrow());
        let kept = aside.clone().filter(|_| *puts_back);
        let over = machine.borrow().events.iter().find_map(|event| match event {
            Event::Edited { path: edited, over, .. } if edited == path => over.clone(),
            _ => None,
        });
        // Where nothing was there before their edit, all of ours lies aside.
        let ours = kept.or(over).or(aside);
        let disk = SimDisk::start(machine);
        let process = disk.process();
        let unlinked = disk.unlink(path);
        machine.borrow_mut().exit(process);
        if let (Some(bytes), Ok(())) = (ours, unlinked) {
            let at = machine.borrow().operations;
            let style = EditStyle::Rename;
            machine.borrow_mut().plan_edit(Edit { at, path: path.clone(), bytes, style });
        }
    }

    /// The edit is where it was saved, or kept aside, or hast has told of it.
    pub(crate) fn edit_is_kept(&self, machine: &World) -> Result<(), String> {
        let Some(edit) = self.edit.as_ref().filter(|_| self.spoils() && self.told.get() == 0)
        else {
            return Ok(());
        };
        let theirs = edit.bytes.trim_ascii();
        let is_theirs = |event: &Event| matches!(event, Event::Edited { path, bytes, .. } if *path == edit.path && contains(bytes, theirs));
        // An empty file and a blank line have nothing that could be lost.
        if theirs.is_empty() || !machine.events.iter().any(is_theirs) {
            return Ok(());
        }
        let is_kept = |(path, bytes): (&String, &Vec<u8>)| {
            let is_copy = path.ends_with(edit.file_name()) && contains(bytes, theirs);
            is_copy || bytes.trim_ascii() == theirs
        };
        if machine.all_files().iter().any(is_kept) {
            return Ok(());
        }
        Err(format!("a person's edit of {} is lost, and hast did not tell of it", edit.path))
    }
}

/// Whether a text stands in a document: lines of hast may be around it.
fn contains(bytes: &[u8], text: &[u8]) -> bool {
    bytes.windows(text.len().max(1)).any(|part| part == text)
}

/// What hast kept aside of ours when theirs stood, from the last time.
fn kept_aside(path: &DocPath, machine: &World) -> Option<Vec<u8>> {
    let files = machine.all_files();
    let kept = files.iter().filter_map(|(name, bytes)| {
        let (number, of) = name.strip_prefix(".hast/conflicts/")?.split_once('/')?;
        (of == path.as_str()).then_some((number.parse::<u64>().ok()?, bytes))
    });
    kept.max_by_key(|(number, _)| *number).map(|(_, bytes)| bytes.clone())
}

/// All that an ending says.
pub(crate) fn words_of(ending: &Ending) -> String {
    let (Ending::Done(notice)
    | Ending::Failed(notice)
    | Ending::Blocked(notice)
    | Ending::Interrupted(notice)
    | Ending::Waiting { notice, .. }) = ending;
    format!("{} {}", notice.what, notice.next)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The check is worth nothing if it cannot fail.
    #[test]
    fn an_edit_that_is_gone_is_found_unless_hast_told_of_it() {
        let machine = Rc::new(RefCell::new(World::new(1)));
        let path = DocPath::new("status.json").unwrap();
        let mut edit = PersonsEdit::of("status.json", "mine", Promise::Told).unwrap();
        edit.puts_back = true;
        let person = Person { edit: Some(edit), told: Cell::default() };
        person.plan(0, &machine);
        let disk = SimDisk::start(&machine);
        assert_eq!(disk.stat(&path).map(|meta| meta.is_some()), Ok(true));
        assert_eq!(person.edit_is_kept(&machine.borrow()), Ok(()));
        disk.unlink(&path).unwrap();
        assert!(person.edit_is_kept(&machine.borrow()).is_err());
        assert!(!person.is_told("another document"));
        assert!(person.edit_is_kept(&machine.borrow()).is_err());
        assert!(person.is_told("look at status.json"));
        assert_eq!(person.edit_is_kept(&machine.borrow()), Ok(()));
    }
}
