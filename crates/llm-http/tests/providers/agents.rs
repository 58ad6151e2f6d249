//! Command-line agents: programs of the test in their place, which answer as they do.

#![cfg(unix)]

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use llm_http::{Agent, AgentKind, Program};
use review_tool::control::{Control, Progress, Uncontrolled};
use review_tool::model::{Answer, Model, ModelError, Stop};
use serde_json::json;

use crate::request;

const TEXT: &str = "{\"summary\":\"s\",\"findings\":[]}";

/// A program that runs the lines of a shell script, in a folder of its own.
struct Bench(tempfile::TempDir);

impl Bench {
    fn with(script: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agent");
        // Keeps what it was given, so that a test can look at it.
        let here = folder.path().display();
        let text = format!(
            "#!/bin/sh\ncat > '{here}/input'\nprintf '%s\\n' \"$@\" > '{here}/arguments'\nenv > '{here}/environment'\npwd > '{here}/folder'\n{}",
            script.replace("HERE", &here.to_string())
        );
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        Self(folder)
    }

    fn says(output: &str) -> Self {
        let bench = Self::with("cat HERE/output");
        fs::write(bench.path("output"), output).unwrap();
        bench
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn agent(&self, kind: AgentKind) -> Agent {
        Agent::new(Program {
            name: "mine".to_owned(),
            kind,
            path: self.path("agent"),
            model: Some("best".to_owned()),
            environment: vec![(OsString::from("PATH"), std::env::var_os("PATH").unwrap())],
            input_tokens: 100_000,
            total: Duration::from_secs(60),
            idle: Duration::from_secs(60),
        })
    }

    fn ask(&self, kind: AgentKind) -> Result<Answer, ModelError> {
        self.agent(kind).ask(&request("the change"), &Uncontrolled)
    }
}

#[test]
fn each_agent_is_asked_its_own_way_and_understood() {
    let claude = json!({"type": "result", "subtype": "success", "is_error": false, "result": "Done.",
        "structured_output": {"summary": "s", "findings": []}, "total_cost_usd": 0.02,
        "usage": {"input_tokens": 20, "cache_creation_input_tokens": 5, "cache_read_input_tokens": 75, "output_tokens": 15}});
    let codex = [
        json!({"type": "thread.started", "thread_id": "t"}),
        json!({"type": "item.completed", "item": {"type": "reasoning", "text": "hm"}}),
        json!({"type": "item.completed", "item": {"type": "agent_message", "text": TEXT}}),
        json!({"type": "turn.completed", "usage": {"input_tokens": 100, "cached_input_tokens": 75, "output_tokens": 15}}),
    ].map(|event| event.to_string()).join("\n");
    let gemini = json!({"response": TEXT, "stats": {"models": {"g": {"tokens": {"prompt": 100, "cached": 75, "candidates": 10, "thoughts": 5}}}}});
    for (kind, output, flags, cost) in [
        (
            AgentKind::Claude,
            claude.to_string(),
            &["--json-schema", "--tools", "--strict-mcp-config", "--model\nbest"][..],
            Some(0.02),
        ),
        (
            AgentKind::Codex,
            codex,
            &["exec", "--output-schema", "read-only", "--model\nbest"][..],
            None,
        ),
        (
            AgentKind::Gemini,
            format!("Loaded cached credentials.\n{gemini}"),
            &["--output-format\njson", "--model\nbest"][..],
            None,
        ),
    ] {
        let bench = Bench::says(&output);
        let answer = bench.ask(kind).unwrap();
        let value: serde_json::Value = serde_json::from_str(&answer.text).unwrap();
        assert_eq!((value["findings"].clone(), &answer.stop), (json!([]), &Stop::Done), "{kind:?}");
        let usage = answer.usage;
        assert_eq!(
            (usage.input_tokens, usage.cached_input_tokens, usage.output_tokens),
            (100, 75, 15),
            "{kind:?}"
        );
        assert_eq!(answer.cost_usd, cost, "{kind:?}");
        let arguments = bench.text("arguments");
        for flag in flags {
            assert!(arguments.contains(flag), "{kind:?}: {flag}: {arguments}");
        }
        assert!(bench.text("input").contains("the change"), "{kind:?}");
        assert!(format!("{arguments}{}", bench.text("input")).contains("the rubric"), "{kind:?}");
        assert_eq!(
            bench
                .text("environment")
                .lines()
                .filter(|line| !["PATH=", "PWD=", "SHLVL=", "_=", "OLDPWD="]
                    .iter()
                    .any(|own| line.starts_with(own)))
                .count(),
            0
        );
        let folder = bench.text("folder");
        assert!(!Path::new(folder.trim()).exists(), "its folder is gone with it");
        let preview = bench.agent(kind).preview(&request("the change"));
        assert!(preview.destination.starts_with(&format!("run {}", bench.path("agent").display())));
        let body = String::from_utf8(preview.body).unwrap();
        assert!(
            body.contains("the change")
                && (kind == AgentKind::Claude || body.contains("the rubric"))
        );
    }
}

#[test]
fn what_went_wrong_is_never_taken_for_an_answer() {
    let cut = json!({"type": "item.completed", "item": {"type": "agent_message", "text": TEXT}});
    let failed = json!({"type": "turn.failed", "error": {"message": "quota exceeded"}});
    for (kind, output, want) in [
        (AgentKind::Claude, String::new(), "its output is no JSON result"),
        (AgentKind::Claude, json!({"type": "result", "subtype": "success", "is_error": true, "result": "Invalid API key"}).to_string(), "Invalid API key"),
        (AgentKind::Claude, json!({"type": "result", "subtype": "error_max_turns", "is_error": true}).to_string(), "error max turns"),
        (AgentKind::Codex, String::new(), "its events hold no answer"),
        (AgentKind::Codex, format!("{cut}\n"), "its events have no end"),
        (AgentKind::Codex, format!("{cut}\n{failed}\n"), "quota exceeded"),
        (AgentKind::Codex, failed.to_string(), "quota exceeded"),
        (AgentKind::Gemini, json!({"error": {"message": "no login"}}).to_string(), "no login"),
        (AgentKind::Gemini, "{\"stats\":{}}".to_owned(), "its output has no response"),
    ] {
        let said = match Bench::says(&output).ask(kind) {
            Ok(answer) => {
                assert!(matches!(answer.stop, Stop::Broken(_)), "{kind:?}: {answer:?}");
                format!("{:?}", answer.stop)
            }
            Err(error) => error.to_string(),
        };
        assert!(said.contains(want), "{kind:?}: {said}");
    }
    let said = Bench::with("echo 'please log in' >&2; exit 7")
        .ask(AgentKind::Claude)
        .unwrap_err()
        .to_string();
    assert!(said.contains("exit status: 7") && said.contains("please log in"), "{said}");
    let bench = Bench::with("");
    fs::remove_file(bench.path("agent")).unwrap();
    assert!(bench.ask(AgentKind::Codex).unwrap_err().to_string().contains("cannot start"));
}

struct Flag(AtomicBool, PathBuf);

impl Control for Flag {
    /// Cancelled as soon as the program has said that it runs.
    fn cancelled(&self) -> bool {
        if self.1.exists() {
            self.0.store(true, Ordering::Relaxed);
        }
        self.0.load(Ordering::Relaxed)
    }

