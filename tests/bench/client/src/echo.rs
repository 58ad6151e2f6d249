//! The server that every client is measured with: answers what it must, at once, on one thread.
//!
//! All whole lines of one read are answered in one write, so the server is not what limits a client.

use std::io::{Read, Write};

use serde::Deserialize;
use serde_json::value::RawValue;

const CHUNK: usize = 256 * 1024;

#[derive(Deserialize)]
struct Message<'m> {
    #[serde(borrow)]
    id: Option<&'m RawValue>,
    method: Option<&'m str>,
    #[serde(borrow)]
    params: Option<Params<'m>>,
}

#[derive(Deserialize)]
struct Params<'m> {
    #[serde(borrow)]
    arguments: Option<Arguments<'m>>,
    #[serde(borrow, rename = "_meta")]
    meta: Option<Meta<'m>>,
    #[serde(borrow, rename = "protocolVersion")]
    version: Option<&'m RawValue>,
}

#[derive(Deserialize)]
struct Arguments<'m> {
    #[serde(borrow)]
    text: &'m RawValue,
}

#[derive(Deserialize)]
struct Meta<'m> {
    #[serde(borrow, rename = "io.modelcontextprotocol/protocolVersion")]
    version: Option<&'m RawValue>,
}

fn main() -> std::io::Result<()> {
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let (mut unread, mut answers) = (Vec::new(), Vec::new());
    let mut chunk = vec![0; CHUNK];
    loop {
        let count = input.read(&mut chunk)?;
        if count == 0 {
            return Ok(());
        }
        let searched = unread.len();
        unread.extend_from_slice(&chunk[..count]);
        let Some(last) = chunk[..count].iter().rposition(|byte| *byte == b'\n') else { continue };
        let whole = searched + last + 1;
        for line in unread[..whole].split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            answer(line, &mut answers)?;
        }
        unread.drain(..whole);
        output.write_all(&answers)?;
        output.flush()?;
        answers.clear();
    }
}

fn answer(line: &[u8], out: &mut Vec<u8>) -> std::io::Result<()> {
    let message: Message<'_> = serde_json::from_slice(line)?;
    let Some(id) = message.id else { return Ok(()) };
    let params = message.params.as_ref();
    let stateless = params.and_then(|params| params.meta.as_ref()).and_then(|meta| meta.version);
    let kind = if stateless.is_some() { "\"resultType\":\"complete\"," } else { "" };
    let fresh = if stateless.is_some() { ",\"ttlMs\":0,\"cacheScope\":\"private\"" } else { "" };
    write!(out, "{{\"jsonrpc\":\"2.0\",\"id\":{id},")?;
    match message.method.unwrap_or_default() {
        "initialize" => {
            let version = params.and_then(|params| params.version).map_or("null", RawValue::get);
            write!(
                out,
                "\"result\":{{\"protocolVersion\":{version},\"capabilities\":{{\"tools\":{{}}}},\
                 \"serverInfo\":{{\"name\":\"echo\",\"version\":\"1\"}}}}"
            )?;
        }
        "server/discover" if stateless.is_some() => write!(
            out,
            "\"result\":{{{kind}\"supportedVersions\":[\"2026-07-28\"],\
             \"capabilities\":{{\"tools\":{{}}}}{fresh}}}"
        )?,
        "tools/list" => write!(
            out,
            "\"result\":{{{kind}\"tools\":[{{\"name\":\"echo\",\"description\":\"Returns its text\",\
             \"inputSchema\":{{\"type\":\"object\",\"properties\":{{\"text\":{{\"type\":\"string\"}}}}}}}}]{fresh}}}"
        )?,
        "tools/call" => {
            let text = params.and_then(|params| params.arguments.as_ref());
            let text = text.map_or("null", |arguments| arguments.text.get());
            write!(out, "\"result\":{{{kind}\"content\":[{{\"type\":\"text\",\"text\":")?;
            out.extend_from_slice(text.as_bytes());
            write!(out, "}}]}}")?;
        }
        "ping" => write!(out, "\"result\":{{}}")?,
        _ => write!(out, "\"error\":{{\"code\":-32601,\"message\":\"method not found\"}}")?,
    }
    out.extend_from_slice(b"}\n");
    Ok(())
}
