// What a client that knows both eras does with past reviews: it lists, reads, completes and subscribes, and
// is told of what another process has stored.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { FAULT } from "./fixture.mjs";
import { promised } from "./session.mjs";

export const reviews = {};

/** Runs another process of the program to its end and reads the JSON that it prints. */
async function another({ server: { command, cwd, env } }, ...args) {
  const { stdout } = await promisify(execFile)(command, args, { cwd, env });
  return JSON.parse(stdout);
}

reviews["reads a review under the URI that its result links to"] = async (session) => {
  const { client } = session;
  const result = await client.callTool({ name: "review", arguments: {} });
  const document = result.structuredContent;
  const id = document.meta.review_id;
  const link = result.content.find((block) => block.type === "resource_link");
  assert.equal(link.uri, `foreread://reviews/${id}`);
  const [contents] = (await client.readResource({ uri: link.uri })).contents;
  assert.equal(contents.mimeType, "application/json");
  assert.equal(Buffer.byteLength(contents.text), link.size);
  assert.deepEqual(JSON.parse(contents.text), document);
  const read = await client.callTool({ name: "get_review", arguments: { id } });
  assert.deepEqual(read.structuredContent, document);
  assert.deepEqual(await another(session, "reviews", "show", "--json", id), document);
  const view = async (name) => (await client.readResource({ uri: `${link.uri}/${name}` })).contents[0];
  assert.deepEqual(JSON.parse((await view("findings")).text), document.findings);
  assert.match((await view("report.md")).text, /^# Review: /);
  const sarif = await view("report.sarif");
  assert.equal(sarif.mimeType, "application/sarif+json");
  assert.equal(JSON.parse(sarif.text).runs[0].results.length, document.findings.length);
};

reviews["lists reviews and rules, with sizes and times"] = async (session) => {
  const { client } = session;
  const stored = await another(session, "review", "--json");
  const { resources } = await client.listResources();
  const uris = resources.map((resource) => resource.uri);
  for (const uri of ["reviews", "rules", `rules/${FAULT.rule}`]) {
    assert.ok(uris.includes(`foreread://${uri}`), uri);
  }
  const listed = resources.find((one) => one.uri.endsWith(stored.meta.review_id));
  assert.ok(listed.size > 0 && listed.title && listed.description);
  assert.equal(listed.annotations.lastModified, stored.meta.timestamp);
  const { resourceTemplates } = await client.listResourceTemplates();
  const templates = resourceTemplates.map((template) => template.uriTemplate);
  assert.ok(templates.includes("foreread://reviews/{id}"), templates);
  const call = { name: "list_reviews", arguments: { limit: 1 } };
  const page = (await client.callTool(call)).structuredContent;
  assert.equal(page.reviews[0].id, stored.meta.review_id);
};

reviews["explains a rule as a resource and as a tool"] = async ({ client }) => {
  const { contents } = await client.readResource({ uri: `foreread://rules/${FAULT.rule}` });
  assert.equal(contents[0].mimeType, "text/markdown");
  const called = await client.callTool({ name: "explain_rule", arguments: { rule: FAULT.rule } });
  assert.equal(called.content[0].text, contents[0].text);
};

reviews["says that a resource is not there"] = async ({ client }) => {
  const uri = "foreread://reviews/00000000-0000-7000-8000-000000000000";
  await assert.rejects(client.readResource({ uri }), (error) => {
    // This client reads the codes of both eras as one.
    assert.equal(error.code, -32602);
    assert.equal(error.data?.uri, uri);
    return true;
  });
};

reviews["completes the ids of reviews and rules"] = async (session) => {
  const { client } = session;
  const { meta } = await another(session, "review", "--json");
  const complete = async (uri, value) => {
    const params = { ref: { type: "ref/resource", uri }, argument: { name: "id", value } };
    return (await client.complete(params)).completion;
  };
  const reviews = await complete("foreread://reviews/{id}", meta.review_id.slice(0, 5));
  assert.deepEqual([reviews.values, reviews.total], [[meta.review_id], 1]);
  const rules = await complete("foreread://rules/{id}", "python-mut");
  assert.ok(rules.values.includes(FAULT.rule), rules.values);
};

reviews["is told of a review that another process stores"] = async (session) => {
  const { client } = session;
  const told = { list: 0, uris: new Set() };
  let next = promised();
  const wake = () => {
    next.resolve();
    next = promised();
  };
  const heard = () => told.list > 0 && told.uris.has("foreread://reviews") && told.uris.size > 1;
  client.setNotificationHandler("notifications/resources/list_changed", () => {
    told.list += 1;
    wake();
  });
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
    told.uris.add(params.uri);
    wake();
  });
  const uri = "foreread://reviews";
  if (client.getNegotiatedProtocolVersion() < "2026-07-28") {
    await client.subscribeResource({ uri });
  } else {
    const filter = { resourcesListChanged: true, resourceSubscriptions: [uri] };
    const { honoredFilter } = await client.listen(filter);
    assert.deepEqual(honoredFilter, filter);
  }
  const index = async () => JSON.parse((await client.readResource({ uri })).contents[0].text);
  assert.deepEqual((await index()).reviews, []);
  const { meta } = await another(session, "review", "--json");
  while (!heard()) await next.promise;
  assert.ok(told.uris.has(`foreread://reviews/${meta.review_id}`), [...told.uris]);
  assert.equal((await index()).reviews[0].id, meta.review_id);
};

reviews["reviews with a model of its own"] = async ({ client }) => {
  const { prompts } = await client.listPrompts();
  assert.deepEqual(prompts.map((prompt) => prompt.name), ["self_review"]);
  const prompt = { name: "self_review", arguments: { budget: "8000" } };
  const { messages } = await client.getPrompt(prompt);
  const text = messages.map((message) => message.content.text).join("\n");
  assert.match(text, /\+ {4}3\|def add/);
  const finding = {
    file: FAULT.file,
    line: 5,
    severity: "high",
    category: "error-handling",
    title: "A planted finding",
    description: "It stands for what a model would find.",
  };
  const check = async (...findings) =>
    client.callTool({ name: "check_findings", arguments: { findings } });
  const checked = await check(finding);
  assert.ok(!checked.isError, checked.content[0].text);
  const { findings, summary } = checked.structuredContent;
  assert.deepEqual(findings.map((one) => one.source), ["model", "rules"]);
  assert.equal(summary.gate.passed, false);
  const refused = await check({ ...finding, line: 500 });
  assert.ok(refused.isError);
  assert.match(refused.content[0].text, /nearest line is \d+/);
};
