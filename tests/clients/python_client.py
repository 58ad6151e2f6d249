"""The official Python SDK, in both eras, against foreread and the example server."""

import os
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

import anyio
import python_everything
import python_foreread
import python_reviews
from mcp import Client, StdioServerParameters

# Far more than any step needs; reached only by a hang.
PATIENCE = 120.0


def staged_fault(folder: Path, home: Path) -> None:
    """Makes a repository with a staged change that holds one fault, cut off from the machine."""
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "A",
        "GIT_AUTHOR_EMAIL": "a@example.com",
        "GIT_COMMITTER_NAME": "A",
        "GIT_COMMITTER_EMAIL": "a@example.com",
    }

    def git(*arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=folder, env=env, check=True, capture_output=True)

    git("init", "-q")
    (folder / "app").mkdir()
    (folder / python_foreread.FILE).write_text("import json\n")
    git("add", ".")
    git("commit", "-q", "-m", "start")
    (folder / python_foreread.FILE).write_text(
        "import json\n\ndef add(name, basket=[]):\n    basket.append(name)\n    return basket\n"
    )
    git("add", ".")


async def run(command: list[str], mode: str, version: str, test) -> None:
    """Runs one test against a process of its own."""
    with tempfile.TemporaryDirectory(prefix="foreread-client-") as name:
        folder, home = Path(name, "repo"), Path(name, "home")
        folder.mkdir()
        home.mkdir()
        staged_fault(folder, home)
        env = {"HOME": str(home)}
        server = StdioServerParameters(command=command[0], args=command[1:], cwd=folder, env=env)
        world = python_reviews.World(command[0], folder, env, mode == "legacy")
        callbacks = {
            "elicitation_callback": python_everything.answer,
            "message_handler": world.hear,
        }
        with anyio.fail_after(PATIENCE):
            async with Client(server, mode=mode, **callbacks) as client:
                assert client.protocol_version == version, client.protocol_version
                world.client = client
                await test(world if test in python_reviews.TESTS else client)


def main() -> int:
    program, example = sys.argv[1:]
    failed = 0
    for mode, version in [("legacy", "2025-11-25"), ("auto", "2026-07-28")]:
        for server, command, tests in [
            ("foreread", [program, "mcp"], python_foreread.TESTS),
            ("reviews", [program, "mcp"], python_reviews.TESTS),
            ("everything", [example], python_everything.TESTS),
            ("everything", [example], python_everything.MODERN_TESTS if mode == "auto" else []),
        ]:
            for test in tests:
                name = f"python {version}, {server}: {test.__name__.replace('_', ' ')}"
                try:
                    anyio.run(run, command, mode, version, test)
                except Exception:
                    failed += 1
                    print(f"FAILED  {name}\n{traceback.format_exc()}", flush=True)
                else:
                    print(f"ok      {name}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
