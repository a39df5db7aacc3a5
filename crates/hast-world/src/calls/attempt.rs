//! One agent asked once: reserved, told, run, read, recorded. Whatever happens in between, what was
//! reserved gets an end in the ledger.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Instant;

use hast_flow::agents::beginning::EndOf;
use hast_flow::agents::budget::{Refused, Reservation, Wanted, is_used_up, reserve};
use hast_flow::agents::choice::Chosen;
use hast_flow::agents::command::{AgentCall, AgentCommand};
use hast_flow::agents::homes::changes;
use hast_flow::agents::ledger::{Amount, Ended as HowEnded, LedgerLine};
use hast_flow::agents::limit::Moment;
use hast_flow::agents::reply::{AgentReply, ReplyReader};
use hast_flow::calling::grants::{self, Ground, sandbox};
use hast_flow::calling::keeping::step_directory;
use hast_flow::calling::request::{Asked, Paths};
use hast_flow::calling::settle::{Changed, End, Over, Settled, Spending, settle};
use hast_flow::docs::call::CallFinding;
use hast_flow::docs::goals::SandboxMode;
use hast_flow::process::exit::Applied;
use hast_flow::process::{CommandSpec, Ended, Limits, Stream, Supervisor};
use hast_flow::steps::{CallResult, Place, StepKey};
use hast_flow::time::UtcTime;
use jiff::Timestamp;

use super::doors::Doors;
use super::folder::{self, Folder};
use super::keepsake::Keepsake;
use super::streams::{KeptStream, LastWords};
use super::watching::{TooMany, Watched};
use super::{
    Calls, Kept, LOOK, Progress, Settings, What, ground, homes, outbox, outside_servers, touched,
};
use crate::files::PathError;
use crate::root_path::RootPath;
use crate::sandbox::landlock;

/// A call on its way to one agent.
#[derive(Clone, Copy)]
struct Way<'a> {
    key: &'a StepKey,
    asked: Asked<'a>,
    agent: &'a Chosen,
    folder: &'a Folder,
}

/// What a run gave, its output already without secrets.
struct Ran {
    ended: Ended,
    /// The last line of its complaints.
    said: String,
    reply: AgentReply,
    spending: Spending,
    started_at: Timestamp,
    /// The start as the file system tells it.
    start: Option<touched::Moment>,
}

impl Ran {
    fn end_of<'r>(&'r self, agent: &'r Chosen) -> EndOf<'r> {
        let (provider, exit) = (&agent.provider, &self.ended.exit);
        EndOf { provider, exit, reply: &self.reply, word: None, lasted: self.ended.lasted }
    }
}

/// What was found around a run.
struct Found {
    /// Changed settings of the agent.
    settings: Vec<CallFinding>,
    /// Changes of the project that the call may not make.
    strays: Vec<String>,
    changed: Changed,
}

impl Calls {
    /// Asks one agent.
    pub(super) fn ask(
        &self,
        key: &StepKey,
        asked: Asked<'_>,
        agent: &Chosen,
        kept: &mut Option<Kept>,
    ) -> Result<End, PathError> {
        let step = match self.settings.scope.as_str() {
            "" => step_directory(key),
            scope => step_directory(&StepKey::new(&[scope, key.as_str()])),
        };
        let folder = Folder::make(&self.settings.machine, &step)?;
        let way = Way { key, asked, agent, folder: &folder };
        let reservation = match self.reserve(way)? {
            Ok(reservation) => reservation,
            Err(result) => return Ok(End::Result(result)),
        };
        let ended = self.told_and_run(way, &reservation, kept);
        folder.remove_inputs();
        let (used, how) = match &ended {
            Ok(settled) => (settled.used, settled.how),
            Err(_) => (Amount::default(), HowEnded::Failed),
        };
        // Before the result counts: whoever comes after a kill must know what was used.
        self.kept_or_said(way, self.note_end(way, used, how));
        ended.map(|settled| settled.end)
    }

