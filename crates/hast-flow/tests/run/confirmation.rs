//! A person answers a proposal of a run. The tests show the possible answers and their
//! consequences.

use hast_flow::docs::run::{Decision, DecisionLine, InstructionStatus, RunStatus};
use hast_flow::flows::run::{Asked, Confirm, PersonsAnswer, Said, layout};
use hast_flow::steps::{Ending, Step};
use serde_json::json;

use crate::actors::Actors;
use crate::scene::{RUN, Run};

fn said(proposal: u32, answer: PersonsAnswer) -> Asked {
    Asked::Resume(Confirm::Said(Said::here(proposal, answer)))
}

fn decisions(run: &Run) -> Vec<DecisionLine> {
    let log = run.here("decisions.ndjson");
    log.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn proposed() -> Run {
    let mut run = Run::waiting();
    run.drive(&Actors::honest());
    run
}

#[test]
fn modify_makes_a_new_proposal_and_keeps_the_older() {
    let mut run = proposed();
    let (first, list) = (run.here("feedback_for_user.md"), run.here("instructions.json"));
    run.asked(said(1, PersonsAnswer::Modify("더 짧게".to_owned())));
    run.commit();
    assert_eq!(run.row().status, RunStatus::Pending);
    let call = run.call();
    assert!(call.prompt.contains("더 짧게") && call.prompt.contains("이렇게 하겠습니다"));
    assert!(matches!(run.drive(&Actors::honest()), Ending::Waiting { .. }));
    assert_eq!(run.here("feedback_for_user.1.md"), first);
    assert_eq!(run.here("instructions.1.json"), list);
    assert_eq!(run.view.own.proposal(), Some(2));
    assert_eq!(decisions(&run)[0].decision, Decision::Modify);
}

#[test]
fn a_file_that_a_person_put_under_the_name_of_a_proposal_is_kept_and_is_no_proposal() {
    let mut run = Run::waiting();
    run.until(&Actors::honest(), "propose");
    run.set(&format!("runs/{RUN}/feedback_for_user.md"), "나의 메모\n".as_bytes());
    assert_eq!(run.view.own.proposal(), None);
    assert!(matches!(run.drive(&Actors::honest()), Ending::Waiting { .. }));
    assert_eq!(run.view.own.proposal(), Some(1));
    assert_eq!(run.here("feedback_for_user.0.md"), "나의 메모\n");
    assert!(run.here("feedback_for_user.md").contains("이렇게 하겠습니다"));
}

#[test]
fn an_answer_counts_for_the_proposal_it_was_given_to_and_for_no_other() {
    let mut run = proposed();
    run.asked(said(2, PersonsAnswer::Confirm));
    assert!(matches!(run.next(), Step::Finish(Ending::Waiting { .. })));
    run.asked(said(1, PersonsAnswer::Modify("다시".to_owned())));
    let ending = run.drive(&Actors::honest());
    assert!(matches!(ending, Ending::Waiting { .. }), "one answer, one new proposal");
}

#[test]
fn cancel_ends_the_run_as_failed_with_the_reason() {
    let mut run = proposed();
    run.asked(said(1, PersonsAnswer::Cancel("필요 없어졌다".to_owned())));
    let before = run.commits.len();
    let Ending::Failed(notice) = run.drive(&Actors::honest()) else { panic!() };
    assert_eq!(run.commits.len(), before + 1);
    assert!(notice.what.contains("필요 없어졌다"));
    let statuses = run.statuses();
    for id in [RUN, "P0", "S00"] {
        assert_eq!(statuses[id], "FAILED", "{id}");
    }
    assert_eq!(statuses["T00"], "COMPLETED");
    assert_eq!(run.failure().agent, "Communicator");
}

#[test]
fn confirming_after_a_superseded_instruction_has_changed_asks_for_a_new_proposal() {
    let mut run = Run::waiting();
    let table = "| instruction_id | run_id | instruction_type | content | status (ACTIVE, SUPERSEDED) | superseded_by_id | justification |\n|-|-|-|-|-|-|-|\n| I-0007 | run-20231027-103000-001 | STYLE | 길게 쓴다 | ACTIVE | | |\n";
    run.set(layout::INSTRUCTIONS, table.as_bytes());
    let amends = json!([{"instruction_type": "STYLE", "content": "짧게 쓴다", "supersedes": ["I-0007"], "justification": "요청"}]);
    let actors = Actors { instructions: Some(amends), ..Actors::honest() };
    run.drive(&actors);
    assert!(run.here("feedback_for_user.md").contains("I-0007: 길게 쓴다"));
    // Another run was faster.
    run.set(layout::INSTRUCTIONS, table.replace("ACTIVE |", "SUPERSEDED |").as_bytes());
    run.asked(said(1, PersonsAnswer::Confirm));
    run.commit();
    assert_eq!(decisions(&run)[0].decision, Decision::Outdated);
    assert_eq!(run.call().step, "propose");
    assert!(run.call().prompt.contains("I-0007"));
    let ending = run.drive(&Actors::honest());
    assert!(matches!(ending, Ending::Waiting { .. }), "the new one has to be confirmed too");
}

#[test]
fn what_is_superseded_stays_and_says_by_what() {
    let mut run = Run::started();
    let table = "헌법전\n\n| content | instruction_id | run_id | instruction_type | status | superseded_by_id | justification |\n|-|-|-|-|-|-|-|\n| 길게 \\| 쓴다 | I-0007 | run-20231027-103000-001 | STYLE | ACTIVE | | |\n\n끝.\n";
    run.set(layout::INSTRUCTIONS, table.as_bytes());
    let amends = json!([
        {"instruction_type": "STYLE", "content": "짧게|쓴다", "supersedes": ["I-0007"]},
        {"instruction_type": "GOAL", "content": "두\n줄"},
    ]);
    run.drive(&Actors { instructions: Some(amends), ..Actors::honest() });
    let rows = run.instructions();
    assert_eq!(rows[0].status, InstructionStatus::Superseded);
    assert_eq!(rows[0].superseded_by_id.as_ref().unwrap().as_str(), "I-0008");
    assert_eq!(
        (rows[1].instruction_id.as_str(), rows[1].content.as_str()),
        ("I-0008", "짧게|쓴다")
    );
    assert_eq!((rows[2].instruction_id.as_str(), rows[2].content.as_str()), ("I-0009", "두\n줄"));
    let text = run.text(layout::INSTRUCTIONS);
    assert!(text.starts_with("헌법전\n\n") && text.ends_with("\n\n끝.\n"));
}

#[test]
fn a_proposal_that_supersedes_what_is_not_in_force_is_asked_for_again() {
    let mut run = Run::waiting();
    let wrong = json!([{"instruction_type": "A", "content": "b", "supersedes": ["I-0042"]}]);
    let liar = Actors { instructions: Some(wrong), ..Actors::honest() };
    run.until(&Actors::honest(), "propose");
    run.turn(&liar);
    let call = run.call();
    assert_eq!(call.regeneration, 1);
    assert!(call.findings[0].problem.contains("I-0042"));
}

#[test]
fn a_run_that_is_confirmed_unseen_never_waits() {
    let mut run = Run::started();
    assert!(matches!(run.drive(&Actors::honest()), Ending::Done(_)));
    assert_eq!(decisions(&run)[0].decision, Decision::Confirm);
}

fn only_answered(proposal: u32, answer: PersonsAnswer, operator: &str) -> Asked {
    Asked::Answer(Said { proposal, answer, operator: Some(operator.to_owned()) })
}

#[test]
fn an_answer_that_is_only_written_down_starts_nobody() {
    let mut run = Run::waiting();
    run.drive(&Actors::honest());
    run.asked(only_answered(1, PersonsAnswer::Confirm, "kim"));
    run.commit();
    assert_eq!(decisions(&run)[0].operator.as_deref(), Some("kim"));
    assert_eq!(run.row().status, RunStatus::Pending);
    let Step::Finish(Ending::Done(notice)) = run.next() else { panic!("{:?}", run.next()) };
    assert!(notice.next.contains("hast run resume"), "{notice:?}");
    run.asked(Asked::Resume(Confirm::Wait));
    assert!(matches!(run.drive(&Actors::honest()), Ending::Done(_)));
}

#[test]
fn a_proposal_is_answered_once_and_whoever_comes_second_is_refused() {
    for first in [PersonsAnswer::Confirm, PersonsAnswer::Modify("짧게".to_owned())] {
        let mut run = Run::waiting();
        run.drive(&Actors::honest());
        run.asked(only_answered(1, first.clone(), "kim"));
        run.commit();
        for (answer, operator) in [
            (PersonsAnswer::Cancel(String::new()), "kim"),
            (first, "lee"),
            (PersonsAnswer::Modify("길게".to_owned()), "kim"),
        ] {
            run.asked(only_answered(1, answer, operator));
            assert!(matches!(run.next(), Step::Finish(Ending::Blocked(_))), "{:?}", run.next());
        }
        run.asked(only_answered(2, PersonsAnswer::Confirm, "kim"));
        assert!(matches!(run.next(), Step::Finish(Ending::Blocked(_))), "there is no second yet");
    }
}

#[test]
fn a_run_cancelled_in_passing_is_failed_with_the_reason() {
    let mut run = Run::waiting();
    run.drive(&Actors::honest());
    run.asked(only_answered(1, PersonsAnswer::Cancel("필요 없다".to_owned()), "kim"));
    run.commit();
    assert!(matches!(run.next(), Step::Finish(Ending::Done(_))), "the answer was taken");
    assert_eq!(run.row().status, RunStatus::Failed);
    assert!(run.failure().error.contains("필요 없다"));
}
