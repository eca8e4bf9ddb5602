"""Readers get no session, and who begins to sign in leaves nothing on the server."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("provider_site"),
]
EXAMPLES = {"year": "2024", "chart": "signed", "number": "1", "sequence_number": "1"}


def addresses(patterns: Any = None, before: str = "") -> Iterator[str]:
    """Give an address of each pattern there is, whether or not anything lies there."""
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        part = before + str(pattern.pattern).lstrip("^").rstrip("$").replace("?", "")
        if isinstance(pattern, URLResolver):
            yield from addresses(pattern.url_patterns, part)
        elif isinstance(pattern, URLPattern):
            yield "/" + re.sub(r"<(?:\w+:)?(\w+)>", lambda name: EXAMPLES.get(name[1], "x"), part)


def test_no_page_gives_a_session_to_who_has_not_signed_in(ann: User) -> None:
    visited = {200: 0, 302: 0}
    for address in sorted(set(addresses()))[::4]:
        for method in ("GET", "POST"):
            client = Client(headers={"host": "localhost"}, raise_request_exception=False)
            answer = client.generic(method, address)
            assert not Session.objects.exists(), address
            assert "sessionid" not in client.cookies, address
            visited[answer.status_code] = visited.get(answer.status_code, 0) + 1
            if hasattr(answer, "streaming_content"):
                answer.close()
    assert visited[200] > 5
    assert visited[302] > 5


def test_a_cookie_that_was_changed_begins_nothing(visitor: Client) -> None:
    begun = visitor.get("/sign-in/?next=/help/")
    state = re.search(r"state=(\w+)", begun["Location"])
    assert state
    visitor.cookies["signing-in"] = visitor.cookies["signing-in"].value[:-2] + "zz"
    answer = visitor.get("/sign-in/done", {"code": "c-1", "state": state[1]})
    assert answer.status_code == 400
