//! `hast verify`: every document below a path against its schema and its own rules.

use std::path::Path;

use hast_flow::docs::document::read;
use hast_flow::docs::files::{FlowName, document_at, document_named};
use hast_flow::docs::goals::{Config, Goals, SandboxMode, unknown_tools};
use hast_flow::docs::registry::{self, Entry};
use hast_flow::flows::goals::layout::{CONFIG, GOALS};
use hast_flow::formats::diagnostic::{Diagnostic, Finding};
use hast_flow::formats::source::{MAX_DOCUMENT_BYTES, Source};
use hast_world::calls::grants::GrantGuard;
use hast_world::files::PathError;
use hast_world::files::read_named;
use hast_world::root_path::RootPath;
use serde_json::json;

use super::flow_root;
use super::goals_files::text_of;
use crate::app::App;
use crate::cli::VerifyArgs;
use crate::messages::say;
use crate::problem::{Exit, Problem, diagnostic_json, diagnostic_text};

/// How many errors, and how many warnings, are told. All of them are counted.
const MAX_TOLD: usize = 1000;

/// What a check of many files found.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) files: usize,
    pub(crate) errors: usize,
    pub(crate) warnings: usize,
    told: Vec<Diagnostic>,
    /// What was checked, for `-v`.
    seen: Vec<String>,
}

impl Report {
    fn add(&mut self, finding: Diagnostic) {
        let count = if finding.is_error() { &mut self.errors } else { &mut self.warnings };
        *count += 1;
        if *count <= MAX_TOLD {
            self.told.push(finding);
        }
    }

    pub(crate) fn findings(&self) -> usize {
        self.errors + self.warnings
    }
}

pub(crate) fn run(app: &mut App, args: &VerifyArgs) -> Result<Exit, Problem> {
    if let Some(name) = &args.schema {
        return schema(app, name);
    }
    let forced = args.document.as_deref().map(|name| find(app, name)).transpose()?;
    let mut report = Report::default();
    if args.paths.is_empty() {
        let found = flows_here(app)?;
        if found.is_empty() {
            let next = say::nothing_here_next(app.lang, app.here().display());
            return Err(Problem::new(say::nothing_here(app.lang), next));
        }
        for (flow, root) in found {
            check_flow(app, flow, &root, &mut report);
        }
    }
    for path in &args.paths {
        check_path(app, path, forced, &mut report)?;
    }
    show(app, &report)
}

/// The flows whose files are here or above, with their roots.
pub(crate) fn flows_here(app: &App) -> Result<Vec<(FlowName, RootPath)>, Problem> {
    let there = FlowName::ALL.into_iter().filter(|flow| flow_root::found(app, *flow).is_some());
    there.map(|flow| Ok((flow, flow_root::there_or_here(app, flow)?))).collect()
}

pub(crate) fn check_flow(app: &App, flow: FlowName, root: &RootPath, report: &mut Report) {
    let before = report.errors;
    check_documents(app, flow, root, report);
    // Told where nothing else misses the lines.
    if report.errors == before {
        let emptied = super::emptied_logs::of_flow(app, flow, root);
        emptied.into_iter().for_each(|finding| report.add(finding));
    }
}

fn check_documents(app: &App, flow: FlowName, root: &RootPath, report: &mut Report) {
    for directory in flow.directories() {
        let directory = root.join(directory);
        if directory.is_dir() {
            check_tree(app, &directory, report);
        }
    }
    if flow == FlowName::Goals {
        check_tools(app, root, report);
        check_grants(app, root, report);
        let jumps = super::goals_numbers::jumps(app, root);
        jumps.into_iter().for_each(|finding| report.add(finding));
    }
    if flow == FlowName::Run {
        let breaches = super::run::breaches(app, root);
        breaches.into_iter().for_each(|finding| report.add(finding));
    }
    if flow == FlowName::Contract {
        let breaches = super::contract::breaches(app, root);
        breaches.into_iter().for_each(|finding| report.add(finding));
    }
    if flow == FlowName::Kernel {
        let breaches = super::kernel::breaches(app, root);
        breaches.into_iter().for_each(|finding| report.add(finding));
    }
    if flow == FlowName::Session {
        for id in super::session::all(root) {
            let directory = super::session::directory(root, &id);
            let breaches = super::session::breaches(app, root, &directory);
            breaches.into_iter().for_each(|finding| report.add(finding));
        }
    }
}

