//! Streams of events, line by line and bounded.
//!
//! Source: <https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream>.

use std::io::{self, BufRead, Read};

/// A line, or the data of an event, of more bytes breaks the stream off.
const MAX_EVENT: usize = 4 << 20;

/// How events are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// `event:` and `data:` lines, ended by an empty one.
    Sse,
    /// One JSON text for each line.
    Lines,
}

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    /// What it is called; empty where the stream gives no name.
    pub(crate) name: String,
    /// What it holds.
    pub(crate) data: String,
}

/// Reads events.
pub(crate) struct Events<R> {
    input: R,
    framing: Framing,
}

impl<R: BufRead> Events<R> {
    pub(crate) fn new(input: R, framing: Framing) -> Self {
        Self { input, framing }
    }

    /// The next event; `None` at the end of the stream. An event without its empty line is none, as the
    /// stream may have broken off within it.
    ///
    /// # Errors
    /// What the stream fails with, and [`io::ErrorKind::InvalidData`] for an event that is too large.
    pub(crate) fn next(&mut self) -> io::Result<Option<Event>> {
        let (mut name, mut data, mut has_data) = (String::new(), String::new(), false);
        loop {
            let Some(line) = self.line()? else { return Ok(None) };
            if self.framing == Framing::Lines {
                if line.trim().is_empty() {
                    continue;
                }
                return Ok(Some(Event { name, data: line }));
            }
            if line.is_empty() {
                if has_data {
                    return Ok(Some(Event { name, data }));
                }
                name.clear();
                continue;
            }
            let (field, value) = line.split_once(':').unwrap_or((&line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match field {
                "event" => value.clone_into(&mut name),
                "data" => {
                    if has_data {
                        data.push('\n');
                    }
                    has_data = true;
                    data.push_str(value);
                    if data.len() > MAX_EVENT {
                        return Err(too_large());
                    }
                }
                _ => {}
            }
        }
    }

    /// A line without its end. The last line counts only where its end was received.
    fn line(&mut self) -> io::Result<Option<String>> {
        let mut line = Vec::new();
        let read = self.input.by_ref().take(MAX_EVENT as u64 + 1).read_until(b'\n', &mut line)?;
        if read > MAX_EVENT {
            return Err(too_large());
        }
        if line.pop() != Some(b'\n') {
            return Ok(None);
        }
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        Ok(Some(String::from_utf8_lossy(&line).into_owned()))
    }
}

fn too_large() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "an event is larger than 4 MiB")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str, framing: Framing) -> Vec<(String, String)> {
        let mut events = Events::new(text.as_bytes(), framing);
        let mut out = Vec::new();
        while let Some(event) = events.next().unwrap() {
            out.push((event.name, event.data));
        }
        out
    }

    #[test]
    fn events_are_told_apart_and_one_that_broke_off_is_none() {
        let text = ": hello\r\n\r\nevent: a\r\ndata: {\"x\":\r\ndata:  1}\r\nid: 3\r\n\r\ndata:[DONE]\n\nevent: lost\n\nevent: cut\ndata: {";
        let want = [("a", "{\"x\":\n 1}"), ("", "[DONE]")];
        let got = all(text, Framing::Sse);
        assert_eq!(got, want.map(|(name, data)| (name.to_owned(), data.to_owned())));
    }

    #[test]
    fn lines_are_events_and_the_last_needs_its_end() {
        let got = all("{\"a\":1}\n\n{\"b\":2}\r\n{\"c\"", Framing::Lines);
        let data: Vec<&str> = got.iter().map(|(_, data)| data.as_str()).collect();
        assert_eq!(data, ["{\"a\":1}", "{\"b\":2}"]);
    }

    #[test]
    fn an_event_without_end_is_refused() {
        let endless = io::BufReader::new(io::repeat(b'x'));
        let error = Events::new(endless, Framing::Sse).next().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    }
}
