"""What is refused of whoever sends one line, and what is not."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.publicapi.lines import (
    PATHS,
    VALIDATE,
    asked,
)
from tests.publicapi.uploads import refusal

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("key", ["ts", "lar"])
def test_an_unknown_check_is_refused(client, key):
    answer = asked(client, f"{VALIDATE[key]}?check=macro", {key: "x"})
    message = "The check 'macro' is unknown; enter one of all, syntactical, validity, quality."
    assert refusal(answer, VALIDATE[key]) == (400, message)


@pytest.mark.parametrize(("key", "path"), [("ts", ""), PATHS[-1]])
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


@pytest.mark.django_db
def test_json_of_any_size_beyond_the_limit_is_too_large(client: Client) -> None:
    for megabytes in (2, 4):  # the framework keeps 2.5 in memory
        body = b'{"ts": "%b"}' % (b"a" * (megabytes << 20))
        address = "/v2/public/ts/validate/2024"
        assert client.post(address, body, content_type="application/json").status_code == 413
