#!/usr/bin/env node
// http2stdio.mjs - put a Streamable HTTP face on a stdio MCP server.
//
//   node http2stdio.mjs [--port N] [--path /mcp] [--timeout ms] [--grace ms] [--report FILE]
//                       [--stderr FILE] [--pin-version REV] [--opening 0] -- <server command> [args...]
//
// The first line on stdout is the URL. JSON-RPC messages go through unchanged, one per line.
// What the bridge adds is only what HTTP needs and stdio lacks:
//   revisions <= 2025-11-25  one child process per session (Mcp-Session-Id, GET stream, DELETE);
//   revision  2026-07-28     one shared child; header checks, HTTP status codes, and
//                            "client hung up" turned into notifications/cancelled.
// stdio has one channel and HTTP one stream per request, so each message of the child has to be
// assigned to a stream: responses by id, progress by token, subscription notifications by
// subscriptionId, everything else by the rules in pick(). Broken stdio rules (stray output,
// unknown ids, server requests in 2026-07-28, ...) are collected and written to --report.
//
// The shared child first gets a valid server/discover and tools/list. Over HTTP a header tells even
// for a malformed request which era it belongs to; on stdio only the opening can, and servers for
// both eras choose by it (the spec recommends the probe to clients). --opening 0 leaves it out.
// --pin-version puts a revision into initialize (the suite itself always asks for 2025-11-25).
import http from "node:http";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { openSync, writeFileSync } from "node:fs";

// ---------------------------------------------------------------- options
const opt = { port: 0, path: "/mcp", timeout: 25000, grace: 3000, opening: 1 };
const argv = process.argv.slice(2);
while (argv.length && argv[0] !== "--") {
  const key = argv.shift().replace(/^--/, "");
  opt[key] = typeof opt[key] === "number" ? Number(argv.shift()) : argv.shift();
}
argv.shift();
if (!argv.length) throw new Error("usage: http2stdio.mjs [options] -- <server command> [args...]");

const LEGACY = new Set(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]);
const META = "io.modelcontextprotocol/";
const SUBSCRIPTION = META + "subscriptionId";
const LISTEN = "subscriptions/listen";
const key = (id) => JSON.stringify(id); // keeps 1 and "1" apart
const metaOf = (msg) => msg.params?._meta ?? {};
const isObject = (v) => typeof v === "object" && v !== null && !Array.isArray(v);
const isRequest = (m) => m.method !== undefined && m.id !== undefined;
const isResponse = (m) =>
  m.method === undefined && (m.result !== undefined || m.error !== undefined);
const rpcError = (id, code, message) => ({
  jsonrpc: "2.0",
  id: id ?? null,
  error: { code, message },
});
const sse = (text) => `event: message\ndata: ${text}\n\n`;
const SSE = {
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-cache",
  "X-Accel-Buffering": "no",
};

// ---------------------------------------------------------------- report of stdio rule violations
const report = { command: argv, processes: [], violations: [] };
function violation(level, rule, detail) {
  const old = report.violations.find((v) => v.rule === rule);
  if (old) return void old.count++;
  report.violations.push({ level, rule, count: 1, detail });
  console.error(`[bridge] ${level} ${rule}: ${detail}`);
}
const short = (s) => (s.length > 300 ? s.slice(0, 300) + "..." : s);

