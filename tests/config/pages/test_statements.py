"""The fixed addresses of a public site: statements, security contact, what robots may read."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.robotparser import RobotFileParser

import pytest
from django.test import Client
from django.urls import reverse

from tests.filing.people.members import member, signed_in

pytestmark = pytest.mark.django_db
SECURITY = "/.well-known/security.txt"


def page(address: str, status: int = 200, client: Client | None = None) -> str:
    answer = (client or Client()).get(address)
    assert answer.status_code == status
    return " ".join(answer.content.decode().split())


@pytest.mark.parametrize(
    ("address", "setting"),
    [("/accessibility/", "ACCESSIBILITY_TEXT"), ("/privacy/", "PRIVACY_TEXT")],
)
def test_the_text_of_the_operator_takes_its_place(
    settings: Any, address: str, setting: str
) -> None:
    written = "First <b>.\n\n# A heading\n\n- one\n- two & three\n\nWrite to x@y.example.\nToday."
    setattr(settings, setting, written)
    main = page(address).partition("<main")[2].partition("</main")[0]
    assert "<p>First &lt;b&gt;.</p>" in main
    assert "<h2>A heading</h2>" in main
    assert '<ul class="usa-list"><li>one</li><li>two &amp; three</li></ul>' in main
    assert 'Write to <a href="mailto:x@y.example">x@y.example</a>. Today.' in main
    assert "WCAG" not in main


def test_security_txt_has_what_its_standard_asks_for(settings: Any) -> None:
    settings.PUBLIC_URL = "https://hmda.example"
    settings.SECURITY_CONTACT = ["mailto:security@hmda.example", "https://hmda.example/report"]
    answer = Client().get(SECURITY)
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    lines = answer.content.decode().splitlines()
    fields = [line.split(": ", 1) for line in lines]
    assert [name for name, _ in fields] == [
        "Contact",
        "Contact",
        "Expires",
        "Preferred-Languages",
        "Canonical",
    ]
    assert fields[0][1] == "mailto:security@hmda.example"
    assert fields[1][1] == "https://hmda.example/report"
    expires = datetime.fromisoformat(fields[2][1])
    assert expires.tzinfo
    assert timedelta(days=7) < expires - datetime.now(UTC) < timedelta(days=365)
    assert fields[3:] == [
        ["Preferred-Languages", "en"],
        ["Canonical", "https://hmda.example" + SECURITY],
    ]


def test_security_txt_names_the_help_desk_where_nobody_else_is_named(settings: Any) -> None:
    settings.SECURITY_CONTACT, settings.CONTACT_EMAIL = [], "help@hmda.example"
    assert "Contact: mailto:help@hmda.example\n" in Client().get(SECURITY).content.decode()


def test_there_is_no_security_txt_without_a_contact(settings: Any) -> None:
    settings.SECURITY_CONTACT, settings.CONTACT_EMAIL = [], ""
    assert "There is no page at this address" in page(SECURITY, 404)
    assert SECURITY not in page("/")


def robots() -> RobotFileParser:
    answer = Client().get("/robots.txt")
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    rules = RobotFileParser()
    rules.parse(answer.content.decode().splitlines())
    return rules


def test_robots_read_the_pages_and_leave_the_rest() -> None:
    rules = robots()
    names = ("home", "help", "edit-book", "data-browser", "data-downloads", "graphs", "redoc")
    names += ("filing-deadlines", "filing-deadlines-calendar")
    assert not [name for name in names if not rules.can_fetch("any", reverse(name))]
    closed = [
        *map(reverse, ("admin:index", "sign-in", "signed-in", "profile", "sign-up", "forgotten")),
        *map(reverse, ("identity:login", "data-browser-places", "publications:feed")),
        "/filing/529900TESTBANK000042/2025/",
        "/v2/filing/institutions",
        "/v2/data-browser-api/view/csv?years=2024",
        "/v2/public/modifiedLAR/2024/529900TESTBANK000042",
        "/file/modifiedLar/year/2024/institution/529900TESTBANK000042/txt",
        "/public/rateSpread",
        "/quarterly-data/graphs",
    ]
    assert not [address for address in closed if rules.can_fetch("any", address)]
    told = Client().get("/robots.txt").content.decode()
    assert "Disallow: /data/browser/*?" in told  # each choice of filters is an address


def test_robots_leave_a_test_environment_alone(settings: Any) -> None:
    settings.SIGNING_ENABLED = False
    assert not robots().can_fetch("any", "/")


def footer(text: str) -> str:
    return text.partition("<footer")[2]


def test_the_footer_has_the_omb_control_number_and_its_statement(settings: Any) -> None:
    settings.OMB_CONTROL_NUMBER = "3170-0008"
    found = footer(page("/help/"))
    assert "OMB Control No. 3170-0008" in found
    assert "not required to respond to, a collection of information unless it displays" in found
    settings.OMB_BURDEN_STATEMENT = "It takes an hour."
    assert "It takes an hour." in footer(page("/help/"))


BANNER = "You are accessing a U.S. Government <system>."


@pytest.mark.parametrize("name", ["home", "admin:index"])
def test_the_system_use_banner_stands_on_every_page_before_its_content(
    settings: Any, name: str
) -> None:
    client = signed_in(member("operator")) if name == "admin:index" else Client()
    assert "System use" not in page(reverse(name), client=client)
    settings.SYSTEM_USE_BANNER = BANNER
    before = re.split(r"<main|id=\"content\"", page(reverse(name), client=client))[0]
    assert "You are accessing a U.S. Government &lt;system&gt;." in before
