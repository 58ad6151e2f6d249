// The inspector's command line, in both eras: one process for each question.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

import { FAULT, stagedFault } from "./fixture.mjs";

const require = createRequire(import.meta.url);
const manifest = require.resolve("@modelcontextprotocol/inspector/package.json");
const launcher = join(dirname(manifest), require(manifest).bin["mcp-inspector"]);

const [program, example] = process.argv.slice(2);

/** Asks a server one thing and returns the result. */
function ask(repo, era, server, ...question) {
  const options = ["--cli", "--quiet", "--format", "json", "--protocol-era", era];
  const args = [launcher, ...options, ...server, "--method", ...question];
  const env = { PATH: process.env.PATH, HOME: repo.home };
  const text = execFileSync(process.execPath, args, { cwd: repo.folder, env, encoding: "utf8" });
  return JSON.parse(text).result;
}

const tests = {};

tests["lists, calls, reads and gets"] = (repo, era) => {
  const everything = (...question) => ask(repo, era, [example], ...question);
  const { tools } = everything("tools/list");
  assert.ok(tools.some((tool) => tool.name === "test_simple_text"));
  const call = everything("tools/call", "--tool-name", "greet", "--tool-arg", "name=Ada");
  assert.equal(call.content[0].text, "Hello, Ada!");
  const read = everything("resources/read", "--uri", "test://template/7/data");
  assert.equal(JSON.parse(read.contents[0].text).id, "7");
  const { resourceTemplates } = everything("resources/templates/list");
  assert.equal(resourceTemplates[0].uriTemplate, "test://template/{id}/data");
  const named = [
    "--prompt-name",
    "test_prompt_with_arguments",
    "--prompt-args",
    "arg1=a",
    "arg2=b",
  ];
  const prompt = everything("prompts/get", ...named);
  assert.equal(prompt.messages[0].content.text, "Prompt with arguments: arg1='a', arg2='b'");
};

tests["reviews, and reads the review in another process"] = (repo, era) => {
  const foreread = (...question) => ask(repo, era, [program, "mcp"], ...question);
  const { structuredContent: document } = foreread("tools/call", "--tool-name", "review");
  const { file, line, rule } = document.findings[0];
  assert.deepEqual({ file, line, rule }, FAULT);
  const uri = `foreread://reviews/${document.meta.review_id}`;
  const { resources } = foreread("resources/list");
  assert.ok(resources.some((resource) => resource.uri === uri));
  const read = foreread("resources/read", "--uri", uri);
  assert.deepEqual(JSON.parse(read.contents[0].text), document);
};

for (const [era, version] of [
  ["legacy", "2025-11-25"],
  ["modern", "2026-07-28"],
]) {
  for (const [title, test] of Object.entries(tests)) {
    const repo = stagedFault();
    try {
      test(repo, era);
      console.log(`ok      inspector ${version}: ${title}`);
    } catch (error) {
      process.exitCode = 1;
      console.log(`FAILED  inspector ${version}: ${title}\n${error.stack}`);
    } finally {
      repo.remove();
    }
  }
}
