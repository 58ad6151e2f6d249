// Runs tests, each with a client and a server process of its own, and says how they went.

import assert from "node:assert/strict";

import { stagedFault } from "./fixture.mjs";

/** Far more than any step needs; reached only by a hang. */
export const PATIENCE = 120_000;

/**
 * Runs a table of tests. `connect` starts a server and returns a session: the `client` of an SDK, a
 * `call` that hides how the SDKs differ, and the list `errors` of what the client complained about. Tests
 * find in `server` how it was started.
 */
export async function run(name, tests, [command, ...args], connect) {
  for (const [title, test] of Object.entries(tests)) {
    const repo = stagedFault();
    try {
      const env = { PATH: process.env.PATH, HOME: repo.home };
      const server = { command, args, cwd: repo.folder, env, stderr: "inherit" };
      const session = await connect(server);
      session.server = server;
      try {
        await test(session);
      } finally {
        await session.client.close();
      }
      const tolerated = session.tolerated ?? /^$/;
      assert.deepEqual(
        session.errors.filter((error) => !tolerated.test(error.message)),
        [],
      );
      console.log(`ok      ${name}: ${title}`);
    } catch (error) {
      process.exitCode = 1;
      console.log(`FAILED  ${name}: ${title}\n${error.stack}`);
    } finally {
      repo.remove();
    }
  }
}

/**
 * What these clients complain of when a report comes in one chunk with the answer, or crosses the
 * cancellation on its way: they have forgotten the listener by then.
 */
export const LATE_REPORT = /progress notification for an unknown token/;

/** A promise and what settles it. */
export function promised() {
  let resolve;
  const promise = new Promise((settle) => (resolve = settle));
  return { promise, resolve };
}

/** Options of a call that is given up at its first report, and a count of reports that come late. */
export function givenUpAtOnce() {
  const abort = new AbortController();
  const seen = { stopped: false, late: 0 };
  const onprogress = () => {
    if (seen.stopped) seen.late += 1;
    if (!abort.signal.aborted) abort.abort("changed my mind");
  };
  return { options: { onprogress, signal: abort.signal, timeout: PATIENCE }, seen };
}
