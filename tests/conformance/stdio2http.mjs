#!/usr/bin/env node
// stdio2http.mjs - a stdio MCP server that hands everything to a Streamable HTTP MCP server.
//
//   node stdio2http.mjs [--trace FILE] [--report FILE] <url>
//
// A stdio-only client starts this as its server. Messages go through unchanged; the bridge adds the
// HTTP side on the client's behalf: the session id and GET stream (<= 2025-11-25), the request
// headers (2026-07-28), and closing a response stream when the client cancels a request.
// --trace keeps a copy of the messages, --report gets one JSON line per broken stdio rule.
import { appendFileSync } from "node:fs";

const args = process.argv.slice(2);
const opt = {};
while (args[0]?.startsWith("--")) opt[args.shift().slice(2)] = args.shift();
const url = args[0];
if (!url) {
  console.error("usage: stdio2http.mjs [--trace FILE] [--report FILE] <url>");
  process.exit(2);
}

const META = "io.modelcontextprotocol/";
const NAME_FIELD = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};
const running = new Map(); // JSON of request id -> AbortController
const used = new Set(); // every request id so far
const background = new AbortController(); // the GET stream
let session; // Mcp-Session-Id
let version; // negotiated by initialize

const log = (arrow, text) => opt.trace && appendFileSync(opt.trace, `${arrow} ${text}\n`);
function violation(level, rule, detail) {
  console.error(`[bridge] ${level} ${rule}: ${detail}`);
  if (opt.report)
    appendFileSync(
      opt.report,
      JSON.stringify({ level, rule, detail: detail.slice(0, 300) }) + "\n",
    );
}
function toClient(text) {
  // One message, one line: only a pretty-printed body has to be written anew.
  if (/[\r\n]/.test(text)) text = JSON.stringify(JSON.parse(text));
  log("<", text);
  process.stdout.write(text + "\n");
}
const fail = (id, code, message) =>
  toClient(JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } }));

// Header values outside visible ASCII travel as =?base64?...?=
const plain = (s) =>
  /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(s) && !/^=\?base64\?.*\?=$/.test(s);
const encode = (s) => (plain(s) ? s : `=?base64?${Buffer.from(s, "utf8").toString("base64")}?=`);

function headersFor(msg) {
  const h = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
  const modern = msg.params?._meta?.[META + "protocolVersion"];
  // The version header only ever repeats what the client itself said or negotiated, so a client
  // that leaves the version out of _meta still fails the checks for it.
  if (modern ?? version) h["MCP-Protocol-Version"] = modern ?? version;
  if (session) h["Mcp-Session-Id"] = session;
  if (!session && msg.method) {
    h["Mcp-Method"] = msg.method;
    const name = msg.params?.[NAME_FIELD[msg.method]];
    if (typeof name === "string") h["Mcp-Name"] = encode(name);
  }
  return h;
}

// Read an SSE body; every event with data is one JSON-RPC message.
async function readEvents(body, each) {
  const decoder = new TextDecoder();
  let buffer = "";
  let data = [];
  for await (const chunk of body) {
    buffer += decoder.decode(chunk, { stream: true });
    const lines = buffer.split(/\r\n|\n|\r(?!$)/);
    buffer = lines.pop();
    for (const line of lines) {
      if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
      else if (line === "") {
        const text = data.join("\n");
        data = [];
        if (text.trim()) each(text);
      }
    }
  }
}

async function openGetStream() {
  const headers = { Accept: "text/event-stream", "Mcp-Session-Id": session };
  if (version) headers["MCP-Protocol-Version"] = version;
  const res = await fetch(url, { headers, signal: background.signal }).catch(() => undefined);
  if (!res?.ok || !res.headers.get("content-type")?.includes("text/event-stream"))
    return void res?.body?.cancel();
  readEvents(res.body, toClient).catch(() => {});
}

