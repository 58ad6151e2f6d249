//! Cancelling, while an answer is awaited or comes in.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use review_tool::control::{Control, Progress};
use review_tool::model::{Model, ModelError};

use crate::fake::{End, Fake, Reply};
use crate::script::{self, Ending, KINDS};
use crate::{provider, request};

#[derive(Default)]
struct Flag(AtomicBool);

impl Control for Flag {
    fn cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    fn progress(&self, _: Progress) {}
}

#[test]
fn a_cancelled_request_closes_its_connection() {
    for kind in KINDS {
        for bytes in [0, 1] {
            let mut reply = script::answer(kind, "{\"summary\":\"s\"}", Ending::Done);
            // Before the first event, and in mid-stream.
            reply.body.truncate(reply.body.len() / 2 * bytes);
            let fake = Fake::with(vec![reply.end(End::Hang)]);
            let flag = Flag::default();
            thread::scope(|scope| {
                let asked = scope.spawn(|| provider(kind, &fake.url).ask(&request("x"), &flag));
                fake.wait_for_request();
                flag.0.store(true, Ordering::Relaxed);
                assert_eq!(asked.join().unwrap().unwrap_err(), ModelError::Cancelled);
            });
            fake.wait_for_close();
        }
    }
}

#[test]
fn a_wait_before_another_try_is_cut_short() {
    let fake = Fake::with(vec![Reply::status(429, "{}").header("retry-after", "59")]);
    let flag = Flag::default();
    thread::scope(|scope| {
        let asked = scope.spawn(|| provider(KINDS[0], &fake.url).ask(&request("x"), &flag));
        fake.wait_for_request();
        flag.0.store(true, Ordering::Relaxed);
        assert_eq!(asked.join().unwrap().unwrap_err(), ModelError::Cancelled);
    });
    assert_eq!(fake.received().len(), 1);
}
