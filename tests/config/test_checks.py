"""`check --deploy`: silent about a site that is set up well, and plain about each mistake."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
from pathlib import Path
from typing import Any

import pytest
from django.core import checks
from django.test import override_settings

from config.checks import DEMO_LOGINS
from config.running.supervisor import ROOT
from tests.config.processes import run_python

pytestmark = pytest.mark.slow

GOOD = {
    "PUBLIC_URL": "https://hmda.example",
    "ALLOWED_HOSTS": "hmda.example",
    "SECRET_KEY": "of-this-site-alone-0123456789-abcdefghijklmnopqrstuvwxyz",
    "DATABASE_URL": "postgresql://service:eesh4Oov@db.example/service",
    "CELERY_BROKER_URL": "redis://:Oa4eeyue@queue.example:6379/0",
    "CACHE_URL": "redis://:Oa4eeyue@queue.example:6379/1",
    "STORAGE_URL": "s3://key:secret@store.example/files",
    "EMAIL_URL": "smtp+tls://service:ahGh7aiz@mail.example:587",
    "OIDC_ISSUER": "https://id.example/realms/hmda2",
    "TRUSTED_PROXIES": "10.0.0.0/8",
    "CONTACT_EMAIL": "help@hmda.example",
    "AUDIT_HEADS_URL": "s3://key:secret@heads.example/heads",
}
# What cannot be changed in a running process, and is asked for by its address.
FIXED = {"DATABASES", "INSTALLED_APPS", "LOGGING", "LOGGING_CONFIG"}

OF_HTTP = ["security.W004", "security.W008", "security.W012", "security.W016", "service.E005"]
CASES: list[tuple[dict[str, str | None], list[str]]] = [
    # what is changed of the good environment, and what is complained of
    ({"SECRET_KEY": None}, ["service.E001"]),
    ({"SECRET_KEY": "short"}, ["security.W009"]),
    ({"DEBUG": "true"}, ["security.W018"]),
    ({"DATABASE_URL": "postgresql://hmda:hmda@db.example/hmda"}, ["service.E011"]),
    ({"METRICS_TOKEN": "short"}, ["service.E026"]),
    ({"RECEIPT_SIGNING_KEY": "no key"}, ["service.E027"]),
    ({"TEST_LEIS": "true"}, ["service.W024"]),
    ({"OIDC_ISSUER": None}, ["oauth2_provider.W008", "service.E002"]),
    (
        {"OIDC_ISSUER": None, "STAFF_SECOND_FACTOR": "optional"},
        ["oauth2_provider.W008", "service.E002", "service.W032"],
    ),
    ({"OIDC_ISSUER": "http://id.example/realms/hmda2"}, ["service.E003"]),
    ({"OIDC_JWKS_URL": "http://id.example/certs"}, ["service.E009"]),
    ({"ACCESS_TOKEN_SECONDS": "3600"}, ["service.W010"]),
    ({"PERSONAL_TOKEN_DAYS": "3650"}, ["service.W013"]),
    ({"PUBLIC_URL": "http://hmda.example"}, OF_HTTP),
    ({"ALLOWED_HOSTS": "*"}, ["service.E006"]),
    ({"ALLOWED_HOSTS": "www.example"}, ["service.E014"]),
    ({"LIMIT_PUBLIC": "off", "LIMIT_SIGN_IN": "off"}, ["service.E021"]),
    ({"TRUSTED_PROXIES": None}, ["service.W022"]),
    ({"DATABASE_URL": None}, ["service.W007"]),
    ({"CELERY_BROKER_URL": None}, ["service.W008"]),
    ({"CACHE_URL": None}, ["service.W020"]),
    ({"STORAGE_URL": None}, ["service.W015"]),
    ({"STORAGE_URL": "s3://key:secret@store.example:9000/files?secure=false"}, ["service.W016"]),
    ({"EMAIL_URL": None}, ["service.E017"]),
    ({"EMAIL_URL": "filemail:///tmp/mail"}, ["service.E017"]),
    ({"EMAIL_URL": "smtp://service:ahGh7aiz@mail.example:25"}, ["service.W018"]),
    ({"LOG_FORMAT": "text"}, ["service.W023"]),
    ({"CONTACT_EMAIL": None}, ["service.W025"]),
    ({"LOG_LEVEL": "debug"}, ["service.W019"]),
    ({"CACHE_URL": "redis://queue.example:6379/1"}, ["service.W028"]),
    ({"CELERY_BROKER_URL": "redis://:redis@queue.example:6379/0"}, ["service.W028"]),
    ({"AUDIT_HEADS_URL": None}, ["service.W029"]),
    ({"TRUSTED_PROXIES": "10.0.0.0/8,0.0.0.0/0"}, ["service.E030"]),
    ({"WEBHOOK_NETWORKS": "10.0.0.0/8,::/0"}, ["service.W031"]),
    ({"REFERENCE_NETWORKS": "127.0.0.1/32"}, ["service.W031"]),
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
    {"CACHE_URL": "redis://127.0.0.1:6379/1", "CELERY_BROKER_URL": "redis://localhost:6379/0"},
    {"WEBHOOK_NETWORKS": "10.0.0.0/8,fd00::/8"},
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


@pytest.mark.parametrize(("changes", "ids"), CASES)
def test_each_mistake_is_complained_of_and_nothing_else(
    complaints: Any, changes: dict[str, Any], ids: list[str]
) -> None:
    found = complaints(changes)
    assert [message.id for message in found] == ids
    assert all(message.hint for message in found if message.id.startswith("service."))


@pytest.mark.parametrize("changes", FINE)
def test_a_site_that_is_set_up_well_is_not_complained_of(complaints: Any, changes: Any) -> None:
    assert complaints(changes) == []


def test_demo_logins_are_complained_of(complaints: Any, tmp_path: Path) -> None:
    (tmp_path / DEMO_LOGINS).touch()
    assert [message.id for message in complaints({})] == ["service.E012"]


def test_every_mistake_is_tried() -> None:
    tried = {found for _, ids in CASES for found in ids if found.startswith("service.")}
    every = re.findall(r'id="(service\.[EW]\d+)"', (ROOT / "config" / "checks.py").read_text())
    assert tried | {"service.E012"} == set(every)
    assert len({found[-3:] for found in every}) == len(every)


def command(tmp_path: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    words = ("manage.py", "check", "--deploy", "--fail-level", "WARNING")
    return run_python(*words, env={"DATA_DIR": str(tmp_path), **environment})


def test_the_command_says_nothing_of_a_good_site(tmp_path: Path) -> None:
    found = command(tmp_path, GOOD)
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout == "System check identified no issues (0 silenced).\n"


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
    own = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"}
    found = run_python("-c", script, env=own)
    assert found.stdout.split() == ["admin.E127"], found.stderr