/// The files of the goals flow that people write.
pub(crate) fn check_written(app: &App, root: &RootPath, report: &mut Report) {
    for path in [CONFIG, GOALS].map(|name| root.join(name)) {
        if let (true, Some(entry)) = (path.exists(), document_at(&slashed(&path))) {
            check_file(app, &path, entry, report);
        }
    }
    check_tools(app, root, report);
    check_grants(app, root, report);
}

/// What lies in one directory of a flow, with what the flow knows about it.
pub(crate) fn check_part(
    app: &App,
    directory: &RootPath,
    breaches: Vec<Diagnostic>,
    report: &mut Report,
) {
    check_tree(app, directory, report);
    let name = format!("{}/", shown_path(app, directory));
    let inside = breaches.into_iter().filter(|finding| finding.file.starts_with(&name));
    inside.for_each(|finding| report.add(finding));
}

/// One session alone.
pub(crate) fn check_session(app: &App, root: &RootPath, directory: &RootPath, report: &mut Report) {
    check_tree(app, directory, report);
    let breaches = super::session::breaches(app, root, directory);
    breaches.into_iter().for_each(|finding| report.add(finding));
}

/// What no file of the goals flow can know alone: whether a goal's agent is one of the config.
fn check_tools(app: &App, root: &RootPath, report: &mut Report) {
    let (config, goals) = (text_of(app, root, CONFIG), text_of(app, root, GOALS));
    // A file that cannot be read was reported when it was checked.
    let (Ok(Some(config)), Ok(Some(goals))) = (config, goals) else { return };
    let name = shown_path(app, &root.join(GOALS));
    let source = Source::new(&name, &goals);
    let config = read::<Config>(&Source::new(CONFIG, &config));
    if let (Ok(config), Ok(goals)) = (config, read::<Goals>(&source)) {
        for finding in unknown_tools(&source, &goals, &config.value) {
            report.add(finding);
        }
    }
}

/// What no file can know alone: whether a path of `sandbox_write` leads into the checkout or its git directory.
fn check_grants(app: &App, root: &RootPath, report: &mut Report) {
    let Ok(Some(text)) = text_of(app, root, CONFIG) else { return };
    let name = shown_path(app, &root.join(CONFIG));
    let source = Source::new(&name, &text);
    let Ok(config) = read::<Config>(&source) else { return };
    let variables: Vec<_> = std::env::vars_os().collect();
    let Some(guard) = GrantGuard::of(root, &variables) else { return };
    let off = config.value.sandbox == Some(SandboxMode::Off);
    let nodes = config.tree.get("sandbox_write").map_or(&[][..], |list| list.list());
    for (written, node) in config.value.sandbox_write.iter().zip(nodes).filter(|_| !off) {
        if let Some(grant) = guard.refuses(written) {
            report.add(source.diagnose(node.span.clone(), Finding::RefusedGrant(grant)));
        }
    }
}

fn check_path(
    app: &App,
    path: &Path,
    forced: Option<&'static Entry>,
    report: &mut Report,
) -> Result<(), Problem> {
    let full = app.directory.join(path);
    if full.is_dir() {
        if forced.is_some() {
            let next = say::as_is_for_files_next(app.lang);
            return Err(Problem::usage(say::as_is_for_files(app.lang), next).at(path));
        }
        let before = report.files + report.findings();
        let full = RootPath::new(&full).map_err(|error| flow_root::unread(app, &error))?;
        check_tree(app, &full, report);
        if report.files + report.findings() == before {
            let next = say::no_documents_next(app.lang);
            return Err(Problem::new(say::no_documents(app.lang), next).at(path));
        }
        return Ok(());
    }
    let by_name = || document_named(full.file_name()?.to_str()?);
    let Some(entry) = forced.or_else(|| document_at(&slashed(&full))).or_else(by_name) else {
        if let Err(error) = full.metadata() {
            return Err(Problem::cannot_read(app.lang, path, &error));
        }
        let next = say::not_a_document_next(app.lang);
        return Err(Problem::new(say::not_a_document(app.lang), next).at(path));
    };
    check_bytes(app, &full, entry, read_named(&full, MAX_DOCUMENT_BYTES), report);
    Ok(())
}

fn check_tree(app: &App, directory: &RootPath, report: &mut Report) {
    directory.walk(&mut |path| match path {
        Ok(path) => {
            if let Some(entry) = document_at(&slashed(path)) {
                check_file(app, path, entry, report);
            }
        }
        Err(error) => report.add(cannot_read(app, &error)),
    });
}

