"""The API guide holds what the service knows: its settings, statuses, calls, errors, examples."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest
from django.conf import settings
from django.template.defaultfilters import filesizeformat
from django.test import Client
from django.urls import reverse

from config.guides import inserts, public
from config.limits import policies
from tests.config.guides.test_public import main

pytestmark = pytest.mark.django_db
GUIDE = reverse("api-guide")


@pytest.fixture(autouse=True)
def fresh_pages() -> Iterator[None]:
    """A process reads the settings once, and a test may have others."""
    public.find_guide.cache_clear()
    yield
    public.find_guide.cache_clear()


def guide() -> str:
    answer = Client().get(GUIDE)
    assert answer.status_code == 200
    return main(answer.content.decode())


def rows(page: str, heading: str) -> list[list[str]]:
    """Return the cells of the first table below a heading, as text."""
    table = page.partition(f'id="{heading}"')[2].partition("</table>")[0]
    lines = re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL)
    cells = [re.findall(r"<t[hd]>(.*?)</t[hd]>", line, re.DOTALL) for line in lines]
    return [[unescape(re.sub(r"<[^>]+>", "", cell)) for cell in line] for line in cells]


def test_the_guide_is_in_the_navigation_and_the_api_pages_lead_to_it():
    for name in ("home", "redoc"):
        assert f'href="{GUIDE}"' in Client().get(reverse(name)).content.decode(), name
    document = Client().get(reverse("openapi")).json()
    assert document["externalDocs"]["url"] == f"{settings.PUBLIC_URL}{GUIDE}"


@pytest.mark.parametrize(
    ("name", "value", "cell"),
    [
        ("UPLOAD_LIMIT", 7_340_032, f"{filesizeformat(7_340_032)} (7,340,032 bytes)"),
        ("PUBLIC_UPLOAD_LIMIT", 3_000, f"{filesizeformat(3_000)} (3,000 bytes)"),
        ("HMDA_PAGE_SIZE", 37, "37"),
        ("STREAMS_PER_CALLER", 3, "3 at a time in each web process"),
        ("PROGRESS_LISTENERS", 1_234, "1,234 at a time in each web process"),
        ("ACCESS_TOKEN_SECONDS", 777, "777 seconds"),
        ("PERSONAL_TOKEN_DAYS", 91, "91 days"),
        ("PERSONAL_TOKENS_ENABLED", False, "not on this site"),
        ("EMBEDDED_PROVIDER", False, "that of the identity provider, at most 86,400 seconds"),
    ],
)
def test_a_changed_setting_changes_the_page(settings: Any, name: str, value: Any, cell: str):
    before = {limit for _, limit, _ in rows(guide(), "limits-on-this-site")[1:]}
    assert cell not in before
    setattr(settings, name, value)
    public.find_guide.cache_clear()
    changed = {limit for _, limit, _ in rows(guide(), "limits-on-this-site")[1:]}
    assert changed - before == {cell}


def test_every_limit_of_requests_is_on_the_page(settings: Any):
    assert set(inserts.REQUESTS) == set(settings.LIMITS)
    settings.STREAMS_PER_CALLER = 0
    texts = {"authenticated": "7/min:1234", "public": "off", "sign-in": "9/h:8"}
    read = {name: policies.read_policy(name, text) for name, text in texts.items()}
    settings.LIMITS = {**settings.LIMITS, **read}
    limits = {what: limit for what, limit, _ in rows(guide(), "limits-on-this-site")}
    assert limits["Calls with a token"] == "1,234 at once, then 7 each minute"
    assert limits["Calls without a token"] == "no limit"
    assert limits["Downloads and event streams of one caller"] == "no limit"
    assert limits[inserts.REQUESTS["sign-in"]] == "8 at once, then 9 each hour"


def test_a_test_environment_is_named_and_ends_before_the_signature(settings: Any):
    assert "This site is not a test environment" in guide()
    settings.SIGNING_ENABLED = False
    public.find_guide.cache_clear()
    page = guide()
    assert "This site is a test environment." in page
    table = rows(page, "status-codes")[1:]
    assert [int(code) for code, *_ in table] == [*range(1, 15), -1]
    assert table[13][3] == "Nothing: on this site you do not sign."
