//! How a session finds out what a server speaks: ER-20 to ER-35, one server for each way to answer.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_proto::{Era, Revision};
use mcp_stdio::Framing;
use mcp_stdio::client::{
    CancelToken, ClientError, ClientLimits, Launch, Learnt, Link, Memory, Output, Session,
};
use serde_json::{Value, json};

use crate::peer::{Script, Scripts, Server, discovered, initialized, limits, open, plain, said};

fn revision(session: &Session) -> Revision {
    session.agreement().revision
}

fn hasty() -> ClientLimits {
    ClientLimits { probe_timeout: Duration::ZERO, ..limits() }
}

fn script(script: impl FnOnce(&mut Server) + Send + 'static) -> Script {
    Box::new(script)
}

#[test]
fn a_stateless_server_is_discovered_er_20_er_21() {
    let scripts = Scripts::one(|server| {
        let probe = server.expect("server/discover");
        let meta = &probe["params"]["_meta"];
        assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
        assert_eq!(meta["io.modelcontextprotocol/clientInfo"]["name"], "test");
        assert!(meta["io.modelcontextprotocol/clientCapabilities"].is_object());
        server.result(&probe, discovered(&["2025-11-25", "2026-07-28"]));
        server.drain();
    });
    let session = open(&scripts).unwrap();
    assert_eq!(revision(&session), Revision::V2026_07_28);
    assert!(session.agreement().capabilities.tools.is_some());
}

#[test]
fn any_other_error_means_a_handshake_er_23_er_24() {
    for code in [-32601, -32602, -32600, -32603, -32700, -32000, -32002, -1, 0, 7, 404] {
        let scripts = Scripts::one(move |server| {
            let probe = server.expect("server/discover");
            server.error(&probe, code, Value::Null);
            let request = server.initialize("2025-06-18");
            assert_eq!(request["params"]["protocolVersion"], "2025-11-25", "LC-04");
            server.drain();
        });
        assert_eq!(revision(&open(&scripts).unwrap()), Revision::V2025_06_18, "{code}");
        assert_eq!(scripts.started(), 1);
    }
}

#[test]
fn every_revision_with_a_handshake_is_taken_as_answered_lc_21() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let scripts = Scripts::one(move |server| {
            server.handshake(version);
            server.drain();
        });
        assert_eq!(revision(&open(&scripts).unwrap()).as_str(), version);
    }
}

#[test]
fn an_unknown_version_in_the_answer_ends_the_server_lc_08() {
    for version in ["2027-01-01", "2024-11-5", "1.0", "", "2026-07-28"] {
        let scripts = Scripts::one(move |server| {
            let probe = server.expect("server/discover");
            server.error(&probe, -32601, Value::Null);
            let request = server.expect("initialize");
            server.result(&request, initialized(version));
            server.drain();
        });
        let error = open(&scripts).err().expect("no session");
        assert!(matches!(error, ClientError::NoCommonRevision { .. }), "{version}: {error}");
        assert!(error.to_string().contains("2025-11-25"), "{error}");
        assert_eq!(scripts.stopped(), 1);
    }
}

#[test]
fn an_error_of_the_newest_revision_is_corrected_once_er_22_er_35() {
    let scripts = Scripts::one(|server| {
        let probe = server.expect("server/discover");
        server.error(&probe, -32022, json!({"supported": ["2026-07-28"], "requested": "x"}));
        let again = server.expect("server/discover");
        assert_ne!(again["id"], probe["id"]);
        server.result(&again, discovered(&["2026-07-28"]));
        server.drain();
    });
    assert_eq!(revision(&open(&scripts).unwrap()), Revision::V2026_07_28);

    let scripts = Scripts::one(|server| {
        for _ in 0..2 {
            let probe = server.expect("server/discover");
            server.error(&probe, -32022, json!({"supported": ["2026-07-28"]}));
        }
        server.drain();
    });
    let error = open(&scripts).err().expect("no session");
    assert!(matches!(error, ClientError::NoCommonRevision { .. }), "{error}");
}

