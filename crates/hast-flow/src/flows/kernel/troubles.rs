//! A trouble is a fault in `brain.yaml`, the index or an expert's file that keeps the kernel from
//! using the file. Each is told with file and line, in both languages.

use crate::docs::document::{Document, read};
use crate::docs::kernel::Expert;
use crate::flows::kernel::layout;
use crate::formats::diagnostic::Diagnostic;
use crate::formats::source::Source;
use crate::messages;
use crate::words::Lang;

/// One way in which a file of `brain.yaml`, the index and the experts cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// It breaks its schema.
    Broken(Vec<Diagnostic>),
    /// It is about another expert than its name says.
    OtherName {
        expert: String,
        says: String,
    },
    /// `brain.yaml` or the index.
    Missing {
        path: &'static str,
    },
    MissingExpert {
        expert: String,
    },
    /// `brain.yaml` names somebody whom the index does not know.
    NotInIndex {
        expert: String,
    },
}

messages! {
    missing(path) { en: "{path}: it is missing -> run `hast kernel boot`", ko: "{path}: 파일이 없습니다 -> `hast kernel boot`를 실행하세요" }
    missing_expert(path, expert, index) { en: "{path}: it is missing -> run `hast kernel boot`, write it, or take {expert} out of {index}", ko: "{path}: 파일이 없습니다 -> `hast kernel boot`를 실행하거나, 파일을 쓰거나, {index}에서 {expert}(을)를 빼세요" }
    other_name(path, says, expert) { en: "{path}: it says name: {says}, expected {expert} -> correct the name", ko: "{path}: name이 {says}인데 {expert}(이)어야 합니다 -> name을 고치세요" }
    not_in_index(brain, expert, index) { en: "{brain}: {expert} is not in {index} -> add it there, or name another", ko: "{brain}: {expert}(이)가 {index}에 없습니다 -> 거기에 추가하거나 다른 이름을 쓰세요" }
}

impl Trouble {
    /// On one line: file, line, what and what to do.
    pub fn words(&self, lang: Lang) -> String {
        match self {
            Self::Broken(findings) => shown(findings, lang),
            Self::OtherName { expert, says } => {
                other_name(lang, layout::expert(expert), says, expert)
            }
            Self::Missing { path } => missing(lang, path),
            Self::MissingExpert { expert } => {
                missing_expert(lang, layout::expert(expert), expert, layout::INDEX)
            }
            Self::NotInIndex { expert } => not_in_index(lang, layout::BRAIN, expert, layout::INDEX),
        }
    }
}

/// Reads an expert's file; it must be about the expert whose name it has.
pub fn read_expert(name: &str, bytes: &[u8]) -> Result<Expert, Trouble> {
    let expert: Expert = read_yaml(&layout::expert(name), bytes)?;
    match expert.name == name {
        true => Ok(expert),
        false => Err(Trouble::OtherName { expert: name.to_owned(), says: expert.name }),
    }
}

pub(super) fn read_yaml<D: Document>(name: &str, bytes: &[u8]) -> Result<D, Trouble> {
    let source = Source::from_bytes(name, bytes).map_err(|one| Trouble::Broken(vec![one]))?;
    read::<D>(&source).map(|read| read.value).map_err(Trouble::Broken)
}

fn shown(findings: &[Diagnostic], lang: Lang) -> String {
    let one = |finding: &Diagnostic| {
        let line = finding.line().map_or(String::new(), |line| format!(":{line}"));
        let (what, next) = (finding.finding.what(lang), finding.finding.next(lang));
        format!(".brain/{}{line}: {what} -> {next}", finding.file)
    };
    findings.iter().map(one).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_expert_is_told_with_file_and_line_in_both_languages() {
        let bytes = b"name: A\nrole: r\nresponsibilities: x\ninstructions: i\n";
        let trouble = read_expert("A", bytes).unwrap_err();
        let (en, ko) = (trouble.words(Lang::En), trouble.words(Lang::Ko));
        assert!(
            en.starts_with(".brain/experts/A.yaml:3: ")
                && ko.starts_with(".brain/experts/A.yaml:3: ")
        );
        assert_ne!(en, ko);
        let other = b"name: B\nrole: r\nresponsibilities: []\ninstructions: i\n";
        let trouble = read_expert("A", other).unwrap_err();
        assert!(trouble.words(Lang::En).contains("expected A"), "{trouble:?}");
        assert!(trouble.words(Lang::Ko).contains("name을 고치세요"), "{trouble:?}");
    }
}
