//! A context as Markdown for people, plain text for agents, or JSON for programs.

use crate::docs::goals::{ContextGoal, ContextOutput, ContextSession, GoalStatus, HandoffStatus};
use crate::flows::goals::context::{Context, CurrentGoal, Previous};
use crate::flows::goals::handoffs::unlisted;
use crate::formats::json;
use crate::messages;
use crate::words::Lang;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Markdown,
    Plain,
    Json,
}

messages! {
    no_goal() { en: "No active goal. Next: set `status: active` on a goal in .ai/goals.yaml", ko: "활성 목표가 없습니다. 다음: .ai/goals.yaml에서 목표 하나를 `status: active`로 바꾸세요" }
    current_goal() { en: "Current Goal", ko: "현재 목표" }
    parent() { en: "Parent", ko: "상위 목표" }
    previous_session() { en: "Previous Session", ko: "이전 세션" }
    status() { en: "Status", ko: "상태" }
    done() { en: "Done", ko: "한 일" }
    key_decision() { en: "Key Decision", ko: "주요 결정" }
    key_decisions() { en: "Key Decisions", ko: "주요 결정" }
    your_task() { en: "Your Task", ko: "작업" }
    context_files() { en: "Context Files (read these first)", ko: "먼저 읽을 파일" }
    rules() { en: "Rules", ko: "규칙" }
    no_task() { en: "Nothing is set as a task yet.", ko: "아직 정해진 작업이 없습니다." }
}

pub fn print(context: &Context, format: Format, lang: Lang) -> String {
    match format {
        // The seed's headings, in either language: programs look for them.
        Format::Markdown => {
            let out = "# Session Context\n".to_owned();
            Sections { out, markdown: true, headings: Lang::En }.all(context, lang)
        }
        Format::Plain => {
            Sections { out: String::new(), markdown: false, headings: lang }.all(context, lang)
        }
        Format::Json => json_text(context),
    }
}

fn status_word(status: HandoffStatus) -> &'static str {
    match status {
        HandoffStatus::Complete => "complete",
        HandoffStatus::Failed => "failed",
        HandoffStatus::Blocked => "blocked",
    }
}

fn goal_word(status: GoalStatus) -> &'static str {
    match status {
        GoalStatus::Pending => "pending",
        GoalStatus::Active => "active",
        GoalStatus::Done => "done",
        GoalStatus::Blocked => "blocked",
        GoalStatus::Dropped => "dropped",
    }
}

/// Exactly five fields, always all of them.
fn json_text(context: &Context) -> String {
    let lines = |lines: &[String]| -> Vec<String> {
        let words = lines.iter().map(|line| unlisted(line).to_owned());
        words.filter(|line| !line.is_empty()).collect()
    };
    let rules: Vec<String> =
        context.rules.iter().filter(|line| !line.starts_with('#')).cloned().collect();
    let output = ContextOutput {
        current_goal: context.goal.as_ref().map(|goal| ContextGoal {
            id: goal.id.clone(),
            title: goal.title.clone(),
            parent: goal.parent.as_ref().map(|(id, ..)| id.clone()),
        }),
        previous_session: context.previous.as_ref().map(|previous| ContextSession {
            timestamp: previous.timestamp.clone(),
            status: previous.status,
        }),
        task: lines(&context.task),
        context_files: context.files.clone(),
        rules: lines(&rules),
    };
    // These types hold nothing that JSON cannot.
    json::print(&output).unwrap_or_default()
}

struct Sections {
    out: String,
    markdown: bool,
    headings: Lang,
}

impl Sections {
    fn all(mut self, context: &Context, lang: Lang) -> String {
        self.goal(context.goal.as_ref(), lang);
        if let Some(previous) = &context.previous {
            self.previous(previous);
        }
        self.heading(&your_task(self.headings));
        if context.task.is_empty() {
            self.line(&no_task(lang));
        }
        for line in &context.task {
            self.line(line);
        }
        if !context.files.is_empty() {
            self.heading(&context_files(self.headings));
            for (index, file) in context.files.iter().enumerate() {
                self.line(&format!("{}. {file}", index + 1));
            }
        }
        self.rules(&context.rules);
        self.out
    }

    fn goal(&mut self, goal: Option<&CurrentGoal>, lang: Lang) {
        self.heading(&current_goal(self.headings));
        let Some(goal) = goal else { return self.line(&no_goal(lang)) };
        self.line(&format!("{} — {}", goal.id, goal.title));
        if let Some((id, title, status)) = &goal.parent {
            let parent = parent(self.headings);
            self.line(&format!("{parent}: {id} {title} ({})", goal_word(*status)));
        }
    }

    fn previous(&mut self, previous: &Previous) {
        let lang = self.headings;
        self.heading(&format!("{} ({})", previous_session(lang), previous.local));
        self.line(&format!("{}: {}", status(lang), status_word(previous.status)));
        self.items(&done(lang), &done(lang), &previous.done);
        self.items(&key_decision(lang), &key_decisions(lang), &previous.key_decisions);
    }

    fn items(&mut self, one: &str, several: &str, items: &[String]) {
        match items {
            [] => {}
            [item] => self.line(&format!("{one}: {item}")),
            items => {
                self.line(&format!("{several}:"));
                for item in items {
                    self.line(&format!("- {item}"));
                }
            }
        }
    }

    /// Headings of the rules go below ours, so that they do not end the section.
    fn rules(&mut self, rules: &[String]) {
        if rules.iter().all(|line| line.trim().is_empty()) {
            return;
        }
        self.heading(&self::rules(self.headings));
        let level = |line: &str| line.len() - line.trim_start_matches('#').len();
        let is_heading =
            |line: &str| (1..=6).contains(&level(line)) && line[level(line)..].starts_with(' ');
        let top = rules.iter().filter(|line| is_heading(line)).map(|line| level(line)).min();
        let deeper = 3usize.saturating_sub(top.unwrap_or(3));
        let mut in_code = false;
        for line in rules.iter().skip_while(|line| line.trim().is_empty()) {
            in_code ^= line.trim_start().starts_with("```");
            match (is_heading(line) && !in_code, self.markdown) {
                (true, true) => self.line(&format!("{}{line}", "#".repeat(deeper))),
                (true, false) => self.line(line.trim_start_matches('#').trim_start()),
                (false, false) if line.trim().is_empty() => {}
                (false, _) => self.line(line),
            }
        }
        while self.out.ends_with("\n\n") {
            self.out.pop();
        }
    }

    fn heading(&mut self, title: &str) {
        if self.markdown {
            self.out.push_str("\n## ");
            self.line(title);
        } else {
            self.line(&format!("{title}:"));
        }
    }

    fn line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }
}
