//! Report of a spike: the ranking as text or as JSON, and the guard or problem that stood against
//! the merge.

use hast_flow::attempt::recovery::named;
use hast_flow::flows::goals::auto::spike::{Spike, SpikeFlow};
use hast_flow::flows::goals::decision::{Measured, accepted, evaluate, why};
use hast_flow::steps::Ending;
use hast_flow::words::visible;
use serde_json::{Value, json};

use crate::app::App;
use crate::commands::driving::{self, Driven};
use crate::decision_messages::say;
use crate::messages::say as common;
use crate::problem::{Exit, Problem};

pub(super) fn report(
    app: &mut App,
    flow: &SpikeFlow,
    driven: &Driven<Option<(u32, Spike)>>,
    explain: bool,
) -> Result<Exit, Problem> {
    let problem = driving::meaning(app.lang, &driven.ending);
    let Some((number, spike)) = &driven.seen else {
        return match problem {
            Some(problem) => Err(problem),
            None => Ok(Exit::Done),
        };
    };
    let ranking = spike.ranking();
    if explain {
        for one in &ranking {
            let line = format!("[{}] {} {}: {}", flow.ticket.id, one.id, one.class, one.reason);
            app.output.message(&format!("{}\n", visible(&line)));
        }
    }
    let exit = problem.as_ref().map_or(Exit::Done, |problem| problem.exit);
    if app.json {
        let document = document(flow, *number, spike, &ranking, problem.as_ref());
        app.print_json(&document)?;
        return Ok(exit);
    }
    let text: String = ranking.iter().zip(1..).map(|(one, rank)| line(app, rank, one)).collect();
    app.print(&text)?;
    match (problem, &driven.ending) {
        (Some(problem), _) => Err(problem),
        (None, Ending::Done(notice)) => {
            app.print(&format!("{}\n{}: {}\n", notice.what, common::next(app.lang), notice.next))?;
            Ok(Exit::Done)
        }
        (None, _) => Ok(Exit::Done),
    }
}

fn line(app: &App, rank: u32, one: &Measured) -> String {
    let state = if one.passed { say::passed(app.lang) } else { one.class.clone() };
    let counted = say::counted(app.lang, one.diff_lines, one.changed_files, one.duration_seconds);
    let mut text = format!("{rank}. {}  {state}  {counted}  {}\n", visible(&one.id), one.kept);
    if !one.moved_refs.is_empty() {
        let names = named(&one.moved_refs);
        text += &format!("   {}\n", say::moved_refs(app.lang, visible(&names)));
    }
    text
}

fn document(
    flow: &SpikeFlow,
    number: u32,
    spike: &Spike,
    ranking: &[Measured],
    problem: Option<&Problem>,
) -> Value {
    let matrix = evaluate(&flow.ticket);
    let of = |one: &Measured| {
        let scored = matrix.iter().find(|scored| scored.id == one.id);
        json!({
            "id": one.id,
            "passed": one.passed,
            "class": one.class,
            "code": one.code,
            "reason": one.reason,
            "diff_lines": one.diff_lines,
            "changed_files": one.changed_files,
            "duration_seconds": one.duration_seconds,
            "ref": one.kept,
            "moved_refs": one.moved_refs,
            "total": scored.map(|scored| scored.total),
            "eligible": scored.map(|scored| scored.eligible),
        })
    };
    let alternatives: Vec<Value> = ranking.iter().map(of).collect();
    let guard =
        flow.accept.as_ref().filter(|_| spike.made.is_none()).and_then(|guards| {
            accepted(ranking, guards, &matrix).err().map(|failed| failed.code())
        });
    let over = spike.ranked.is_some();
    json!({
        "id": flow.ticket.id,
        "spike": number,
        "base": spike.base,
        "alternatives": alternatives,
        "why": over.then(|| format!("why:{}", why(ranking))),
        "winner": ranking.first().filter(|first| over && first.passed).map(|first| &first.id),
        "merged": spike.made.as_ref().map(|(_, commit)| commit),
        "guard": guard,
        "problem": problem.map(|problem| json!({"what": problem.what, "next": problem.next})),
    })
}