// ---------------------------------------------------------------- one POST that waits for a response
class Exchange {
  constructor(res, msg, headers = {}) {
    Object.assign(this, { res, msg, headers, done: false, streaming: false });
    this.outer = msg.id; // id the HTTP client used
    this.inner = msg.id; // id the child sees (differs only after a clash, see Child.request)
  }
  // Give the child's message back to the HTTP client in its own id space.
  #restore(msg, raw) {
    if (this.inner === this.outer) return /\r/.test(raw) ? JSON.stringify(msg) : raw;
    const meta = msg.params?._meta ?? msg.result?._meta ?? {};
    if (isResponse(msg)) msg.id = this.outer;
    if (SUBSCRIPTION in meta) meta[SUBSCRIPTION] = this.outer;
    if (msg.method === "notifications/cancelled") msg.params.requestId = this.outer;
    return JSON.stringify(msg);
  }
  // A notification or server request: switches the answer to an SSE stream.
  event(msg, raw) {
    if (this.done) return;
    if (!this.streaming) {
      this.streaming = true;
      this.res.writeHead(200, { ...this.headers, ...SSE });
    }
    this.res.write(sse(this.#restore(msg, raw)));
  }
  // The response: plain JSON with a fitting status when nothing was streamed before it.
  finish(msg, raw, status = 200) {
    if (this.done) return;
    this.done = true;
    clearTimeout(this.timer);
    const text = this.#restore(msg, raw ?? JSON.stringify(msg));
    if (this.streaming) return this.res.end(sse(text));
    this.res.writeHead(status, { ...this.headers, "Content-Type": "application/json" });
    this.res.end(text);
    if (msg.error) this.onError?.();
  }
}

// ---------------------------------------------------------------- one child process
const children = new Set();
class Child {
  pending = new Map(); // key(inner id) -> Exchange, in order of arrival
  used = new Set(); // every id this child has seen
  dropped = new Map(); // key(inner id) -> time of cancellation
  served = new Map(); // key(id of a server request) -> Exchange that carried it
  backlog = []; // messages for a GET stream that is not open yet
  constructor(modern) {
    this.modern = modern;
    const err = opt.stderr ? openSync(opt.stderr, "a") : "inherit";
    this.proc = spawn(argv[0], argv.slice(1), { stdio: ["pipe", "pipe", err] });
    this.info = {
      era: modern ? "stateless" : "stateful",
      pid: this.proc.pid,
      linesIn: 0,
      linesOut: 0,
    };
    report.processes.push(this.info);
    children.add(this);
    this.exited = new Promise((done) => {
      this.proc.on("error", (e) => this.#gone(`cannot start: ${e.message}`, done));
      this.proc.on("close", (code, signal) =>
        this.#gone(`exit code ${code}, signal ${signal}`, done, code),
      );
    });
    this.proc.stdin.on("error", () => {}); // EPIPE: 'close' reports it
    let rest = Buffer.alloc(0);
    this.proc.stdout.on("data", (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      for (let at; (at = rest.indexOf(10)) >= 0; rest = rest.subarray(at + 1))
        this.#line(rest.subarray(0, at));
    });
    this.proc.stdout.on(
      "end",
      () => rest.length && violation("FAILURE", "unterminated-line", short(rest.toString())),
    );
  }
  get alive() {
    return children.has(this);
  }
  #gone(why, done, code) {
    if (!this.alive) return;
    children.delete(this);
    this.info.exit = why;
    if (!this.closing) violation("FAILURE", "unexpected-exit", why);
    else if (code && !this.killed)
      violation("WARNING", "exit-status", `${why} after stdin was closed`);
    for (const ex of [...this.pending.values()]) {
      ex.finish(
        rpcError(ex.outer, -32603, `server process is gone (${why})`),
        undefined,
        this.modern ? 500 : 200,
      );
    }
    this.pending.clear();
    this.stream?.end();
    done();
  }
  write(line) {
    this.info.linesIn++;
    this.proc.stdin.write(line + "\n");
  }
  // Send a request and remember who asked. Ids stay as they are; only when an id was already used
  // on this child (several HTTP clients share it) a fresh one is put in its place.
  request(ex, text) {
    if (!this.alive)
      return ex.finish(
        rpcError(ex.outer, -32603, `server process is gone (${this.info.exit})`),
        undefined,
        500,
      );
    if (this.used.has(key(ex.inner))) {
      ex.inner =
        typeof ex.outer === "string" ? `${ex.outer}~${this.used.size}` : 700000000 + this.used.size;
      text = JSON.stringify({ ...ex.msg, id: ex.inner });
    }
    this.used.add(key(ex.inner));
    this.pending.set(key(ex.inner), ex);
    ex.res.on("close", () => this.modern && this.drop(ex, "client closed the stream"));
    if (ex.msg.method !== LISTEN) {
      ex.timer = setTimeout(() => {
        this.drop(ex, "timeout");
        ex.finish(
          rpcError(ex.outer, -32603, `bridge: no response within ${opt.timeout} ms`),
          undefined,
          504,
        );
      }, opt.timeout);
    }
    this.write(text);
  }
  // Two valid requests on nobody's behalf, each until it is answered (whatever the answer) or 3 s.
  async opening() {
    const _meta = { [META + "protocolVersion"]: "2026-07-28", [META + "clientCapabilities"]: {} };
    _meta[META + "clientInfo"] = { name: "http2stdio", version: "1" };
    for (const method of ["server/discover", "tools/list"]) {
      const msg = { jsonrpc: "2.0", id: `opening ${method}`, method, params: { _meta } };
      await new Promise((done) => {
        this.request(
          new Exchange({ writeHead() {}, write() {}, on() {}, end: done }, msg),
          JSON.stringify(msg),
        );
        setTimeout(done, 3000).unref();
      });
    }
  }
  // Cancel a request nobody waits for any more.
  drop(ex, reason) {
    if (ex.done || !this.pending.delete(key(ex.inner))) return;
    clearTimeout(ex.timer);
    this.dropped.set(key(ex.inner), Date.now());
    const params = { requestId: ex.inner, reason };
    this.write(JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params }));
  }
  #line(bytes) {
    this.info.linesOut++;
    let raw, msg;
    try {
      raw = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
      msg = JSON.parse(raw);
    } catch {
      return violation("FAILURE", "stdout-not-json", short(bytes.toString()) || "(blank line)");
    }
    if (
      !isObject(msg) ||
      msg.jsonrpc !== "2.0" ||
      !(isResponse(msg) || typeof msg.method === "string")
    ) {
      return violation("FAILURE", "stdout-not-jsonrpc", short(raw));
    }
    if (!isResponse(msg)) return this.#route(msg, raw);
    const ex = this.pending.get(key(msg.id));
    if (ex) {
      this.pending.delete(key(msg.id));
      return ex.finish(msg, raw, this.modern ? modernStatus(ex.msg, msg) : 200);
    }
    // The child may have answered before it read our cancellation; half a second is generous.
    const when = this.dropped.get(key(msg.id));
    if (when === undefined) violation("FAILURE", "response-to-unknown-id", short(raw));
    else if (Date.now() - when > 500) violation("WARNING", "response-after-cancel", short(raw));
  }
  #route(msg, raw) {
    const params = msg.params ?? {};
    const tag = metaOf(msg)[SUBSCRIPTION];
    const all = [...this.pending.values()].reverse(); // newest first
    if (this.modern && isRequest(msg)) violation("FAILURE", "server-request-on-stdio", short(raw));
    let ex;
    if (this.modern && tag !== undefined) {
      ex = this.pending.get(key(tag));
      if (!ex && !this.dropped.has(key(tag)))
        violation("FAILURE", "unknown-subscription-id", short(raw));
      if (!ex) return;
    } else if (msg.method === "notifications/progress") {
      ex = all.find((e) => key(metaOf(e.msg).progressToken) === key(params.progressToken));
      if (!ex && this.modern && !this.dropped.size)
        violation("FAILURE", "unknown-progress-token", short(raw));
    } else if (msg.method === "notifications/cancelled") {
      ex = this.modern
        ? this.pending.get(key(params.requestId))
        : this.served.get(key(params.requestId));
      // The result that ends a subscription may be followed by a notice of the same.
      if (this.modern && !ex && this.used.has(key(params.requestId))) return;
    }
    ex ??= this.#pick(msg, all);
    if (ex) {
      if (isRequest(msg)) this.served.set(key(msg.id), ex);
      ex.event(msg, raw);
      // A server that tears down a subscription may do so with notifications/cancelled only.
      if (
        this.modern &&
        msg.method === "notifications/cancelled" &&
        this.pending.delete(key(ex.inner))
      ) {
        ex.done = true;
        ex.res.end();
      }
    } else if (this.modern) violation("FAILURE", "notification-without-request", short(raw));
    else if (this.stream) this.stream.write(sse(raw));
    else if (this.backlog.length < 1000) this.backlog.push(raw);
  }
  // No field says where the message belongs: choose the stream a client would expect it on.
  #pick(msg, all) {
    const calls = all.filter((e) => e.msg.method !== LISTEN && e.msg.method !== "initialize");
    const scoped =
      isRequest(msg) ||
      msg.method === "notifications/message" ||
      msg.method === "notifications/progress";
    if (!this.modern) {
      // Log lines and server requests belong to the newest running call, changes to the GET stream.
      if (scoped)
        return calls.find((e) => /\/(call|get|read|complete)$/.test(e.msg.method)) ?? calls[0];
      return this.stream ? undefined : calls[0];
    }
    if (scoped)
      return calls.find((e) => metaOf(e.msg)[META + "logLevel"] !== undefined) ?? calls[0];
    // A change notification without subscriptionId cannot be assigned; show it so that checks see it.
    violation("FAILURE", "untagged-notification", msg.method);
    return all.find((e) => e.msg.method === LISTEN) ?? calls[0];
  }
  // Shutdown as the stdio transport describes it: close stdin, wait, SIGTERM, SIGKILL.
  async close() {
    if (!this.alive || this.closing) return this.exited;
    this.closing = true;
    const started = Date.now();
    this.proc.stdin.end();
    const term = setTimeout(() => {
      violation(
        "WARNING",
        "no-exit-on-stdin-close",
        `still running ${opt.grace} ms after stdin was closed`,
      );
      this.killed = this.proc.kill("SIGTERM");
    }, opt.grace);
    const kill = setTimeout(() => this.proc.kill("SIGKILL"), opt.grace + 1000);
    await this.exited;
    [term, kill].forEach(clearTimeout);
    this.info.exitMs = Date.now() - started;
  }
}

