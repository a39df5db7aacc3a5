//! Pages that people ask for by the name of a file: one may take the place of an earlier page, and of
//! nothing else.

use std::path::{Component, Path, PathBuf};

use hast_agent::page::Page;
use hast_world::derived_files::put;
use hast_world::root_path::RootPath;

use super::flow_root::unwritten;
use crate::app::App;
use crate::problem::Problem;

pub(crate) fn save(app: &App, path: &Path, page: &str) -> Result<(), Problem> {
    // The way to the file is the user's own; a link in its place is not followed.
    let directory = path.parent().unwrap_or(Path::new("/"));
    let written = RootPath::of_user(directory).map_err(Into::into).and_then(|directory| {
        put(&directory.join(path.file_name().unwrap_or_default()), page.as_bytes(), Page::is_one)
    });
    written.map_err(|error| unwritten(app.lang, &error))
}

/// The title of a page: the first line of what was asked, and where there is none, a name.
pub(crate) fn headline(asked: &str, name: impl FnOnce() -> String) -> String {
    const LONGEST: usize = 120;
    let line = asked.lines().map(|line| line.trim().trim_start_matches('#').trim());
    match line.into_iter().find(|line| !line.is_empty()) {
        None => name(),
        Some(line) if line.chars().count() <= LONGEST => line.to_owned(),
        Some(line) => line.chars().take(LONGEST - 1).chain(['…']).collect(),
    }
}

/// How a page in this file gets to a directory: what its links to files there begin with.
pub(crate) fn way_to(directory: &Path, page: &Path) -> String {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let from = real(page.parent().unwrap_or(Path::new("/")));
    relative(&from, &real(directory))
}

fn relative(from: &Path, to: &Path) -> String {
    let (from, to): (Vec<Component<'_>>, Vec<Component<'_>>) =
        (from.components().collect(), to.components().collect());
    let same = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
    let up = std::iter::repeat_n(Component::ParentDir, from.len() - same);
    let way: PathBuf = up.chain(to[same..].iter().copied()).collect();
    match way.to_string_lossy() {
        way if way.is_empty() => String::new(),
        way => format!("{way}/"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_title_of_a_page_is_what_was_asked() {
        let title = |asked: &str| headline(asked, || "Session S-1".to_owned());
        assert_eq!(title("\n# Is Broadcom cheap?\nmore\n"), "Is Broadcom cheap?");
        assert_eq!(title(" \n"), "Session S-1");
        let long = title(&"가".repeat(300));
        assert!(long.chars().count() == 120 && long.ends_with('…'), "{long}");
    }

    #[test]
    fn a_way_leads_up_to_what_is_shared_and_down_from_there() {
        let way = |from: &str, to: &str| relative(Path::new(from), Path::new(to));
        assert_eq!(way("/a/b", "/a/b"), "");
        assert_eq!(way("/a/b/c", "/a/b"), "../");
        assert_eq!(way("/a", "/a/b"), "b/");
        assert_eq!(way("/x/y", "/a/b"), "../../a/b/");
    }
}
