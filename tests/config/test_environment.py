"""What the environment may say about requests and logs, and how a mistake explains itself."""

from __future__ import annotations

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import environment
from config.limits.policies import Policy


@pytest.mark.parametrize(
    ("written", "policy"),
    [
        ("", Policy("sign-in", 20, 60, 10)),
        ("5/s:7", Policy("sign-in", 5, 1, 7)),
        ("100/h:1", Policy("sign-in", 100, 3600, 1)),
        ("off", None),
        ("OFF", None),
    ],
)
def test_a_limit_is_read(
    monkeypatch: pytest.MonkeyPatch, written: str, policy: Policy | None
) -> None:
    monkeypatch.setenv("LIMIT_SIGN_IN", written)
    assert environment.limit("LIMIT_SIGN_IN", "20/min:10") == policy


@pytest.mark.parametrize("written", ["10", "10/s", "10/day:5", "0/s:5", "10/s:0", "-1/s:5", "ten"])
def test_what_is_no_limit_is_explained(monkeypatch: pytest.MonkeyPatch, written: str) -> None:
    monkeypatch.setenv("LIMIT_PUBLIC", written)
    with pytest.raises(ImproperlyConfigured) as refused:
        environment.limit("LIMIT_PUBLIC", "10/s:50")
    assert str(refused.value) == (
        f"LIMIT_PUBLIC={written!r} cannot be read: write a rate and a number of requests at "
        "once, such as 10/s:50 or 20/min:10, or off."
    )


def test_networks_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUSTED_PROXIES", "10.0.0.0/8, fd00::/8,192.0.2.1")
    networks = environment.networks("TRUSTED_PROXIES")
    assert [str(network) for network in networks] == ["10.0.0.0/8", "fd00::/8", "192.0.2.1/32"]
    monkeypatch.delenv("TRUSTED_PROXIES")
    assert environment.networks("TRUSTED_PROXIES") == []


@pytest.mark.parametrize("written", ["10.0.0.1/8", "proxy.example", "10.0.0.0/99"])
def test_what_is_no_network_is_explained(monkeypatch: pytest.MonkeyPatch, written: str) -> None:
    monkeypatch.setenv("TRUSTED_PROXIES", written)
    with pytest.raises(ImproperlyConfigured, match=f"TRUSTED_PROXIES cannot be read: .*{written}"):
        environment.networks("TRUSTED_PROXIES")


def test_a_word_is_one_of_the_known_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOG_FORMAT", "JSON")
    assert environment.one_of("LOG_FORMAT", "text", "json", "text") == "json"
    monkeypatch.setenv("LOG_FORMAT", "xml")
    with pytest.raises(ImproperlyConfigured, match="LOG_FORMAT='xml' must be one of json, text"):
        environment.one_of("LOG_FORMAT", "text", "json", "text")


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
    settings = environment.email(url)
    assert {name: settings[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("url", "words"), [("pigeon://x", "begin with one of smtp://"), ("smtp://", "no host")]
)
def test_an_address_for_mails_that_cannot_be_read_is_explained(url: str, words: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=words):
        environment.email(url)


def test_mails_come_from_the_site() -> None:
    assert environment.default_sender("https://hmda.example:8443") == "hmda@hmda.example"
