//! `hast explore`: one question, asked of an agent that may change nothing, with a map of the code. The
//! answer is kept.

use std::collections::BTreeMap;

use crate::driver::{Delta, Facts, Flow};
use crate::messages;
use crate::replies::{Asked, Asking, file};
use crate::roles::Access::Write;
use crate::roles::{Class, PolicyTable, Row};
use crate::steps::{
    Call, Commit, Effect, EffectResult, Ending, Expected, Notice, Place, Step, StepKey,
};
use crate::store::{DocPath, HistoryClass, Put};
use crate::words::Lang;

pub const EXPLORER: &str = "explorer";
const ANSWER: &str = "answer.md";

pub const POLICY: PolicyTable = PolicyTable {
    classes: &[Class { path: "explorations/*", history: HistoryClass::Once }],
    rows: &[Row { role: EXPLORER, access: Write, path: "explorations/*" }],
    riders: &[],
};

messages! {
    prompt(question: whole, map: whole) {
        en: "Answer this question about the code in the working directory. Change nothing: you may only read. Write the answer as Markdown into `answer.md`. Name the places that it rests on as `path:line`. Say what you could not find out.\n\nQuestion:\n{question}\n\nThis map was made from the words of the question without a model. It is a start, not the truth: it can miss places, and a name may mean something else there.\n\n{map}",
        ko: "작업 디렉터리의 코드에 대한 다음 질문에 답하세요. 읽기만 하고 아무것도 바꾸지 마세요. 답을 Markdown으로 `answer.md`에 쓰고, 근거가 되는 위치를 `경로:줄`로 적으세요. 알아내지 못한 것은 그렇다고 쓰세요.\n\n질문:\n{question}\n\n다음 지도는 모델 없이 질문의 단어로 만든 것입니다. 출발점일 뿐이며, 빠진 곳이 있거나 이름이 다른 것을 뜻할 수 있습니다.\n\n{map}",
    }
    map_title() { en: "Map", ko: "지도" }
    done(path) { en: "the answer is kept in {path}", ko: "답을 {path}에 저장했습니다" }
    done_next() { en: "commit it if others should have it", ko: "다른 사람과 나누려면 커밋하세요" }
    failed(why) { en: "the exploration failed: {why}", ko: "탐색이 실패했습니다: {why}" }
    failed_next() { en: "look at what the agent did with `git status`, then ask again; `--no-agent` gives the map alone", ko: "`git status`로 에이전트가 한 일을 확인한 뒤 다시 물으세요. `--no-agent`는 지도만 보여 줍니다" }
}

/// One exploration.
#[derive(Clone, Debug)]
pub struct ExploreFlow {
    pub question: String,
    /// The map as text.
    pub map: String,
    /// The name of the file, without its ending.
    pub name: String,
    pub max_regenerations: u32,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct View {
    /// The answer that is kept.
    pub kept: bool,
    results: BTreeMap<StepKey, EffectResult>,
}

impl ExploreFlow {
    pub fn path(&self) -> String {
        format!("explorations/{}.md", self.name)
    }

    fn call(&self, lang: Lang) -> Call {
        let words = prompt(lang, &self.question, &self.map);
        Call {
            expected: vec![Expected::required(ANSWER)],
            place: Place::Within(Vec::new()),
            ..Call::new(EXPLORER, "explore", &self.name, words)
        }
    }

    fn text(&self, answer: &[u8], lang: Lang) -> String {
        let question = self.question.split_whitespace().collect::<Vec<_>>().join(" ");
        let answer = String::from_utf8_lossy(answer);
        let fence = "````";
        format!(
            "# {question}\n\n{}\n\n## {}\n\n{fence}text\n{}\n{fence}\n",
            answer.trim(),
            map_title(lang),
            self.map.trim()
        )
    }
}

impl Flow for ExploreFlow {
    type View = View;

    fn policy(&self) -> &PolicyTable {
        &POLICY
    }

    fn reads(&self, path: &DocPath, is_dir: bool) -> bool {
        path.as_str() == self.path() || (is_dir && path.as_str() == "explorations")
    }

    fn fold(&self, view: &mut View, delta: &Delta<'_>) {
        match delta {
            Delta::Document { path, .. } => view.kept |= path.as_str() == self.path(),
            Delta::Result { key, result } => {
                view.results.insert((*key).clone(), (*result).clone());
            }
            Delta::Appended { .. } | Delta::Gone { .. } => {}
        }
    }

