//! Every provider against a server that speaks its wire format, faults included.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a fake that fails is the test's own fault"
)]

mod agents;
mod cancel;
mod fake;
mod faults;
mod forms;
mod review;
mod script;

use std::time::Duration;

use llm_http::{Key, Kind, Provider, Settings, Structured, Timing};
use review_tool::model::{Form, Redacted, Request, Turn};

pub(crate) const KEY: &str = "test-key-0123456789";

/// Short times, so that what must give up does so soon. None of them is a measure of anything.
pub(crate) const TIMING: Timing = Timing {
    connect: Duration::from_secs(5),
    idle: Duration::from_millis(300),
    total: Duration::from_secs(30),
    attempts: 3,
    backoff: Duration::ZERO,
};

pub(crate) fn settings(kind: Kind, url: &str) -> Settings {
    Settings {
        name: "mine".to_owned(),
        kind,
        model: "some-model".to_owned(),
        base_url: Some(url.to_owned()),
        key: Key::new(KEY.to_owned()),
        structured: Structured::Schema,
        tools: Some(true),
        input_tokens: Some(50_000),
        output_tokens: None,
        price: None,
        timing: Timing { idle: Duration::from_secs(20), ..TIMING },
        proxy: None,
        ca: None,
    }
}

pub(crate) fn provider(kind: Kind, url: &str) -> Provider {
    Provider::new(settings(kind, url)).unwrap()
}

pub(crate) fn request(text: &str) -> Request {
    Request {
        system: Redacted::new("the rubric"),
        turns: vec![Turn::Ask(vec![Redacted::new("shared"), Redacted::new(text)])],
        tools: Vec::new(),
        may_call: false,
        form: Form { name: "report_findings", schema: review_tool::reply::schema() },
        output_tokens: 1234,
    }
}
