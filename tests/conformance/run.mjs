#!/usr/bin/env node
// run.mjs - run the official MCP conformance suite against a stdio server or a stdio-only client.
// See README.md; `node run.mjs` prints the usage.
import fs from "node:fs";
import path from "node:path";
import { spawn } from "node:child_process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ALONE, CLIENT, SERVER, SKIPPED, STDIO_RULES, UNSCORED } from "./scenarios.mjs";

const HERE = path.dirname(fileURLToPath(import.meta.url));
const SUITE = path.join(HERE, "node_modules/@modelcontextprotocol/conformance");
const USAGE = `usage: node run.mjs server [options] -- <stdio server command> [args...]
       node run.mjs client [options] -- <client command> [args...]
       node run.mjs list

The client command is started with a server command appended to its arguments:
       <client command> [args...] node .../stdio2http.mjs --report FILE <url>

  --spec REV,...      revisions (default 2025-06-18,2025-11-25,2026-07-28)
  --scenario NAME,... only these scenarios
  --ext               also the optional extensions (tasks, skills)
  --all               also the scenarios that test nothing but the bridge
  --out DIR           where results go (default results/<mode> next to this file)
  --expected FILE     expected failures (YAML, see README.md)
  --strict            warnings count as failures, and so do scenarios that are skipped or unknown
  --no-opening        server: send no valid requests first in 2026-07-28 (see http2stdio.mjs)
  --timeout MS        per scenario (default 30000)
  --jobs N            scenarios at a time (default 1)
  --verbose           print every check`;

// ---------------------------------------------------------------- arguments
const argv = process.argv.slice(2);
const mode = argv.shift();
const opt = { spec: "2025-06-18,2025-11-25,2026-07-28", timeout: "30000", jobs: "1" };
const FLAGS = new Set(["ext", "all", "strict", "no-opening", "verbose"]);
const VALUES = new Set(["spec", "scenario", "out", "expected", "timeout", "jobs"]);
while (argv.length && argv[0] !== "--") {
  const name = argv.shift().replace(/^--/, "");
  if (FLAGS.has(name)) opt[name] = true;
  else if (VALUES.has(name) && argv.length) opt[name] = argv.shift();
  else quit(`unknown option --${name}\n\n${USAGE}`);
}
argv.shift();
const command = argv;
if (!["server", "client", "list"].includes(mode) || (mode !== "list" && !command.length))
  quit(USAGE);
if (!fs.existsSync(SUITE))
  quit(`the suite is not installed: run "npm ci" in ${path.relative(".", HERE) || "."}`);
const suiteVersion = JSON.parse(fs.readFileSync(path.join(SUITE, "package.json"), "utf8")).version;
const OUT = path.resolve(opt.out ?? path.join(HERE, "results", mode));

function quit(text) {
  console.error(text);
  process.exit(2);
}

// ---------------------------------------------------------------- processes
const live = new Set();
function start(args, options) {
  const child = spawn(process.execPath, args, options);
  live.add(child);
  child.done = new Promise((resolve) =>
    child.on("close", (code) => (live.delete(child), resolve(code))),
  );
  return child;
}
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, async () => {
    for (const child of live) child.kill("SIGTERM");
    await Promise.all([...live].map((c) => c.done));
    process.exit(130);
  });
}
async function suite(args, log) {
  const shim = fs.globSync ? [] : ["--import", pathToFileURL(path.join(HERE, "node20.mjs")).href];
  const out = log ? fs.openSync(log, "w") : "pipe";
  const child = start([...shim, path.join(SUITE, "dist/index.js"), ...args], {
    stdio: ["ignore", out, out],
  });
  let text = "";
  child.stdout?.on("data", (d) => (text += d));
  const code = await child.done;
  if (log) fs.closeSync(out);
  return { code, text };
}

