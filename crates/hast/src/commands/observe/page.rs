//! The baseline as a page: figures, guards, and a plot for each thing that changes over time.

use hast_agent::page::{Html, Mood, Page, Section, badge, facts, table};
use hast_flow::flows::goals::observe::{Baseline, Day};
use hast_flow::tools::args::{AxisKind, ChartArgs, ChartKind, Place, Point, Series};
use hast_flow::words::Lang;

use super::{figures, verdict};
use crate::observe_messages::say;

pub(super) fn page(lang: Lang, baseline: &Baseline) -> String {
    let mood = if baseline.ready { Mood::Good } else { Mood::Waiting };
    let period = Html::text(format!("{} .. {} ", baseline.from, baseline.to));
    let page = Page {
        lang,
        title: say::title(lang),
        about: period.then(&badge(mood, &verdict(lang, baseline))),
        sections: vec![
            Section {
                id: "figures",
                title: say::figures(lang),
                body: shown_figures(lang, baseline),
            },
            Section { id: "guards", title: say::guards(lang), body: guards(lang, baseline) },
            Section { id: "days", title: say::days(lang), body: days(lang, baseline) },
            Section { id: "goals", title: say::goals(lang), body: goals(lang, baseline) },
        ],
    };
    page.render()
}

fn shown_figures(lang: Lang, baseline: &Baseline) -> Html {
    let shown: Vec<(String, Html)> = figures(lang, baseline)
        .into_iter()
        .map(|(name, value)| (name, Html::text(value)))
        .collect();
    facts(&shown)
}

fn guards(lang: Lang, baseline: &Baseline) -> Html {
    let head = [say::guard(lang), say::value(lang), say::limit(lang), say::state(lang)];
    let rows: Vec<Vec<Html>> = baseline
        .guards
        .iter()
        .map(|guard| {
            let value = guard.value.map_or("-".to_owned(), |value| value.to_string());
            let state = if guard.holds {
                badge(Mood::Good, &say::holds(lang))
            } else {
                badge(Mood::Bad, &say::fails(lang))
            };
            vec![Html::text(guard.name), Html::text(value), Html::text(guard.limit), state]
        })
        .collect();
    table(&head, &rows)
}

fn days(lang: Lang, baseline: &Baseline) -> Html {
    if baseline.days.is_empty() {
        return Html::paragraph(say::nothing(lang));
    }
    let series = |name: String, of: fn(&Day) -> f64| Series {
        name,
        points: baseline
            .days
            .iter()
            .map(|(date, day)| Point { x: Place::Text(date.clone()), y: Some(of(day)) })
            .collect(),
    };
    let plot = |title: String, unit: String, kind, series: Vec<Series>| {
        Html::chart(
            lang,
            &ChartArgs {
                description: Some(title.clone()),
                title,
                kind,
                x_axis: Some(if baseline.days.len() > 1 {
                    AxisKind::Time
                } else {
                    AxisKind::Category
                }),
                x_label: None,
                y_label: Some(unit),
                source: None,
                series,
            },
        )
    };
    [
        plot(
            say::attempts(lang),
            say::count(lang),
            ChartKind::Line,
            vec![series(say::attempts(lang), |day| day.attempts as f64)],
        ),
        plot(
            say::outcomes(lang),
            say::count(lang),
            ChartKind::Line,
            vec![
                series(say::done(lang), |day| day.done as f64),
                series(say::blocked(lang), |day| day.blocked as f64),
            ],
        ),
        plot(
            say::durations(lang),
            say::minutes_unit(lang),
            ChartKind::Line,
            vec![series(say::durations(lang), |day| day.minutes)],
        ),
        plot(
            say::tokens_plot(lang),
            say::tokens_unit(lang),
            ChartKind::Line,
            vec![series(say::tokens_plot(lang), |day| day.tokens as f64)],
        ),
    ]
    .into_iter()
    .collect()
}

fn goals(lang: Lang, baseline: &Baseline) -> Html {
    if baseline.goals.is_empty() {
        return Html::default();
    }
    let head =
        [say::goal(lang), say::attempts(lang), say::minutes_unit(lang), say::tokens_unit(lang)];
    let rows: Vec<Vec<Html>> = baseline
        .goals
        .iter()
        .map(|(goal, figures)| {
            vec![
                Html::text(goal),
                Html::text(figures.attempts),
                Html::text(format!("{:.1}", figures.minutes)),
                Html::text(figures.tokens),
            ]
        })
        .collect();
    table(&head, &rows)
}
