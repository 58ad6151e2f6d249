"""The official Python SDK starts `foreread mcp` and reviews a staged change, in both eras."""

import json
import os
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

import anyio
from mcp import Client, MCPError, StdioServerParameters

# Far more than any step needs; reached only by a hang.
PATIENCE = 120.0

FILE, LINE, RULE = "app/basket.py", 3, "python-mutable-default"


def staged_fault(folder: Path) -> None:
    """Makes a repository with a staged change that holds one fault, cut off from the machine."""
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
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
    (folder / FILE).write_text("import json\n")
    git("add", ".")
    git("commit", "-q", "-m", "start")
    (folder / FILE).write_text(
        "import json\n\ndef add(name, basket=[]):\n    basket.append(name)\n    return basket\n"
    )
    git("add", ".")


def long_patch(files: int) -> str:
    """A patch that takes a while to review: so many files of forty plain lines."""
    patch = []
    for file in range(files):
        patch.append(f"--- /dev/null\n+++ b/generated/{file}.py\n@@ -0,0 +1,40 @@\n")
        patch += [f"+value_{n} = [{file}, {n}, max({n}, len(str({file})))]\n" for n in range(40)]
    return "".join(patch)


async def lists_the_tool_with_its_annotations_and_schemas(client: Client) -> None:
    assert "review" in (client.instructions or ""), client.instructions
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    review = tools["review"]
    assert review.title and review.description
    assert review.input_schema["additionalProperties"] is False
    assert review.output_schema and review.output_schema["type"] == "object"
    hints = review.annotations
    assert hints and hints.read_only_hint is True and hints.open_world_hint is False, hints


async def finds_the_planted_fault_as_text_and_as_data(client: Client) -> None:
    reports: list[tuple[float, float | None, str | None]] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        reports.append((done, total, message))

    result = await client.call_tool("review", {"fail_on": "medium"}, progress_callback=progress)
    assert not result.is_error, "a gate that fails is a result"
    document = result.structured_content
    found = [(one["file"], one["line"], one["rule"]) for one in document["findings"]]
    assert found == [(FILE, LINE, RULE)], found
    assert document["summary"]["gate"]["passed"] is False
    short, long = result.content[:2]
    assert "gate failed" in short.text and f"{FILE}:{LINE}" in short.text, short.text
    assert json.loads(long.text) == document
    steps = [done for done, _, _ in reports]
    assert len(steps) >= 2 and steps == sorted(set(steps)), reports
    assert reports[-1][2], reports


async def says_what_is_wrong_with_arguments(client: Client) -> None:
    result = await client.call_tool("review", {"fail_on": "severe"})
    assert result.is_error and "fail_on" in result.content[0].text, result
    try:
        await client.call_tool("no-such-tool", {})
    except MCPError as error:
        assert error.code == -32602, error
    else:
        raise AssertionError("an unknown tool was called")


async def stops_a_review_that_is_given_up_and_serves_on(client: Client) -> None:
    late = 0
    stopped = False
    with anyio.CancelScope() as scope:

        async def progress(done: float, total: float | None, message: str | None) -> None:
            nonlocal late
            late += stopped
            scope.cancel()

        await client.call_tool("review", {"patch": long_patch(400)}, progress_callback=progress)
    assert scope.cancelled_caught, "the review was answered"
    # The answer shows that the server has dealt with the cancellation sent before it.
    await client.list_tools(cache_mode="bypass")
    stopped = True
    result = await client.call_tool("review", {})
    assert len(result.structured_content["findings"]) == 1
    assert late == 0, "no report came after the cancellation"


TESTS = [
    lists_the_tool_with_its_annotations_and_schemas,
    finds_the_planted_fault_as_text_and_as_data,
    says_what_is_wrong_with_arguments,
    stops_a_review_that_is_given_up_and_serves_on,
]


async def run(program: str, mode: str, version: str, test) -> None:
    """Runs one test against a process of its own."""
    with tempfile.TemporaryDirectory(prefix="foreread-client-") as name:
        folder = Path(name)
        staged_fault(folder)
        env = {"HOME": name}
        server = StdioServerParameters(command=program, args=["mcp"], cwd=folder, env=env)
        with anyio.fail_after(PATIENCE):
            async with Client(server, mode=mode) as client:
                assert client.protocol_version == version, client.protocol_version
                await test(client)


def main() -> int:
    failed = 0
    for mode, version in [("legacy", "2025-11-25"), ("auto", "2026-07-28")]:
        for test in TESTS:
            name = f"python {version}: {test.__name__.replace('_', ' ')}"
            try:
                anyio.run(run, sys.argv[1], mode, version, test)
            except Exception:
                failed += 1
                print(f"FAILED  {name}\n{traceback.format_exc()}", flush=True)
            else:
                print(f"ok      {name}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