#[test]
fn a_version_error_that_offers_a_handshake_gets_one_er_33() {
    let scripts = Scripts::one(|server| {
        let probe = server.expect("server/discover");
        server.error(&probe, -32022, json!({"supported": ["2027-01-01", "2025-06-18"]}));
        let request = server.initialize("2025-06-18");
        assert_eq!(request["params"]["protocolVersion"], "2025-06-18");
        server.drain();
    });
    assert_eq!(revision(&open(&scripts).unwrap()), Revision::V2025_06_18);
}

#[test]
fn a_version_error_without_a_usable_list_is_an_end_er_28_er_32() {
    for data in [Value::Null, json!({"supported": "x"}), json!({"supported": ["2027-01-01"]})] {
        let scripts = Scripts::one(move |server| {
            let probe = server.expect("server/discover");
            server.error(&probe, -32022, data);
            server.drain();
        });
        let error = open(&scripts).err().expect("no session");
        assert!(matches!(error, ClientError::NoCommonRevision { .. }), "{error}");
        assert_eq!(scripts.stopped(), 1);
    }
}

#[test]
fn a_discovery_with_only_older_versions_leads_to_a_handshake_er_33() {
    let scripts = Scripts::one(|server| {
        let probe = server.expect("server/discover");
        server.result(&probe, discovered(&["2025-03-26", "2024-11-05"]));
        let request = server.initialize("2025-03-26");
        assert_eq!(request["params"]["protocolVersion"], "2025-03-26");
        server.drain();
    });
    assert_eq!(revision(&open(&scripts).unwrap()), Revision::V2025_03_26);
}

#[test]
fn a_success_that_is_no_discovery_means_a_handshake_er_32() {
    for result in [json!({}), json!({"supportedVersions": "2026-07-28"}), json!({"tools": []})] {
        let scripts = Scripts::one(move |server| {
            let probe = server.expect("server/discover");
            server.result(&probe, result);
            server.initialize("2025-11-25");
            server.drain();
        });
        assert_eq!(revision(&open(&scripts).unwrap()), Revision::V2025_11_25);
    }
}

#[test]
fn a_silent_probe_is_followed_by_a_handshake_and_not_cancelled_er_23_er_31() {
    let scripts = Scripts::one(|server| {
        let probe = server.expect("server/discover");
        let request = server.expect("initialize");
        // The late answer finds nobody.
        server.error(&probe, -32601, Value::Null);
        server.result(&request, initialized("2024-11-05"));
        server.expect("notifications/initialized");
        server.drain();
    });
    let session =
        Session::builder("test", "1").limits(hasty()).framing(Framing::Line).open(scripts).unwrap();
    assert_eq!(revision(&session), Revision::V2024_11_05);
}

#[test]
fn a_server_that_ends_over_the_probe_is_started_once_more_er_30() {
    let scripts = Scripts::new(vec![
        script(|server| {
            server.expect("server/discover");
        }),
        script(|server| {
            server.initialize("2025-06-18");
            server.drain();
        }),
    ]);
    assert_eq!(revision(&open(&scripts).unwrap()), Revision::V2025_06_18);
    assert_eq!(scripts.framings(), [Framing::Line, Framing::Line]);
}

#[test]
fn a_server_that_always_ends_is_given_up_with_its_last_words() {
    let end = || script(|server| drop(server.next()));
    let scripts = Scripts::new(vec![end(), end(), end(), end(), end()]);
    let error = open(&scripts).err().expect("no session").to_string();
    assert!(error.contains("exit status: 7") && error.contains("last words"), "{error}");
    // Probed, then not; with headers, once.
    assert_eq!(scripts.framings(), [Framing::Line, Framing::Line, Framing::ContentLength]);
    assert_eq!(scripts.stopped(), 3);
}

#[test]
fn silence_in_lines_leads_to_header_blocks_in_a_fresh_process() {
    let silent = || script(Server::drain);
    let scripts = Scripts::new(vec![silent(), silent(), silent()]);
    // No try gets any time here; what counts is which tries there are.
    let limits = ClientLimits { handshake_timeout: Duration::ZERO, ..hasty() };
    drop(Session::builder("test", "1").limits(limits).open(scripts.clone()));
    assert_eq!(scripts.framings(), [Framing::Line, Framing::ContentLength, Framing::Line]);
}

