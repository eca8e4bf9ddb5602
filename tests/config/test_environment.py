"""What the environment may say about requests and logs, and how a mistake explains itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import environment
from config.limits.policies import LimitPolicy

READERS: dict[str, Callable[[str], Any]] = {
    "LIMIT_SIGN_IN": lambda name: environment.limit(name, "20/min:10"),
    "TRUSTED_PROXIES": lambda name: [str(each) for each in environment.networks(name)],
    "LOG_FORMAT": lambda name: environment.one_of(name, "text", "json", "text"),
    "SECURITY_CONTACT": environment.contacts,
    "OMB_CONTROL_NUMBER": environment.omb_number,
}
CONTACTS = ["https://hmda.example/report", "mailto:a@b.example", "tel:+1-201-555-0123"]


@pytest.mark.parametrize(
    ("name", "written", "value"),
    [
        ("LIMIT_SIGN_IN", "", LimitPolicy("sign-in", 20, 60, 10)),
        ("LIMIT_SIGN_IN", "5/s:7", LimitPolicy("sign-in", 5, 1, 7)),
        ("LIMIT_SIGN_IN", "100/h:1", LimitPolicy("sign-in", 100, 3600, 1)),
        ("LIMIT_SIGN_IN", "off", None),
        ("LIMIT_SIGN_IN", "OFF", None),
        (
            "TRUSTED_PROXIES",
            "10.0.0.0/8, fd00::/8,192.0.2.1",
            ["10.0.0.0/8", "fd00::/8", "192.0.2.1/32"],
        ),
        ("TRUSTED_PROXIES", "", []),
        ("LOG_FORMAT", "JSON", "json"),
        ("SECURITY_CONTACT", "security@hmda.example", ["mailto:security@hmda.example"]),
        ("SECURITY_CONTACT", ", ".join(CONTACTS), CONTACTS),
        ("OMB_CONTROL_NUMBER", "3170-0008", "3170-0008"),
        ("OMB_CONTROL_NUMBER", "", ""),
    ],
)
def test_a_value_is_read(
    monkeypatch: pytest.MonkeyPatch, name: str, written: str, value: object
) -> None:
    monkeypatch.setenv(name, written)
    assert READERS[name](name) == value


NO_LIMIT = "cannot be read: write a rate and a number of requests at once, such as 10/s:50"
NO_CONTACT = "an email address, or an address that begins"


@pytest.mark.parametrize(
    ("name", "written", "words"),
    [
        *(
            (
                "LIMIT_SIGN_IN",
                written,
                f"LIMIT_SIGN_IN={written!r} {NO_LIMIT} or 20/min:10, or off.",
            )
            for written in ("10", "10/s", "10/day:5", "0/s:5", "10/s:0", "-1/s:5", "ten")
        ),
        *(
            ("TRUSTED_PROXIES", written, f"TRUSTED_PROXIES cannot be read: .*{written}")
            for written in ("10.0.0.1/8", "proxy.example", "10.0.0.0/99")
        ),
        ("LOG_FORMAT", "xml", "LOG_FORMAT='xml' must be one of json, text"),
        *(
            ("SECURITY_CONTACT", written, NO_CONTACT)
            for written in ("http://hmda.example/report", "the help desk", "a@b.example x")
        ),
        ("OMB_CONTROL_NUMBER", "OMB 3170", "such as 3170-0008"),
    ],
)
def test_what_cannot_be_read_is_explained(
    monkeypatch: pytest.MonkeyPatch, name: str, written: str, words: str
) -> None:
    monkeypatch.setenv(name, written)
    with pytest.raises(ImproperlyConfigured, match=words):
        READERS[name](name)


def test_a_blank_file_is_like_a_blank_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "blank").write_text("\n")
    for name in ("METRICS_TOKEN", "WEB_THREADS", "DEBUG"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv(f"{name}_FILE", str(tmp_path / "blank"))
    assert environment.text("METRICS_TOKEN", "other") == "other"
    assert environment.number("WEB_THREADS", 8) == 8
    assert environment.flag("DEBUG", default=True) is False


def test_every_kind_of_value_may_be_in_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = {
        "SECRET_KEY": "x" * 50,
        "WEB_THREADS": "3",
        "SIGNER_DIFFERS": "yes",
    }
    for name, value in written.items():
        (tmp_path / name).write_text(f"{value}\n")
        monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv(f"{name}_FILE", str(tmp_path / name))
    kept_in = tmp_path / "kept"
    assert environment.secret("SECRET_KEY", kept_in=kept_in) == "x" * 50
    assert not kept_in.exists()
    assert environment.number("WEB_THREADS", 8) == 3
    assert environment.flag("SIGNER_DIFFERS", default=False) is True


def test_a_value_that_is_set_twice_is_refused_without_showing_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "key").write_text("from the file")
    monkeypatch.setenv("SECRET_KEY", "from the environment")
    monkeypatch.setenv("SECRET_KEY_FILE", str(tmp_path / "key"))
    with pytest.raises(ImproperlyConfigured) as refused:
        environment.secret("SECRET_KEY", kept_in=tmp_path / "kept")
    assert str(refused.value) == ("SECRET_KEY and SECRET_KEY_FILE are both set; set one of them.")


def test_a_secret_whose_file_is_missing_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SECRET_KEY", raising=False)
    monkeypatch.setenv("SECRET_KEY_FILE", str(tmp_path / "none"))
    with pytest.raises(ImproperlyConfigured, match=r"SECRET_KEY_FILE='.*none' cannot be read: "):
        environment.secret("SECRET_KEY", kept_in=tmp_path / "kept")
