"""The fixed addresses of a public site: statements, security contact, what robots may read."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.robotparser import RobotFileParser

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from django.urls import reverse

from config import environment
from config.errors import pages
from tests.filing.people.members import member, signed_in

pytestmark = pytest.mark.django_db
SECURITY = "/.well-known/security.txt"


def page(address: str, status: int = 200, client: Client | None = None) -> str:
    answer = (client or Client()).get(address)
    assert answer.status_code == status
    return " ".join(answer.content.decode().split())


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("/accessibility/", ["WCAG 2.2", "Section 508", "keyboard"]),
        ("/privacy/", ["cookies", "audit log", "LEI", "email address", "IP address", "token"]),
    ],
)
def test_a_statement_of_our_own_stands_until_the_operator_has_one(
    settings: Any, address: str, words: list[str]
) -> None:
    settings.CONTACT_EMAIL = "help@hmda.example"
    text = page(address)
    assert text.count("<h1") == 1
    assert not [word for word in words if word not in text]
    assert "mailto:help@hmda.example" in text.partition("<main")[2].partition("</main")[0]


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


def test_the_privacy_statement_names_the_provider_that_people_sign_in_at(settings: Any) -> None:
    assert "a one-way hash" in page("/privacy/")
    settings.EMBEDDED_PROVIDER = False
    settings.OIDC_ISSUER = "https://id.example/realms/hmda2"
    assert "https://id.example/realms/hmda2" in page("/privacy/")


def test_a_file_of_the_environment_is_read(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    written = tmp_path / "privacy.txt"
    written.write_text("\ufeffOne.\r\n\r\nTwo § three.\n", encoding="utf-8")
    monkeypatch.setenv("PRIVACY_FILE", str(written))
    assert environment.text_of_file("PRIVACY_FILE") == "One.\n\nTwo § three."
    monkeypatch.delenv("PRIVACY_FILE")
    assert environment.text_of_file("PRIVACY_FILE") == ""


@pytest.mark.parametrize(
    "made",
    [lambda path: None, lambda path: path.mkdir(), lambda path: path.write_bytes(b"\xff\xfe\x00")],
    ids=["missing", "folder", "no text"],
)
def test_a_file_that_cannot_be_read_is_explained(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch, made: Callable[[Any], Any]
) -> None:
    made(tmp_path / "p.txt")
    monkeypatch.setenv("PRIVACY_FILE", str(tmp_path / "p.txt"))
    with pytest.raises(ImproperlyConfigured, match=r"PRIVACY_FILE=.*p\.txt.*; enter the path of"):
        environment.text_of_file("PRIVACY_FILE")


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


def test_the_older_address_of_security_txt_leads_on() -> None:
    answer = Client().get("/security.txt")
    assert (answer.status_code, answer["Location"]) == (301, SECURITY)


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


def test_the_footer_leads_to_what_a_public_site_has(settings: Any) -> None:
    settings.SECURITY_CONTACT = ["mailto:security@hmda.example"]
    found = footer(page("/"))
    names = ("accessibility", "privacy", "help", "redoc", "security-txt")
    assert not [name for name in names if f'href="{reverse(name)}"' not in found]
    assert "OMB" not in found


def test_the_footer_has_the_omb_control_number_and_its_statement(settings: Any) -> None:
    settings.OMB_CONTROL_NUMBER = "3170-0008"
    found = footer(page("/help/"))
    assert "OMB Control No. 3170-0008" in found
    assert "not required to respond to, a collection of information unless it displays" in found
    settings.OMB_BURDEN_STATEMENT = "It takes an hour."
    assert "It takes an hour." in footer(page("/help/"))


BANNER = "You are accessing a U.S. Government <system>."


@pytest.mark.parametrize("name", ["home", "help", "identity:login", "admin:index"])
def test_the_system_use_banner_stands_on_every_page_before_its_content(
    settings: Any, name: str
) -> None:
    client = signed_in(member("operator")) if name == "admin:index" else Client()
    assert "System use" not in page(reverse(name), client=client)
    settings.SYSTEM_USE_BANNER = BANNER
    before = re.split(r"<main|id=\"content\"", page(reverse(name), client=client))[0]
    assert "You are accessing a U.S. Government &lt;system&gt;." in before


def test_the_page_of_a_failure_has_the_banner_and_the_footer(settings: Any, rf: Any) -> None:
    settings.SYSTEM_USE_BANNER = "Use is monitored."
    text = pages.render_failure(rf.get("/")).content.decode()
    assert "Use is monitored." in text
    assert 'href="/privacy/"' in text
