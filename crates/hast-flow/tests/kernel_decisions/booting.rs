//! A kernel boots, or says why not.

use crate::scene::{ID, Kernel, one_item};
use hast_flow::docs::kernel::KernelState;
use hast_flow::flows::kernel::decide::Asked;
use hast_flow::flows::kernel::layout;
use hast_flow::steps::{Ending, Step};
use hast_flow::words::Lang;

#[test]
fn a_boot_writes_what_is_missing_and_goes_from_booting_to_running() {
    let mut kernel = Kernel::new(Asked::Boot);
    kernel.commit();
    assert_eq!(kernel.status().status, KernelState::Booting);
    for name in ["brain.yaml", "experts/index.yaml", "experts/ResearchExpert.yaml"] {
        assert!(kernel.files.contains_key(name), "{name}");
    }
    kernel.commit();
    assert_eq!(kernel.status().status, KernelState::Running);
    assert!(matches!(kernel.next(), Step::Finish(Ending::Done(_))));
}

#[test]
fn anything_broken_fails_the_boot_at_once_with_the_context() {
    let mut kernel = Kernel::new(Asked::Boot);
    kernel.set("experts/PlanningExpert.yaml", b"name: PlanningExpert\nrole: 3\n");
    kernel.commit();
    kernel.commit();
    let status = kernel.status();
    assert_eq!(status.status, KernelState::Failed);
    let cause = status.last_failure.unwrap().error_details;
    assert!(cause.contains("experts/PlanningExpert.yaml:2"), "{cause}");
    assert!(matches!(kernel.next(), Step::Finish(Ending::Failed(_))));
}

#[test]
fn a_boot_that_fails_names_the_item_that_was_worked_on() {
    let mut kernel = one_item();
    kernel.flow.asked = Asked::Boot;
    kernel.noted.clear();
    kernel.set("experts/PlanningExpert.yaml", b"name: 3\n");
    kernel.commit();
    kernel.commit();
    let failure = kernel.status().last_failure.unwrap();
    assert_eq!(failure.last_task_id.as_deref(), Some("a"));
    assert_eq!(failure.request_id.unwrap().as_str(), ID);
}

#[test]
fn a_failed_kernel_refuses_requests_until_a_boot_succeeds() {
    let mut kernel = Kernel::requested();
    let failed = br#"{"status":"FAILED","since":"2026-01-12T14:30:00Z","last_failure":null}"#;
    kernel.set(layout::STATUS, failed);
    let Step::Finish(Ending::Failed(notice)) = kernel.next() else { panic!() };
    assert!(notice.next.contains("hast kernel boot"));
}

#[test]
fn what_is_broken_is_told_in_the_users_language() {
    let mut kernel = Kernel::new(Asked::Boot);
    kernel.lang = Lang::Ko;
    kernel.set("brain.yaml", b"version: 1\nengine: A\nplanner: PlanningExpert\ntask_manager: TaskManagementExpert\nsynthesizer: ResultSynthesizingExpert\n");
    kernel.commit();
    kernel.commit();
    let cause = kernel.status().last_failure.unwrap().error_details;
    assert!(cause.contains("brain.yaml: A"), "{cause}");
    assert!(cause.contains("추가하거나"), "{cause}");
}