    /// Takes a part of the budget; waits while other calls hold what is left.
    fn reserve(&self, way: Way<'_>) -> Result<Result<Reservation, CallResult>, PathError> {
        let Way { asked, agent, folder, .. } = way;
        let (lang, unit) = (self.settings.lang, asked.unit());
        let budget = asked.config.budget.unwrap_or_default();
        let started = Instant::now();
        let mut told = false;
        loop {
            let now = self.settings.clock.now();
            let wanted = Wanted {
                agent: &agent.name,
                unit: &unit,
                seconds: asked.timeout().as_secs(),
                day_start: self.day_start(now),
            };
            let running = |call: &str| folder::is_running(&self.settings.machine, call);
            let taken = self.ledger.with(|ledger| {
                let taken = reserve(ledger, &budget, wanted, &running).and_then(|own| match &self
                    .settings
                    .run_budget
                {
                    Some(run) => run.reserve(own, ledger, wanted, &running),
                    None => Ok(own),
                });
                let began = taken.map(|reservation| LedgerLine::Began {
                    call: folder.name().to_owned(),
                    at: UtcTime::new(now),
                    agent: agent.name.clone(),
                    unit: unit.clone(),
                    reserved: reservation.reserved,
                });
                (began.into_iter().collect(), taken)
            })?;
            let refused = match taken {
                Ok(reservation) => return Ok(Ok(reservation)),
                Err(refused) => refused,
            };
            let may_wait = matches!(refused, Refused::Held { .. });
            if !may_wait || started.elapsed() > asked.timeout() {
                let reason = refused.what(&agent.name, lang);
                return Ok(Err(CallResult::OverBudget { reason, next: refused.next(lang) }));
            }
            if self.supervisor.is_cancelled() {
                return Ok(Err(CallResult::Cancelled));
            }
            if !std::mem::replace(&mut told, true) {
                self.tell(way.key, asked.call, &agent.name, What::Held);
            }
            std::thread::sleep(LOOK);
        }
    }

    fn note_end(&self, way: Way<'_>, used: Amount, how: HowEnded) -> Result<(), PathError> {
        let line = LedgerLine::Ended {
            call: way.folder.name().to_owned(),
            at: UtcTime::new(self.settings.clock.now()),
            agent: way.agent.name.clone(),
            unit: way.asked.unit(),
            used,
            how,
        };
        self.ledger.with(|_| (vec![line], ()))
    }

    fn day_start(&self, now: Timestamp) -> Timestamp {
        let offset = self.settings.clock.local_offset(now);
        let midnight = offset.to_datetime(now).date().to_datetime(jiff::civil::Time::midnight());
        offset.to_timestamp(midnight).unwrap_or(now)
    }

