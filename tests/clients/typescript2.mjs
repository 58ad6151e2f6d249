// The official TypeScript SDK, version 2, in both eras.

import assert from "node:assert/strict";

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

import { everything } from "./everything.mjs";
import { foreread } from "./foreread.mjs";
import { reviews } from "./reviews.mjs";
import { run } from "./session.mjs";

/** `auto` asks the server first, and finds that it serves the newest revision. */
const ERAS = [
  { mode: "legacy", version: "2025-11-25" },
  { mode: "auto", version: "2026-07-28" },
];

function connectIn({ mode, version }) {
  return async (server) => {
    const errors = [];
    const session = { errors, onElicit: undefined, onToolsChanged: () => {} };
    const onChanged = () => session.onToolsChanged();
    session.client = new Client(
      { name: "typescript", version: "2" },
      {
        versionNegotiation: { mode },
        capabilities: { elicitation: {} },
        listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged } },
      },
    );
    session.client.onerror = (error) => errors.push(error);
    session.client.setRequestHandler("elicitation/create", (request) => session.onElicit(request));
    session.call = (params, options) => session.client.callTool(params, options);
    await session.client.connect(new StdioClientTransport(server));
    assert.equal(session.client.getNegotiatedProtocolVersion(), version);
    return session;
  };
}

const subscriptions = {
  "hears the server end a subscription": async ({ client }) => {
    const subscription = await client.listen({ promptsListChanged: true });
    process.kill(client.transport.pid, "SIGTERM");
    assert.equal(await subscription.closed, "graceful");
  },
};

const [program, example] = process.argv.slice(2);
for (const era of ERAS) {
  const name = `typescript 2 ${era.version}`;
  await run(`${name}, foreread`, foreread, [program, "mcp"], connectIn(era));
  await run(`${name}, reviews`, reviews, [program, "mcp"], connectIn(era));
  await run(`${name}, everything`, everything, [example], connectIn(era));
}
await run("typescript 2 2026-07-28, subscriptions", subscriptions, [example], connectIn(ERAS[1]));
