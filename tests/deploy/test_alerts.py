"""The alert rules and the dashboard: what they query exists, and each alert fires in its test."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from config.metrics.catalogue import METRICS
from config.running.supervisor import ROOT
from filing.jobs.queue import OLD_QUEUE_SECONDS

PROMETHEUS = ROOT / "deploy" / "prometheus"
SERIES = {name: metric for metric in METRICS for name in metric.series}
OF_PROMETHEUS = {"up", "ALERTS"}
_NAME = re.compile(r"\b(hmda_\w+|up|ALERTS)\b(?:\{([^}]*)\})?")
_MATCHER = re.compile(r"(\w+)\s*(=~|!~|!=|=)\s*\"([^\"]*)\"")


def read(name: str) -> Any:
    return yaml.safe_load((PROMETHEUS / name).read_text())


RULES = [rule for group in read("alerts.yml")["groups"] for rule in group["rules"]]
DASHBOARD = json.loads((ROOT / "deploy" / "grafana" / "dashboard.json").read_text())
EXPRESSIONS = [
    *(rule["expr"] for rule in RULES),
    *(target["expr"] for panel in DASHBOARD["panels"] for target in panel.get("targets", ())),
    *(note["expr"] for note in DASHBOARD["annotations"]["list"]),
]


def named(expression: str) -> dict[str, list[tuple[str, str, str]]]:
    """Return the metrics that an expression names, each with its conditions on labels."""
    return {
        match.group(1): _MATCHER.findall(match.group(2) or "")
        for match in _NAME.finditer(expression)
    }


@pytest.fixture
def promtool() -> str:
    """The checker of Prometheus, from the machine or from `make promtool`."""
    beside = Path(sys.executable).parent / "promtool"
    program = shutil.which("promtool") or (str(beside) if beside.exists() else "")
    if not program:
        pytest.fail("promtool is missing: run `make promtool`, or install Prometheus.")
    return program


def run(*command: str) -> str:
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.mark.slow
def test_each_alert_fires_in_its_test_and_none_on_a_healthy_service(promtool: str) -> None:
    assert f"{len(RULES)} rules found" in run(
        promtool, "check", "rules", str(PROMETHEUS / "alerts.yml")
    )
    run(promtool, "test", "rules", str(PROMETHEUS / "alerts_test.yml"))


@pytest.mark.slow
@pytest.mark.parametrize("alert", [rule["alert"] for rule in RULES])
def test_an_alert_that_cannot_fire_is_noticed(promtool: str, alert: str, tmp_path: Path) -> None:
    rules = read("alerts.yml")
    for group in rules["groups"]:
        for rule in group["rules"]:
            if rule["alert"] == alert:
                rule["expr"] = "vector(0) > 1"
    (tmp_path / "alerts.yml").write_text(yaml.safe_dump(rules))
    shutil.copy(PROMETHEUS / "alerts_test.yml", tmp_path)
    command = [promtool, "test", "rules", str(tmp_path / "alerts_test.yml")]
    failure = subprocess.run(command, capture_output=True, text=True, check=False)
    assert failure.returncode
    assert f"alertname: {alert}" in failure.stdout + failure.stderr


def test_an_expression_queries_metrics_and_labels_that_exist() -> None:
    assert all(map(named, EXPRESSIONS))
    metrics = [each for expression in EXPRESSIONS for each in named(expression).items()]
    for name, conditions in metrics:
        assert name in SERIES or name in OF_PROMETHEUS
        if metric := SERIES.get(name):
            labels = {*metric.labels, "instance", "le"}
            assert {label for label, _, _ in conditions} <= labels


def test_a_queue_is_old_for_alerts_when_it_is_for_doctor() -> None:
    rules = {rule["alert"]: rule["expr"] for rule in RULES}
    for queue, seconds in OLD_QUEUE_SECONDS.items():
        assert rules[f"HmdaQueueOld{queue.title()}"].endswith(f"> {seconds}")


def test_every_metric_is_in_an_alert_or_on_the_dashboard() -> None:
    used = {SERIES[name].name for text in EXPRESSIONS for name in named(text) if name in SERIES}
    assert {metric.name for metric in METRICS} - used == {"hmda_build_info"}
