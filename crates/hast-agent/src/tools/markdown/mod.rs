//! HTML into readable Markdown, straight from the tokens of the HTML standard's tokenizer.
//!
//! No tree is built: hostile pages nest deeper than a stack or a quadratic tree builder can bear,
//! and tables of filings need more care than a general converter takes (see docs/decisions).

mod elements;
mod table;
mod writer;

use std::cell::RefCell;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use url::Url;

use elements::Leave;
use writer::Writer;

/// What a person would read of a page: its main part if it has one, without menus and the like.
pub fn readable(html: &str, base: &Url) -> String {
    let main = convert(html, base, Part::Main);
    let text = if main.text.trim().chars().count() >= ENOUGH {
        main
    } else {
        let body = convert(html, base, Part::Body);
        if body.text.trim().is_empty() { convert(html, base, Part::Everything) } else { body }
    };
    match text.title {
        Some(title) if !text.text.starts_with("# ") => format!("# {title}\n\n{}", text.text),
        _ => text.text,
    }
}

/// Everything visible, for documents that are all content.
pub fn whole(html: &str, base: &Url) -> String {
    convert(html, base, Part::Everything).text
}

/// A main part with less text than this is not it.
const ENOUGH: usize = 200;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Main,
    Body,
    Everything,
}

struct Converted {
    title: Option<String>,
    text: String,
}

fn convert(html: &str, base: &Url, part: Part) -> Converted {
    let reader = Reader {
        part,
        leave: None,
        main_depth: 0,
        title: String::new(),
        in_title: false,
        writer: Writer::new(base.clone(), part != Part::Everything),
    };
    let tokenizer = Tokenizer::new(Sink(RefCell::new(reader)), TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(html));
    // The sink never asks for a pause.
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    let reader = tokenizer.sink.0.into_inner();
    let title = reader.title.split_whitespace().collect::<Vec<_>>().join(" ");
    Converted { title: Some(title).filter(|title| !title.is_empty()), text: reader.writer.finish() }
}

/// The tokenizer wants to share its sink.
struct Sink(RefCell<Reader>);

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        let mut reader = self.0.borrow_mut();
        match token {
            Token::CharacterTokens(text) => reader.text(&text),
            Token::TagToken(tag) => return reader.tag(&tag),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

struct Reader {
    part: Part,
    /// The element whose content is left out.
    leave: Option<Leave>,
    main_depth: usize,
    title: String,
    in_title: bool,
    writer: Writer,
}

impl Reader {
    fn text(&mut self, text: &str) {
        if self.in_title {
            // A title is a line; what is longer is not one.
            if self.title.len() < 1000 {
                self.title.push_str(text);
            }
        } else if self.leave.is_none() && self.is_inside() {
            self.writer.text(text);
        }
    }

    fn is_inside(&self) -> bool {
        self.part != Part::Main || self.main_depth > 0
    }

    fn tag(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        let name: &str = &tag.name;
        match tag.kind {
            TagKind::StartTag => self.start(name, tag),
            TagKind::EndTag => self.end(name),
        }
        match (tag.kind, name) {
            (TagKind::StartTag, "script") => TokenSinkResult::RawData(RawKind::ScriptData),
            (TagKind::StartTag, "title" | "textarea") => TokenSinkResult::RawData(RawKind::Rcdata),
            (TagKind::StartTag, "style" | "xmp" | "iframe" | "noembed" | "noframes") => {
                TokenSinkResult::RawData(RawKind::Rawtext)
            }
            _ => TokenSinkResult::Continue,
        }
    }

    fn start(&mut self, name: &str, tag: &Tag) {
        if let Some(leave) = &mut self.leave {
            if !leave.start(name) {
                return;
            }
            self.leave = None;
        }
        if name == "title" && self.title.is_empty() {
            self.in_title = true;
            return;
        }
        if elements::is_main(name) {
            self.main_depth += 1;
        }
        let in_content = self.main_depth > 0;
        if elements::is_left_out(name, tag, self.part == Part::Everything, in_content) {
            self.leave = Some(Leave::new(name));
            if self.is_inside() {
                self.writer.interrupt(name);
            }
            return;
        }
        if self.is_inside() {
            self.writer.start(name, tag);
        }
    }

    fn end(&mut self, name: &str) {
        if name == "title" {
            self.in_title = false;
        }
        if let Some(leave) = &mut self.leave {
            if leave.end(name) {
                self.leave = None;
            }
            return;
        }
        if self.is_inside() {
            self.writer.end(name);
        }
        if matches!(name, "main" | "article") {
            self.main_depth = self.main_depth.saturating_sub(1);
        }
    }
}
