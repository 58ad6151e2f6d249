// One client, one script, two stacks: what foreread serves through mcp-stdio and what its tools and
// resources give behind another stack must be the same.

import assert from "node:assert/strict";
import { join } from "node:path";

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

import { FAULT, longPatch, stagedFault } from "./fixture.mjs";
import { PATIENCE } from "./session.mjs";

/** Asks everything that there is to ask, and returns the answers in order. */
async function script(client) {
  const answers = {};
  const call = async (name, args, options) =>
    client.callTool({ name, arguments: args }, { timeout: PATIENCE, ...options });
  answers.tools = await client.listTools();
  answers.templates = await client.listResourceTemplates();
  answers.review = await call("review", { fail_on: "medium" });
  answers.patch = await call("review", { patch: longPatch(3) });
  const finding = {
    ...FAULT,
    severity: "high",
    title: "Shared default",
    description: "It is shared.",
  };
  delete finding.rule;
  answers.checked = await call("check_findings", { findings: [finding], summary: "One fault." });
  answers.refused = await call("check_findings", { findings: [{ ...finding, line: 99 }] });
  answers.wrong = await call("review", { fail_on: "severe" });
  const { review_id: id } = answers.review.structuredContent.meta;
  answers.listed = await call("list_reviews", {});
  answers.kept = await call("get_review", { id });
  answers.explained = await call("explain_rule", { rule: FAULT.rule });
  answers.resources = await client.listResources();
  const uris = answers.resources.resources.map((resource) => resource.uri);
  for (const uri of [...uris, `foreread://reviews/${id}/findings`]) {
    answers[uri] = await client.readResource({ uri });
  }
  for (const uri of answers.templates.resourceTemplates.map((template) => template.uriTemplate)) {
    const argument = { name: "id", value: uri.includes("rules") ? "python" : "" };
    answers[`complete ${uri}`] = await client.complete({
      ref: { type: "ref/resource", uri },
      argument,
    });
  }
  answers.missing = await client.readResource({ uri: "foreread://reviews/none" }).catch(refusal);
  answers.unknown = await call("no-such-tool", {}).catch(refusal);
  const reports = [];
  const onprogress = ({ progress, total, message }) => reports.push({ progress, total, message });
  await call("review", { patch: longPatch(400) }, { onprogress });
  answers.progressed = reports.length > 1 && reports.every(({ message }) => message);
  return answers;
}

/** The words of a refusal are each stack's own; its code and data are the protocol's. */
const refusal = ({ code, data }) => ({ code, data });

/**
 * Takes out what differs from one run to the next, which is ids, times and the sizes they make, and
 * the name that a stack may put on results.
 */
function normalised(answers, repo) {
  const names = new Map();
  const name = (id) => names.get(id) ?? names.set(id, `ID-${names.size + 1}`).get(id);
  const text = JSON.stringify(answers)
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, name)
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+Z)?/g, "TIME")
    .replaceAll(/(latency_ms|size)(\\*":\s?)\d+/g, (_, name, colon) => `${name}${colon}0`)
    .replaceAll(repo.folder, "REPO");
  return JSON.parse(text, (key, value) => {
    const { "io.modelcontextprotocol/serverInfo": server, ...rest } = value ?? {};
    if (key !== "_meta" || !server) return value;
    return Object.keys(rest).length ? rest : undefined;
  });
}

async function answersOf([command, ...args], mode, repo) {
  const client = new Client({ name: "swap", version: "1" }, { versionNegotiation: { mode } });
  const env = { PATH: process.env.PATH, HOME: repo.home };
  const server = { command, args, cwd: repo.folder, env, stderr: "inherit" };
  await client.connect(new StdioClientTransport(server));
  try {
    return normalised(await script(client), repo);
  } finally {
    await client.close();
  }
}

const [program, other] = process.argv.slice(2);
for (const [mode, version] of [
  ["legacy", "2025-11-25"],
  ["auto", "2026-07-28"],
]) {
  const [one, two] = [stagedFault(), stagedFault()];
  try {
    const ours = await answersOf([program, "mcp"], mode, one);
    const theirs = await answersOf([other, join(two.home, "reviews")], mode, two);
    for (const question of Object.keys(ours)) {
      assert.deepEqual(theirs[question], ours[question], question);
    }
    assert.ok(ours.progressed && ours.review.structuredContent.findings.length === 1);
    console.log(
      `ok      swap ${version}: both stacks answer ${Object.keys(ours).length} questions alike`,
    );
  } catch (error) {
    process.exitCode = 1;
    console.log(`FAILED  swap ${version}\n${error.stack}`);
  } finally {
    one.remove();
    two.remove();
  }
}
