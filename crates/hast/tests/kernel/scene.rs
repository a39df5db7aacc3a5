//! A directory with a rehearsal as every expert of its kernel.

use std::collections::BTreeMap;
use std::ops::Deref;

use hast_stage::Stage;

pub(crate) use hast_stage::Ran;

pub(crate) struct Scene {
    stage: Stage,
}

impl Deref for Scene {
    type Target = Stage;

    fn deref(&self) -> &Stage {
        &self.stage
    }
}

/// Two items for two experts, all of it done; whatever stands before it in a rehearsal wins.
pub(crate) const HONEST: &str = r##"
  - when: {step: plan}
    do:
      - outbox:
          plan.json:
            todo_list:
              - {id: a, title: find out, description: d, expert: ResearchExpert, status: in_progress, estimated_steps: 1}
              - {id: b, title: make it, description: d, expert: ImplementationExpert, status: pending, dependencies: [a], estimated_steps: 1}
  - when: {step: execute}
    do:
      - outbox: {output.json: {task_id: "{{task_id}}", status: completed, result: "result of {{task_id}}"}, notes.md: "notes of {{task_id}}"}
  - when: {step: report}
    do:
      - outbox: {report.md: "# Report\n\nall done\n"}
  - when: {step: judge}
    do:
      - outbox: {judgement.json: {answers: true, reason: it does}}
"##;

/// The second item is too complex, and its second child fails.
pub(crate) const GROWING: &str = r##"
  - when: {step: plan}
    do:
      - outbox:
          plan.json:
            todo_list:
              - {id: a, title: find out, description: d, expert: ResearchExpert, status: in_progress, estimated_steps: 1}
              - {id: b, title: make it, description: d, expert: ImplementationExpert, status: pending, dependencies: [a], estimated_steps: 9}
  - when: {step: expand}
    do:
      - outbox:
          output.json:
            task_id: "{{task_id}}"
            status: needs_sub_plan
            plan:
              - {id: s1, title: one, description: d, expert: ResearchExpert, status: pending}
              - {id: s2, title: two, description: d, expert: ResearchExpert, status: pending}
  - when: {step: execute, unit: b/s2}
    do:
      - outbox: {output.json: {task_id: b/s2, status: failed, error_details: I cannot}}
  - when: {step: replace}
    do:
      - outbox:
          plan.json:
            todo_list:
              - {id: r, title: otherwise, description: d, expert: ImplementationExpert, status: pending}
"##;

impl Scene {
    /// The first reply that fits is played; the honest ones come last.
    pub(crate) fn new(replies: &str) -> Self {
        let scene = Self { stage: Stage::new(env!("CARGO_BIN_EXE_hast")) };
        scene.write("x.rehearsal.yaml", format!("version: 1\nreplies:\n{replies}{HONEST}"));
        scene.write(".ai/config.yaml", "ai_tool: \"rehearsal:x.rehearsal.yaml\"\nsandbox: off\n");
        scene
    }

    /// The directory of the only request.
    pub(crate) fn request(&self) -> String {
        let names = self.names(".brain/requests");
        assert_eq!(names.len(), 1, "{names:?}");
        names[0].clone()
    }

    /// The kinds of the events, in their order.
    pub(crate) fn events(&self) -> Vec<String> {
        let kind = |line: &str| {
            let (_, rest) = line.split_once("\"type\":\"")?;
            Some(rest.split_once('"')?.0.to_owned())
        };
        self.read(".brain/events.ndjson").lines().filter_map(kind).collect()
    }

    /// How often each item was answered, by the log.
    pub(crate) fn answers(&self) -> BTreeMap<String, usize> {
        let mut answers = BTreeMap::new();
        for line in self.read(".brain/events.ndjson").lines() {
            if let Some((_, rest)) =
                line.split_once("\"task_id\":\"").filter(|_| line.contains("TASK_ANSWERED"))
            {
                let id = rest.split_once('"').unwrap().0;
                *answers.entry(id.to_owned()).or_default() += 1;
            }
        }
        answers
    }
}
