//! Actions on files, in the working directory or wherever a path leads: what may be written is for
//! the sandbox and for hast's judgement to say, as with every agent.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hast_flow::agents::rehearsal::handoff::handoff_text;
use hast_flow::docs::call::Call;
use hast_flow::docs::rehearsal::{
    AppendFile, ChangeMode, MakeLink, Mode, MoveFile, ReplaceText, Texts, WaitFor, WriteFile,
    WriteHandoff,
};
use hast_flow::formats::yaml_print::{Layout, print};
use hast_flow::time::OffsetTime;
use serde::Serialize;
use serde_json::Value;

use super::Stage;
use super::trouble::Trouble;

/// More of a file is not read.
const MAX_READ_BYTES: u64 = 64 << 20;
const POLL: Duration = Duration::from_millis(5);
const WAIT_SECONDS: u32 = 60;

/// Writes a document into the outbox of a call.
pub(super) fn put_document<T: Serialize>(
    call: &Call,
    name: &str,
    value: &T,
) -> Result<(), Trouble> {
    let text = serde_json::to_string_pretty(value).unwrap_or_default() + "\n";
    put(&Path::new(&call.outbox).join(name), text.as_bytes())
}

/// The whole of a file, within reason.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, Trouble> {
    let at = |error: std::io::Error| Trouble::file(path, &error);
    let mut bytes = Vec::new();
    File::open(path).map_err(at)?.take(MAX_READ_BYTES).read_to_end(&mut bytes).map_err(at)?;
    Ok(bytes)
}

/// Whether there is something at a path, a link that leads nowhere included.
pub(super) fn is_there(path: &str) -> bool {
    fs::symlink_metadata(path).is_ok()
}