async function send(msg, text) {
  const isRequest = msg.method !== undefined && msg.id !== undefined;
  const abort = new AbortController();
  if (isRequest) running.set(JSON.stringify(msg.id), abort);
  let answered = !isRequest;
  const each = (raw) => {
    const m = JSON.parse(raw);
    if (m.jsonrpc !== "2.0") return; // some other JSON, reported as an HTTP error below
    const response = m.method === undefined && ("result" in m || "error" in m);
    if (response && isRequest) {
      answered = true;
      // HTTP knows which request an error without id belongs to; on stdio only the id can tell.
      if (m.id === null || m.id === undefined) raw = JSON.stringify({ ...m, id: msg.id });
      if (msg.method === "initialize" && m.result) version = m.result.protocolVersion;
    }
    toClient(raw);
  };
  try {
    const res = await fetch(url, {
      method: "POST",
      headers: headersFor(msg),
      body: text,
      signal: abort.signal,
    });
    if (msg.method === "initialize") session = res.headers.get("mcp-session-id") ?? undefined;
    const type = res.headers.get("content-type") ?? "";
    if (type.includes("text/event-stream")) await readEvents(res.body, each);
    else {
      const body = await res.text();
      if (isRequest && type.includes("application/json") && body.trim()) each(body);
      if (!answered) fail(msg.id, -32603, `HTTP ${res.status}: ${body.slice(0, 200)}`);
    }
    if (!answered) fail(msg.id, -32603, "response stream ended without a response");
  } catch (e) {
    if (isRequest && !answered && !abort.signal.aborted)
      fail(msg.id, -32603, `HTTP request failed: ${e.cause ?? e}`);
  } finally {
    if (isRequest) running.delete(JSON.stringify(msg.id));
  }
}

async function fromClient(text) {
  log(">", text);
  let msg;
  try {
    msg = JSON.parse(text);
  } catch {
    violation("FAILURE", "stdin-not-json", text || "(blank line)");
    return text.trim() && fail(null, -32700, "Parse error");
  }
  const response =
    msg?.method === undefined && (msg?.result !== undefined || msg?.error !== undefined);
  if (msg?.jsonrpc !== "2.0" || !(response || typeof msg.method === "string")) {
    violation("FAILURE", "stdin-not-jsonrpc", text);
  }
  if (response && !version) violation("FAILURE", "client-response-on-stdio", text);
  if (!response && msg?.id !== undefined) {
    const id = JSON.stringify(msg.id);
    if (version ? used.has(id) : running.has(id)) violation("FAILURE", "reused-id", text);
    used.add(id);
  }
  if (msg.method === "notifications/cancelled" && !session && !version) {
    // 2026-07-28: over HTTP, closing the response stream is the cancellation.
    running.get(JSON.stringify(msg.params?.requestId))?.abort();
    return;
  }
  const job = send(msg, text);
  // Later lines wait for initialize (session id) and for notifications and responses to arrive;
  // requests run side by side.
  if (msg.method === "initialize" || msg.method === undefined || msg.id === undefined) await job;
  // Server requests may come on the GET stream as soon as the next request is sent.
  if (msg.method === "notifications/initialized" && session) await openGetStream();
}

let closed = false;
process.on("SIGTERM", () =>
  setTimeout(() => {
    // The pipe may have been closed just before the signal; 0.1 s lets its end-of-file get here.
    if (!closed) violation("WARNING", "killed-before-stdin-close", "SIGTERM");
    process.exit(0);
  }, 100),
);

let queue = Promise.resolve();
let rest = Buffer.alloc(0);
process.stdin.on("data", (chunk) => {
  rest = Buffer.concat([rest, chunk]);
  for (let at; (at = rest.indexOf(10)) >= 0; rest = rest.subarray(at + 1)) {
    const line = rest.subarray(0, at).toString("utf8").replace(/\r$/, "");
    queue = queue.then(() => fromClient(line));
  }
});
process.stdin.on("end", async () => {
  closed = true;
  await queue;
  background.abort();
  for (const abort of running.values()) abort.abort();
  if (session) {
    const headers = {
      "Mcp-Session-Id": session,
      ...(version && { "MCP-Protocol-Version": version }),
    };
    await fetch(url, { method: "DELETE", headers, signal: AbortSignal.timeout(2000) }).catch(
      () => {},
    );
  }
  process.exit(0);
});
