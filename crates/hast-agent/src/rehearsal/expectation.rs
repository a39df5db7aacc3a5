//! Expectations of a rehearsal: texts that the prompt has or lacks, files that are there or
//! missing, and the content of a file. The first one that is not met fails the call.

use std::path::Path;

use hast_flow::docs::rehearsal::{Expect, Texts};

use super::Stage;
use super::files::{is_there, read};
use super::trouble::Trouble;

impl Stage<'_> {
    pub(super) fn expect(&self, expect: &Expect) -> Result<(), Trouble> {
        if expect.prompt.is_some() || expect.not_in_prompt.is_some() {
            let prompt = self.text_of(&self.call.prompt_file)?;
            self.each(&expect.prompt, &|text| match prompt.contains(&text) {
                true => Ok(()),
                false => Err(Trouble::NotInPrompt { text }),
            })?;
            self.each(&expect.not_in_prompt, &|text| match prompt.contains(&text) {
                true => Err(Trouble::InPrompt { text }),
                false => Ok(()),
            })?;
        }
        self.each(&expect.exists, &|path| match is_there(&path) {
            true => Ok(()),
            false => Err(Trouble::Missing { path }),
        })?;
        self.each(&expect.missing, &|path| match is_there(&path) {
            true => Err(Trouble::There { path }),
            false => Ok(()),
        })?;
        if let Some(file) = &expect.file {
            let path = self.expand(&file.path)?;
            if !is_there(&path) {
                return Err(Trouble::Missing { path });
            }
            let found = self.text_of(&path)?;
            for text in &file.has.0 {
                let text = self.expand(text)?;
                if !found.contains(&text) {
                    return Err(Trouble::NotInFile { path, text });
                }
            }
        }
        Ok(())
    }

    fn each(
        &self,
        texts: &Option<Texts>,
        check: &dyn Fn(String) -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        let texts = texts.as_ref().map_or(&[][..], |texts| &texts.0);
        texts.iter().try_for_each(|text| check(self.expand(text)?))
    }

    fn text_of(&self, path: &str) -> Result<String, Trouble> {
        Ok(String::from_utf8_lossy(&read(Path::new(path))?).into_owned())
    }
}
