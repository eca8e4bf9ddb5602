"""The last filing day, at a small size, and the figures of a season from what one filing costs."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from bench.capacity import BUSY, NATIONAL, TENFOLD, Machine, Season, document, needs
from bench.day_filers import Log
from bench.day_parts import Part, compared
from bench.day_service import checked
from bench.filing_costs import Cost, Costs, cost_of
from bench.report import Check
from bench.stages import ROOT
from filing.statuses import Status

COSTS = Costs(
    worker=Cost(0.25, 0.0001),
    web=Cost(0.05, 0.000002),
    kept=Cost(2_000, 350),
    public=Cost(10_000, 40),
    database=30_000,
    worker_mb=500,
    web_mb=250,
)


def day(*words: str) -> dict[str, Any]:
    command = [sys.executable, f"{ROOT}/bench/day.py", "--json", *words]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)
    report: dict[str, Any] = json.loads(run.stdout)
    assert (run.returncode == 0) == report["is_ok"], run.stderr
    return report


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.any_database
def test_a_small_day_loses_nothing_and_breaks_no_connection():
    report = day(
        *("--filers", "2,4", "--files", "6", "--file-rows", "50", "--workers", "1,3"),
        *("--small", "2", "--large-rows", "20000", "--many", "12", "--others", "3"),
    )
    names = [part["name"] for part in report["parts"]]
    assert names == ["filers", "files", "files", "behind", "turns"]
    assert [part["faults"] for part in report["parts"]] == [[]] * 5
    flow, one, three, behind, turns = report["parts"]
    steps = ("start", "create", "upload", "checks", "edits", "verify", "sign", "receipt")
    assert set(flow["steps"]) == {f"{n} filers, {step}" for n in (2, 4) for step in steps}
    assert flow["steps"]["4 filers, verify"]["number"] == 8
    assert [part["figures"]["workers"] for part in (one, three)] == [1, 3]
    assert behind["figures"]["small files"] == 2
    assert 50 < behind["figures"]["MB at most in a worker"] < 2_000
    assert len(turns["figures"]) == 3


def test_the_times_of_a_file_begin_with_its_upload_and_end_with_its_checks():
    changes = [
        [1, None, Status.CREATED, "CREATED", 5.0],
        [1, Status.CREATED, Status.UPLOADING, "UPLOAD_STARTED", 10.0],
        [2, Status.CREATED, Status.UPLOADING, "UPLOAD_STARTED", 11.0],
        [1, Status.UPLOADING, Status.UPLOADED, "UPLOAD_FINISHED", 12.0],
        [1, Status.UPLOADED, Status.VERIFIED, "CHECKED", 13.5],
        [1, Status.VERIFIED, Status.SIGNED, "SIGNED", 20.0],
    ]
    history = {"names": {"1": "A-2025-1", "2": "B-2025-1"}, "changes": changes}
    assert checked(history) == {"A-2025-1": (10.0, 13.5)}


def test_a_file_behind_a_large_one_is_compared_with_the_same_file_alone():
    times = {"a-1": (0.0, 1.0), "b-1": (1.0, 3.0), "a-2": (12.0, 15.0), "b-2": (19.0, 21.5)}
    names = {"alone": {"a": "a-1", "b": "b-1"}, "behind": {"a": "a-2", "b": "b-2"}}
    figures, longest = compared(times, names, [(10.0, 20.0)])
    assert longest == 2.0
    assert list(figures.values()) == [10.0, 2, 1, 1.5, 1.25, 2.0]


def test_what_a_filer_must_not_see_is_told_from_what_it_repeats():
    log = Log()
    for kind, status in (("status", 200), ("status", 429), ("upload", 503), ("start", 400)):
        log.calls.answered(kind, status, 0.1)
    assert log.refusals() == {"status 429": 1, "upload 503": 1}
    assert log.broken() == []
    log.unsaid.append("upload: 503 without Retry-After")
    log.calls.failed("status", ConnectionResetError("reset"))
    assert log.broken() == ["status: reset", "upload: 503 without Retry-After"]


@pytest.mark.parametrize(
    ("faults", "is_met", "is_ok"), [([], True, True), ([], False, False), (["lost"], True, False)]
)
def test_a_part_is_ok_if_no_limit_is_missed_and_nothing_went_wrong(faults, is_met, is_ok):
    assert Part("turns", {}, [Check("", "", "", ok=is_met)], faults).is_ok is is_ok


# --- the arithmetic of a season ----------------------------------------------------------------


def test_two_files_give_what_a_file_costs_and_what_a_record_adds():
    assert cost_of((1_000, 0.35), (101_000, 10.35)) == Cost(pytest.approx(0.25), 0.0001)
    # A small difference may lie in the clock alone: nothing costs less than nothing.
    assert cost_of((1_000, 2.0), (2_000, 1.0)) == Cost(2.0, 0.0)
    assert cost_of((1_000, 1.0), (2_000, 3.0)) == Cost(0.0, 0.002)


def test_a_season_needs_what_its_busiest_hour_and_all_its_uploads_need():
    season = Season("small", institutions=1_000, records=4_000_000)
    needed = needs(COSTS, season)
    assert (needed.day_files, needed.day_records) == (1_000, 4_000_000)
    assert needed.day_worker_hours == pytest.approx((1_000 * 0.25 + 4_000_000 * 0.0001) / 3600)
    assert needed.hour_worker_cores == pytest.approx(needed.day_worker_hours / 4)
    assert (needed.workers, needed.web_processes) == (2, 2)  # the least
    assert needed.connections == 2 * 8 + 2 * 2 + 3
    assert needed.memory_gb == pytest.approx(2 + (2 * 500 + 2 * 250) / 1000)
    assert needed.kept_gb == pytest.approx((2_000 * 2_000 + 8_000_000 * 350) / 1e9)
    assert needed.public_gb == pytest.approx((1_000 * 10_000 + 4_000_000 * 40) / 1e9)
    assert needed.database_gb == pytest.approx(2_000 * 30_000 / 1e9)


def test_more_workers_are_needed_before_they_are_busy_all_the_time():
    season = Season("busy", institutions=1_000, records=0, last_day=1, busiest_hour=1)
    slow = Costs(**{**{k: getattr(COSTS, k) for k in COSTS.__slots__}, "worker": Cost(9, 0)})
    needed = needs(slow, season)
    assert needed.hour_worker_cores == 5
    assert needed.workers == 9
    assert needed.workers * BUSY > needed.hour_worker_cores
    assert needed.connections == 2 * 8 + 9 * 2 + 3


def test_ten_times_a_season_needs_ten_times_the_work_and_storage():
    once, tenfold = needs(COSTS, NATIONAL), needs(COSTS, TENFOLD)
    for name in ("day_worker_hours", "hour_web_cores", "kept_gb", "public_gb", "database_gb"):
        assert getattr(tenfold, name) == pytest.approx(10 * getattr(once, name))
    shares = once.shares(Machine())
    assert shares["database connections"] == once.connections / 97
    assert shares["cores"] == (once.hour_worker_cores + once.hour_web_cores) / 4


def test_the_tables_have_every_number_of_workers_and_say_what_bends_first():
    figures = {
        "workers": 2,
        "files per second": 5.25,
        "records per second": 5_250.0,
        "seconds until all checks had ended": 190.5,
    }
    tables = document(COSTS, {"parts": [{"name": "files", "figures": figures}]})
    assert "| 2 | 5.2 | 5,250 | 190 |" in tables
    assert "| Records | 25,000,000 | 250,000,000 |" in tables
    assert "A record is kept in 350 bytes, and in 40 more once it is public." in tables
    (line,) = [line for line in tables.splitlines() if line.startswith("- national: ")]
    shares = [int(word.rstrip("%,")) for word in line.split() if "%" in word]
    assert shares == sorted(shares, reverse=True)
    assert "not measured: `python bench/day.py" in document(COSTS, None)
