//! The eleven tools as a model sees them: names, parameters, descriptions. Later names of the same
//! tools and parameters are understood and not published.

use serde_json::{Map, Value, json};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Text,
    Number,
    Flag,
    Texts,
}

#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    pub kind: Kind,
    pub presence: Presence,
    pub about: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    Needed,
    Optional,
    /// A later name with a meaning of its own; understood, and not published.
    Understood,
}

/// What a tool does to files, which decides in which calls it is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    Reads,
    /// Writes the call's own documents in every call, and more where the call may.
    WritesDocuments,
    Writes,
    Searches,
    Fetches,
}

#[derive(Clone, Copy, Debug)]
pub struct Published {
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    pub effect: Effect,
    pub about: &'static str,
    pub parameters: &'static [Parameter],
}

const fn needed(name: &'static str, kind: Kind, about: &'static str) -> Parameter {
    Parameter { name, aliases: &[], kind, presence: Presence::Needed, about }
}

const fn optional(name: &'static str, kind: Kind, about: &'static str) -> Parameter {
    Parameter { name, aliases: &[], kind, presence: Presence::Optional, about }
}

const fn understood(name: &'static str, kind: Kind) -> Parameter {
    Parameter { name, aliases: &[], kind, presence: Presence::Understood, about: "" }
}

const fn also(parameter: Parameter, aliases: &'static [&'static str]) -> Parameter {
    Parameter { aliases, ..parameter }
}

const FILE: &[&str] = &["absolute_path", "path"];
const DIRECTORY: &[&str] = &["path", "directory"];

