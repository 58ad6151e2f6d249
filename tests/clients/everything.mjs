// What a client does with the example server that has one of everything.

import assert from "node:assert/strict";

import { LATE_REPORT, PATIENCE, givenUpAtOnce, promised } from "./session.mjs";

export const everything = {};

everything["lists all that there is"] = async ({ client }) => {
  const { tools } = await client.listTools();
  assert.ok(tools.some((tool) => tool.name === "test_simple_text"));
  const { resources } = await client.listResources();
  assert.ok(resources.some((resource) => resource.uri === "test://static-text"));
  const { resourceTemplates } = await client.listResourceTemplates();
  assert.deepEqual(
    resourceTemplates.map((template) => template.uriTemplate),
    ["test://template/{id}/data"],
  );
  const { prompts } = await client.listPrompts();
  assert.ok(prompts.some((prompt) => prompt.name === "test_prompt_with_arguments"));
};

everything["calls tools and hears of failures"] = async ({ call }) => {
  const result = await call({ name: "test_simple_text", arguments: {} });
  const text = "This is a simple text response for testing.";
  assert.deepEqual(result.content, [{ type: "text", text }]);
  const failure = await call({ name: "test_error_handling", arguments: {} });
  assert.equal(failure.isError, true);
  const wrong = await call({ name: "greet", arguments: { name: 5 } });
  assert.equal(wrong.isError, true);
  assert.match(wrong.content[0].text, /name/);
  const mixed = await call({ name: "test_multiple_content_types", arguments: {} });
  assert.deepEqual(
    mixed.content.map((content) => content.type),
    ["text", "image", "resource"],
  );
};

everything["reads resources"] = async ({ client }) => {
  const { contents } = await client.readResource({ uri: "test://static-text" });
  assert.equal(contents[0].text, "This is the content of the static text resource.");
  const data = await client.readResource({ uri: "test://template/7/data" });
  assert.equal(JSON.parse(data.contents[0].text).id, "7");
  const image = await client.readResource({ uri: "test://static-binary" });
  assert.equal(image.contents[0].mimeType, "image/png");
  await assert.rejects(client.readResource({ uri: "test://none" }));
};

everything["gets prompts"] = async ({ client }) => {
  const name = "test_prompt_with_arguments";
  const { messages } = await client.getPrompt({ name, arguments: { arg1: "a", arg2: "b" } });
  assert.equal(messages[0].content.text, "Prompt with arguments: arg1='a', arg2='b'");
  await assert.rejects(client.getPrompt({ name: "none" }), { code: -32602 });
};

everything["completes arguments"] = async ({ client }) => {
  const ref = { type: "ref/prompt", name: "test_prompt_with_arguments" };
  const { completion } = await client.complete({ ref, argument: { name: "arg1", value: "par" } });
  assert.deepEqual(completion.values, ["paris", "park", "party"]);
};

everything["receives progress that rises"] = async (session) => {
  session.tolerated = LATE_REPORT;
  const reports = [];
  const options = { onprogress: (report) => reports.push(report.progress), timeout: PATIENCE };
  await session.call({ name: "test_tool_with_progress", arguments: {} }, options);
  assert.ok(reports.length >= 2, "progress was reported");
  assert.deepEqual(reports, [0, 50, 100].slice(0, reports.length));
};

everything["gives a call up and goes on"] = async (session) => {
  session.tolerated = LATE_REPORT;
  const { call } = session;
  const { options, seen } = givenUpAtOnce();
  await assert.rejects(call({ name: "test_tool_with_progress", arguments: {} }, options));
  // This answer shows that the server has dealt with the cancellation sent before it.
  await call({ name: "greet", arguments: { name: "Ada" } });
  seen.stopped = true;
  await call({ name: "test_tool_with_progress", arguments: {} }, { timeout: PATIENCE });
  assert.equal(seen.late, 0, "no report came after the cancellation");
};

everything["is asked by a tool"] = async (session) => {
  session.onElicit = (request) => {
    assert.equal(request.params.message, "What is your name?");
    return { action: "accept", content: { name: "Ada" } };
  };
  const call = { name: "test_input_required_result_elicitation", arguments: {} };
  const result = await session.call(call, { timeout: PATIENCE });
  assert.equal(result.content[0].text, "Hello, Ada!");
};

everything["is told of other tools"] = async (session) => {
  const { promise, resolve } = promised();
  session.onToolsChanged = resolve;
  await session.call({ name: "test_trigger_tool_change", arguments: {} });
  await promise;
};
