"""The settings that addresses of servers become, and addresses that cannot be read."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import server_addresses

SMTP, CONSOLE, FOLDER = (
    f"django.core.mail.backends.{name}.EmailBackend" for name in ("smtp", "console", "filebased")
)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("consolemail://", {"EMAIL_BACKEND": CONSOLE}),
        ("filemail:///var/mails", {"EMAIL_BACKEND": FOLDER, "EMAIL_FILE_PATH": "/var/mails"}),
        ("smtp://mail.example", {"EMAIL_BACKEND": SMTP, "EMAIL_PORT": 25, "EMAIL_HOST_USER": ""}),
        ("smtp+tls://mail.example", {"EMAIL_USE_TLS": True, "EMAIL_PORT": 587}),
        ("smtp+ssl://mail.example", {"EMAIL_USE_SSL": True, "EMAIL_PORT": 465}),
        (
            "smtp+tls://ann:p%40ss@mail.example:2525",
            {
                "EMAIL_HOST": "mail.example",
                "EMAIL_PORT": 2525,
                "EMAIL_HOST_USER": "ann",
                "EMAIL_HOST_PASSWORD": "p@ss",
            },
        ),
    ],
)
def test_mails_go_where_the_address_says(url: str, expected: dict[str, object]) -> None:
    settings = server_addresses.email_settings(url)
    assert {name: settings[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("url", "words"), [("pigeon://x", "begin with one of smtp://"), ("smtp://", "no host")]
)
def test_an_address_for_mails_that_cannot_be_read_is_explained(url: str, words: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=words):
        server_addresses.email_settings(url)


@pytest.mark.parametrize(
    ("read", "url"),
    [
        (server_addresses.database_settings, "postgresql://hmda:s3/cr3t@host/hmda"),
        (server_addresses.database_settings, "mysql://hmda:s3cr3t@host/hmda"),
        (server_addresses.email_settings, "pigeon://hmda:s3cr3t@host:25"),
        (server_addresses.email_settings, "smtp://hmda:s3/cr3t@host:25"),
        (server_addresses.storage_settings, "s4://hmda:s3cr3t@host/files"),
    ],
)
def test_an_address_that_is_refused_is_named_without_its_password(read: Any, url: str) -> None:
    with pytest.raises(ImproperlyConfigured) as refusal:
        read(url)
    assert "://hmda:...@host" in str(refusal.value)
    assert "cr3t" not in str(refusal.value)
    assert refusal.value.__suppress_context__ or refusal.value.__context__ is None


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("", None),
        ("clamd://scan.example", ("scan.example", 3310)),
        ("clamd://scan.example:3311/", ("scan.example", 3311)),
        ("clamd://[::1]:3310", ("::1", 3310)),
        ("clamd:///run/clamav/clamd.ctl", "/run/clamav/clamd.ctl"),
    ],
)
def test_a_scanner_listens_where_the_address_says(url: str, address: object) -> None:
    assert server_addresses.scanner(url) == address


@pytest.mark.parametrize(
    "url",
    [
        "scan.example:3310",
        "tcp://scan.example:3310",
        "clamd://",
        "clamd:///",
        "clamd://scan.example/run/clamd.ctl",
        "clamd://scan.example:99999",
        "clamd://scan.example?timeout=5",
        "clamd://ann:s3cr3t@scan.example",
    ],
)
def test_an_address_of_a_scanner_that_cannot_be_read_is_explained(url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"enter clamd://host:3310, or") as caught:
        server_addresses.scanner(url)
    assert "s3cr3t" not in str(caught.value)
