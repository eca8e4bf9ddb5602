"""Readers get no session, and who begins to sign in leaves nothing on the server."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from tests.config.identity.client import PASSWORD, authorize, sign_in

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
    for address in sorted(set(addresses())):
        for method in ("GET", "POST"):
            client = Client(headers={"host": "localhost"}, raise_request_exception=False)
            answer = client.generic(method, address)
            assert not Session.objects.exists(), address
            assert "sessionid" not in client.cookies, address
            visited[answer.status_code] = visited.get(answer.status_code, 0) + 1
            if hasattr(answer, "streaming_content"):
                answer.close()
    assert visited[200] > 20
    assert visited[302] > 20


def test_a_reader_gets_no_cookie_at_all(visitor: Client) -> None:
    for address in ("/", "/help/", "/privacy/", "/data/", "/data/graphs/", "/docs/", "/nowhere/"):
        visitor.get(address)
    assert not visitor.cookies


def test_who_only_begins_to_sign_in_leaves_no_row() -> None:
    for _ in range(50):
        client = Client(headers={"host": "localhost"})
        form = client.get("/sign-in/?next=/filing/profile/", follow=True)
        assert form.status_code == 200
        assert 'name="password"' in form.text
    assert not Session.objects.exists()


def test_who_has_signed_in_has_a_session(ann: User, visitor: Client) -> None:
    signed_in = sign_in(visitor, authorize())
    assert signed_in.status_code == 302
    assert "sessionid" in visitor.cookies
    assert Session.objects.count() == 1


def test_a_sign_in_begun_is_kept_in_a_cookie_that_no_script_reads(visitor: Client) -> None:
    visitor.get("/sign-in/?next=/help/")
    cookie = visitor.cookies["signing-in"]
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Lax", "/")
    assert cookie["max-age"] == 24 * 3600


def test_many_tabs_and_a_long_address_fit_into_the_cookie(ann: User, visitor: Client) -> None:
    for number in range(20):
        visitor.get("/sign-in/", {"next": f"/data/?lei={'X' * 500}{number}"})
    tab = visitor.get("/sign-in/", {"next": "/help/"})
    assert len(visitor.cookies["signing-in"].value) < 4000
    page = sign_in(visitor, tab["Location"], password=PASSWORD)
    done = visitor.get(page["Location"], follow=True)
    assert done.redirect_chain[-1][0] == "/help/"
    very_long = visitor.get("/sign-in/", {"next": "/data/?" + "".join(map(str, range(2000)))})
    assert len(visitor.cookies["signing-in"].value) < 4000
    done = visitor.get(very_long["Location"], follow=True)
    assert urlsplit(done.redirect_chain[-1][0]).path == "/filing/"


def test_a_cookie_that_was_changed_begins_nothing(visitor: Client) -> None:
    begun = visitor.get("/sign-in/?next=/help/")
    state = re.search(r"state=(\w+)", begun["Location"])
    assert state
    visitor.cookies["signing-in"] = visitor.cookies["signing-in"].value[:-2] + "zz"
    answer = visitor.get("/sign-in/done", {"code": "c-1", "state": state[1]})
    assert answer.status_code == 400