impl Stage<'_> {
    pub(super) fn write(&self, write: &WriteFile) -> Result<(), Trouble> {
        let path = self.path(&write.path)?;
        let bytes = match (&write.text, &write.base64, &write.json) {
            (Some(text), ..) => self.expand(text)?.into_bytes(),
            (_, Some(base64), _) => STANDARD.decode(base64).map_err(|_| Trouble::NoAction)?,
            (.., Some(json)) => self.printed(&write.path, json)?.into_bytes(),
            _ => return Err(Trouble::NoAction),
        };
        if path.is_symlink() {
            // A file takes the place of a link, it does not go through it.
            fs::remove_file(&path).map_err(|error| Trouble::file(&path, &error))?;
        }
        put(&path, &bytes)?;
        write.mode.as_ref().map_or(Ok(()), |mode| set_mode(&path, mode))
    }

    pub(super) fn outbox<'d>(
        &self,
        documents: impl IntoIterator<Item = (&'d String, &'d Value)>,
    ) -> Result<(), Trouble> {
        for (name, value) in documents {
            let text = match value {
                Value::String(text) => self.expand(text)?,
                other => self.printed(name, other)?,
            };
            put(&Path::new(&self.call.outbox).join(name), text.as_bytes())?;
        }
        Ok(())
    }

    pub(super) fn append(&self, append: &AppendFile) -> Result<(), Trouble> {
        let path = self.path(&append.path)?;
        let text = self.expand(&append.text)?;
        let file = OpenOptions::new().create(true).append(true).open(&path);
        file.and_then(|mut file| file.write_all(text.as_bytes()))
            .map_err(|error| Trouble::file(&path, &error))
    }

    pub(super) fn replace(&self, replace: &ReplaceText) -> Result<(), Trouble> {
        let path = self.path(&replace.path)?;
        let (old, new) = (self.expand(&replace.old)?, self.expand(&replace.new)?);
        let bytes = read(&path)?;
        let text = String::from_utf8(bytes)
            .map_err(|error| Trouble::file(&path, &std::io::Error::other(error)))?;
        let found = text.matches(&old).count();
        let wanted = replace.times.map_or(1, |times| times.get() as usize);
        if found != wanted {
            return Err(Trouble::Found { path: replace.path.clone(), old, wanted, found });
        }
        put(&path, text.replace(&old, &new).as_bytes())
    }

    pub(super) fn delete(&self, paths: &Texts) -> Result<(), Trouble> {
        for path in &paths.0 {
            let path = self.path(path)?;
            let at = |error: std::io::Error| Trouble::file(&path, &error);
            if fs::symlink_metadata(&path).map_err(at)?.is_dir() {
                fs::remove_dir_all(&path).map_err(at)?;
            } else {
                fs::remove_file(&path).map_err(at)?;
            }
        }
        Ok(())
    }

    pub(super) fn rename(&self, rename: &MoveFile) -> Result<(), Trouble> {
        let (from, to) = (self.path(&rename.from)?, self.path(&rename.to)?);
        make_parent(&to)?;
        fs::rename(&from, &to).map_err(|error| Trouble::file(&from, &error))
    }

    pub(super) fn symlink(&self, link: &MakeLink) -> Result<(), Trouble> {
        let (path, target) = (self.path(&link.path)?, self.expand(&link.target)?);
        make_parent(&path)?;
        if fs::symlink_metadata(&path).is_ok_and(|there| !there.is_dir()) {
            fs::remove_file(&path).map_err(|error| Trouble::file(&path, &error))?;
        }
        std::os::unix::fs::symlink(target, &path).map_err(|error| Trouble::file(&path, &error))
    }

    pub(super) fn mkdir(&self, paths: &Texts) -> Result<(), Trouble> {
        for path in &paths.0 {
            let path = self.path(path)?;
            fs::create_dir_all(&path).map_err(|error| Trouble::file(&path, &error))?;
        }
        Ok(())
    }

    pub(super) fn chmod(&self, chmod: &ChangeMode) -> Result<(), Trouble> {
        set_mode(&self.path(&chmod.path)?, &chmod.mode)
    }

    pub(super) fn handoff(&self, handoff: &WriteHandoff) -> Result<(), Trouble> {
        let path = self.path("{{handoff_path}}")?;
        let goal = match &handoff.goal_id {
            Some(goal) => self.expand(goal)?,
            None => self.expand("{{goal_id}}")?,
        };
        let moment = self.moment();
        let text = handoff_text(handoff, &goal, OffsetTime::new(moment.now, moment.offset));
        put(&path, self.expand(&text)?.as_bytes())
    }

    pub(super) fn wait_for(&self, wait: &WaitFor) -> Result<(), Trouble> {
        let path = self.expand(&wait.path)?;
        let seconds = wait.seconds.unwrap_or(WAIT_SECONDS);
        let started = Instant::now();
        while !is_there(&path) {
            if started.elapsed() >= Duration::from_secs(seconds.into()) {
                return Err(Trouble::WaitedTooLong { path, seconds });
            }
            std::thread::sleep(POLL);
        }
        Ok(())
    }

    fn path(&self, path: &str) -> Result<PathBuf, Trouble> {
        self.expand(path).map(PathBuf::from)
    }

    /// A value as its file's name says: YAML, else JSON.
    fn printed(&self, name: &str, value: &Value) -> Result<String, Trouble> {
        let value = self.filled(value)?;
        if name.ends_with(".yaml") || name.ends_with(".yml") {
            return Ok(print(&value, &Layout::COMPACT).unwrap_or_default());
        }
        Ok(format!("{value:#}\n"))
    }

    fn filled(&self, value: &Value) -> Result<Value, Trouble> {
        Ok(match value {
            Value::String(text) => self.expand(text)?.into(),
            Value::Array(items) => {
                items.iter().map(|item| self.filled(item)).collect::<Result<Vec<_>, _>>()?.into()
            }
            Value::Object(fields) => Value::Object(
                fields
                    .iter()
                    .map(|(key, value)| Ok((key.clone(), self.filled(value)?)))
                    .collect::<Result<_, Trouble>>()?,
            ),
            other => other.clone(),
        })
    }
}

fn put(path: &Path, bytes: &[u8]) -> Result<(), Trouble> {
    make_parent(path)?;
    fs::write(path, bytes).map_err(|error| Trouble::file(path, &error))
}

fn make_parent(path: &Path) -> Result<(), Trouble> {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => {
            fs::create_dir_all(parent).map_err(|error| Trouble::file(parent, &error))
        }
        _ => Ok(()),
    }
}

fn set_mode(path: &Path, mode: &Mode) -> Result<(), Trouble> {
    let bits = mode.bits().ok_or(Trouble::NoAction)?;
    fs::set_permissions(path, Permissions::from_mode(bits))
        .map_err(|error| Trouble::file(path, &error))
}
