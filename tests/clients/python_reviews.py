"""What a client does with past reviews, also those of another process, and with a model of its own."""

import json
import os
import warnings
from pathlib import Path

import anyio
from mcp import Client, MCPError
from mcp.types import PromptReference, ResourceTemplateReference
from python_foreread import FILE, RULE

NO_REVIEW = "foreread://reviews/00000000-0000-7000-8000-000000000000"


class World:
    """The client under test, and a second process of the program beside it."""

    client: Client

    def __init__(self, program: str, folder: Path, env: dict[str, str], is_legacy: bool) -> None:
        self.program, self.folder, self.is_legacy = program, folder, is_legacy
        self.env = env | {"PATH": os.environ["PATH"]}
        self.heard: list[object] = []
        self.woken = anyio.Event()

    async def another(self, *arguments: str) -> dict:
        """Runs the second process to its end."""
        command = [self.program, *arguments]
        done = await anyio.run_process(command, cwd=self.folder, env=self.env)
        return json.loads(done.stdout)

    async def hear(self, message: object) -> None:
        self.heard.append(message)
        self.woken.set()

    async def text(self, uri: str) -> str:
        result = await self.client.read_resource(uri, cache_mode="bypass")
        return result.contents[0].text


async def reads_a_review_under_the_uri_that_its_result_links_to(world: World) -> None:
    result = await world.client.call_tool("review", {})
    document = result.structured_content
    link = next(block for block in result.content if block.type == "resource_link")
    review_id = document["meta"]["review_id"]
    assert link.uri == f"foreread://reviews/{review_id}", link
    text = await world.text(link.uri)
    assert json.loads(text) == document and link.size == len(text.encode())
    read = await world.client.call_tool("get_review", {"id": review_id})
    assert read.structured_content == document
    assert await world.another("reviews", "show", "--json", review_id) == document
    assert json.loads(await world.text(f"{link.uri}/findings")) == document["findings"]
    assert (await world.text(f"{link.uri}/report.md")).startswith("# Review: ")
    sarif = json.loads(await world.text(f"{link.uri}/report.sarif"))
    assert len(sarif["runs"][0]["results"]) == len(document["findings"])


async def lists_reviews_rules_and_templates(world: World) -> None:
    stored = await world.another("review", "--json")
    resources = {one.uri: one for one in (await world.client.list_resources()).resources}
    assert {"foreread://reviews", "foreread://rules", f"foreread://rules/{RULE}"} <= set(resources)
    listed = resources[f"foreread://reviews/{stored['meta']['review_id']}"]
    assert listed.size and listed.title and listed.description
    assert listed.annotations and listed.annotations.last_modified, listed
    templates = (await world.client.list_resource_templates()).resource_templates
    assert "foreread://reviews/{id}" in {one.uri_template for one in templates}
    page = await world.client.call_tool("list_reviews", {"limit": 1})
    assert page.structured_content["reviews"][0]["id"] == stored["meta"]["review_id"]


async def explains_a_rule_as_a_resource_and_as_a_tool(world: World) -> None:
    called = await world.client.call_tool("explain_rule", {"rule": RULE})
    assert called.content[0].text == await world.text(f"foreread://rules/{RULE}")


async def says_by_the_code_of_its_era_that_a_resource_is_not_there(world: World) -> None:
    try:
        await world.text(NO_REVIEW)
    except MCPError as error:
        assert error.code == (-32002 if world.is_legacy else -32602), error
    else:
        raise AssertionError("a review that is not there was read")


async def completes_ids_and_scopes(world: World) -> None:
    stored = await world.another("review", "--json")
    review_id = stored["meta"]["review_id"]

    async def complete(ref: object, name: str, value: str) -> list[str]:
        result = await world.client.complete(ref, {"name": name, "value": value})
        return result.completion.values

    reviews = ResourceTemplateReference(uri="foreread://reviews/{id}")
    assert await complete(reviews, "id", review_id[:5]) == [review_id]
    assert RULE in await complete(ResourceTemplateReference(uri="foreread://rules/{id}"), "id", "python-mut")
    assert await complete(PromptReference(name="self_review"), "scope", "un") == ["unstaged"]


async def is_told_of_a_review_that_another_process_stores(world: World) -> None:
    uri = "foreread://reviews"
    if world.is_legacy:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            await world.client.subscribe_resource(uri)
        assert json.loads(await world.text(uri))["reviews"] == []
        stored = await world.another("review", "--json")
        wanted = {"notifications/resources/list_changed", "notifications/resources/updated"}
        while not wanted <= {getattr(message, "method", None) for message in world.heard}:
            await world.woken.wait()
            world.woken = anyio.Event()
    else:
        listening = world.client.listen(resources_list_changed=True, resource_subscriptions=[uri])
        async with listening as subscription:
            assert json.loads(await world.text(uri))["reviews"] == []
            stored = await world.another("review", "--json")
            wanted = {"ResourcesListChanged", "ResourceUpdated"}
            async for event in subscription:
                wanted.discard(type(event).__name__)
                if not wanted:
                    break
    listed = json.loads(await world.text(uri))["reviews"]
    assert [one["id"] for one in listed] == [stored["meta"]["review_id"]]


async def reviews_with_a_model_of_its_own(world: World) -> None:
    prompts = (await world.client.list_prompts()).prompts
    assert [prompt.name for prompt in prompts] == ["self_review"]
    prompt = await world.client.get_prompt("self_review", {"focus": "errors", "budget": "8000"})
    text = "\n".join(message.content.text for message in prompt.messages)
    assert "+    3|def add" in text, text
    finding = {
        "file": FILE,
        "line": 5,
        "severity": "high",
        "category": "error-handling",
        "title": "A planted finding",
        "description": "It stands for what a model would find.",
    }
    checked = await world.client.call_tool("check_findings", {"findings": [finding]})
    document = checked.structured_content
    assert [one["source"] for one in document["findings"]] == ["model", "rules"], document
    assert document["summary"]["gate"]["passed"] is False
    refused = await world.client.call_tool("check_findings", {"findings": [finding | {"line": 500}]})
    assert refused.is_error and "nearest line is" in refused.content[0].text, refused


TESTS = [
    reads_a_review_under_the_uri_that_its_result_links_to,
    lists_reviews_rules_and_templates,
    explains_a_rule_as_a_resource_and_as_a_tool,
    says_by_the_code_of_its_era_that_a_resource_is_not_there,
    completes_ids_and_scopes,
    is_told_of_a_review_that_another_process_stores,
    reviews_with_a_model_of_its_own,
]
