"""The example for production: what it sets passes the checks, and its health checks are probes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from config.health.probes import PROBES
from config.running.supervisor import ROOT

pytestmark = pytest.mark.slow

DEPLOY = ROOT / "deploy"
SECRETS = {
    "SECRET_KEY": "3f9a6c17e0b2d854" * 4,
    "POSTGRES_PASSWORD": "eesh4Oov9Ahr",
    "EMAIL_URL": "smtp+tls://hmda:ahGh7aiz@mail.example:587",
}
OF_OUR_IMAGE = {"prepare", "web", "worker-small", "worker-large", "beat"}


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]


def example() -> dict[str, str]:
    """Return what the example of a `.env` sets."""
    lines = (DEPLOY / "production.env.example").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def environment_of(service: dict[str, Any], given: dict[str, str]) -> dict[str, str]:
    """Return the environment of a container: the `.env`, and above it what the file itself sets."""

    def value(found: re.Match[str]) -> str:
        return given.get(found["name"]) or found["default"]

    own = {
        name: re.sub(r"\$\{(?P<name>\w+):-(?P<default>[^}]*)\}", value, text)
        for name, text in service["environment"].items()
    }
    assert "$" not in "".join(own.values())
    return {**given, **own}


def complaints(tmp_path: Path, environment: dict[str, str]) -> set[str]:
    """Return what `check --deploy` complains of. The folder of the container is one of ours."""
    found = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "ERROR"],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], **environment, "DATA_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    told = set(re.findall(r"\((\S+\.[EW]\d+)\)", found.stderr))
    assert (found.returncode != 0) == any(".E" in each for each in told), found.stderr
    return told


def test_the_example_with_its_secrets_passes_the_checks(
    services: dict[str, Any], tmp_path: Path
) -> None:
    """It keeps files on its own machine, which is to think about, and no error."""
    environment = environment_of(services["web"], example() | SECRETS)
    assert complaints(tmp_path, environment) == {"service.W015"}
    for name in OF_OUR_IMAGE:
        assert environment.items() <= environment_of(services[name], example() | SECRETS).items()


def test_a_secret_that_is_left_blank_is_complained_of(
    services: dict[str, Any], tmp_path: Path
) -> None:
    assert {name for name in SECRETS if not example()[name]} == set(SECRETS)
    found = complaints(tmp_path, environment_of(services["web"], example()))
    assert {each for each in found if ".E" in each} == {
        "service.E001",  # no secret key
        "service.E011",  # the password of the database that everybody tries
        "service.E017",  # mail that reaches no one
    }


def test_the_example_names_values_that_the_service_reads() -> None:
    listed = re.findall(r"^(\w+)=", (ROOT / ".env.example").read_text(), re.MULTILINE)
    assert set(example()) - set(listed) == {"POSTGRES_PASSWORD"}  # read by compose.yaml


def test_health_checks_ask_probes_and_only_where_a_web_process_answers(
    services: dict[str, Any],
) -> None:
    for name in OF_OUR_IMAGE - {"web"}:
        assert services[name]["healthcheck"] == {"disable": True}, name
    asked = services["web"]["healthcheck"]["test"][-1] + (DEPLOY / "Dockerfile").read_text()
    assert re.findall(r"'GET', '([^']*)'", asked) == ["/readyz", "/healthz"]
    assert {"/readyz", "/healthz"} == set(PROBES)
