//! Gates: evidence in, verdict out. Only a gate makes [`Passed`], and only what passed is promoted.

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    pub what: String,
    pub outcome: Outcome,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Met,
    NotMet { why: String },
}

/// All that a gate knows about its subject.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    checks: Vec<Check>,
}

/// Proof that a gate let this through. It cannot be made anywhere else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passed<T>(T);

/// What did not pass, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected<T> {
    pub subject: T,
    pub reasons: Vec<String>,
}

impl Evidence {
    #[must_use]
    pub fn with(mut self, what: impl Into<String>, outcome: Outcome) -> Self {
        self.checks.push(Check { what: what.into(), outcome });
        self
    }

    pub fn checks(&self) -> &[Check] {
        &self.checks
    }

    /// Why this evidence does not let anything through. No evidence is no proof.
    pub fn objections(&self) -> Vec<String> {
        if self.checks.is_empty() {
            return vec!["nothing was checked".to_owned()];
        }
        let failed = self.checks.iter().filter_map(|check| match &check.outcome {
            Outcome::Met => None,
            Outcome::NotMet { why } => Some(format!("{}: {why}", check.what)),
        });
        failed.collect()
    }
}

impl Outcome {
    /// Met, or not met for a reason.
    pub fn of(met: bool, why: impl FnOnce() -> String) -> Self {
        if met { Self::Met } else { Self::NotMet { why: why() } }
    }
}

impl<T> Passed<T> {
    pub fn subject(&self) -> &T {
        &self.0
    }

    pub fn into_subject(self) -> T {
        self.0
    }
}

/// Lets a subject through if all evidence is for it.
pub fn gate<T>(subject: T, evidence: &Evidence) -> Result<Passed<T>, Rejected<T>> {
    let reasons = evidence.objections();
    if reasons.is_empty() { Ok(Passed(subject)) } else { Err(Rejected { subject, reasons }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_passes_without_evidence() {
        assert_eq!(gate(1, &Evidence::default()).unwrap_err().reasons, ["nothing was checked"]);
    }

    #[test]
    fn one_objection_is_enough_and_all_are_told() {
        let evidence = Evidence::default()
            .with("tests", Outcome::Met)
            .with("scope", Outcome::of(false, || "x.rs is outside".to_owned()))
            .with("report", Outcome::NotMet { why: "missing".to_owned() });
        let rejected = gate("work", &evidence).unwrap_err();
        assert_eq!(rejected.reasons, ["scope: x.rs is outside", "report: missing"]);
    }

    #[test]
    fn what_passed_carries_its_subject() {
        let passed = gate("work", &Evidence::default().with("tests", Outcome::Met)).unwrap();
        assert_eq!(passed.into_subject(), "work");
    }
}
