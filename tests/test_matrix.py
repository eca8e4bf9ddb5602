"""Every address of the site, asked by everybody: who gets what.

An address is known by its name. One without a line in the table fails, and so does one that
answers another method than its line says.
"""

from __future__ import annotations

import re
from copy import deepcopy
from fnmatch import fnmatchcase
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.urls import resolve

from filing.submissions import watching
from tests.addresses import (  # noqa: F401 -- fixtures
    CALLERS,
    METHODS,
    NO_LEI,
    ROUTES,
    STAFF,
    browsers,
    filed,
    of_api,
    table_of,
)
from tests.conftest import LEI
from tests.errors import error_of
from tests.filing.people.members import one_of_each  # noqa: F401 -- a fixture
from tests.matrix import (
    TABLES,
    UNKNOWN,
    expected,
    rights_page,
)

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


# Whose letters are only known with their encoding.
TEXT = re.compile(r"text/|[^;]*[/+]xml")


def ask(browsers: Any, caller: str, method: str, address: str) -> Any:
    browser, program = browsers[caller]
    client = program if address.startswith(("/v2/", "/hmda-auth/")) else browser
    answer = client.generic(method, address)
    if answer.streaming:
        b"".join(answer)  # to its end: a file that is sent stays open otherwise
    kind = answer.get("Content-Type", "")
    assert "charset=" in kind.lower() or not TEXT.match(kind), f"{method} {address}: {kind}"
    return answer


NOT_ADMIN = [name for name in ROUTES if not name.startswith("admin:")]
GROUPS = 8  # of addresses: making the callers takes as long as asking for one


def test_every_address_has_a_line() -> None:
    silent = [name for name in ROUTES if not any(expected(method, name) for method in METHODS)]
    assert not silent, f"These addresses need a line in tests/matrix.py: {silent}"


def test_every_line_has_an_address() -> None:
    dead = {
        name
        for table in TABLES.values()
        for name in table
        if not any(fnmatchcase(route, name) for route in ROUTES)
    }
    assert not dead, f"These lines speak of no address: {dead}"


def test_the_addresses_lead_to_where_their_names_say() -> None:
    for name, address in ROUTES.items():
        found = resolve(address.format(key=1))
        assert found.view_name == name or not found.url_name, (address, found.view_name)


@pytest.mark.servers
@pytest.mark.parametrize("some", range(GROUPS))
def test_everybody_gets_what_the_table_says(
    some: int, browsers: Any, filed: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "LISTEN_SECONDS", 0)  # whoever follows gets the first event
    cookies = {caller: deepcopy(browser.cookies) for caller, (browser, _) in browsers.items()}
    for name in NOT_ADMIN[some::GROUPS]:
        with transaction.atomic():  # each address finds what the first one has found
            _everybody_gets_what_the_table_says(name, browsers)
            transaction.set_rollback(True)
        for caller, (browser, _) in browsers.items():
            browser.cookies = deepcopy(cookies[caller])


def _everybody_gets_what_the_table_says(name: str, browsers: Any) -> None:
    for method in METHODS:
        wanted = expected(method, name)
        found = {
            caller: ask(browsers, caller, method, ROUTES[name]).status_code
            for caller in reversed(CALLERS)
        }
        if wanted:
            assert found == wanted, f"{method} {name}"
        else:
            told = f"{method} {name} needs a line: {found}"
            assert found.pop("anonymous") in {*UNKNOWN, 302}, told  # or is sent to sign in first
            assert set(found.values()) <= UNKNOWN, told


@pytest.mark.servers
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_everybody_gets_in_the_admin_what_the_rights_say(
    method: str,
    browsers: Any,
    one_of_each: Any,
) -> None:
    wrong = {}
    for name, address in ROUTES.items():
        wanted = expected(method, name)
        if not name.startswith("admin:") or not wanted:
            continue
        key = one_of_each[table_of(name) or User].pk
        _, page = rights_page(name) or (None, "history")
        if method == "GET" and page != "history":  # by role: tests/filing/test_roles.py
            wanted = {caller: wanted[caller] for caller in CALLERS if caller not in STAFF}
        found = {
            caller: ask(browsers, caller, method, address.format(key=key)).status_code
            for caller in wanted
        }
        if method == "POST":  # a form is shown again, or its work is done
            found = {caller: _shown(wanted[caller], status) for caller, status in found.items()}
        if found != wanted:
            wrong[name] = (found, wanted)
    assert not wrong


def _shown(wanted: int, status: int) -> int:
    return 200 if wanted == 200 and status == 302 else status


REFUSED = {
    401: {"httpStatus": 401, "message": "Authorization Token could not be verified", "path": ""},
    403: {
        "httpStatus": 403,
        "message": "Authorization Token does not carry the LEI of this request",
        "path": "",
    },
}


def test_a_refusal_tells_nothing_of_the_institution(browsers: Any, filed: None) -> None:
    asked = (
        (name, method, caller, status)
        for name in filter(of_api, ROUTES)
        for method in METHODS
        for caller, status in (expected(method, name) or {}).items()
        # Whoever acts for the institution is told which role is missing.
        if status in REFUSED and (status, caller) != (403, "filer")
    )
    for name, method, caller, status in asked:
        for lei in (LEI, NO_LEI, LEI.lower()):
            answer = ask(browsers, caller, method, ROUTES[name].replace(LEI, lei))
            assert answer.status_code == status, name
            assert error_of(answer) == REFUSED[status], name
            challenge = "Bearer" if status == 401 else None
            assert answer.headers.get("WWW-Authenticate") == challenge, name


def test_a_browser_may_ask_beforehand_without_a_token(browsers: Any) -> None:
    asked = {"origin": "https://elsewhere.example", "access-control-request-method": "POST"}
    for name in filter(of_api, ROUTES):
        answer = browsers["anonymous"][1].options(ROUTES[name], headers=asked)
        assert answer.status_code == 200, name
        assert answer["Access-Control-Allow-Origin"] == "*", name


def test_a_session_opens_no_api_and_a_token_no_page(browsers: Any, filed: None) -> None:
    browser, program = browsers["filer"]
    assert browser.get(ROUTES["filing:filing"]).status_code == 401
    assert program.get(ROUTES["filing:filing"]).status_code == 200
    browser, program = browsers["administrator"]
    assert browser.get(ROUTES["admin:index"]).status_code == 200
    assert program.get(ROUTES["admin:index"]).status_code == 302