    fn told_and_run(
        &self,
        way: Way<'_>,
        reservation: &Reservation,
        kept: &mut Option<Kept>,
    ) -> Result<Settled, PathError> {
        let Way { asked, agent, folder, .. } = way;
        let mut tree = ground::tree(
            &asked.call.place,
            &self.settings.root,
            &self.settings.documents,
            &self.settings.variables,
        );
        if asked.call.place == Place::Copies {
            folder.make_inputs()?;
            tree.workdir = folder.inputs();
        }
        let paths = self.paths(folder, &tree.workdir)?;
        let mut told = self.told(asked, folder, &paths, reservation)?;
        folder.write("prompt.md", told.prompt.as_bytes())?;
        let command = match agent.provider.command(&told, &self.settings.hast) {
            Ok(command) => command,
            Err(problem) => return Ok(Settled::impossible(&problem, self.settings.lang)),
        };
        let mut spec =
            command.clone().in_environment(self.settings.variables.iter().cloned(), &asked.env());
        // Git keeps no empty directories: a clone, or a rollback, leaves none for the handoff.
        if let Some(handoff) = asked.call.handoff_path.as_deref()
            && let Some(directory) = RootPath::new(&tree.on_disk())?.join(handoff).parent()
        {
            directory.make_directory()?;
        }
        self.make_homes(way, &spec);
        let ground = Ground {
            root: self.settings.root.to_path_buf(),
            tree: tree.top,
            room: tree.room,
            state: self.state_directory(),
            documents: self.settings.documents.to_path_buf(),
            within: tree.within,
            git: tree.git,
            outbox: folder.outbox(),
            homes: homes::paths(&agent.provider, &spec.env),
            user_home: self.settings.variable("HOME").map(PathBuf::from),
        };
        told.call.grants =
            Some(grants::told(&asked.call.place, &paths.workdir, &ground, asked.config));
        let mut call_file = serde_json::to_vec_pretty(&told.call).unwrap_or_default();
        call_file.push(b'\n');
        folder.write("call.json", &call_file)?;
        spec.sandbox = sandbox(&asked.call.place, &ground, asked.config);
        spec.sandbox.closed.extend(ground::covered_words(&spec));
        outside_servers::keep_off(&mut spec, tree.lane.as_deref(), &self.settings.variables);
        let before = homes::look(&agent.provider, &spec.env);
        let watched = self.watch(asked.call);
        let (doors, keepsake) = (Doors::of(&ground), self.keepsake(asked, &ground));
        let ran = self.run(way, &spec, &asked.limits(reservation), reservation);
        let mut damaged = doors_opened(&doors, &ground);
        damaged.extend(keepsake.map(Keepsake::give_back).unwrap_or_default());
        let after = homes::look(&agent.provider, &spec.env);
        let strays = self.strays_told(way, &ground, watched.as_ref(), &ran.ended);
        let found = Found {
            settings: changes(&before, &after, self.settings.lang),
            strays: damaged.into_iter().chain(strays).collect(),
            changed: touched::changed(ran.end_of(agent), &asked.call.place, &ground, ran.start),
        };
        self.notice_sandbox(way, &ran.ended);
        Ok(self.finish(way, &told, &command, &ran, &found, kept))
    }

    /// The directory that has hast's own files.
    fn state_directory(&self) -> PathBuf {
        let Settings { machine, root, .. } = &self.settings;
        machine.as_path().parent().unwrap_or(root).to_owned()
    }

    /// Makes the agent's directories before a sandbox is around it. Without them it says itself what it lacks.
    fn make_homes(&self, way: Way<'_>, spec: &CommandSpec) {
        if let Err(error) = homes::make(&way.agent.provider, &spec.env) {
            let (path, why) = (error.path.display(), &error.source);
            let notice = say::no_home(self.settings.lang, &way.agent.name, path, why);
            self.tell(way.key, way.asked.call, &way.agent.name, What::Notice(&notice));
        }
    }

    /// What the flow cannot go on without, where no sandbox holds the agent off.
    fn keepsake(&self, asked: Asked<'_>, ground: &Ground) -> Option<Keepsake> {
        let walled = asked.config.sandbox != Some(SandboxMode::Off)
            && matches!(landlock::ability(), Applied::Whole { .. });
        let here = asked.call.place == Place::Checkout && !asked.call.keeps.is_empty();
        if !here || walled {
            return None;
        }
        let links = ground.git.as_ref()?.common.join("hast").join("machine");
        let Ground { root, documents, .. } = ground;
        Some(Keepsake::of(root, documents, &asked.call.keeps, links))
    }

    /// What the call changed and may not.
    fn strays_told(
        &self,
        way: Way<'_>,
        ground: &Ground,
        before: Option<&Watched>,
        ended: &Ended,
    ) -> Vec<String> {
        let found = before.map(|before| self.strays(way.asked, ground, before, ended));
        found.unwrap_or(Ok(Vec::new())).unwrap_or_else(|TooMany| {
            let notice = say::too_many_files(self.settings.lang);
            self.tell(way.key, way.asked.call, &way.agent.name, What::Notice(&notice));
            Vec::new()
        })
    }

