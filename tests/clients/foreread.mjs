// What a client does with `foreread mcp` in a repository with a staged change.

import assert from "node:assert/strict";

import { FAULT, longPatch } from "./fixture.mjs";
import { LATE_REPORT, PATIENCE, givenUpAtOnce } from "./session.mjs";

export const foreread = {};

foreread["lists the tool with its annotations and schemas"] = async ({ client, call }) => {
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

foreread["finds the planted fault, as text and as data"] = async ({ client, call }) => {
  // The client has the output schema from the list and checks the data against it.
  await client.listTools();
  const request = { name: "review", arguments: { fail_on: "medium" } };
  const result = await call(request, { timeout: PATIENCE });
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

foreread["reads a review that was made, and the rule's page"] = async ({ client, call }) => {
  const { structuredContent: document } = await call({ name: "review", arguments: {} });
  const uri = `foreread://reviews/${document.meta.review_id}`;
  const { resources } = await client.listResources();
  assert.ok(resources.some((resource) => resource.uri === uri));
  const { contents } = await client.readResource({ uri });
  assert.deepEqual(JSON.parse(contents[0].text), document);
  const page = await client.readResource({ uri: `foreread://rules/${FAULT.rule}` });
  assert.equal(page.contents[0].mimeType, "text/markdown");
  const unknown = client.readResource({ uri: "foreread://reviews/none" });
  await assert.rejects(unknown, (error) => [-32002, -32602].includes(error.code));
};

foreread["completes the ids of rules"] = async ({ client }) => {
  const { resourceTemplates } = await client.listResourceTemplates();
  const uri = "foreread://rules/{id}";
  assert.ok(resourceTemplates.some((template) => template.uriTemplate === uri));
  const ref = { type: "ref/resource", uri };
  const value = FAULT.rule.slice(0, 12);
  const { completion } = await client.complete({ ref, argument: { name: "id", value } });
  assert.ok(completion.values.includes(FAULT.rule), completion.values.join(" "));
};

foreread["reports progress that rises"] = async (session) => {
  session.tolerated = LATE_REPORT;
  const reports = [];
  const onprogress = (report) => reports.push(report);
  // Long enough for reports to come apart from the answer.
  const request = { name: "review", arguments: { patch: longPatch(400) } };
  const result = await session.call(request, { onprogress, timeout: PATIENCE });
  assert.ok(!result.isError);
  assert.ok(reports.length >= 2, "progress was reported");
  assert.ok(reports.every((report, at) => at === 0 || report.progress > reports[at - 1].progress));
  assert.ok(reports.at(-1).message);
};

foreread["says what is wrong with arguments"] = async ({ call }) => {
  const result = await call({ name: "review", arguments: { fail_on: "severe" } });
  assert.equal(result.isError, true);
  assert.match(result.content[0].text, /fail_on/);
  await assert.rejects(call({ name: "no-such-tool", arguments: {} }), { code: -32602 });
};

foreread["stops a review that is given up, and serves on"] = async (session) => {
  session.tolerated = LATE_REPORT;
  const { call } = session;
  const { options, seen } = givenUpAtOnce();
  const request = { name: "review", arguments: { patch: longPatch(400) } };
  await assert.rejects(call(request, options));
  // This answer shows that the server has dealt with the cancellation sent before it.
  await call({ name: "explain_rule", arguments: { rule: FAULT.rule } });
  seen.stopped = true;
  const result = await call({ name: "review", arguments: {} }, { timeout: PATIENCE });
  assert.equal(result.structuredContent.findings.length, 1);
  assert.equal(seen.late, 0, "no report came after the cancellation");
};
