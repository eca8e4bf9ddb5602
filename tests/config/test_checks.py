"""`check --deploy`: silent about a site that is set up well, and plain about each mistake."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core import checks
from django.test import override_settings

from config.checks import DEMO_LOGINS, MISTAKES
from config.running.supervisor import ROOT

pytestmark = pytest.mark.slow

GOOD = {
    "PUBLIC_URL": "https://hmda.example",
    "ALLOWED_HOSTS": "hmda.example",
    "SECRET_KEY": "of-this-site-alone-0123456789-abcdefghijklmnopqrstuvwxyz",
    "DATABASE_URL": "postgresql://service:eesh4Oov@db.example/service",
    "CELERY_BROKER_URL": "redis://queue.example:6379/0",
    "CACHE_URL": "redis://queue.example:6379/1",
    "STORAGE_URL": "s3://key:secret@store.example/files",
    "EMAIL_URL": "smtp+tls://service:ahGh7aiz@mail.example:587",
    "OIDC_ISSUER": "https://id.example/realms/hmda2",
    "TRUSTED_PROXIES": "10.0.0.0/8",
    "CONTACT_EMAIL": "help@hmda.example",
}
# What cannot be changed in a running process, and is asked for by its address.
FIXED = {"DATABASES", "INSTALLED_APPS", "LOGGING", "LOGGING_CONFIG"}

OF_HTTP = ["security.W004", "security.W008", "security.W012", "security.W016", "service.E005"]
CASES: list[tuple[dict[str, str | None], list[str], str]] = [
    # what is changed of the good environment, what is complained of, and in which words
    ({"SECRET_KEY": None}, ["service.E001"], "SECRET_KEY was generated at the first start."),
    ({"SECRET_KEY": "short"}, ["security.W009"], "SECRET_KEY has less than 50 characters"),
    ({"DEBUG": "true"}, ["security.W018"], "DEBUG set to True in deployment"),
    (
        {"DATABASE_URL": "postgresql://hmda:hmda@db.example/hmda"},
        ["service.E011"],
        "The database password is one that attackers try first.",
    ),
    (
        {"METRICS_TOKEN": "short"},
        ["service.E026"],
        "The token of /metrics is short enough to be guessed.",
    ),
    (
        {"RECEIPT_SIGNING_KEY": "no key"},
        ["service.E027"],
        "Receipts cannot be signed: RECEIPT_SIGNING_KEY is not an Ed25519 private key",
    ),
    (
        {"TEST_LEIS": "true"},
        ["service.W024"],
        "The panel accepts LEIs with wrong check digits.",
    ),
    (
        {"OIDC_ISSUER": None},
        ["oauth2_provider.W008", "service.E002"],
        "The embedded identity provider is on.",
    ),
    (
        {"OIDC_ISSUER": "http://id.example/realms/hmda2"},
        ["service.E003"],
        "The address of the token issuer is not https.",
    ),
    (
        {"OIDC_JWKS_URL": "http://id.example/certs"},
        ["service.E009"],
        "The issuer's keys are fetched without https.",
    ),
    (
        {"ACCESS_TOKEN_SECONDS": "3600"},
        ["service.W010"],
        "Access tokens are valid for a long time.",
    ),
    (
        {"PERSONAL_TOKEN_DAYS": "3650"},
        ["service.W013"],
        "Personal tokens can be valid for longer than a year.",
    ),
    (
        {"PUBLIC_URL": "http://hmda.example"},
        OF_HTTP,
        "The site's own address is not https.",
    ),
    ({"ALLOWED_HOSTS": "*"}, ["service.E006"], "The site answers to any host name."),
    (
        {"ALLOWED_HOSTS": "www.example"},
        ["service.E014"],
        "The site does not answer to the host name of its own address.",
    ),
    (
        {"LIMIT_PUBLIC": "off", "LIMIT_SIGN_IN": "off"},
        ["service.E021"],
        "These rate limits are off: public, sign-in.",
    ),
    (
        {"TRUSTED_PROXIES": None},
        ["service.W022"],
        "No proxy is trusted, so all callers behind a proxy share its rate limit.",
    ),
    ({"DATABASE_URL": None}, ["service.W007"], "The database is SQLite."),
    ({"CELERY_BROKER_URL": None}, ["service.W008"], "The queue is a folder."),
    (
        {"CACHE_URL": None},
        ["service.W020"],
        "The cache is a folder, and rate limits are counted in the database.",
    ),
    (
        {"STORAGE_URL": None},
        ["service.W015"],
        "Files are stored on this machine only, and not available to other machines.",
    ),
    (
        {"STORAGE_URL": "s3://key:secret@store.example:9000/files?secure=false"},
        ["service.W016"],
        "Files are sent to their storage without encryption.",
    ),
    (
        {"EMAIL_URL": None},
        ["service.E017"],
        "Emails are written to the log or a folder, not sent.",
    ),
    (
        {"EMAIL_URL": "filemail:///tmp/mail"},
        ["service.E017"],
        "Emails are written to the log or a folder, not sent.",
    ),
    (
        {"EMAIL_URL": "smtp://service:ahGh7aiz@mail.example:25"},
        ["service.W018"],
        "The password of the mail server is sent without encryption.",
    ),
    ({"LOG_FORMAT": "text"}, ["service.W023"], "Log lines are plain text, not JSON."),
    (
        {"CONTACT_EMAIL": None},
        ["service.W025"],
        "No contact is set: error pages name no help desk, and there is no security.txt.",
    ),
    (
        {"LOG_LEVEL": "debug"},
        ["service.W019"],
        "The log includes everything that libraries send and receive.",
    ),
]
FINE: list[dict[str, str]] = [
    {},
    {"ALLOWED_HOSTS": ".example"},
    {"ALLOWED_HOSTS": "hmda.example,localhost"},
    {"OIDC_JWKS_URL": "https://id.example/certs"},
    {"PERSONAL_TOKENS_ENABLED": "false", "PERSONAL_TOKEN_DAYS": "3650"},
    {"EMAIL_URL": "smtp+ssl://service:ahGh7aiz@mail.example:465"},
    {"EMAIL_URL": "smtp://relay.example:25"},
    {"CACHE_URL": "rediss://queue.example:6379/1"},
    {"SIGNING_ENABLED": "false"},
    {"CONTACT_EMAIL": "", "SECURITY_CONTACT": "https://hmda.example/report"},
]


@pytest.fixture
def complaints(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Return what is complained of with the settings that this environment makes."""

    def of(changes: dict[str, Any]) -> list[checks.CheckMessage]:
        for name in {*os.environ} - {"PATH", "HOME", "LANG"}:
            monkeypatch.delenv(name)
        for name, value in {**GOOD, "DATA_DIR": str(tmp_path), **changes}.items():
            if value is not None:
                monkeypatch.setenv(name, value)
        made = runpy.run_path(str(ROOT / "config" / "settings.py"))
        site = {name: made[name] for name in made if name.isupper() and name not in FIXED}
        with override_settings(**site):
            found = checks.run_checks(include_deployment_checks=True)
        return sorted(found, key=lambda message: str(message.id))

    return of


