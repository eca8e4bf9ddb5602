"""The manifests fit the schemas of Kubernetes, are hardened, and agree with compose and code."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from config import web_server
from config.health.probes import PROBES
from config.running.supervisor import ROOT

KUBERNETES = ROOT / "deploy" / "kubernetes"
COMPOSE = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text())["services"]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
# The oldest that has all we use, and the newest whose schemas the library has.
RELEASES = ("1.27", kubernetes_validate.latest_version())
NOT_OF_KUBERNETES = {"kustomization.yaml", "prometheus.yaml", "prometheus-adapter.yaml"}
# Each with the queue whose age its number follows.
WORKERS = {"worker-small": "small", "worker-large": "large", "worker-other": "messages"}
KINDS = {
    *(("Deployment", f"hmda-{name}") for name in ("web", *WORKERS, "beat")),
    ("Job", f"hmda-prepare-{VERSION}"),
    ("CronJob", "hmda-backup"),
    *(("HorizontalPodAutoscaler", f"hmda-{name}") for name in ("web", *WORKERS)),
    ("Service", "hmda-web"),
    ("PodDisruptionBudget", "hmda-web"),
    ("ServiceAccount", "hmda"),
    ("ConfigMap", "hmda-settings"),
    ("Secret", "hmda-secrets"),
    ("NetworkPolicy", "hmda"),
    ("NetworkPolicy", "hmda-web"),
    ("Ingress", "hmda"),
}


def documents(path: Path) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all(path.read_text()))


FILES = sorted(path.name for path in KUBERNETES.iterdir() if path.name not in NOT_OF_KUBERNETES)
MANIFESTS = {
    (document["kind"], document["metadata"]["name"]): document
    for name in FILES
    for document in documents(KUBERNETES / name)
}


def template(manifest: dict[str, Any]) -> dict[str, Any] | None:
    """Return the pod that a manifest makes, if it makes one."""
    spec = manifest.get("spec", {})
    spec = spec.get("jobTemplate", {}).get("spec", spec)
    return spec.get("template")


PODS = {
    name.removesuffix(f"-{VERSION}").removeprefix("hmda-"): pod
    for (_, name), manifest in MANIFESTS.items()
    if (pod := template(manifest))
}


def containers() -> Iterator[tuple[str, dict[str, Any]]]:
    """Return all containers, each with the name of its service in compose.yaml."""
    for name, pod in PODS.items():
        for container in (*pod["spec"]["containers"], *pod["spec"].get("initContainers", ())):
            yield name, container


def main_container(name: str) -> dict[str, Any]:
    (container,) = PODS[name]["spec"]["containers"]
    return container


@pytest.mark.parametrize("release", RELEASES)
def test_the_manifests_fit_the_schema(release: str) -> None:
    """Strictly: a field that the schema does not have is an error."""
    for document in MANIFESTS.values():
        kubernetes_validate.validate(document, release, strict=True)


def test_there_is_one_manifest_for_each_part() -> None:
    assert set(MANIFESTS) == KINDS
    assert set(PODS) == {name for name in COMPOSE if name not in {"postgres", "redis", "clamav"}}


def test_no_manifest_has_a_namespace_or_a_secret() -> None:
    for manifest in MANIFESTS.values():
        assert "namespace" not in manifest["metadata"]
    secret = MANIFESTS["Secret", "hmda-secrets"]
    assert set(secret["stringData"].values()) == {""}
    assert "data" not in secret


def test_pods_run_without_rights() -> None:
    for name, pod in PODS.items():
        spec = pod["spec"]
        assert spec["automountServiceAccountToken"] is False, name
        assert spec["serviceAccountName"] == "hmda", name
        assert spec["securityContext"] == {
            "runAsNonRoot": True,
            "runAsUser": 10001,
            "runAsGroup": 10001,
            "fsGroup": 10001,
            "seccompProfile": {"type": "RuntimeDefault"},
        }, name
        assert not {"hostNetwork", "hostPID", "hostIPC"} & set(spec), name
        assert {next(iter(set(volume) - {"name"})) for volume in spec["volumes"]} == {
            "emptyDir",
            "secret",
        }, name
    for name, container in containers():
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }, name
        assert {"cpu", "memory"} <= set(container["resources"]["requests"]), name
        assert "memory" in container["resources"]["limits"], name
    assert MANIFESTS["ServiceAccount", "hmda"]["automountServiceAccountToken"] is False


def test_web_pods_are_replaced_without_a_pause() -> None:
    strategy = MANIFESTS["Deployment", "hmda-web"]["spec"]["strategy"]
    assert strategy["rollingUpdate"]["maxUnavailable"] == 0
    container = main_container("web")
    (_, seconds) = container["lifecycle"]["preStop"]["exec"]["command"]
    grace = PODS["web"]["spec"]["terminationGracePeriodSeconds"]
    assert grace >= int(seconds) + web_server.graceful_timeout + 5
    probes = {name: probe for name, probe in container.items() if name.endswith("Probe")}
    paths = {name: probe["httpGet"]["path"] for name, probe in probes.items()}
    assert paths == {
        "startupProbe": "/healthz",
        "livenessProbe": "/healthz",
        "readinessProbe": "/readyz",
    }
    assert set(paths.values()) <= set(PROBES)
    assert all(probe["timeoutSeconds"] >= 5 for probe in probes.values())


def test_every_setting_is_one_of_the_service_and_every_secret_has_a_file() -> None:
    settings = MANIFESTS["ConfigMap", "hmda-settings"]["data"]
    listed = re.findall(r"^(\w+)=", (ROOT / ".env.example").read_text(), re.MULTILINE)
    assert {name.removesuffix("_FILE") for name in settings} <= set(listed)
    files = {name: path for name, path in settings.items() if name.endswith("_FILE")}
    secrets = set(MANIFESTS["Secret", "hmda-secrets"]["stringData"])
    assert set(files.values()) == {f"/run/hmda/{name}" for name in secrets}
    assert all(path == f"/run/hmda/{name[:-5].lower()}" for name, path in files.items())
    # The same ones that compose.yaml has, where the passwords of two servers come to it.
    assert secrets == set(COMPOSE["backup"]["secrets"])
    for name, pod in PODS.items():
        (volume,) = (each for each in pod["spec"]["volumes"] if each["name"] == "secrets")
        assert volume["secret"]["secretName"] == "hmda-secrets", name
    for name, container in containers():
        assert container["envFrom"] == [{"configMapRef": {"name": "hmda-settings"}}], name
        mounts = {each["name"]: each["mountPath"] for each in container["volumeMounts"]}
        assert mounts == {"data": "/data", "tmp": "/tmp", "secrets": "/run/hmda"}, name
