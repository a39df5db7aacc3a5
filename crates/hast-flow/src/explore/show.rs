//! A map as text, for people and for the agent that is asked afterwards.

use std::fmt::Write as _;

use crate::explore::map::{Map, Reached, Symbol};
use crate::messages;
use crate::words::{Lang, visible};

messages! {
    terms(words) { en: "Terms: {words}", ko: "검색어: {words}" }
    nothing(count) { en: "Nothing here is about that; files looked at: {count}.", ko: "관련된 것을 찾지 못했습니다. 살펴본 파일 {count}개." }
    files() { en: "Files", ko: "파일" }
    symbols() { en: "Symbols", ko: "심볼" }
    tests() { en: "Related tests", ko: "관련 테스트" }
    impact() { en: "A change would reach", ko: "변경이 미치는 곳" }
    uses(count) { en: "uses: {count}", ko: "사용 {count}곳" }
    about(words) { en: "about {words}", ko: "{words} 관련" }
    through(names) { en: "uses {names}", ko: "{names} 사용" }
    through_others(names) { en: "uses {names}, one step further", ko: "{names} 사용(한 단계 건너)" }
}

/// The map, at most so many lines a part.
pub fn text(map: &Map, lang: Lang) -> String {
    let mut text = format!("{}\n", terms(lang, visible(&map.terms.join(", "))));
    if map.files.is_empty() && map.tests.is_empty() {
        let _ = writeln!(text, "\n{}", nothing(lang, map.looked_at));
        return text;
    }
    let _ = writeln!(text, "\n{}", files(lang));
    for file in &map.files {
        let about = about(lang, visible(&file.terms.join(", ")));
        let _ = writeln!(text, "  {}  ({})", visible(&file.path), about);
    }
    if !map.symbols.is_empty() {
        let _ = writeln!(text, "\n{}", symbols(lang));
        map.symbols.iter().for_each(|symbol| text += &symbol_lines(symbol, lang));
    }
    for (title, all) in [(tests(lang), &map.tests), (impact(lang), &map.impact)] {
        if !all.is_empty() {
            let _ = writeln!(text, "\n{title}");
            for reached in all {
                let _ = writeln!(text, "  {}  ({})", visible(&reached.path), how(reached, lang));
            }
        }
    }
    text
}

fn symbol_lines(symbol: &Symbol, lang: Lang) -> String {
    let container = symbol.container.as_deref().map_or(String::new(), |name| format!("{name}."));
    let place = format!("{}:{}", symbol.path, symbol.line);
    let named = format!("{} {container}{}", symbol.kind, symbol.name);
    let mut text =
        format!("  {}  {}  ({})\n", visible(&place), visible(&named), uses(lang, symbol.uses));
    for caller in &symbol.callers {
        let inside = caller.inside.as_deref().unwrap_or("-");
        let line = format!("{}:{}  {inside}  {}", caller.path, caller.line, caller.code);
        let _ = writeln!(text, "    <- {}", visible(&line));
    }
    text
}

fn how(reached: &Reached, lang: Lang) -> String {
    let mut names: Vec<&str> = reached.through.iter().take(5).map(String::as_str).collect();
    if reached.through.len() > names.len() {
        names.push("...");
    }
    let names = names.join(", ");
    let names = visible(&names);
    match reached.steps {
        0 => about(lang, names),
        1 => through(lang, names),
        _ => through_others(lang, names),
    }
}
