//! Commits for the user: who they are by, and signed where the user signs.

use hast_flow::attempt::base::ObjectId;
use hast_flow::attempt::git_problem::GitProblem;
use hast_flow::attempt::workspace::{CommitPlan, Identity};

use super::config::Config;
use super::index::object;
use super::run::{Call, Git};

/// A name and an address.
pub(super) type Signature<'s> = (&'s str, &'s str);

pub(super) fn signed_by<'g>(call: Call<'g>, name: &str, email: &str, date: &str) -> Call<'g> {
    call.variable("GIT_AUTHOR_NAME", name)
        .variable("GIT_AUTHOR_EMAIL", email)
        .variable("GIT_AUTHOR_DATE", date)
        .variable("GIT_COMMITTER_NAME", name)
        .variable("GIT_COMMITTER_EMAIL", email)
        .variable("GIT_COMMITTER_DATE", date)
}

impl Config {
    /// Who commits for the user.
    pub(super) fn signature(&self) -> Signature<'_> {
        let user = self.user.as_ref();
        user.map_or(("hast", "hast@localhost"), |(name, email)| (name, email))
    }
}

impl Git {
    /// The commit of a plan with this tree; the same one each time. `users` is who the user is.
    pub(super) fn planned_commit(
        &self,
        plan: &CommitPlan,
        tree: &ObjectId,
        users: Signature<'_>,
    ) -> Result<ObjectId, GitProblem> {
        let signing = self.overrides.signing.as_ref();
        let (name, email, signing) = match &plan.identity {
            Identity::Named { name, email } => (name.as_str(), email.as_str(), None),
            Identity::Users => (users.0, users.1, signing),
        };
        let seconds = plan.at.instant().as_second();
        if let Some(signing) = signing {
            let (parent, message) = (&plan.parent, &plan.message);
            let who = format!("{name} <{email}> {seconds} +0000");
            let unsigned =
                format!("tree {tree}\nparent {parent}\nauthor {who}\ncommitter {who}\n\n{message}");
            return self.sign(signing, unsigned.as_bytes());
        }
        let call = self.call(["commit-tree", tree.as_str(), "-p", plan.parent.as_str()]);
        let call = call.synced().input(plan.message.clone().into_bytes());
        object(&signed_by(call, name, email, &format!("@{seconds} +0000")).line()?)
    }
}