    /// What the agent is told, without secrets: a prompt may quote a file that has one.
    fn told(
        &self,
        asked: Asked<'_>,
        folder: &Folder,
        paths: &Paths,
        reservation: &Reservation,
    ) -> Result<AgentCall, PathError> {
        let mut told = asked.agent_call(paths, self.inputs(asked, folder)?, reservation);
        told.prompt = self.redactor.text(&told.prompt);
        for finding in &mut told.call.findings {
            finding.problem = self.redactor.text(&finding.problem);
            finding.next = self.redactor.text(&finding.next);
        }
        Ok(told)
    }

    fn paths(&self, folder: &Folder, workdir: &Path) -> Result<Paths, PathError> {
        let text = |path: &Path| {
            let why = || std::io::Error::new(std::io::ErrorKind::InvalidFilename, "not UTF-8");
            path.to_str()
                .map(str::to_owned)
                .ok_or_else(|| PathError { path: path.to_owned(), source: why() })
        };
        Ok(Paths {
            root: text(&self.settings.root)?,
            workdir: text(workdir)?,
            outbox: text(&folder.outbox())?,
            prompt_file: text(&folder.file("prompt.md"))?,
            call_file: text(&folder.file("call.json"))?,
        })
    }

    fn run(
        &self,
        way: Way<'_>,
        spec: &CommandSpec,
        limits: &Limits,
        reservation: &Reservation,
    ) -> Ran {
        let Way { folder, agent, .. } = way;
        let (started, started_at) = (Instant::now(), self.settings.clock.now());
        let mut out = KeptStream::new(&folder.file("stdout.txt"), &self.redactor);
        let mut err = KeptStream::new(&folder.file("stderr.txt"), &self.redactor);
        let start = touched::Moment::over(&folder.file("stderr.txt"));
        let (mut reader, mut said) = (agent.provider.reader(), LastWords::default());
        let mut spending = Spending::Within;
        self.tell(way.key, way.asked.call, &agent.name, What::Started { record: folder.path() });
        // What is kept has no secrets; the supervisor need not keep the same bytes with them.
        let limits = Limits { head: 0, tail: 0, ..limits.clone() };
        let ended = self.supervisor.run(spec, &limits, &mut |stream, bytes| {
            let clean = match stream {
                Stream::Out => out.push(bytes),
                Stream::Err => err.push(bytes),
            };
            said.hear(stream, &clean);
            self.hear(way, &mut reader, (stream, &clean), started);
            // Work that is done is not thrown away because it was dear.
            if !reader.has_ended() && is_used_up(&reservation.limit, reader.used()) {
                spending = Spending::UsedUp;
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        let rest =
            [(Stream::Out, out.finish(&self.redactor)), (Stream::Err, err.finish(&self.redactor))];
        for (stream, clean) in rest {
            said.hear(stream, &clean);
            self.hear(way, &mut reader, (stream, &clean), started);
        }
        Ran { ended, said: said.line(), reply: reader.finish(), spending, started_at, start }
    }

    fn hear(
        &self,
        way: Way<'_>,
        reader: &mut ReplyReader,
        (stream, clean): (Stream, &[u8]),
        started: Instant,
    ) {
        for event in reader.push(stream, clean) {
            (self.progress)(&Progress {
                key: way.key,
                call: way.asked.call,
                agent: &way.agent.name,
                elapsed: started.elapsed(),
                usage: reader.used(),
                what: What::Event(&event),
            });
        }
    }

    /// A full disk costs the record of a call that was paid for, not its result.
    fn kept_or_said(&self, way: Way<'_>, written: Result<(), PathError>) {
        if let Err(error) = written {
            let lang = self.settings.lang;
            let notice = say::no_record(lang, error.path.display(), &error.source);
            self.tell(way.key, way.asked.call, &way.agent.name, What::Notice(&notice));
        }
    }

    fn notice_sandbox(&self, way: Way<'_>, ended: &Ended) {
        if let Some(notice) = ended.sandbox.notice(self.settings.lang)
            && !self.noticed.swap(true, Ordering::Relaxed)
        {
            self.tell(way.key, way.asked.call, &way.agent.name, What::Notice(&notice));
        }
    }

    fn finish(
        &self,
        way: Way<'_>,
        told: &AgentCall,
        command: &AgentCommand,
        ran: &Ran,
        found: &Found,
        kept: &mut Option<Kept>,
    ) -> Settled {
        let Way { asked, agent, folder, .. } = way;
        let lang = self.settings.lang;
        let mut taken = outbox::read(folder.outbox_handle(), &told.call.expected, lang);
        for bytes in taken.files.values_mut() {
            let mut stream = self.redactor.stream();
            let mut clean = stream.push(bytes);
            clean.extend(stream.finish());
            *bytes = clean;
        }
        let now = self.settings.clock.now();
        let kept_in = folder.path().strip_prefix(&self.settings.root).unwrap_or(folder.path());
        let over = Over {
            agent,
            asked: told,
            command,
            started_at: ran.started_at,
            lasted: ran.ended.lasted,
            exit: &ran.ended.exit,
            sandbox: &ran.ended.sandbox,
            said: &ran.said,
            kept_in: &kept_in.display().to_string(),
            reply: &ran.reply,
            files: &taken.files,
            unreadable: &taken.unreadable,
            settings: &found.settings,
            strays: &found.strays,
            changed: found.changed,
            spending: ran.spending,
            moment: Moment { now, offset: self.settings.clock.local_offset(now) },
        };
        let settled = settle(over, &self.redactor, lang);
        let files = taken.files.iter().map(|(name, bytes)| (&**name, &**bytes));
        self.kept_or_said(way, folder.keep_outbox(files));
        let record = settled.record.as_ref();
        let mut text = record.map(serde_json::to_vec_pretty).and_then(Result::ok);
        if let (Some(text), Some(record)) = (&mut text, record) {
            text.push(b'\n');
            self.kept_or_said(way, folder.write("record.json", text));
            let made = Kept {
                agent: agent.name.clone(),
                path: folder.path().to_owned(),
                record: record.clone(),
                swept: ran.ended.swept,
            };
            (self.progress)(&Progress {
                key: way.key,
                call: asked.call,
                agent: &agent.name,
                elapsed: ran.ended.lasted,
                usage: ran.reply.reported(),
                what: What::Ended(&made),
            });
            *kept = Some(made);
        }
        settled
    }
}

/// What the agent had closed or replaced, named from the root.
fn doors_opened(doors: &Doors, ground: &Ground) -> Vec<String> {
    let Some(git) = &ground.git else { return Vec::new() };
    let mended = doors.open_again(&git.common.join("hast/aside/machine"));
    let named = |path: &Path| match path.strip_prefix(&ground.root) {
        Ok(below) if below.as_os_str().is_empty() => ".".to_owned(),
        Ok(below) => below.to_string_lossy().into_owned(),
        Err(_) => path.to_string_lossy().into_owned(),
    };
    mended.into_iter().map(named).collect()
}

pub(super) mod say {
    //! The words for the above.

    hast_flow::messages! {
        too_many_files() { en: "the project has more files than are looked at; whether the agent changed what it may not is unknown", ko: "프로젝트의 파일이 너무 많습니다. 에이전트가 바꿀 수 없는 것을 바꾸었는지 알 수 없습니다" }
        need_gone(unit, path) { en: "{unit} rests on {path}, which is not there any more", ko: "{unit}의 근거인 {path}(이)가 더는 없습니다" }
        need_gone_next(path) { en: "put {path} back, then run the same command again", ko: "{path}(을)를 되돌린 뒤 같은 명령을 다시 실행하세요" }
        no_home(agent, path, why) { en: "a directory that {agent} needs cannot be made: {path}: {why}", ko: "{agent}에 필요한 디렉터리를 만들 수 없습니다: {path}: {why}" }
        no_record(path, why) { en: "the record of the call cannot be written: {path}: {why}", ko: "호출 기록을 쓸 수 없습니다: {path}: {why}" }
        no_record_next() { en: "make room or correct the permissions, then run the same command again", ko: "공간을 확보하거나 권한을 고친 뒤 같은 명령을 다시 실행하세요" }
    }
}
