//! From values to places: round numbers for ticks, and days, months and years for time.

use jiff::Unit;
use jiff::civil::Date;

/// A mark on an axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    pub at: f64,
    pub label: String,
}

/// A range of values that has ticks at both ends or inside.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scale {
    pub least: f64,
    pub most: f64,
    pub ticks: Vec<Tick>,
}

impl Scale {
    /// Where a value is, from 0 to 1.
    pub(super) fn place(&self, value: f64) -> f64 {
        let range = self.most - self.least;
        if range > 0.0 { (value - self.least) / range } else { 0.5 }
    }

    /// Round numbers around the values, about so many.
    pub(super) fn numbers(least: f64, most: f64, about: f64, as_years: bool) -> Self {
        let (least, most) = if least < most {
            (least, most)
        } else {
            let room = if least == 0.0 { 1.0 } else { least.abs() * 0.1 };
            (least - room, most + room)
        };
        let step = round_step((most - least) / about).max(if as_years { 1.0 } else { 0.0 });
        let (first, last) = ((least / step).floor(), (most / step).ceil());
        let largest = (first * step).abs().max((last * step).abs());
        let mut ticks = Vec::new();
        let mut index = first;
        while index <= last && ticks.len() < 50 {
            let at = index * step;
            let label = if as_years { format!("{at:.0}") } else { short(at, step, largest) };
            ticks.push(Tick { at, label });
            index += 1.0;
        }
        Self { least: first * step, most: last * step, ticks }
    }

    /// Days since 1970, with ticks at the beginnings of days, months or years.
    pub(super) fn days(least: f64, most: f64, at_most: usize) -> Self {
        let (least, most) = if least < most { (least, most) } else { (least - 1.0, most + 1.0) };
        let steps = [1, 2, 7, 14].map(TimeStep::Days).into_iter();
        let months = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 6000, 24_000];
        for step in steps.chain(months.map(TimeStep::Months)) {
            if let Some(ticks) = step.ticks(least, most, at_most) {
                return Self { least, most, ticks };
            }
        }
        Self { least, most, ticks: Vec::new() }
    }
}

/// 1, 2 or 5 times a power of ten, not less than asked.
fn round_step(wanted: f64) -> f64 {
    let power = 10_f64.powf(wanted.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= wanted * 0.999_999);
    factor.unwrap_or(10.0) * power
}

#[derive(Clone, Copy)]
enum TimeStep {
    Days(i32),
    Months(i32),
}

impl TimeStep {
    /// The ticks of this step in a range; nothing if there are too many.
    fn ticks(self, least: f64, most: f64, at_most: usize) -> Option<Vec<Tick>> {
        let (first, step) = match self {
            Self::Days(days) => {
                ((least / f64::from(days)).ceil() * f64::from(days), f64::from(days))
            }
            Self::Months(months) => {
                let date = date_of(least)?;
                let month = i32::from(date.year()) * 12 + i32::from(date.month()) - 1;
                let mut month = month - month.rem_euclid(months);
                if day_of_month(month)? < least {
                    month += months;
                }
                (f64::from(month), f64::from(months))
            }
        };
        let mut ticks = Vec::new();
        for index in 0.. {
            let position = first + step * f64::from(index);
            let at = match self {
                Self::Days(_) => position,
                Self::Months(_) => match day_of_month(whole(position)?) {
                    Some(day) => day,
                    None => break,
                },
            };
            if at > most {
                break;
            }
            ticks.push(Tick { at, label: self.label(at)? });
            if ticks.len() > at_most {
                return None;
            }
        }
        Some(ticks)
    }

    fn label(self, at: f64) -> Option<String> {
        let date = date_of(at)?;
        Some(match self {
            Self::Days(_) => date.strftime("%m-%d").to_string(),
            Self::Months(months) if months % 12 == 0 => date.year().to_string(),
            Self::Months(_) => date.strftime("%Y-%m").to_string(),
        })
    }
}

/// A day, a month or a year as days since 1970.
pub(super) fn time(text: &str) -> Option<f64> {
    let text = text.trim();
    let padded = match text.len() {
        4 => format!("{text}-01-01"),
        7 => format!("{text}-01"),
        10 => text.to_owned(),
        _ => text.split_once('T').filter(|(day, _)| day.len() == 10)?.0.to_owned(),
    };
    let date: Date = padded.parse().ok()?;
    let epoch = Date::constant(1970, 1, 1);
    Some(f64::from(epoch.until((Unit::Day, date)).ok()?.get_days()))
}

pub(super) fn date_of(day: f64) -> Option<Date> {
    Date::constant(1970, 1, 1)
        .checked_add(jiff::Span::new().try_days(i64::from(whole(day)?)).ok()?)
        .ok()
}

