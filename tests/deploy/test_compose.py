"""compose.yaml fits its schema and is hardened, and a site with its secrets passes the checks."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import check_jsonschema
import jsonschema
import pytest
import yaml
from django.conf import settings

from config.running.supervisor import ROOT
from tests.tree import APPS

DEPLOY = ROOT / "deploy"
SCHEMA = Path(check_jsonschema.__file__).parent / "builtin_schemas/vendor/compose-spec.json"
# What a site fills in after deploy/secrets.sh has written the others.
FILLED_IN = {"email_url": "smtp+tls://hmda:ahGh7aiz@mail.example:587"}
OF_OUR_IMAGE = {"prepare", "web", "worker-small", "worker-large", "worker-other", "beat", "backup"}
OTHERS = {"postgres", "redis", "clamav"}


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text())


@pytest.fixture(scope="module")
def services(document: dict[str, Any]) -> dict[str, Any]:
    return document["services"]


def example() -> dict[str, str]:
    """Return what the example of a `.env` sets."""
    lines = (DEPLOY / "production.env.example").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def written_secrets(folder: Path) -> Path:
    """Return the folder in which the script of deploy wrote the secrets."""
    subprocess.run([DEPLOY / "secrets.sh", folder], check=True, capture_output=True, timeout=60)
    return folder


def environment_of(service: dict[str, Any], secrets: Path) -> dict[str, str]:
    """Return the environment of a container: the `.env`, and above it what the file itself sets."""
    mounted = {f"/run/secrets/{name}": str(secrets / name) for name in service["secrets"]}
    own = {name: mounted.get(text, text) for name, text in service["environment"].items()}
    assert not [text for text in own.values() if text.startswith("/run/") or "$" in text]
    return {**example(), **own}


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


def test_the_file_fits_the_specification_of_compose() -> None:
    """That of check-jsonschema: `docker compose` is not needed, and an unknown key is an error."""
    schema = json.loads(SCHEMA.read_text())
    document = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    jsonschema.validate(document, schema)
    document["services"]["web"]["read_onley"] = True
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, schema)


@pytest.mark.slow
def test_the_example_with_its_secrets_passes_the_checks(
    services: dict[str, Any], tmp_path: Path
) -> None:
    """Files and heads of the audit log stay on its machine: that is to think about, no error."""
    secrets = written_secrets(tmp_path / "secrets")
    for name, text in FILLED_IN.items():
        (secrets / name).chmod(0o600)
        (secrets / name).write_text(text)
    environment = environment_of(services["web"], secrets)
    assert complaints(tmp_path / "data", environment) == {"service.W015", "service.W029"}
    for name in OF_OUR_IMAGE:
        assert environment.items() <= environment_of(services[name], secrets).items()


@pytest.mark.slow
def test_without_secrets_the_checks_complain(services: dict[str, Any], tmp_path: Path) -> None:
    secrets = written_secrets(tmp_path / "secrets")
    for path in secrets.iterdir():
        path.chmod(0o600)
        path.write_text("")
    found = complaints(tmp_path / "data", environment_of(services["web"], secrets))
    assert {each for each in found if ".E" in each} == {
        "service.E001",  # no secret key
        "service.E017",  # mail that reaches no one
    }


def test_the_script_writes_every_secret_once(document: dict[str, Any], tmp_path: Path) -> None:
    secrets = written_secrets(tmp_path / "secrets")
    written = {path.name: path.read_text() for path in secrets.iterdir()}
    assert set(written) == set(document["secrets"])
    for name, secret in document["secrets"].items():
        assert secret == {"file": f"${{SECRETS:-./secrets}}/{name}"}
    assert secrets.stat().st_mode & 0o777 == 0o700
    # The users of the containers, which are not those of the machine, read them as mounts.
    assert {path.stat().st_mode & 0o777 for path in secrets.iterdir()} == {0o444}
    random = [text for name, text in written.items() if re.fullmatch(r"[0-9a-f]{64}\n", text)]
    assert len(set(random)) == 4
    assert written["postgres_password"].strip() in written["database_url"]
    assert written["redis_password"].strip() in written["cache_url"]
    written_secrets(secrets)
    assert written == {path.name: path.read_text() for path in secrets.iterdir()}


def test_no_secret_is_in_the_environment(services: dict[str, Any]) -> None:
    given = [name for name in example() if re.search("SECRET|PASSWORD|TOKEN|KEY|DSN|_URL", name)]
    assert given == ["PUBLIC_URL"]
    for name, service in services.items():
        files = {
            path.removeprefix("/run/secrets/")
            for path in service.get("environment", {}).values()
            if path.startswith("/run/secrets/")
        } | ({"redis_password"} if name == "redis" else set())
        assert files == set(service.get("secrets", ())), name
    text = (DEPLOY / "compose.yaml").read_text()
    assert not re.search(r"PASSWORD:|://[^/\s]*:[^/\s]*@", text)
    assert "secrets/" in (ROOT / ".gitignore").read_text()


def test_no_container_can_write_to_its_root_or_gain_rights(services: dict[str, Any]) -> None:
    assert set(services) == OF_OUR_IMAGE | OTHERS
    for name, service in services.items():
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert service["user"] not in {"root", "0"}, name
        assert service["mem_limit"], name
        assert service["pids_limit"] > 0, name
        assert any(mount.startswith("/tmp") for mount in service["tmpfs"]), name
        forbidden = {"privileged", "cap_add", "network_mode", "pid", "ipc", "devices"}
        assert not forbidden & set(service), name
        mounts = [volume.partition(":")[0] for volume in service["volumes"]]
        assert mounts in (["files"], ["database"], ["queue"], ["signatures"]), name
    for name in OF_OUR_IMAGE:
        assert services[name]["user"] == "10001:10001"
    assert services["web"]["pids_limit"] > 2 * settings.WEB_THREADS


def test_only_the_web_process_is_published_and_only_to_this_machine(
    document: dict[str, Any], services: dict[str, Any]
) -> None:
    published = {name: service["ports"] for name, service in services.items() if "ports" in service}
    assert published == {"web": ["127.0.0.1:${PORT:-8000}:8000"]}
    assert document["networks"]["inside"] == {"internal": True}
    reach_outside = {name for name, each in services.items() if "outside" in each["networks"]}
    assert reach_outside == {
        "web",
        "worker-small",
        "worker-large",
        "worker-other",
        "backup",
        "clamav",
    }


def test_the_image_has_every_package_of_the_service() -> None:
    copied = re.findall(r"^COPY (\w+) \1$", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)
    assert set(copied) == {*APPS, "templates", "docs"}
    kept = set(re.findall(r"^!(\w+)$", (ROOT / ".dockerignore").read_text(), re.MULTILINE))
    assert kept == set(copied)