// ---------------------------------------------------------------- HTTP duties
const LOCAL = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;
function foreign(req) {
  if (!LOCAL.test(req.headers.host ?? "")) return true;
  if (req.headers.origin === undefined) return false;
  return !URL.canParse(req.headers.origin) || !LOCAL.test(new URL(req.headers.origin).host);
}
function json(res, status, body) {
  res.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}

// 2026-07-28: required headers must be there and match the body.
const NAME_FIELD = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};
function headerMismatch(req, msg) {
  const h = req.headers;
  const version = metaOf(msg)[META + "protocolVersion"];
  if (!h["mcp-protocol-version"]) return "MCP-Protocol-Version is missing";
  if (version !== undefined && version !== h["mcp-protocol-version"])
    return "MCP-Protocol-Version differs from _meta";
  if (h["mcp-method"] !== msg.method)
    return `Mcp-Method is '${h["mcp-method"]}', body says '${msg.method}'`;
  const want = msg.params?.[NAME_FIELD[msg.method]];
  if (typeof want !== "string") return undefined;
  const coded = /^=\?base64\?(.*)\?=$/.exec(h["mcp-name"] ?? "");
  const name = coded ? Buffer.from(coded[1], "base64").toString("utf8") : h["mcp-name"];
  return name === want ? undefined : `Mcp-Name is '${name}', body says '${want}'`;
}
// 2026-07-28: HTTP status that goes with a JSON-RPC error.
function modernStatus(request, response) {
  const code = response.error?.code;
  if (code === -32601) return 404;
  if ([-32700, -32600, -32020, -32021, -32022].includes(code)) return 400;
  const meta = metaOf(request);
  const complete =
    meta[META + "protocolVersion"] !== undefined && meta[META + "clientCapabilities"] !== undefined;
  return code === -32602 && !complete ? 400 : 200;
}