/// The first day of a month that is counted from the year 0.
fn day_of_month(month: i32) -> Option<f64> {
    let year = i16::try_from(month.div_euclid(12)).ok()?;
    let date = Date::new(year, i8::try_from(month.rem_euclid(12) + 1).ok()?, 1).ok()?;
    Some(f64::from(Date::constant(1970, 1, 1).until((Unit::Day, date)).ok()?.get_days()))
}

fn whole(number: f64) -> Option<i32> {
    // Rounded and in range, so nothing is lost.
    (number.abs() < 5e6).then(|| number.round() as i32)
}

/// A number for an axis whose marks are a step apart, in the unit of its largest: 1.5B, 12,000, 0.25.
pub(super) fn short(number: f64, step: f64, largest: f64) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    let unit = [(1e12, "T"), (1e9, "B"), (1e6, "M")].into_iter().find(|(unit, _)| largest >= *unit);
    let (unit, name) = unit.unwrap_or((1.0, ""));
    format!("{}{name}", digits(number / unit, step / unit))
}

/// As many decimals as a step needs.
fn digits(number: f64, step: f64) -> String {
    let decimals = if step >= 1.0 && (step.fract() == 0.0) {
        0
    } else {
        (0..9).find(|n| (step * 10_f64.powi(*n)).fract().abs() < 1e-6 || *n == 8).unwrap_or(0)
    };
    grouped(&format!("{number:.*}", usize::try_from(decimals).unwrap_or(0)))
}

/// A value as it is, with its thousands apart.
pub(super) fn exact(number: f64) -> String {
    let text = format!("{number}");
    if text.contains('e') || text.len() > 24 { format!("{number:e}") } else { grouped(&text) }
}

fn grouped(text: &str) -> String {
    let (sign, rest) = text.strip_prefix('-').map_or(("", text), |rest| ("−", rest));
    let (whole, part) = rest.split_once('.').map_or((rest, None), |(a, b)| (a, Some(b)));
    let mut out = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    let sign = if out.chars().all(|c| c == '0')
        && part.is_none_or(|part| part.chars().all(|c| c == '0'))
    {
        ""
    } else {
        sign
    };
    part.map_or_else(|| format!("{sign}{out}"), |part| format!("{sign}{out}.{part}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn labels(scale: &Scale) -> Vec<&str> {
        scale.ticks.iter().map(|tick| tick.label.as_str()).collect()
    }

    #[test]
    fn ticks_are_round_numbers_around_the_values() {
        assert_eq!(
            labels(&Scale::numbers(0.0, 97.0, 5.0, false)),
            ["0", "20", "40", "60", "80", "100"]
        );
        assert_eq!(
            labels(&Scale::numbers(-0.3, 0.4, 4.0, false)),
            ["−0.4", "−0.2", "0", "0.2", "0.4"]
        );
        assert_eq!(labels(&Scale::numbers(0.0, 2.6e9, 3.0, false)), ["0", "1B", "2B", "3B"]);
        assert_eq!(labels(&Scale::numbers(5.0, 5.0, 4.0, false)), ["4.5", "5.0", "5.5"]);
        assert_eq!(labels(&Scale::numbers(2019.0, 2024.0, 5.0, true))[0], "2019");
    }

    #[test]
    fn all_marks_of_an_axis_have_one_unit() {
        let scale = Scale::numbers(0.0, 1.1e6, 6.0, false);
        assert_eq!(labels(&scale), ["0", "0.2M", "0.4M", "0.6M", "0.8M", "1.0M", "1.2M"]);
    }

    #[test]
    fn time_has_ticks_at_the_beginning_of_months_and_years() {
        let days = |a: &str, b: &str| Scale::days(time(a).unwrap(), time(b).unwrap(), 8);
        assert_eq!(
            labels(&days("2024-01-02", "2024-12-31")),
            ["2024-03", "2024-05", "2024-07", "2024-09", "2024-11"]
        );
        assert_eq!(labels(&days("2019", "2024")), ["2019", "2020", "2021", "2022", "2023", "2024"]);
        assert_eq!(labels(&days("2024-02-26", "2024-03-02"))[3], "02-29");
        assert_eq!(time("2024-13"), None);
        assert_eq!(time("next year"), None);
    }

    proptest! {
        #[test]
        fn any_range_has_a_bounded_number_of_ticks(a in -1e290_f64..1e290, b in -1e290_f64..1e290, days in -4e5_f64..4e5, more in 0.0_f64..4e5) {
            let scale = Scale::numbers(a.min(b), a.max(b), 5.0, false);
            prop_assert!((2..=50).contains(&scale.ticks.len()), "{scale:?}");
            prop_assert!(scale.least <= a.min(b) && scale.most >= a.max(b));
            prop_assert!(Scale::days(days, days + more, 8).ticks.len() <= 8);
        }
    }
}
