//! Where memories are looked for: in contracts of earlier requests on this disk, or in claude-mem.

use std::path::Path;

use hast_agent::memory as claude_mem;
use hast_flow::docs::goals::Memory;
use hast_flow::flows::contract::memory::{Found, MOST_FOUND, Memo, is_quotable, rank};
use hast_world::calls::variable;
use hast_world::root_path::RootPath;

use super::{hash, store};
use crate::commands::calling::Project;

/// Most of one file and most files that are read for a search.
const MOST_BYTES: usize = 256 << 10;
const MOST_FILES: usize = 5_000;

pub(super) struct Memories {
    kind: Memory,
    root: RootPath,
    contracts: RootPath,
    project: String,
    port: u16,
}

impl Memories {
    pub(super) fn of(project: &Project, kind: Memory) -> Self {
        let port = variable(&project.variables, "CLAUDE_MEM_WORKER_PORT");
        let port = port.and_then(|port| port.to_str()?.parse().ok()).unwrap_or(claude_mem::PORT);
        let name = project.root.file_name();
        Self {
            kind,
            contracts: store(&project.root)
                .join("sessions")
                .join(hash(&project.root).as_str())
                .join("contracts"),
            root: project.root.clone(),
            project: name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
            port,
        }
    }

    /// What concerns a query, from before this request. `fell_back` hears why claude-mem did not
    /// answer.
    pub(super) fn search(&self, query: &str, request: &str, fell_back: impl Fn(&str)) -> Found {
        if self.kind == Memory::ClaudeMem {
            match claude_mem::search(self.port, query, &self.project, MOST_FOUND) {
                Ok(found) => {
                    let memo =
                        |one: claude_mem::Remembered| Memo { source: one.source, text: one.text };
                    return Found { found: found.into_iter().map(memo).collect() };
                }
                Err(why) => fell_back(&why),
            }
        }
        Found { found: rank(query, &self.own(request), MOST_FOUND) }
    }

    /// Contracts and decisions of earlier requests.
    fn own(&self, request: &str) -> Vec<Memo> {
        let mut memos = Vec::new();
        self.contracts.walk(&mut |path| {
            let Ok(path) = path else { return };
            let below = |from: &Path| {
                let below = path.strip_prefix(from).unwrap_or(path);
                below.to_string_lossy().into_owned()
            };
            let quotable = is_quotable(&below(self.contracts.as_path()), request);
            if !quotable || memos.len() >= MOST_FILES {
                return;
            }
            if let Ok(Some(bytes)) = path.read_if_there(MOST_BYTES) {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                memos.push(Memo { source: below(self.root.as_path()), text });
            }
        });
        memos
    }
}
