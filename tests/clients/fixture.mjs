// A git repository with a staged change that holds one fault, cut off from the settings of the machine.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const FAULT = { file: "app/basket.py", line: 3, rule: "python-mutable-default" };

/** Makes the repository and an empty home; returns both folders and what removes them. */
export function stagedFault() {
  const top = mkdtempSync(join(tmpdir(), "foreread-client-"));
  const [folder, home] = ["repo", "home"].map((name) => join(top, name));
  mkdirSync(folder);
  mkdirSync(home);
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "A",
    GIT_AUTHOR_EMAIL: "a@example.com",
    GIT_COMMITTER_NAME: "A",
    GIT_COMMITTER_EMAIL: "a@example.com",
    // Every such repository is the same to the bit.
    GIT_AUTHOR_DATE: "2026-01-01T00:00:00Z",
    GIT_COMMITTER_DATE: "2026-01-01T00:00:00Z",
  };
  const git = (...args) => execFileSync("git", args, { cwd: folder, env, stdio: "pipe" });
  git("init", "-q");
  mkdirSync(join(folder, "app"));
  writeFileSync(join(folder, FAULT.file), "import json\n");
  git("add", ".");
  git("commit", "-q", "-m", "start");
  const code =
    "import json\n\ndef add(name, basket=[]):\n    basket.append(name)\n    return basket\n";
  writeFileSync(join(folder, FAULT.file), code);
  git("add", ".");
  return { folder, home, remove: () => rmSync(top, { recursive: true, force: true }) };
}

/** A patch that takes a while to review: so many files of forty plain lines. */
export function longPatch(files) {
  let patch = "";
  for (let file = 0; file < files; file++) {
    patch += `--- /dev/null\n+++ b/generated/${file}.py\n@@ -0,0 +1,40 @@\n`;
    for (let line = 0; line < 40; line++) {
      patch += `+value_${line} = [${file}, ${line}, max(${line}, len(str(${file})))]\n`;
    }
  }
  return patch;
}
