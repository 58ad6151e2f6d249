"""What a client does with the example server that has one of everything."""

import json

import anyio
from mcp import Client, MCPError
from mcp.types import ElicitRequestParams, ElicitResult, PromptReference


async def lists_all_that_there_is(client: Client) -> None:
    tools = [tool.name for tool in (await client.list_tools()).tools]
    assert "test_simple_text" in tools, tools
    resources = [str(resource.uri) for resource in (await client.list_resources()).resources]
    assert "test://static-text" in resources, resources
    templates = (await client.list_resource_templates()).resource_templates
    assert [one.uri_template for one in templates] == ["test://template/{id}/data"], templates
    prompts = [prompt.name for prompt in (await client.list_prompts()).prompts]
    assert "test_prompt_with_arguments" in prompts, prompts


async def calls_tools_and_hears_of_failures(client: Client) -> None:
    result = await client.call_tool("test_simple_text", {})
    assert result.content[0].text == "This is a simple text response for testing."
    assert (await client.call_tool("test_error_handling", {})).is_error
    wrong = await client.call_tool("greet", {"name": 5})
    assert wrong.is_error and "name" in wrong.content[0].text, wrong
    mixed = await client.call_tool("test_multiple_content_types", {})
    assert [one.type for one in mixed.content] == ["text", "image", "resource"], mixed


async def reads_resources(client: Client) -> None:
    read = await client.read_resource("test://static-text")
    assert read.contents[0].text == "This is the content of the static text resource."
    data = await client.read_resource("test://template/7/data")
    assert json.loads(data.contents[0].text)["id"] == "7"
    image = await client.read_resource("test://static-binary")
    assert image.contents[0].mime_type == "image/png"
    try:
        await client.read_resource("test://none")
    except MCPError as error:
        assert error.code in (-32002, -32602), error
    else:
        raise AssertionError("an unknown resource was read")


async def gets_prompts(client: Client) -> None:
    prompt = await client.get_prompt("test_prompt_with_arguments", {"arg1": "a", "arg2": "b"})
    assert prompt.messages[0].content.text == "Prompt with arguments: arg1='a', arg2='b'"


async def completes_arguments(client: Client) -> None:
    prompt = PromptReference(type="ref/prompt", name="test_prompt_with_arguments")
    completed = await client.complete(prompt, {"name": "arg1", "value": "par"})
    assert completed.completion.values == ["paris", "park", "party"], completed


async def receives_progress_that_rises(client: Client) -> None:
    reports: list[float] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        reports.append(done)

    await client.call_tool("test_tool_with_progress", {}, progress_callback=progress)
    assert reports == [0, 50, 100], reports


async def gives_a_call_up_and_goes_on(client: Client) -> None:
    late = 0
    stopped = False
    with anyio.CancelScope() as scope:

        async def progress(done: float, total: float | None, message: str | None) -> None:
            nonlocal late
            late += stopped
            scope.cancel()

        await client.call_tool("test_tool_with_progress", {}, progress_callback=progress)
    assert scope.cancelled_caught, "the call was answered"
    # This answer shows that the server has dealt with the cancellation sent before it.
    await client.call_tool("greet", {"name": "Ada"})
    stopped = True
    await client.call_tool("test_tool_with_progress", {})
    assert late == 0, "no report came after the cancellation"


async def answer(context: object, params: ElicitRequestParams) -> ElicitResult:
    """What the user says whenever a tool asks."""
    assert params.message == "What is your name?", params
    return ElicitResult(action="accept", content={"name": "Ada"})


async def is_asked_by_a_tool(client: Client) -> None:
    result = await client.call_tool("test_input_required_result_elicitation", {})
    assert result.content[0].text == "Hello, Ada!", result


async def listens_to_changes(client: Client) -> None:
    async with client.listen(tools_list_changed=True) as changes:
        await client.call_tool("test_trigger_tool_change", {})
        async for change in changes:
            assert type(change).__name__ == "ToolsListChanged", change
            break


TESTS = [
    lists_all_that_there_is,
    calls_tools_and_hears_of_failures,
    reads_resources,
    gets_prompts,
    completes_arguments,
    receives_progress_that_rises,
    gives_a_call_up_and_goes_on,
    is_asked_by_a_tool,
]

# What there is since 2026-07-28 alone.
MODERN_TESTS = [listens_to_changes]
