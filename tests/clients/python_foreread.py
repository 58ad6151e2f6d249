"""What a client does with `foreread mcp` in a repository with a staged change."""

import json

import anyio
from mcp import Client, MCPError
from mcp.types import ResourceTemplateReference

FILE, LINE, RULE = "app/basket.py", 3, "python-mutable-default"


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


async def reads_a_review_that_was_made_and_the_page_of_its_rule(client: Client) -> None:
    document = (await client.call_tool("review", {})).structured_content
    uri = f"foreread://reviews/{document['meta']['review_id']}"
    resources = [str(one.uri) for one in (await client.list_resources()).resources]
    assert uri in resources, resources
    read = await client.read_resource(uri)
    assert json.loads(read.contents[0].text) == document
    page = await client.read_resource(f"foreread://rules/{RULE}")
    assert page.contents[0].mime_type == "text/markdown", page


async def completes_the_ids_of_rules(client: Client) -> None:
    rules = ResourceTemplateReference(type="ref/resource", uri="foreread://rules/{id}")
    completed = await client.complete(rules, {"name": "id", "value": RULE[:12]})
    assert RULE in completed.completion.values, completed


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
    # This answer shows that the server has dealt with the cancellation sent before it.
    await client.call_tool("explain_rule", {"rule": RULE})
    stopped = True
    result = await client.call_tool("review", {})
    assert len(result.structured_content["findings"]) == 1
    assert late == 0, "no report came after the cancellation"


TESTS = [
    lists_the_tool_with_its_annotations_and_schemas,
    finds_the_planted_fault_as_text_and_as_data,
    reads_a_review_that_was_made_and_the_page_of_its_rule,
    completes_the_ids_of_rules,
    says_what_is_wrong_with_arguments,
    stops_a_review_that_is_given_up_and_serves_on,
]
