//! Definitions in languages whose blocks are braces. A language says what begins at a token; here is
//! what holds for all of them: which block belongs to what, and where it ends.

use super::{Definition, Kind};
use crate::explore::tokens::Token;

/// What a language knows about a token.
pub(super) trait Rules {
    /// What begins here, if anything does.
    fn begins(&self, tokens: &[Token<'_>], at: usize, scope: &Scope) -> Option<Begin>;

    /// Whether a definition without a block ends with its line.
    fn ends_with_line(&self) -> bool {
        false
    }
}

/// Something that begins at a token.
pub(super) enum Begin {
    Definition(Found),
    /// A block that is no definition but says where its content belongs (`impl`, `namespace`).
    Label {
        label: String,
        holds: Holds,
    },
    /// What follows is a test.
    TestMark,
}

pub(super) struct Found {
    pub(super) name: String,
    pub(super) kind: Kind,
    /// Where it belongs, if the definition says so itself.
    pub(super) container: Option<String>,
    /// What its block holds.
    pub(super) holds: Holds,
}

impl Found {
    pub(super) fn new(name: &str, kind: Kind) -> Self {
        let holds = match kind {
            Kind::Type => Holds::Members,
            Kind::Module => Holds::Anything,
            Kind::Function | Kind::Method | Kind::Macro | Kind::Constant => Holds::Code,
        };
        Self { name: name.to_owned(), kind, container: None, holds }
    }

    pub(super) fn begin(self) -> Option<Begin> {
        Some(Begin::Definition(self))
    }
}

/// What is inside of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holds {
    /// The file, a module, a namespace.
    Anything,
    /// The body of a type.
    Members,
    /// Statements.
    Code,
}

/// Where a token stands.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    pub(super) holds: Holds,
    pub(super) label: Option<String>,
    pub(super) is_test: bool,
    /// Brackets that are open inside of the block.
    pub(super) brackets: u32,
    /// The token of the outermost of them.
    pub(super) bracket: usize,
    definition: Option<usize>,
}

/// What waits for its block.
struct Pending {
    definition: Option<usize>,
    holds: Holds,
    label: Option<String>,
    is_test: bool,
    brackets: u32,
}

pub(super) fn definitions(tokens: &[Token<'_>], rules: &dyn Rules) -> Vec<Definition> {
    let mut found: Vec<Definition> = Vec::new();
    let top = Scope {
        holds: Holds::Anything,
        label: None,
        is_test: false,
        brackets: 0,
        bracket: 0,
        definition: None,
    };
    let mut walk = Walk { scopes: vec![top], pending: None, test: false, line: 0 };
    for (at, token) in tokens.iter().enumerate() {
        walk.line_break(token, rules, &mut found);
        match token.text {
            "{" => walk.open(),
            "}" => walk.close(token.line, &mut found),
            "(" | "[" => walk.open_bracket(at),
            ")" | "]" => walk.close_bracket(),
            ";" => walk.semicolon(token.line, &mut found),
            _ => {}
        }
        let Some(scope) = walk.scopes.last() else { continue };
        match rules.begins(tokens, at, scope) {
            Some(Begin::Definition(begun)) => walk.begin(begun, token.line, &mut found),
            Some(Begin::Label { label, holds }) => walk.label(label, holds),
            Some(Begin::TestMark) => walk.test = true,
            None => {}
        }
    }
    let last = tokens.last().map_or(0, |token| token.line);
    for scope in walk.scopes {
        if let Some(open) = scope.definition.and_then(|at| found.get_mut(at)) {
            open.end = last;
        }
    }
    found
}

struct Walk {
    scopes: Vec<Scope>,
    pending: Option<Pending>,
    /// A mark was seen that makes the next definition a test.
    test: bool,
    line: u32,
}

impl Walk {
    fn brackets(&self) -> u32 {
        self.scopes.last().map_or(0, |scope| scope.brackets)
    }

    fn open_bracket(&mut self, at: usize) {
        if let Some(scope) = self.scopes.last_mut() {
            if scope.brackets == 0 {
                scope.bracket = at;
            }
            scope.brackets += 1;
        }
    }

    fn close_bracket(&mut self) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.brackets = scope.brackets.saturating_sub(1);
        }
    }

    fn line_break(&mut self, token: &Token<'_>, rules: &dyn Rules, found: &mut [Definition]) {
        let is_new = token.line != self.line;
        let before = std::mem::replace(&mut self.line, token.line);
        if is_new && rules.ends_with_line() && !token.is("{") {
            self.settle(before, found);
        }
    }

    /// A definition that has no block ends here.
    fn settle(&mut self, line: u32, found: &mut [Definition]) {
        let brackets = self.brackets();
        if let Some(pending) = self.pending.take_if(|pending| pending.brackets >= brackets)
            && let Some(open) = pending.definition.and_then(|at| found.get_mut(at))
        {
            open.end = open.end.max(line);
        }
    }

    fn semicolon(&mut self, line: u32, found: &mut [Definition]) {
        self.settle(line, found);
        if self.pending.is_none() {
            self.test = false;
        }
    }

    fn open(&mut self) {
        let brackets = self.brackets();
        let pending = self.pending.take_if(|pending| pending.brackets >= brackets);
        let inherited = self.scopes.last().is_some_and(|scope| scope.is_test);
        let scope = match pending {
            Some(pending) => Scope {
                holds: pending.holds,
                label: pending.label,
                is_test: pending.is_test || inherited,
                brackets: 0,
                bracket: 0,
                definition: pending.definition,
            },
            None => Scope {
                holds: Holds::Code,
                label: self.scopes.last().and_then(|scope| scope.label.clone()),
                is_test: inherited,
                brackets: 0,
                bracket: 0,
                definition: None,
            },
        };
        self.scopes.push(scope);
    }

    fn close(&mut self, line: u32, found: &mut [Definition]) {
        if self.scopes.len() < 2 {
            return;
        }
        self.settle(line, found);
        let closed = self.scopes.pop().and_then(|scope| scope.definition);
        if let Some(open) = closed.and_then(|at| found.get_mut(at)) {
            open.end = line;
        }
    }

    fn begin(&mut self, begun: Found, line: u32, found: &mut Vec<Definition>) {
        let Some(scope) = self.scopes.last() else { return };
        let is_test = std::mem::take(&mut self.test) || scope.is_test;
        let container = begun.container.or_else(|| scope.label.clone());
        let label = match begun.kind {
            Kind::Type | Kind::Module => Some(begun.name.clone()),
            _ => container.clone(),
        };
        self.pending = Some(Pending {
            definition: Some(found.len()),
            holds: begun.holds,
            label,
            is_test,
            brackets: scope.brackets,
        });
        let (name, kind, end) = (begun.name, begun.kind, line);
        found.push(Definition { name, kind, line, end, container, is_test });
    }

    fn label(&mut self, label: String, holds: Holds) {
        let is_test = std::mem::take(&mut self.test);
        let brackets = self.brackets();
        self.pending =
            Some(Pending { definition: None, holds, label: Some(label), is_test, brackets });
    }
}