fn check_file(app: &App, path: &RootPath, entry: &Entry, report: &mut Report) {
    check_bytes(app, path, entry, path.read_bounded(MAX_DOCUMENT_BYTES), report);
}

fn check_bytes(
    app: &App,
    path: &Path,
    entry: &Entry,
    read: Result<Vec<u8>, PathError>,
    report: &mut Report,
) {
    let bytes = match read {
        Ok(bytes) => bytes,
        Err(error) => return report.add(cannot_read(app, &error)),
    };
    let name = shown_path(app, path);
    report.files += 1;
    if app.verbose {
        report.seen.push(say::checked_as(app.lang, &name, entry.name));
    }
    match Source::from_bytes(&name, &bytes) {
        Ok(source) => (entry.check)(&source)
            .into_iter()
            .filter(|finding| !is_for_goals(path, finding))
            .for_each(|finding| report.add(finding)),
        Err(diagnostic) => report.add(diagnostic),
    }
}

/// Only goals are tested by the command of the settings: where there are none, it is not missing.
fn is_for_goals(path: &Path, finding: &Diagnostic) -> bool {
    let missing =
        matches!(&finding.finding, Finding::MissingField { name, .. } if name == "test_command");
    missing && path.ends_with(CONFIG) && !path.with_file_name("goals.yaml").exists()
}

/// One file that cannot be read must not hide what is wrong with the others.
fn cannot_read(app: &App, error: &PathError) -> Diagnostic {
    let finding = Finding::CannotRead { why: error.source.to_string() };
    Diagnostic::of_file(&shown_path(app, &error.path), finding)
}

pub(crate) fn show(app: &mut App, report: &Report) -> Result<Exit, Problem> {
    for line in &report.seen {
        app.detail(line);
    }
    let (errors, warnings) = (report.errors, report.warnings);
    let untold = report.findings() - report.told.len();
    if app.json {
        let findings: Vec<_> =
            report.told.iter().map(|finding| diagnostic_json(finding, app.lang)).collect();
        app.print_json(&json!({
            "files": report.files,
            "errors": errors,
            "warnings": warnings,
            "findings": findings,
            "untold": untold,
        }))?;
    } else {
        let mut text = String::new();
        for finding in &report.told {
            text += &diagnostic_text(finding, app.lang, &app.output.result_renderer());
            text.push('\n');
        }
        if untold > 0 {
            text += &(say::untold(app.lang, untold) + "\n");
        }
        if app.quiet {
            // Findings speak for themselves, and so does their absence.
        } else if report.findings() == 0 {
            text += &say::all_good(app.lang, report.files);
        } else {
            text += &say::found(app.lang, report.files, errors, warnings);
        }
        if !app.quiet {
            text.push('\n');
        }
        app.print(&text)?;
    }
    Ok(if errors == 0 { Exit::Done } else { Exit::Failed })
}

fn schema(app: &mut App, name: &str) -> Result<Exit, Problem> {
    if name.is_empty() {
        let names: Vec<_> = registry::ENTRIES.iter().map(|entry| entry.name).collect();
        if app.json {
            app.print_json(&json!({ "documents": names }))?;
        } else {
            app.print(&(names.join("\n") + "\n"))?;
        }
        return Ok(Exit::Done);
    }
    let schema = (find(app, name)?.schema)();
    app.print_json(&schema)?;
    Ok(Exit::Done)
}

fn find(app: &App, name: &str) -> Result<&'static Entry, Problem> {
    registry::find(name).ok_or_else(|| {
        Problem::usage(say::no_schema(app.lang, name), say::no_schema_next(app.lang))
    })
}

/// Paths are shown as the user would type them from here.
pub(crate) fn shown_path(app: &App, path: &Path) -> String {
    path.strip_prefix(&app.directory).unwrap_or(path).display().to_string()
}

fn slashed(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_findings_are_counted_and_the_first_of_each_kind_kept() {
        let finding = Diagnostic::of_file("f", Finding::KeyNotText);
        let mut report = Report::default();
        (0..2 * MAX_TOLD).for_each(|_| report.add(finding.clone().warning()));
        report.add(finding);
        assert_eq!((report.errors, report.warnings), (1, 2 * MAX_TOLD));
        assert_eq!(report.told.len(), MAX_TOLD + 1);
        assert!(report.told[MAX_TOLD].is_error());
    }
}
