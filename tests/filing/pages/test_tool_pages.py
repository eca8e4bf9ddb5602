"""Calls to copy: they name this site, and their values survive every language."""

from __future__ import annotations

import ast
import shlex

import pytest

from filing.pages import tool_pages

BODY = {"loanId": 'it\'s "A"', "loanTerm": 30, "apr": 6.25, "explain": True}


@pytest.fixture(autouse=True)
def _site(settings):
    settings.PUBLIC_URL = "https://hmda.example"


def by_language(calls: list[tool_pages.CallExample]) -> dict[str, str]:
    return {call.language: call.code for call in calls}


def test_curl_has_the_values_as_one_word():
    words = shlex.split(
        by_language(tool_pages.build_post_examples("/x", BODY))["curl"].replace("\\\n", "")
    )
    assert words[:2] == ["curl", "https://hmda.example/x"]
    assert words[-1] == '{"loanId": "it\'s \\"A\\"", "loanTerm": 30, "apr": 6.25, "explain": true}'


def test_python_has_the_values_as_it_writes_them():
    code = ast.parse(by_language(tool_pages.build_post_examples("/x", BODY))["Python"])
    call = next(node for node in ast.walk(code) if isinstance(node, ast.Call))
    assert ast.literal_eval(call.keywords[0].value) == BODY
    assert ast.literal_eval(call.args[0]) == "https://hmda.example/x"
