"""What is refused of whoever sends one line, and what is not."""

from __future__ import annotations

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from publicapi.checks import describe_unavailable
from tests.publicapi.lines import (
    NOTHING,
    PARSE,
    PATHS,
    PUBLIC,
    VALIDATE,
    asked,
    by_kind,
    loan,
    sheet,
)
from tests.publicapi.uploads import refusal

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("key", ["ts", "lar"])
@pytest.mark.parametrize(
    ("where", "which"),
    [
        ("2017", ["2017"]),
        ("2045", ["2045"]),
        ("9" * 5_000, ["9" * 5_000]),
        ("2019/quarter/Q1", ["2019", "Q1"]),
    ],
)
def test_a_period_without_edits_is_refused(client, key, where, which):
    path = f"/{key}/validate/{where}"
    message = describe_unavailable(*which)
    assert refusal(asked(client, path, {key: "x"}), path) == (400, message)


@pytest.mark.parametrize("key", ["ts", "lar"])
@pytest.mark.parametrize("where", ["20x4", "-2024", "2024/quarter/Q4", "2024/quarter", ""])
def test_an_address_of_another_shape_does_not_exist(client, key, where):
    path = f"/{key}/validate/{where}"
    answer = client.post(PUBLIC + path, "{}", content_type="application/json")
    assert json.loads(answer.content)["httpStatus"] == answer.status_code == 404


@pytest.mark.parametrize("key", ["ts", "lar"])
def test_an_unknown_check_is_refused(client, key):
    answer = asked(client, f"{VALIDATE[key]}?check=macro", {key: "x"})
    message = "The check 'macro' is unknown; enter one of all, syntactical, validity, quality."
    assert refusal(answer, VALIDATE[key]) == (400, message)


@pytest.mark.parametrize(("key", "path"), [("ts", ""), *PATHS])
@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("", "{key}: This field is required."),
        ("{}", "{key}: This field is required."),
        ('{"TS": "x", "LAR": "x", "line": "x"}', "{key}: This field is required."),
        ('{"{key}": null}', "{key}: This field may not be null."),
        ('{"{key}": 1}', "{key}: This must be a text, in quotes."),
        ('{"{key}": ["x"]}', "{key}: This must be a text, in quotes."),
        ('{"{key}": {}}', "{key}: This must be a text, in quotes."),
        ('{"{key}": true}', "{key}: This must be a text, in quotes."),
        ('["x"]', "non_field_errors: Invalid data. Expected a dictionary, but got list."),
        ('"x"', "non_field_errors: Invalid data. Expected a dictionary, but got str."),
        ("null", "non_field_errors: No data provided"),
        ("1|Bank|2024", "JSON parse error - Extra data: line 1 column 2 (char 1)"),
        ("[" * 100_000, "JSON parse error - it is nested too deeply."),
    ],
)
def test_a_body_of_another_shape_is_refused(client, key, path, body, message):
    answer = asked(client, path, body.replace("{key}", key))
    assert refusal(answer, path) == (400, message.replace("{key}", key))


@pytest.mark.parametrize(("key", "path"), PATHS)
@pytest.mark.parametrize("encoding", ["utf-16", "latin-1"])
def test_json_in_another_encoding_is_refused(client, key, path, encoding):
    answer = asked(client, path, f'{{"{key}": "é"}}'.encode(encoding))
    status, message = refusal(answer, path)
    assert (status, message.partition(" - ")[0]) == (400, "JSON parse error")


@pytest.mark.parametrize(("key", "path"), PATHS)
def test_a_form_is_refused(client, key, path):
    for sending in (
        {"data": {key: "x"}},
        {"data": f"{key}=x", "content_type": "application/x-www-form-urlencoded"},
        {"data": {"file": SimpleUploadedFile("lar.txt", b"1|x")}},
    ):
        status, message = refusal(client.post(PUBLIC + path, **sending), path)
        assert (status, message.partition(" - ")[0]) == (400, "JSON parse error")


@pytest.mark.parametrize(("key", "path"), PATHS)
def test_json_of_a_megabyte_and_more_is_refused(client, key, path):
    answer = asked(client, path, {key: "A" * (1 << 20)})
    message = "The JSON is larger than 1048576 bytes, the most taken here."
    assert refusal(answer, path) == (413, message)


@pytest.mark.parametrize(("key", "line"), [("ts", sheet()), ("lar", loan())])
def test_what_is_no_character_breaks_nothing(client, key, line):
    answer = asked(client, PARSE[key], {key: line.replace("|", "\ud800|", 2)})
    assert answer.status_code == 400
    assert answer.json()["rowNumber"] == 0


@pytest.mark.parametrize("path", ["", *PARSE.values(), *VALIDATE.values()])
@pytest.mark.parametrize("method", ["get", "put", "delete", "patch"])
def test_another_method_is_refused(client, path, method):
    answer = getattr(client, method)(PUBLIC + path)
    assert refusal(answer, path)[0] == 405
    assert set(answer["Allow"].split(", ")) == {"POST", "OPTIONS"}


@pytest.mark.parametrize("path", ["", *PARSE.values(), *VALIDATE.values()])
def test_any_page_may_ask(client, path):
    asks = {"Origin": "https://bank.example", "Access-Control-Request-Method": "POST"}
    answer = client.options(PUBLIC + path, headers=asks)
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer["Access-Control-Allow-Origin"] == "*"


@pytest.mark.parametrize("path", ["", *PARSE.values(), *VALIDATE.values()])
def test_options_that_is_no_preflight_is_answered_with_its_name(client, path):
    answer = client.options(PUBLIC + path)
    assert (answer.status_code, answer.content) == (200, b"OPTIONS")
    assert (answer["Content-Type"], answer["Allow"]) == (
        "text/plain; charset=UTF-8",
        "POST, OPTIONS",
    )


def test_nobody_is_asked_who_they_are(client):
    headers = {"Authorization": "Bearer x.y.z", "Origin": "https://bank.example"}
    answer = asked(client, VALIDATE["lar"], {"lar": loan()}, headers=headers)
    assert by_kind(answer) == NOTHING
    assert answer["Access-Control-Allow-Origin"] == "*"


@pytest.mark.django_db
def test_json_of_any_size_beyond_the_limit_is_too_large(client: Client) -> None:
    for megabytes in (2, 4):  # the framework keeps 2.5 in memory
        body = b'{"ts": "%b"}' % (b"a" * (megabytes << 20))
        address = "/v2/public/ts/validate/2024"
        assert client.post(address, body, content_type="application/json").status_code == 413