// ---------------------------------------------------------------- which scenarios, at which revisions
async function plan(role) {
  const { text } = await suite(["list", `--${role}`]);
  const table = role === "server" ? SERVER : CLIENT;
  const known = [...text.matchAll(/^ {2}- (\S+) \[([^\]]+)\]$/gm)].map(([, name, revisions]) => ({
    name,
    revisions: revisions === "extension" ? ["2026-07-28"] : revisions.split(","),
    kind: table[name] ?? (name.startsWith("auth/") ? "http" : undefined),
  }));
  if (!known.length) quit("the suite listed no scenarios");
  for (const s of known.filter((s) => !s.kind)) {
    if (opt.strict) quit(`the suite has a scenario ${s.name} that is not in scenarios.mjs`);
    console.error(`notice: scenario ${s.name} is not in scenarios.mjs, counted as "run"`);
    s.kind = "run";
  }
  const gone = Object.keys(table).filter((name) => !known.some((s) => s.name === name));
  if (gone.length) quit(`the suite has no scenario ${gone.join(", ")}; mend scenarios.mjs`);
  return known;
}
function chosen(s) {
  if (opt.scenario) return opt.scenario.split(",").includes(s.name);
  return s.kind === "run" || s.kind === "mixed" || (s.kind === "ext" && opt.ext) || opt.all;
}

// ---------------------------------------------------------------- one scenario
const readJson = (file) =>
  fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : undefined;
