//! The answer and people's words in the view: the file that the critic may send back, and what a person said
//! to questions of roles.

use crate::flows::session::layout;
use crate::flows::session::view::View;
use crate::ids::{QuestionId, TaskId};
use crate::store::{DocPath, Identity};

/// `output/final.md`, which the critic may send back once.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerFile {
    pub bytes: Vec<u8>,
    pub identity: Option<Identity>,
}

/// A person's answer to a role's question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldByPerson {
    pub question: QuestionId,
    /// The task that the question was about; none for the plan, the answer and the verdict.
    pub task: Option<TaskId>,
    pub answer: String,
}

impl View {
    /// Whether there is an answer that the critic has not judged yet.
    pub fn has_answer(&self) -> bool {
        self.answer.is_some() && self.answered > self.refused.len()
    }

    /// The number of the answer that is written next, or was written last and is not judged.
    pub fn answer_number(&self) -> usize {
        let asked = self.again.get("answer").copied().unwrap_or(0);
        self.refused.len() + usize::try_from(asked).unwrap_or(0) + 1
    }

    /// What a person said that a call is to know: about one task, or all of it. With the question, and the
    /// documents of both.
    pub fn told_about(&self, task: Option<&TaskId>) -> (Vec<String>, Vec<DocPath>) {
        let all = self.told.iter().filter(|told| task.is_none() || told.task.as_ref() == task);
        let line = |told: &ToldByPerson| {
            let asked =
                self.questions.get(&told.question).map_or("", |file| file.question.as_str());
            format!("{} {asked}\n  {}", told.question, told.answer)
        };
        let documents = all
            .clone()
            .flat_map(|told| [layout::question(&told.question), layout::answer(&told.question)]);
        let documents = documents.filter_map(|path| layout::path(&path)).collect();
        (all.map(line).collect(), documents)
    }
}