@pytest.mark.parametrize(("changes", "ids", "words"), CASES)
def test_each_mistake_is_complained_of_and_nothing_else(
    complaints: Any, changes: dict[str, Any], ids: list[str], words: str
) -> None:
    found = complaints(changes)
    assert [message.id for message in found] == ids
    assert any(words in message.msg for message in found)
    assert all(message.hint for message in found if message.id.startswith("service."))


@pytest.mark.parametrize("changes", FINE)
def test_a_site_that_is_set_up_well_is_not_complained_of(complaints: Any, changes: Any) -> None:
    assert complaints(changes) == []


def test_demo_logins_are_complained_of(complaints: Any, tmp_path: Path) -> None:
    (tmp_path / DEMO_LOGINS).touch()
    assert [message.id for message in complaints({})] == ["service.E012"]


def test_every_mistake_is_tried() -> None:
    tried = {found[-3:] for _, ids, _ in CASES for found in ids if found.startswith("service.")}
    assert tried | {"012"} == {f"{mistake.number:03}" for mistake in MISTAKES}
    assert len({mistake.number for mistake in MISTAKES}) == len(MISTAKES)


def command(tmp_path: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "DATA_DIR": str(tmp_path), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_command_says_nothing_of_a_good_site(tmp_path: Path) -> None:
    found = command(tmp_path, GOOD)
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout == "System check identified no issues (0 silenced).\n"


def test_the_command_fails_where_nothing_is_set(tmp_path: Path) -> None:
    found = command(tmp_path, {})
    assert found.returncode == 1
    for mistake in MISTAKES:
        if mistake.number in {1, 2, 3, 5, 6, 7, 8, 15, 17, 20}:
            assert mistake.text in found.stderr
            assert mistake.hint in found.stderr


def test_the_tables_of_the_admin_are_checked_though_they_register_late() -> None:
    """In a process of its own: here they have registered."""
    script = (
        "import django; django.setup()\n"
        "from django.contrib import admin; from django.core import checks\n"
        "assert not admin.site._registry\n"
        "from filing.models import Note\n"
        "assert checks.run_checks(tags=['admin']) == []\n"
        "admin.site._registry[Note].date_hierarchy = 'nothing'\n"
        "print(*[each.id for each in checks.run_checks(tags=['admin'])])"
    )
    found = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.stdout.split() == ["admin.E127"], found.stderr
