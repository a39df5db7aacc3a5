//! One broken rule: where, what, the rule with its limit, and what to do.

use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) rule: Rule,
    pub(crate) what: String,
    pub(crate) next: String,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rule {
    FileLength(usize),
    FunctionLength(usize),
    ModuleDoc(usize),
    WhiteSpace,
    ModuleOrder,
    FlowImport,
    CrateDirection(&'static [&'static str]),
    ModuleName,
    Phrase,
    MachinePath,
    ProofFigure,
    ProofAge(u64),
    Ceiling(usize),
    Syntax(&'static str),
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FileLength(limit) => write!(f, "file length: {limit} lines"),
            Self::FunctionLength(limit) => write!(f, "function length: {limit} lines"),
            Self::ModuleDoc(limit) => write!(f, "module doc: 1 to {limit} lines"),
            Self::WhiteSpace => write!(f, "white space: none"),
            Self::ModuleOrder => write!(f, "module order: lib.rs"),
            Self::FlowImport => write!(f, "flow import: none"),
            Self::CrateDirection([]) => write!(f, "crate direction: none"),
            Self::CrateDirection(allowed) => {
                write!(f, "crate direction: {}", allowed.join(", "))
            }
            Self::ModuleName => write!(f, "module name: says what lives there"),
            Self::Phrase => write!(f, "phrase: none"),
            Self::MachinePath => write!(f, "path of a machine: none"),
            Self::ProofFigure => write!(f, "figure of proof: in docs/proof.md"),
            Self::ProofAge(limit) => write!(f, "age of the proof: {limit} commits"),
            Self::Ceiling(limit) => write!(f, "ceiling: {limit}"),
            Self::Syntax(language) => write!(f, "syntax: {language}"),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, rule, what, next } = self;
        write!(f, "{file}:{line}: {what} ({rule}) -> {next}")
    }
}
