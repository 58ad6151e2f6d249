// The official TypeScript SDK starts `foreread mcp` and reviews a staged change.

import assert from "node:assert/strict";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

import { FAULT, longPatch, stagedFault } from "./fixture.mjs";

/** Far more than any step needs; reached only by a hang. */
const PATIENCE = 120_000;

const program = process.argv[2];
const tests = {};

tests["lists the tool with its annotations and schemas"] = async (client) => {
  assert.equal(client.getServerVersion().name, "foreread");
  assert.ok(client.getServerCapabilities().tools);
  assert.match(client.getInstructions(), /review/);
  const { tools } = await client.listTools();
  const review = tools.find((tool) => tool.name === "review");
  assert.ok(review?.description && review.title);
  assert.equal(review.inputSchema.additionalProperties, false);
  assert.ok(review.inputSchema.properties.staged.description);
  assert.equal(review.outputSchema.type, "object");
  const { readOnlyHint, destructiveHint, openWorldHint } = review.annotations;
  assert.deepEqual([readOnlyHint, destructiveHint, openWorldHint], [true, false, false]);
};

tests["finds the planted fault, as text and as data"] = async (client) => {
  // The client has the output schema from the list and checks the data against it.
  await client.listTools();
  const call = { name: "review", arguments: { fail_on: "medium" } };
  const result = await client.callTool(call, undefined, { timeout: PATIENCE });
  assert.ok(!result.isError, "a gate that fails is a result");
  const document = result.structuredContent;
  const { file, line, rule } = document.findings[0];
  assert.deepEqual({ file, line, rule }, FAULT);
  assert.equal(document.findings.length, 1);
  assert.equal(document.summary.gate.passed, false);
  const [short, long] = result.content;
  assert.match(short.text, /gate failed/);
  assert.ok(short.text.includes(`${FAULT.file}:${FAULT.line}`), short.text);
  assert.deepEqual(JSON.parse(long.text), document);
};

tests["reports progress that rises"] = async (client) => {
  const reports = [];
  const onprogress = (report) => reports.push(report);
  // Long enough for reports to come apart from the answer: this client forgets a call's listener as
  // soon as it reads the answer, before it hands on reports that came in the same chunk.
  const call = { name: "review", arguments: { patch: longPatch(400) } };
  const result = await client.callTool(call, undefined, { onprogress, timeout: PATIENCE });
  assert.ok(!result.isError);
  assert.ok(reports.length >= 2, "progress was reported");
  assert.ok(reports.every((report, at) => at === 0 || report.progress > reports[at - 1].progress));
  assert.ok(reports.at(-1).message);
};

tests["says what is wrong with arguments"] = async (client) => {
  const result = await client.callTool({ name: "review", arguments: { fail_on: "severe" } });
  assert.equal(result.isError, true);
  assert.match(result.content[0].text, /fail_on/);
  await assert.rejects(client.callTool({ name: "no-such-tool" }), { code: -32602 });
};

tests["stops a review that is given up, and serves on"] = async (client) => {
  const abort = new AbortController();
  let stopped = false;
  let late = 0;
  const onprogress = () => {
    if (stopped) late += 1;
    if (!abort.signal.aborted) abort.abort("changed my mind");
  };
  const call = { name: "review", arguments: { patch: longPatch(400) } };
  const options = { onprogress, signal: abort.signal, timeout: PATIENCE };
  await assert.rejects(client.callTool(call, undefined, options));
  // The answer to a ping shows that the server has dealt with the cancellation sent before it.
  await client.ping({ timeout: PATIENCE });
  stopped = true;
  const again = { name: "review", arguments: {} };
  const result = await client.callTool(again, undefined, { timeout: PATIENCE });
  assert.equal(result.structuredContent.findings.length, 1);
  assert.equal(late, 0, "no report came after the cancellation");
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  const repo = stagedFault();
  const errors = [];
  try {
    const transport = new StdioClientTransport({
      command: program,
      args: ["mcp"],
      cwd: repo.folder,
      env: { PATH: process.env.PATH, HOME: repo.folder },
      stderr: "inherit",
    });
    const client = new Client({ name: "typescript", version: "1" });
    client.onerror = (error) => errors.push(error);
    await client.connect(transport);
    try {
      await test(client);
    } finally {
      await client.close();
    }
    assert.deepEqual(errors, []);
    console.log(`ok      typescript: ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  typescript: ${name}\n${error.stack}`);
  } finally {
    repo.remove();
  }
}
process.exitCode = failed === 0 ? 0 : 1;