    fn progress(&self, _: Progress) {}
}

/// Whether a process is there and not merely waiting to be reaped.
fn runs(id: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{}/stat", id.trim())).unwrap_or_default();
    stat.rsplit(')')
        .next()
        .is_some_and(|rest| !rest.trim().is_empty() && !rest.trim().starts_with('Z'))
}

#[test]
#[cfg(target_os = "linux")]
fn a_cancelled_agent_is_killed_with_all_that_it_started() {
    let bench =
        Bench::with("sleep 1000 & echo $! > HERE/child; mv HERE/child HERE/started; sleep 1000");
    let flag = Flag(AtomicBool::new(false), bench.path("started"));
    let error = bench.agent(AgentKind::Claude).ask(&request("x"), &flag).unwrap_err();
    assert_eq!(error, ModelError::Cancelled);
    let child = bench.text("started");
    // The kill has been sent; the system needs a moment to carry it out.
    let gone = (0..10_000).any(|_| {
        std::thread::yield_now();
        !runs(&child)
    });
    assert!(gone, "process {child} runs on");
}

#[test]
fn an_agent_that_does_not_end_or_writes_without_end_is_stopped() {
    let bench = Bench::with("sleep 1000");
    let mut program = Program {
        name: "mine".to_owned(),
        kind: AgentKind::Claude,
        path: bench.path("agent"),
        model: None,
        environment: vec![(OsString::from("PATH"), std::env::var_os("PATH").unwrap())],
        input_tokens: 1000,
        total: Duration::from_millis(200),
        idle: Duration::from_secs(60),
    };
    let ask = |program: &Program| {
        Agent::new(program.clone()).ask(&request("x"), &Uncontrolled).unwrap_err().to_string()
    };
    assert!(ask(&program).contains("it did not end within 0 s"), "{}", ask(&program));
    program.total = Duration::from_secs(60);
    program.idle = Duration::from_millis(200);
    assert!(ask(&program).contains("it said nothing for 0 s"));
    let bench = Bench::with("exec yes");
    let error = bench.ask(AgentKind::Gemini).unwrap_err().to_string();
    assert!(error.contains("it wrote more than"), "{error}");
}
