"""The tools for assistants answer as the API does, and are there only if the site wants them."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from databrowser.assistants.tools import TOOLS

ADDRESS = "/v2/public/mcp"


@pytest.fixture(autouse=True)
def enabled(settings):
    settings.ASSISTANTS_ENABLED = True


def send(method: str, parameters: dict | None = None, *, number: int | None = 1):
    message = {"jsonrpc": "2.0", "method": method, "params": parameters or {}}
    if number is not None:
        message["id"] = number
    return Client().post(ADDRESS, json.dumps(message), content_type="application/json")


def call(tool: str, **arguments):
    answer = send("tools/call", {"name": tool, "arguments": arguments})
    assert answer.status_code == 200
    result = answer.json()["result"]
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    return result


@pytest.mark.parametrize("path", [ADDRESS, "/llms.txt", "/.well-known/api-catalog"])
def test_nothing_is_there_unless_the_site_wants_it(db, settings, path):
    settings.ASSISTANTS_ENABLED = False
    client = Client()
    answer = client.post(path, "{}", "application/json") if path == ADDRESS else client.get(path)
    assert answer.status_code == 404


@pytest.mark.parametrize("body", ["no JSON", "[" * 5000 + "]" * 5000, '"\\u0000"'])
def test_a_body_that_is_not_json_is_a_parse_error(db, body):
    answer = Client().post(ADDRESS, body, content_type="application/json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32700)


def test_a_client_gets_the_protocol_version_that_it_wants_if_it_is_known(db):
    for wanted, expected in (("2025-03-26", "2025-03-26"), ("1999-01-01", "2025-11-25")):
        result = send("initialize", {"protocolVersion": wanted}).json()["result"]
        assert result["protocolVersion"] == expected
        assert result["capabilities"] == {"tools": {}}
    assert send("notifications/initialized", number=None).status_code == 202
    assert send("ping").json()["result"] == {}


def test_tools_describe_their_arguments_and_change_nothing(db):
    tools = {tool["name"]: tool for tool in send("tools/list").json()["result"]["tools"]}
    assert tools.keys() == TOOLS.keys()
    assert all(tool["annotations"]["readOnlyHint"] for tool in tools.values())
    schema = tools["compute_figures"]["inputSchema"]
    assert "denial_rate" in schema["properties"]["measure"]["enum"]
    assert "Asian" in schema["properties"]["races"]["items"]["enum"]


def test_figures_are_those_of_the_api(frames):
    arguments = {"years": [2019, 2021], "measure": "denial_rate", "by": ["years", "races"]}
    answer = call("compute_figures", **arguments, states=["CA", "TX"])["structuredContent"]
    query = "years=2019,2021&measure=denial_rate&by=years,races&states=CA,TX"
    expected = Client().get(f"/v2/data-browser-api/view/figures?{query}").json()
    assert answer.pop("page").endswith(f"/data/browser/?{query}")
    assert answer == expected


def test_the_other_tools_say_what_there_is(frames):
    data_sets = call("list_data_sets")["structuredContent"]["dataSets"]
    assert [each["year"] for each in data_sets] == [2019, 2021]
    known = call("describe_questions")["structuredContent"]
    assert known["filters"]["actions_taken"]["values"]["3"] == "Application denied"
    assert known["measures"]["denial_rate"]["definition"]
    matches = call("find_places_and_lenders", find="Los Angeles")["structuredContent"]["matches"]
    assert ("counties", "06037") in {(each["parameter"], each["value"]) for each in matches}


@pytest.mark.parametrize(
    ("tool", "arguments", "error"),
    [
        ("compute_figures", {"years": ["1999"]}, "invalid-year"),
        ("compute_figures", {}, "provide-years"),
        ("compute_figures", {"years": [2019], "by": ["tracts"]}, "not-together"),
        ("compute_figures", {"years": [2019], "leis": [*range(301)]}, "too-many-values"),
        ("compute_figures", {"years": [2019], "colour": "red"}, None),
        ("find_places_and_lenders", {}, None),
        ("find_places_and_lenders", {"find": "x" * 101}, None),
    ],
)
def test_a_refusal_is_an_answer_that_says_what_would_do(frames, tool, arguments, error):
    result = call(tool, **arguments)
    assert result["isError"]
    assert result["structuredContent"].get("errorType") == error
    assert result["structuredContent"]["message"]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ("{", 400, -32700),
        ("[]", 400, -32600),
        ('{"id": 1}', 400, -32600),
        ('{"id": 1, "method": "x", "params": []}', 200, -32601),
        ('{"id": 1, "method": "x", "params": [1]}', 400, -32600),
        ('{"id": 1, "method": "resources/list"}', 200, -32601),
        ('{"id": 1, "method": "tools/call", "params": {"name": "drop_tables"}}', 200, -32602),
        ('{"id": 1, "method": "tools/call", "params": {"name": ["x"]}}', 200, -32602),
        (
            '{"id": 1, "method": "tools/call", "params": {"name": "list_data_sets", '
            '"arguments": [1]}}',
            200,
            -32602,
        ),
    ],
)
def test_what_is_no_message_gets_an_error_of_the_protocol(db, body, status, code):
    answer = Client().post(ADDRESS, body, content_type="application/json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


def test_programs_find_what_there_is(db):
    catalogue = Client().get("/.well-known/api-catalog")
    assert catalogue["Content-Type"].startswith("application/linkset+json")
    (links,) = catalogue.json()["linkset"]
    for link in ("service-desc", "service-doc", "status", "describedby"):
        for each in links[link]:
            path = "/" + each["href"].split("/", 3)[3]
            assert Client().get(path).status_code == 200, path
    text = Client().get("/llms.txt").content.decode()
    assert all(tool in text for tool in TOOLS)
    assert "&" not in text
