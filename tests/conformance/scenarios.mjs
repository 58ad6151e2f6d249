// What each scenario of the suite is worth when the peer under test speaks stdio only.
//
//   run     the outcome depends on the peer under test
//   mixed   some checks depend on the peer, the others only on the bridge (see UNSCORED)
//   ext     optional protocol extension; run with --ext
//   http    tests only HTTP or OAuth, so here only the bridge: never run unless --all
//
// Scenarios that are not listed (a newer suite) count as `run`, with a notice; --strict refuses them.

export const SERVER = {
  "server-initialize": "mixed",
  "server-stateless": "mixed",
  "server-sse-multiple-streams": "mixed",
  "logging-set-level": "run",
  ping: "run",
  "completion-complete": "run",
  "tools-list": "run",
  "tools-call-simple-text": "run",
  "tools-call-image": "run",
  "tools-call-audio": "run",
  "tools-call-embedded-resource": "run",
  "tools-call-mixed-content": "run",
  "tools-call-with-logging": "run",
  "tools-call-error": "run",
  "tools-call-with-progress": "run",
  "tools-call-sampling": "run",
  "tools-call-elicitation": "run",
  "json-schema-2020-12": "run",
  "elicitation-sep1034-defaults": "run",
  "elicitation-sep1330-enums": "run",
  "resources-list": "run",
  "resources-read-text": "run",
  "resources-read-binary": "run",
  "resources-templates-read": "run",
  "resources-subscribe": "run",
  "resources-unsubscribe": "run",
  "sep-2164-resource-not-found": "run",
  "prompts-list": "run",
  "prompts-get-simple": "run",
  "prompts-get-with-args": "run",
  "prompts-get-embedded-resource": "run",
  "prompts-get-with-image": "run",
  caching: "run",
  "input-required-result-basic-elicitation": "run",
  "input-required-result-basic-sampling": "run",
  "input-required-result-basic-list-roots": "run",
  "input-required-result-request-state": "run",
  "input-required-result-multiple-input-requests": "run",
  "input-required-result-multi-round": "run",
  "input-required-result-missing-input-response": "run",
  "input-required-result-non-tool-request": "run",
  "input-required-result-result-type": "run",
  "input-required-result-unsupported-methods": "run",
  "input-required-result-tampered-state": "run",
  "input-required-result-capability-check": "run",
  "input-required-result-ignore-extra-params": "run",
  "input-required-result-validate-input": "run",
  "tasks-lifecycle": "ext",
  "tasks-capability-negotiation": "ext",
  "tasks-wire-fields": "ext",
  "tasks-request-state-removal": "ext",
  "tasks-mrtr-input": "ext",
  "tasks-dispatch-and-envelope": "ext",
  "tasks-required-task-error": "ext",
  "tasks-mrtr-composition": "ext",
  "tasks-status-notifications": "ext",
  "sep-2640-skills-directory": "ext",
  "sep-2640-skills-enumeration": "ext",
  "sep-2640-skills-manifest": "ext",
  "tasks-request-headers": "http",
  "server-session-lifecycle": "http",
  "server-sse-polling": "http",
  "dns-rebinding-protection": "http",
  "http-header-validation": "http",
  "http-custom-header-server-validation": "http",
};

export const CLIENT = {
  initialize: "run",
  tools_call: "run",
  "elicitation-sep1034-client-defaults": "run",
  "request-metadata": "mixed",
  "sep-2322-client-request-state": "run",
  "json-schema-ref-no-deref": "run",
  "json-schema-2020-12-preservation": "run",
  "sep-2640-client-no-prefetch": "ext",
  "sep-2640-client-verify-digest": "ext",
  "sep-2640-client-verify-size": "ext",
  "sep-2640-client-verify-frontmatter": "ext",
  "sse-retry": "http",
  "http-standard-headers": "http",
  "http-custom-headers": "http",
  "http-invalid-tool-headers": "http",
  // auth/*: OAuth needs HTTP; run.mjs treats them as 'http'
};

// Scenarios that may be skipped under --strict, and why.
export const SKIPPED = new Map([
  ["tasks-status-notifications", "the suite itself always skips it"],
  ["sep-2640-skills-directory", "for servers that offer skills"],
  ["sep-2640-skills-enumeration", "for servers that offer skills"],
  ["sep-2640-skills-manifest", "for servers that offer skills"],
]);

// Scenarios that wait fractions of a second for silence, so nothing else may keep the machine busy.
export const ALONE = new Set(["server-stateless"]);

// Checks inside the mixed scenarios that are reported, but not scored, and why.
export const UNSCORED = new Map([
  ["server-session-id-visible-ascii", "bridge only"],
  ["server-sse-streams-functional", "bridge only"],
  ["sep-2575-http-server-header-mismatch-400", "bridge only"],
  ["sep-2575-http-client-sends-version-header", "bridge only"],
  ["sep-2575-http-version-header-matches-meta", "bridge only"],
  // Versioning, compatibility matrix: on stdio the error code for initialize is up to the server.
  ["sep-2575-http-server-method-not-found-404-initialize", "not required on stdio"],
]);

// Rules of the stdio transport that the bridges watch on the side (pseudo scenario stdio-transport).
export const STDIO_RULES = {
  server: {
    "stdout-not-json": "stdout carries JSON lines only",
    "stdout-not-jsonrpc": "every line is one JSON-RPC 2.0 message",
    "unterminated-line": "every message ends with a newline",
    "unexpected-exit": "the server keeps running while stdin is open",
    "response-to-unknown-id": "responses carry the id of a request that is in flight",
    "response-after-cancel": "no response 0.5 s after a cancellation",
    "server-request-on-stdio": "no requests from the server in 2026-07-28",
    "unknown-subscription-id": "subscription notifications name an open subscription",
    "untagged-notification": "change notifications carry a subscriptionId in 2026-07-28",
    "unknown-progress-token": "progress names the token of a running request in 2026-07-28",
    "notification-without-request":
      "request-scoped notifications come while a request runs in 2026-07-28",
    "no-exit-on-stdin-close": "the server exits when stdin is closed",
    "exit-status": "the server exits with status 0 when stdin is closed",
  },
  client: {
    "stdin-not-json": "the client writes JSON lines only",
    "stdin-not-jsonrpc": "every line is one JSON-RPC 2.0 message",
    "reused-id": "request ids are not reused while in flight (2026-07-28) or at all (earlier)",
    "client-response-on-stdio": "no responses from the client in 2026-07-28",
    "killed-before-stdin-close": "the client closes stdin before it kills the server",
  },
};