// ---------------------------------------------------------------- revision 2026-07-28
let shared; // the one child; a dead one is replaced, as a stdio client should do
async function modernPost(req, res, msg, text) {
  const wrong = isResponse(msg) ? "responses cannot be posted" : headerMismatch(req, msg);
  if (wrong)
    return json(
      res,
      400,
      rpcError(msg.id, isResponse(msg) ? -32600 : -32020, `Header mismatch: ${wrong}`),
    );
  if (!shared?.alive) {
    shared = new Child(true);
    shared.ready = opt.opening ? shared.opening() : undefined;
  }
  const child = shared;
  await child.ready;
  if (isRequest(msg)) return child.request(new Exchange(res, msg), text);
  child.write(text);
  res.writeHead(202).end();
}

// ---------------------------------------------------------------- revisions up to 2025-11-25
const sessions = new Map();
function legacyPost(req, res, msg, text) {
  const sid = req.headers["mcp-session-id"];
  if (msg.method === "initialize" && sid === undefined) {
    if (opt["pin-version"] && isObject(msg.params)) {
      msg.params.protocolVersion = opt["pin-version"];
      text = JSON.stringify(msg);
    }
    const id = randomUUID();
    const child = new Child(false);
    sessions.set(id, child);
    child.exited.then(() => sessions.delete(id));
    const ex = new Exchange(res, msg, { "Mcp-Session-Id": id });
    ex.onError = () => child.close(); // no session came about
    return child.request(ex, text);
  }
  if (sid === undefined)
    return json(res, 400, rpcError(msg.id, -32000, "Mcp-Session-Id is missing"));
  const child = sessions.get(sid);
  if (!child?.alive || child.closing)
    return json(res, 404, rpcError(msg.id, -32001, "Session not found"));
  if (isRequest(msg)) return child.request(new Exchange(res, msg), text);
  if (isResponse(msg)) child.served.delete(key(msg.id));
  child.write(text);
  res.writeHead(202).end();
}
function getOrDelete(req, res) {
  const child = sessions.get(req.headers["mcp-session-id"]);
  if (req.headers["mcp-session-id"] === undefined)
    return res.writeHead(405, { Allow: "POST" }).end();
  if (!child?.alive || child.closing)
    return json(res, 404, rpcError(null, -32001, "Session not found"));
  if (req.method === "DELETE") {
    child.close();
    return res.writeHead(200).end();
  }
  if (child.stream)
    return json(res, 409, rpcError(null, -32000, "only one GET stream per session"));
  child.stream = res;
  res.on("close", () => (child.stream = undefined));
  res.writeHead(200, SSE);
  res.write(": open\n\n");
  for (const raw of child.backlog.splice(0)) res.write(sse(raw));
}

