//! The reading thread: takes messages apart and hands them to whoever waits.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mcp_proto::{
    Cancelled, ElicitationComplete, EmptyResult, Era, Incoming, LogMessage, Method, MethodName,
    NotificationMeta, Progress, RequestId, ResourceUpdated, RpcError, SubscriptionsAcknowledged,
    Wire, decode, decode_params,
};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::connection::Connection;
use super::handler::Event;
use super::pending::Answer;
use crate::frame::{FrameEvent, FrameReader, Framing};
use crate::sync::lock;

/// How much of a stray line is shown.
const SHOWN: usize = 200;

/// Which lists a session has read are out of date.
#[derive(Debug, Default)]
pub(super) struct Stale {
    pub(super) tools: AtomicBool,
    pub(super) prompts: AtomicBool,
    pub(super) resources: AtomicBool,
}

/// Reads until the stream ends, or until what comes is beyond hope.
pub(super) fn run(connection: &Arc<Connection>, mut reader: FrameReader<Box<dyn Read + Send>>) {
    let mut noise = 0;
    let problem = loop {
        let mut frame = Vec::new();
        match reader.read_frame(&mut frame) {
            Ok(Some(FrameEvent::Message)) => {
                if message(connection, &mut frame) {
                    connection.spoke.store(true, Ordering::Relaxed);
                    if noise > 0 {
                        *lock(&connection.stray) = None;
                        noise = 0;
                    }
                    continue;
                }
                if speaks_headers(connection, &frame) {
                    connection.speaks_headers.store(true, Ordering::Relaxed);
                    break Some("it answers with header blocks where lines were asked for".into());
                }
                stray(connection, noise, shown(&frame));
            }
            Ok(Some(FrameEvent::TooLong { length })) => {
                too_long(connection, &frame, reader.tail(), length);
            }
            Ok(Some(FrameEvent::Malformed(fault))) => {
                stray(connection, noise, fault.to_string());
            }
            Ok(None) => break None,
            Err(error) => break Some(format!("its output cannot be read: {error}")),
        }
        noise += 1;
        if noise > connection.shared.limits.max_noise {
            break Some(format!("it wrote {noise} things in a row that are no messages"));
        }
    };
    connection.ended(problem);
}

/// Notes what is no message, as the `before`th in a row.
fn stray(connection: &Connection, before: u32, what: String) {
    log::warn!("the server wrote what is no message: {what}");
    if before == 0 {
        *lock(&connection.stray) = Some(what);
    }
}

/// Whether the first line is one of a header block, which a reader of lines cannot go on from.
fn speaks_headers(connection: &Connection, line: &[u8]) -> bool {
    const NAME: &[u8] = b"content-length";
    connection.framing() == Framing::Line
        && !connection.spoke.load(Ordering::Relaxed)
        && line.get(..NAME.len()).is_some_and(|start| start.eq_ignore_ascii_case(NAME))
}

/// Ends the request that an over-long answer belongs to, where its head says which one.
fn too_long(connection: &Connection, head: &[u8], tail: &[u8], length: u64) {
    let limit = connection.shared.limits.max_frame;
    let problem = format!("{length} bytes are over the limit of {limit}");
    log::warn!("the server wrote a message that is too long: {problem}");
    if let Some(id) = id_in(head).or_else(|| id_at_end(tail)) {
        connection.answer_of(Some(&id), Answer::Invalid(problem));
    }
}

/// Finds the id of an answer that was cut off: a number, before anything nested.
fn id_in(head: &[u8]) -> Option<RequestId> {
    let text = String::from_utf8_lossy(head);
    let (before, after) = text.split_once("\"id\"")?;
    if before.matches('{').count() != 1 {
        return None;
    }
    let digits = after.trim_start().strip_prefix(':')?.trim_start();
    let end = digits.find(|c: char| !c.is_ascii_digit())?;
    digits[..end].parse::<i64>().ok().map(RequestId::from)
}

/// Finds the id of an answer that was cut off where it stands last, as the official SDK for TypeScript
/// writes it, or only before `jsonrpc`. No nested id can be taken for it: what closes right behind is
/// the message itself.
fn id_at_end(tail: &[u8]) -> Option<RequestId> {
    let text = String::from_utf8_lossy(tail);
    let text = text.trim_end().strip_suffix('}')?.trim_end();
    let text = match text.rsplit_once(',') {
        Some((before, last)) if last.trim_start().starts_with("\"jsonrpc\"") => before,
        _ => text,
    };
    let (_, member) = text.rsplit_once(',')?;
    let digits = member.trim().strip_prefix("\"id\"")?.trim_start().strip_prefix(':')?;
    digits.trim().parse::<i64>().ok().map(RequestId::from)
}

fn shown(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(&line[..line.len().min(SHOWN)]);
    format!("{text:?}")
}

/// Works on one frame; returns whether it held a message.
fn message(connection: &Arc<Connection>, frame: &mut Vec<u8>) -> bool {
    let base = frame.as_ptr() as usize;
    let (id, range) = match decode(frame) {
        Incoming::Response { id: Some(id), result: Ok(result) } => {
            let start = result.get().as_ptr() as usize - base;
            (id, start..start + result.get().len())
        }
        Incoming::Batch(messages) => {
            let real = messages.iter().any(is_message);
            for message in messages {
                take(connection, message);
            }
            return real;
        }
        incoming => {
            let real = is_message(&incoming);
            take(connection, incoming);
            return real;
        }
    };
    // The frame goes to the waiter as it is: its result is decoded once, by who knows its type.
    let frame = std::mem::take(frame);
    connection.answer_of(Some(&id), Answer::Result { frame, range });
    true
}