    fn next_step(&self, view: &View, facts: &Facts<'_>) -> Step {
        let lang = facts.lang;
        if view.kept {
            let what = done(lang, format!(".ai/{}", self.path()));
            return Step::Finish(Ending::Done(Notice { what, next: done_next(lang) }));
        }
        let asking = Asking {
            key: StepKey::new(&["explore", &self.name]),
            max_regenerations: self.max_regenerations,
            results: &view.results,
            lang,
        };
        let asked =
            asking.ask(|| self.call(lang), |answer| file(answer, ANSWER, lang).map(<[u8]>::to_vec));
        match (asked, DocPath::new(&self.path())) {
            (Asked::Call { key, call }, _) => Step::Effect { key, effect: Effect::Call(call) },
            (Asked::Answered { value, steps, .. }, Ok(path)) => Step::Commit(Commit {
                role: EXPLORER,
                reason: "an answer".to_owned(),
                puts: vec![Put::Create { path, bytes: self.text(&value, lang).into_bytes() }],
                starts: Vec::new(),
                finishes: steps,
            }),
            (Asked::Answered { .. }, Err(error)) => fail(lang, &error.to_string()),
            (Asked::Unanswered { why, .. }, _) => fail(lang, &why.reason()),
        }
    }
}

fn fail(lang: Lang, why: &str) -> Step {
    let notice = Notice { what: failed(lang, why), next: failed_next(lang) };
    Step::Finish(Ending::Failed(notice))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::agents::outcome::FailureClass;
    use crate::step_log::StepLog;
    use crate::steps::{Answer, CallResult};
    use crate::store::{Policy, PutKind};

    fn flow() -> ExploreFlow {
        ExploreFlow {
            question: "어디서\n잠그나?".to_owned(),
            map: "the map".to_owned(),
            name: "2026-02-09_143000".to_owned(),
            max_regenerations: 2,
        }
    }

    fn next(view: &View) -> Step {
        let (set, steps) = (BTreeSet::new(), StepLog::default());
        let now = "2026-01-12T14:30:00Z".parse().unwrap();
        let facts = Facts { now, lang: Lang::En, running: &set, steps: &steps, noted: &set };
        flow().next_step(view, &facts)
    }

    fn answered(result: CallResult) -> View {
        let Step::Effect { key, .. } = next(&View::default()) else { panic!() };
        let mut view = View::default();
        let result = EffectResult::Call(result);
        flow().fold(&mut view, &Delta::Result { key: &key, result: &result });
        view
    }

    #[test]
    fn the_agent_is_asked_with_the_map_and_may_change_nothing() {
        let Step::Effect { effect: Effect::Call(call), .. } = next(&View::default()) else {
            panic!()
        };
        assert_eq!((call.role.as_str(), call.step), ("explorer", "explore"));
        assert_eq!(call.place, Place::Within(Vec::new()));
        assert!(call.prompt.contains("the map") && call.prompt.contains("잠그나"));
        assert_eq!(call.expected, [Expected::required("answer.md")]);
    }

    #[test]
    fn the_answer_is_kept_with_question_and_map() {
        let documents = BTreeMap::from([(ANSWER.to_owned(), b"here\n".to_vec())]);
        let view = answered(CallResult::Completed(Answer { documents, ..Answer::default() }));
        let Step::Commit(commit) = next(&view) else { panic!() };
        let [Put::Create { path, bytes }] = &commit.puts[..] else { panic!() };
        assert!(POLICY.judge(commit.role, PutKind::Create, path).is_ok());
        assert_eq!(path.as_str(), "explorations/2026-02-09_143000.md");
        let text = String::from_utf8_lossy(bytes);
        assert_eq!(text, "# 어디서 잠그나?\n\nhere\n\n## Map\n\n````text\nthe map\n````\n");
    }

    #[test]
    fn an_agent_that_changed_something_fails_the_exploration_and_nothing_is_kept() {
        let class = FailureClass::Strayed;
        let reason = "it changed what it may not: a".to_owned();
        let view = answered(CallResult::Failed { class, reason });
        let Step::Finish(Ending::Failed(notice)) = next(&view) else { panic!() };
        assert!(notice.what.contains("it changed what it may not: a"), "{notice:?}");
    }

    #[test]
    fn the_agent_gets_the_whole_map() {
        let map = "src/lib.rs:1 a symbol\n".repeat(200);
        let flow = ExploreFlow {
            question: "where?".to_owned(),
            map: map.clone(),
            name: "n".to_owned(),
            max_regenerations: 2,
        };
        for lang in [Lang::En, Lang::Ko] {
            assert!(flow.call(lang).prompt.contains(&map));
        }
    }
}