#[test]
fn header_blocks_in_answer_to_lines_lead_to_header_blocks() {
    let scripts = Scripts::new(vec![
        script(|server| {
            server.raw("Content-Length: 2\r\n\r\n{}");
            server.drain();
        }),
        script(|server| {
            server.stateless();
            server.drain();
        }),
    ]);
    let session = open(&scripts).unwrap();
    assert_eq!(session.agreement().framing, Framing::ContentLength);
    assert_eq!(scripts.framings(), [Framing::Line, Framing::ContentLength]);
}

#[test]
fn banners_before_the_first_message_are_skipped() {
    let scripts = Scripts::one(|server| {
        server.raw("Starting toy server v1.2...\n\nlistening on stdio\n[\"x\"]\n{\"level\":30}\n");
        server.stateless();
        server.drain();
    });
    assert_eq!(revision(&open(&scripts).unwrap()), Revision::V2026_07_28);
}

#[test]
fn endless_noise_is_given_up() {
    let noise = || {
        script(|server| {
            server.raw("x\n".repeat(1000));
            server.drain();
        })
    };
    let scripts = Scripts::new(vec![noise(), noise()]);
    let builder = Session::builder("test", "1").limits(limits()).framing(Framing::Line);
    let error = builder.open(scripts.clone()).err().expect("no session").to_string();
    assert!(error.contains("no messages"), "{error}");
    assert_eq!((scripts.started(), scripts.stopped()), (2, 2));
}

#[test]
fn a_client_of_one_era_asks_in_no_other() {
    let scripts = Scripts::one(|server| {
        server.initialize("2025-11-25");
        server.drain();
    });
    let builder = || Session::builder("test", "1").limits(limits());
    let session = builder().era(Era::Handshake).open(scripts).unwrap();
    assert_eq!(revision(&session), Revision::V2025_11_25);

    let scripts = Scripts::one(|server| {
        let probe = server.expect("server/discover");
        server.error(&probe, -32601, Value::Null);
        server.drain();
    });
    let error = builder().era(Era::PerRequest).open(scripts).err().expect("no session");
    assert!(matches!(error, ClientError::Answered { .. }), "ER-27: {error}");
}

#[test]
fn a_refused_handshake_is_the_error_of_the_session() {
    let scripts = Scripts::one(|server| {
        let probe = server.expect("server/discover");
        server.error(&probe, -32601, Value::Null);
        let request = server.expect("initialize");
        server.error(&request, -32603, Value::Null);
        server.drain();
    });
    let error = open(&scripts).err().expect("no session").to_string();
    assert!(error.contains("initialize") && error.contains("-32603"), "{error}");
}

#[derive(Default)]
struct Kept(Mutex<HashMap<String, Learnt>>);

impl Memory for Kept {
    fn recall(&self, key: &str) -> Option<Learnt> {
        self.0.lock().unwrap().get(key).copied()
    }

    fn keep(&self, key: &str, learnt: Learnt) {
        self.0.lock().unwrap().insert(key.to_owned(), learnt);
    }
}

#[test]
fn what_was_learnt_is_used_and_corrected_er_26() {
    let memory = Arc::new(Kept::default());
    let open = |scripts: Vec<Script>| {
        let scripts = Scripts::remembered(scripts, Some("toy"));
        let session = Session::builder("test", "1")
            .limits(limits())
            .memory(Arc::clone(&memory) as Arc<dyn Memory>)
            .open(scripts)
            .unwrap();
        revision(&session)
    };
    let first = open(vec![script(|server| {
        server.handshake("2025-06-18");
        server.drain();
    })]);
    assert_eq!(first, Revision::V2025_06_18);
    let learnt = Learnt { framing: Framing::Line, era: Era::Handshake };
    assert_eq!(memory.recall("toy"), Some(learnt));
    // Not probed again.
    open(vec![script(|server| {
        server.initialize("2025-06-18");
        server.drain();
    })]);
    // The server was updated meanwhile and has no handshake any more.
    let updated = open(vec![script(|server| {
        let request = server.expect("initialize");
        server.error(&request, -32601, Value::Null);
        server.stateless();
        server.drain();
    })]);
    assert_eq!(updated, Revision::V2026_07_28);
    assert_eq!(memory.recall("toy").unwrap().era, Era::PerRequest);
}