/// Whether a message may count as one: not every line of a chatty program does.
const fn is_message(incoming: &Incoming<'_>) -> bool {
    !matches!(incoming, Incoming::Invalid { .. })
}

fn take(connection: &Arc<Connection>, incoming: Incoming<'_>) {
    match incoming {
        Incoming::Response { id, result: Ok(result) } => {
            let frame = result.get().as_bytes().to_vec();
            let range = 0..frame.len();
            connection.answer_of(id.as_ref(), Answer::Result { frame, range });
        }
        Incoming::Response { id, result: Err(error) } => {
            connection.answer_of(id.as_ref(), Answer::Error(error));
        }
        Incoming::Request { id, method, params } => request(connection, &id, &method, params),
        Incoming::Notification { method, params } => notification(connection, &method, params),
        Incoming::Invalid { id, error, names_method, .. } => {
            // An answer with both a result and an error, or neither, still is the only one that comes.
            if let Some(id) = id.filter(|_| !names_method) {
                connection.answer_of(Some(&id), Answer::Invalid(error.message));
            }
        }
        Incoming::Batch(_) => {}
    }
}

fn request(
    connection: &Arc<Connection>,
    id: &RequestId,
    method: &MethodName<'_>,
    params: Option<&RawValue>,
) {
    let revision = connection.revision();
    if revision.era() == Era::PerRequest {
        // A server of this revision has no requests, and a client never answers.
        log::warn!("the server sent the request {:?}, which has no place here", method.as_str());
        return;
    }
    let wire = Wire::new(revision);
    match method.known() {
        Some(Method::Ping) => connection.send(|out| {
            let answered = wire.result(out, id, &EmptyResult::default());
            debug_assert!(answered.is_ok(), "an empty result has a form in every revision");
        }),
        Some(method) if method.spec().server_may_send(revision) => {
            connection.asked.start(connection, id, method, params);
        }
        _ => connection.send(|out| {
            wire.error(out, Some(id), &RpcError::method_not_found(method.as_str()));
        }),
    }
}

fn notification(connection: &Arc<Connection>, method: &MethodName<'_>, params: Option<&RawValue>) {
    let shared = &connection.shared;
    let Some(method) = method.known().filter(|m| m.spec().from_server.is_some()) else {
        log::debug!("unknown notification {:?}", method.as_str());
        return;
    };
    if let Ok(meta) = NotificationMeta::from_params(params)
        && let Some(subscription) = &meta.subscription_id
        && !connection.watches.holds(subscription)
    {
        // SU-06: what belongs to no subscription of ours is not ours.
        log::debug!("notification for an unknown subscription: {method}");
        return;
    }
    match method {
        Method::Progress => {
            if let Some(progress) = typed::<Progress>(method, params)
                && !connection.pending.report(progress)
            {
                log::debug!("progress of a request that does not wait");
            }
        }
        Method::Cancelled => {
            if let Some(Cancelled { request_id: Some(id), reason, .. }) = typed(method, params) {
                log::debug!("the server cancelled {id:?}: {reason:?}");
                if !connection.watches.finish(&id, None, &shared.events) {
                    connection.asked.cancel(&id);
                }
            }
        }
        Method::ToolListChanged => {
            shared.stale.tools.store(true, Ordering::SeqCst);
            shared.events.push(Event::ToolsChanged);
        }
        Method::PromptListChanged => {
            shared.stale.prompts.store(true, Ordering::SeqCst);
            shared.events.push(Event::PromptsChanged);
        }
        Method::ResourceListChanged => {
            shared.stale.resources.store(true, Ordering::SeqCst);
            shared.events.push(Event::ResourcesChanged);
        }
        Method::ResourceUpdated => {
            if let Some(updated) = typed::<ResourceUpdated>(method, params) {
                shared.events.push(Event::ResourceUpdated(updated.uri));
            }
        }
        Method::LogMessage => {
            if let Some(message) = typed::<LogMessage>(method, params) {
                shared.events.push(Event::Log(message));
            }
        }
        Method::ElicitationComplete => {
            if let Some(done) = typed::<ElicitationComplete>(method, params) {
                shared.events.push(Event::ElicitationComplete(done.elicitation_id));
            }
        }
        Method::SubscriptionsAcknowledged => {
            if let Ok(meta) = NotificationMeta::from_params(params)
                && let Some(id) = meta.subscription_id
                && let Some(ack) = typed::<SubscriptionsAcknowledged>(method, params)
            {
                connection.watches.acknowledge(&id, ack.notifications);
            }
        }
        _ => log::debug!("notification {method} is not heeded"),
    }
}

fn typed<T: DeserializeOwned>(method: Method, params: Option<&RawValue>) -> Option<T> {
    match decode_params(params) {
        Ok(notification) => Some(notification),
        Err(error) => {
            log::debug!("{method}: {}", error.message);
            None
        }
    }
}