pub const PUBLISHED: [Published; 11] = [
    Published {
        name: "list_directory",
        aliases: &["ls", "list_dir"],
        effect: Effect::Reads,
        about: "Lists one directory: directories first, then files with their sizes.",
        parameters: &[
            also(needed("dir_path", Kind::Text, "the directory"), DIRECTORY),
            optional("ignore", Kind::Texts, "globs of names to leave out"),
        ],
    },
    Published {
        name: "read_file",
        aliases: &[],
        effect: Effect::Reads,
        about: "Reads a text file, at most 2,000 lines at a time. A part says where to go on.",
        parameters: &[
            also(needed("file_path", Kind::Text, "the file"), FILE),
            optional("offset", Kind::Number, "first line, counted from 0"),
            optional("limit", Kind::Number, "how many lines"),
            understood("start_line", Kind::Number),
            understood("end_line", Kind::Number),
        ],
    },
    Published {
        name: "read_many_files",
        aliases: &[],
        effect: Effect::Reads,
        about: "Reads several text files at once, 256 KiB in all.",
        parameters: &[
            also(needed("include", Kind::Texts, "paths, directories or globs"), &["paths"]),
            optional("exclude", Kind::Texts, "globs to leave out"),
            optional("recursive", Kind::Flag, "below directories too; true if not given"),
        ],
    },
    Published {
        name: "write_file",
        aliases: &["create_file"],
        effect: Effect::WritesDocuments,
        about: "Writes a whole file, and the directories above it. `content` is the complete text.",
        parameters: &[
            also(needed("file_path", Kind::Text, "the file"), FILE),
            needed("content", Kind::Text, "the whole text of the file"),
        ],
    },
    Published {
        name: "glob",
        aliases: &["find_files"],
        effect: Effect::Reads,
        about: "Finds files by a glob such as `src/**/*.rs`: absolute paths, newest first.",
        parameters: &[
            needed("pattern", Kind::Text, "the glob, below dir_path"),
            also(optional("dir_path", Kind::Text, "where; the working directory"), DIRECTORY),
            optional("case_sensitive", Kind::Flag, "false if not given"),
            optional("respect_git_ignore", Kind::Flag, "true if not given"),
        ],
    },
    Published {
        name: "search_file_content",
        aliases: &["grep_search", "grep"],
        effect: Effect::Reads,
        about: "Searches the contents of files with a regular expression; lines with numbers.",
        parameters: &[
            needed("pattern", Kind::Text, "the regular expression"),
            also(
                optional("dir_path", Kind::Text, "directory or file; the working directory"),
                DIRECTORY,
            ),
            also(optional("include", Kind::Text, "glob of files to look in"), &["include_pattern"]),
            optional("case_sensitive", Kind::Flag, "false if not given"),
        ],
    },
    Published {
        name: "replace",
        aliases: &["edit", "edit_file", "str_replace"],
        effect: Effect::Writes,
        about: "Replaces exact text in a file. Give enough lines around it to be unique. An empty old_string makes a new file.",
        parameters: &[
            also(needed("file_path", Kind::Text, "the file"), FILE),
            needed("old_string", Kind::Text, "the exact text as it is"),
            needed("new_string", Kind::Text, "the text in its place"),
            optional("expected_replacements", Kind::Number, "how often; 1 if not given"),
            understood("allow_multiple", Kind::Flag),
            understood("replace_all", Kind::Flag),
            understood("instruction", Kind::Text),
        ],
    },
    Published {
        name: "create_directory",
        aliases: &["mkdir"],
        effect: Effect::Writes,
        about: "Makes a directory and those above it.",
        parameters: &[also(needed("dir_path", Kind::Text, "the directory"), DIRECTORY)],
    },
    Published {
        name: "run_shell_command",
        aliases: &["shell", "bash", "run_command"],
        effect: Effect::Writes,
        about: "Runs a command with the shell; no input, no terminal. Its output is cut in the middle when it is long.",
        parameters: &[
            also(needed("command", Kind::Text, "the command"), &["cmd"]),
            optional("description", Kind::Text, "what it is for"),
            also(
                optional("dir_path", Kind::Text, "where; the working directory"),
                &["directory", "cwd"],
            ),
            optional("timeout", Kind::Number, "seconds, at most 540; 120 if not given"),
            understood("is_background", Kind::Flag),
        ],
    },
    Published {
        name: "google_web_search",
        aliases: &["web_search"],
        effect: Effect::Searches,
        about: "Searches the web: an answer or excerpts with their sources.",
        parameters: &[needed("query", Kind::Text, "the words to search for")],
    },
    Published {
        name: "web_fetch",
        aliases: &[],
        effect: Effect::Fetches,
        about: "Reads public web pages as Markdown. Give `url`, or a `prompt` with addresses in it.",
        parameters: &[
            optional("url", Kind::Text, "the address"),
            optional("prompt", Kind::Text, "a text with up to five addresses"),
        ],
    },
];

/// The tool of this name, or of a later name of it.
pub fn named(name: &str) -> Option<&'static Published> {
    PUBLISHED.iter().find(|tool| tool.name == name || tool.aliases.contains(&name))
}

impl Published {
    /// The JSON Schema of its parameters.
    pub fn schema(&self) -> Value {
        let shown = || self.parameters.iter().filter(|one| one.presence != Presence::Understood);
        let properties: Map<String, Value> = shown()
            .map(|parameter| {
                let about = parameter.about;
                let schema = match parameter.kind {
                    Kind::Text => json!({ "type": "string", "description": about }),
                    Kind::Number => json!({ "type": "integer", "description": about }),
                    Kind::Flag => json!({ "type": "boolean", "description": about }),
                    Kind::Texts => json!({
                        "type": "array",
                        "items": { "type": "string" },
                        "description": about,
                    }),
                };
                (parameter.name.to_owned(), schema)
            })
            .collect();
        let needed: Vec<&str> = shown()
            .filter(|parameter| parameter.presence == Presence::Needed)
            .map(|parameter| parameter.name)
            .collect();
        json!({
            "type": "object",
            "properties": properties,
            "required": needed,
            "additionalProperties": false,
        })
    }
}
