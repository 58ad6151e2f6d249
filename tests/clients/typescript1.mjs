// The official TypeScript SDK, version 1, which shakes hands.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";

import { everything } from "./everything.mjs";
import { foreread } from "./foreread.mjs";
import { run } from "./session.mjs";

async function connect(server) {
  const errors = [];
  const session = { errors, onElicit: undefined, onToolsChanged: () => {} };
  const onChanged = () => session.onToolsChanged();
  session.client = new Client(
    { name: "typescript", version: "1" },
    {
      capabilities: { elicitation: {} },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged } },
    },
  );
  session.client.onerror = (error) => errors.push(error);
  session.client.setRequestHandler(ElicitRequestSchema, (request) => session.onElicit(request));
  session.call = (params, options) => session.client.callTool(params, undefined, options);
  await session.client.connect(new StdioClientTransport(server));
  return session;
}

const [program, example] = process.argv.slice(2);
await run("typescript 1, foreread", foreread, [program, "mcp"], connect);
await run("typescript 1, everything", everything, [example], connect);