const quote = (s) => (/^[\w@%+=:,./-]+$/.test(s) ? s : `'${s.replaceAll("'", `'\\''`)}'`);

async function runServer(name, revision, dir, args) {
  const report = path.join(dir, "bridge.json");
  const pin = revision < "2025-11-25" ? ["--pin-version", revision] : [];
  const files = ["--report", report, "--stderr", path.join(dir, "server-stderr.log")];
  if (opt["no-opening"]) files.push("--opening", "0");
  const err = fs.openSync(path.join(dir, "bridge.log"), "w");
  const bridge = start([path.join(HERE, "http2stdio.mjs"), ...files, ...pin, "--", ...command], {
    stdio: ["ignore", "pipe", err],
  });
  fs.closeSync(err);
  const url = await new Promise((resolve) => {
    bridge.stdout.on("data", (d) => resolve(String(d).trim()));
    bridge.on("close", () => resolve(undefined));
  });
  if (!url) quit(`the bridge did not start, see ${dir}/bridge.log`);
  const { code } = await suite(["server", "--url", url, ...args], path.join(dir, "suite.log"));
  bridge.kill("SIGTERM");
  await bridge.done;
  return { code, violations: readJson(report)?.violations ?? [] };
}

async function runClient(name, revision, dir, args) {
  const report = path.join(dir, "bridge.jsonl");
  const server = [process.execPath, path.join(HERE, "stdio2http.mjs"), "--report", report];
  const line = [...command, ...server].map(quote).join(" ");
  const { code } = await suite(["client", "--command", line, ...args], path.join(dir, "suite.log"));
  const text = fs.existsSync(report) ? fs.readFileSync(report, "utf8") : "";
  return {
    code,
    violations: text
      .split("\n")
      .filter(Boolean)
      .map((l) => JSON.parse(l)),
  };
}

const RANK = { FAILURE: 4, WARNING: 3, SUCCESS: 2, INFO: 1, SKIPPED: 0 };
// The suite may emit an id several times; the worst occurrence counts.
function collapse(checks) {
  const byId = new Map();
  for (const c of checks) {
    const old = byId.get(c.id);
    if (old && RANK[old.status] >= RANK[c.status]) continue;
    const message =
      c.errorMessage ??
      (c.status === "FAILURE" ? (c.details?.message ?? c.description) : undefined);
    byId.set(c.id, { id: c.id, status: c.status, message, unscored: UNSCORED.get(c.id) });
  }
  // Log entries such as incoming-request are not checks.
  return [...byId.values()].filter((c) => c.status !== "INFO");
}
function verdict(checks) {
  const scored = checks.filter((c) => !c.unscored);
  const has = (status) => scored.some((c) => c.status === status && c.id !== "wire-schema-valid");
  if (scored.some((c) => c.status === "FAILURE")) return "FAIL";
  return has("WARNING") ? "WARN" : has("SUCCESS") ? "PASS" : "SKIP";
}

async function runOne(s, revision) {
  const dir = path.join(OUT, revision, s.name.replaceAll("/", "_"));
  fs.mkdirSync(dir, { recursive: true });
  const raw = path.join(dir, "raw");
  const args = [
    "--scenario",
    s.name,
    "--spec-version",
    revision,
    "--force",
    "--timeout",
    opt.timeout,
    "-o",
    raw,
  ];
  const started = Date.now();
  const { code, violations } = await (mode === "server" ? runServer : runClient)(
    s.name,
    revision,
    dir,
    args,
  );
  // The suite writes raw/[server-]<scenario>-<time>/*; lift that up.
  let checks = [];
  const found = fs.existsSync(raw) ? fs.readdirSync(raw, { recursive: true }).map(String) : [];
  for (const f of found.filter((f) => fs.statSync(path.join(raw, f)).isFile())) {
    fs.copyFileSync(path.join(raw, f), path.join(dir, path.basename(f)));
    if (path.basename(f) === "checks.json") checks = collapse(readJson(path.join(raw, f)));
  }
  fs.rmSync(raw, { recursive: true, force: true });
  const bad = checks.some((c) => c.status === "FAILURE" || c.status === "WARNING");
  if (!found.length) {
    checks.push({
      id: "suite-run",
      status: "FAILURE",
      message: `the suite wrote no results, see ${dir}/suite.log`,
    });
  } else if (mode === "client" && code !== 0 && !bad) {
    checks.push({
      id: "client-exit",
      status: "FAILURE",
      message: "the client failed or timed out, see suite.log",
    });
  }
  return {
    scenario: s.name,
    revision,
    kind: s.kind,
    status: verdict(checks),
    ms: Date.now() - started,
    checks,
    violations,
  };
}

// One more row per revision: what the bridges saw of the stdio transport itself.
function stdioRow(revision, results) {
  const rules = STDIO_RULES[mode];
  const seen = results.flatMap((r) => r.violations.map((v) => ({ ...v, scenario: r.scenario })));
  const checks = Object.keys(rules).map((id) => {
    const hits = seen.filter((v) => v.rule === id);
    if (!hits.length) return { id, status: "SUCCESS" };
    const where = [...new Set(hits.map((v) => v.scenario))];
    return {
      id,
      status: hits[0].level,
      message: `${rules[id]}; seen in ${where.join(", ")}: ${hits[0].detail}`,
    };
  });
  return {
    scenario: "stdio-transport",
    revision,
    kind: "stdio",
    status: verdict(checks),
    ms: 0,
    checks,
    violations: [],
  };
}

// ---------------------------------------------------------------- expected failures
async function loadExpected() {
  if (!opt.expected) return [];
  const { parse } = await import("yaml");
  const list = parse(fs.readFileSync(opt.expected, "utf8"))?.[mode] ?? [];
  return list.map((text) => {
    const m = /^([^:@\s]+)(?::([^@\s]+))?(?:@(\S+))?$/.exec(text);
    if (!m) quit(`${opt.expected}: cannot read entry ${JSON.stringify(text)}`);
    return { text, scenario: m[1], check: m[2], revision: m[3] };
  });
}
// Every failing check must be covered by an entry; an entry whose target ran and passed is stale.
function judge(results, expected) {
  const failing = (c) =>
    !c.unscored && (c.status === "FAILURE" || (opt.strict && c.status === "WARNING"));
  const fits = (e, r) => e.scenario === r.scenario && (!e.revision || e.revision === r.revision);
  const unexpected = [];
  for (const r of results) {
    if (opt.strict && r.status === "SKIP" && !SKIPPED.has(r.scenario)) {
      unexpected.push({ ...r, check: { id: "skipped" } });
    }
    for (const c of r.checks.filter(failing)) {
      if (expected.some((e) => fits(e, r) && (!e.check || e.check === c.id))) c.expected = true;
      else unexpected.push({ ...r, check: c });
    }
  }
  const stale = expected.filter((e) => {
    const rows = results.filter((r) => fits(e, r));
    const target = rows.flatMap((r) => r.checks).filter((c) => !e.check || c.id === e.check);
    return (
      target.some((c) => c.status === "SUCCESS") &&
      !target.some((c) => RANK[c.status] >= RANK.WARNING)
    );
  });
  return { unexpected, stale };
}

// ---------------------------------------------------------------- main
if (mode === "list") {
  for (const role of ["server", "client"]) {
    console.log(`${role} scenarios (suite ${suiteVersion})`);
    for (const s of await plan(role))
      console.log(`  ${s.kind.padEnd(6)} ${s.name} [${s.revisions}]`);
  }
  process.exit(0);
}

const expected = await loadExpected();
const revisions = opt.spec.split(",");
const wanted = (await plan(mode)).filter(chosen);
const jobs = revisions.flatMap((rev) =>
  wanted.filter((s) => s.revisions.includes(rev)).map((s) => [s, rev]),
);
if (!jobs.length) quit("no scenario fits --spec and --scenario");
for (const rev of revisions) fs.rmSync(path.join(OUT, rev), { recursive: true, force: true });

const results = [];
const cut = (text, n = 400) => (text.length > n ? text.slice(0, n) + "..." : text);
const print = (r) => {
  const scored = r.checks.filter((c) => !c.unscored);
  const count = (status) => scored.filter((c) => c.status === status).length;
  const numbers = `${count("SUCCESS")} ok, ${count("FAILURE")} failed, ${count("WARNING")} warned, ${count("SKIPPED")} skipped`;
  console.log(
    `${r.status.padEnd(4)} ${r.revision} ${r.scenario} (${numbers}${r.ms ? `, ${(r.ms / 1000).toFixed(1)} s` : ""})`,
  );
  for (const c of r.checks) {
    const notable = c.status === "FAILURE" || c.status === "WARNING";
    if (notable || opt.verbose) {
      console.log(
        `       ${c.status} ${c.id}${c.unscored ? ` [${c.unscored}]` : ""}${c.message ? `: ${cut(c.message)}` : ""}`,
      );
    }
  }
};
async function runAll(pending) {
  for (let job; (job = pending.shift());) {
    const r = await runOne(...job);
    results.push(r);
    print(r);
  }
}
console.log(`suite ${suiteVersion}, ${jobs.length} scenario runs, ${mode}: ${command.join(" ")}\n`);
const together = jobs.filter(([s]) => !ALONE.has(s.name));
await Promise.all(Array.from({ length: Math.max(1, Number(opt.jobs)) }, () => runAll(together)));
await runAll(jobs.filter(([s]) => ALONE.has(s.name)));
for (const rev of revisions) {
  const rows = results.filter((r) => r.revision === rev);
  if (!rows.length) continue;
  const row = stdioRow(rev, rows);
  results.push(row);
  print(row);
}

const { unexpected, stale } = judge(results, expected);
const totals = {};
for (const rev of revisions) {
  const rows = results.filter((r) => r.revision === rev);
  const checks = rows.flatMap((r) => r.checks).filter((c) => !c.unscored);
  const n = (list, status) => list.filter((x) => x.status === status).length;
  if (!rows.length) continue;
  totals[rev] = {
    scenarios: {
      pass: n(rows, "PASS"),
      warn: n(rows, "WARN"),
      fail: n(rows, "FAIL"),
      skip: n(rows, "SKIP"),
    },
    checks: {
      ok: n(checks, "SUCCESS"),
      failed: n(checks, "FAILURE"),
      warned: n(checks, "WARNING"),
      skipped: n(checks, "SKIPPED"),
    },
  };
}
console.log();
for (const [rev, t] of Object.entries(totals)) {
  const s = t.scenarios;
  const c = t.checks;
  console.log(
    `${rev}: ${s.pass} of ${s.pass + s.warn + s.fail + s.skip} scenarios pass, ${s.warn} warn, ${s.fail} fail, ${s.skip} skipped; ` +
      `checks: ${c.ok} ok, ${c.failed} failed, ${c.warned} warned, ${c.skipped} skipped`,
  );
}
for (const u of unexpected)
  console.log(`unexpected failure: ${u.scenario}:${u.check.id}@${u.revision}`);
for (const e of stale) console.log(`stale entry in ${opt.expected}: ${e.text} passes now`);
fs.mkdirSync(OUT, { recursive: true });
const summary = {
  mode,
  command,
  suite: suiteVersion,
  totals,
  unexpected: unexpected.map((u) => `${u.scenario}:${u.check.id}@${u.revision}`),
  stale: stale.map((e) => e.text),
  results: results.map(({ violations, ...r }) => r),
};
fs.writeFileSync(path.join(OUT, "summary.json"), JSON.stringify(summary, null, 2) + "\n");
process.exit(unexpected.length || stale.length ? 1 : 0);