// ---------------------------------------------------------------- server
const server = http.createServer((req, res) => {
  if (foreign(req)) return json(res, 403, rpcError(null, -32000, "Host or Origin not allowed"));
  if (new URL(req.url, "http://localhost").pathname !== opt.path) return res.writeHead(404).end();
  if (req.method === "GET" || req.method === "DELETE") return getOrDelete(req, res);
  if (req.method !== "POST") return res.writeHead(405, { Allow: "GET, POST, DELETE" }).end();
  const chunks = [];
  req.on("data", (c) => chunks.push(c));
  req.on("end", () => {
    let text = Buffer.concat(chunks).toString("utf8");
    let msg;
    try {
      msg = JSON.parse(text);
    } catch {
      return json(res, 400, rpcError(null, -32700, "Parse error"));
    }
    if (!isObject(msg) || !(isResponse(msg) || typeof msg.method === "string")) {
      return json(res, 400, rpcError(null, -32600, "the body must be one JSON-RPC message"));
    }
    if (/[\r\n]/.test(text)) text = JSON.stringify(msg); // a line must not contain newlines
    const header = req.headers["mcp-protocol-version"];
    const modern =
      metaOf(msg)[META + "protocolVersion"] !== undefined ||
      (header !== undefined && !LEGACY.has(header)) ||
      msg.method === "server/discover";
    (modern ? modernPost : legacyPost)(req, res, msg, text);
  });
});
server.listen(opt.port, "127.0.0.1", () =>
  console.log(`http://127.0.0.1:${server.address().port}${opt.path}`),
);

async function stop() {
  server.close();
  server.closeAllConnections();
  await Promise.all([...children].map((c) => c.close()));
  if (opt.report) writeFileSync(opt.report, JSON.stringify(report, null, 2) + "\n");
  process.exit(0);
}
process.once("SIGTERM", stop).once("SIGINT", stop);
process.on("exit", () => children.forEach((c) => c.proc.kill("SIGKILL")));