#[test]
fn a_server_that_cannot_be_started_is_said_so() {
    let error = open(&Scripts::new(Vec::new())).err().expect("no session");
    assert!(matches!(error, ClientError::Launch(_)), "{error}");
}

#[test]
fn a_server_that_refuses_to_be_discovered_is_stateless_all_the_same_er_22() {
    for code in [-32021, -32020] {
        let scripts = Scripts::one(move |server| {
            let probe = server.expect("server/discover");
            server.error(&probe, code, json!({"requiredCapabilities": {"elicitation": {}}}));
            let call = server.expect("tools/call");
            assert!(!call["params"]["_meta"].is_null());
            server.result(&call, said("done"));
            server.drain();
        });
        let session = open(&scripts).unwrap();
        assert_eq!(revision(&session), Revision::V2026_07_28);
        session.call_tool("x", None, &plain()).unwrap();
    }
}

#[test]
fn an_opening_can_be_cancelled_from_another_thread() {
    let token = CancelToken::new();
    let far = token.clone();
    let scripts = Scripts::one(move |server| {
        server.expect("server/discover");
        far.cancel();
        server.drain();
    });
    let builder = Session::builder("test", "1").limits(limits()).cancel(&token);
    let error = builder.open(scripts.clone()).err().expect("no session");
    assert!(matches!(error, ClientError::Cancelled), "{error}");
    assert_eq!((scripts.started(), scripts.stopped()), (1, 1));
}

/// A server that, as far as anybody can see, has not read what it was sent.
struct Slow {
    scripts: Scripts,
    looks: Looks,
}

/// How often it is still looked at before it starts, and what tells it so.
type Looks = Arc<Mutex<(usize, Option<Sender<()>>)>>;

struct SlowPipe(Box<dyn Output>, Looks);

impl Write for SlowPipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Output for SlowPipe {
    fn unread(&self) -> Option<usize> {
        let mut looks = self.1.lock().unwrap();
        looks.0 = looks.0.saturating_sub(1);
        if looks.0 == 0 {
            looks.1 = None;
        }
        Some(1)
    }
}

impl Launch for Slow {
    fn launch(&self, framing: Framing) -> io::Result<Link> {
        let mut link = self.scripts.launch(framing)?;
        link.output = Box::new(SlowPipe(link.output, Arc::clone(&self.looks)));
        Ok(link)
    }

    fn name(&self) -> &str {
        "slow"
    }
}

#[test]
fn a_server_that_is_slow_to_start_is_waited_for() {
    let (awake, has_slept) = channel::<()>();
    let scripts = Scripts::one(move |server| {
        assert!(has_slept.recv().is_err(), "all looks are used up");
        server.stateless();
        server.drain();
    });
    let looks = Arc::new(Mutex::new((3, Some(awake))));
    // The patience with the probe alone would have been over at once.
    let slow = Slow { scripts: scripts.clone(), looks };
    let session = Session::builder("test", "1").limits(hasty()).open(slow).unwrap();
    assert!(session.agreement().capabilities.tools.is_some());
    assert_eq!(scripts.started(), 1);
}

#[test]
fn a_server_that_never_reads_is_not_tried_in_another_framing() {
    let scripts = Scripts::one(Server::drain);
    let looks = Arc::new(Mutex::new((usize::MAX, None)));
    let limits = ClientLimits { handshake_timeout: Duration::ZERO, ..hasty() };
    let slow = Slow { scripts: scripts.clone(), looks };
    let error = Session::builder("test", "1").limits(limits).open(slow).err().expect("no session");
    assert!(matches!(error, ClientError::NotReading { .. }), "{error}");
    assert_eq!(scripts.started(), 1);
}
