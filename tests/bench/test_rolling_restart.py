"""A rolling restart under load: no refused connection, no 5xx, nothing lost or done twice."""

from __future__ import annotations

import json
import subprocess
import sys

import httpx
import pytest

from bench.rolling_restart import Calls
from bench.stages import ROOT
from filing.client import Unreachable

pytestmark = [pytest.mark.slow, pytest.mark.long]


def test_no_caller_notices_a_rolling_restart() -> None:
    answer = subprocess.run(
        [
            *(sys.executable, "bench/rolling_restart.py", "--json", "--restarts", "2"),
            *("--institutions", "3", "--readers", "2", "--rows", "50", "--pause", "4"),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    report = json.loads(answer.stdout)
    assert (report["refused"], report["broken"], report["errors"]) == ([], [], {})
    outcome = report["outcome"]
    for name in ("failed", "lost", "doubled", "backward", "unfinished"):
        assert not outcome[name], outcome
    assert len(report["restarts"]) == 2
    assert outcome["signed"] >= 3
    for kind in ("create", "upload", "status", "sign", "read", "download"):
        assert report["calls"][kind]["number"], report["calls"]
    assert answer.returncode == 0


def test_refused_broken_and_failed_calls_are_counted_apart() -> None:
    calls = Calls()
    for seconds in range(1, 101):
        calls.answered("read", 200, seconds / 100)
    calls.answered("read", 503, 9)
    try:
        raise Unreachable("no response") from httpx.ConnectError("Connection refused")
    except Unreachable as error:
        calls.failed("upload", error)
    calls.failed("read", httpx.ReadError("reset"))
    assert calls.refused == ["upload: no response"]
    assert calls.broken == ["read: reset"]
    assert calls.errors() == {"read 503": 1}
    assert calls.figures() == {"read": {"number": 101, "median": 0.51, "p95": 0.96, "most": 9}}
