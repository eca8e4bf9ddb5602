"""The benchmark commands run, and say what they found; how fast it was is not tested."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bench import report
from bench.report import Figures, Memory, Result
from bench.stages import EDITS, PARSE, ROOT, Measure

pytestmark = pytest.mark.resilience


def start(root: Path, command: str, *words: str) -> subprocess.CompletedProcess[str]:
    words = (f"{root}/bench/{command}.py", *words)
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)


def run(command: str, *words: str) -> str:
    done = start(ROOT, command, *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_figures_come_as_json_with_those_of_the_plain_loop():
    result: dict[str, Any] = json.loads(
        run("filing", "--rows", "1000,3000", "--repeat", "1", "--dirty", "--json")
    )
    assert [each["rows"] for each in result["engine"]] == [1000, 3000]
    assert set(result["engine"][0]["stages"]) == {PARSE, EDITS}
    assert result["plain"]["rows"] == 3000
    assert result["checks"][0]["name"] == "times the plain loop, 1,000 rows"


def test_another_year_is_measured_without_the_plain_loop():
    shown = run("filing", "--rows", "500", "--repeat", "1", "--year", "2023")
    assert "Filing 2023" in shown
    assert "plain loop has the rules of another year" in shown


def test_pages_are_read_at_the_start_and_at_the_end():
    pages = json.loads(run("pages", "--rows", "2000", "--reads", "3", "--json"))["pages"]
    assert [(page["page"], page["number"]) for page in pages][:3] == [
        ("first", 1),
        ("middle", 50),
        ("last", 100),
    ]
    assert all(0 < page["p50"] <= page["p95"] for page in pages)


def test_lists_are_answered_alike_bare_by_a_plain_loop_and_over_http():
    told = json.loads(
        run("tools", "--rows", "3000", "--repeat", "1", "--tool", "check digit, generate",
            "--tool", "check digit, validate", "--json")
    )  # fmt: skip
    ways = ["engine", "plain loop", "HTTP"]
    assert [row["way"] for row in told["rows"]] == ways * 4
    assert [row["lines"] for row in told["rows"]] == ([300] * 3 + [3000] * 3) * 2
    assert [c["ok"] for c in told["checks"] if c["name"].endswith("different answers")] == [
        True
    ] * 2


@pytest.mark.parametrize(
    ("peaks", "verdicts"),
    [
        (([500.0, 520, 510], [540.0, 700, 530]), [True, True, True]),
        (([500.0, 520, 510], [612.0, 701, 640]), [True, False, False]),
    ],
)
def test_memory_is_held_against_its_limits(peaks, verdicts):
    few, many = peaks
    stages = {PARSE: Measure(1, 1, 100), EDITS: Measure(3, 2, 300)}
    result = Result(2024, "nothing", "one core", engine=[Figures(8, 80, 1, stages)])
    result.memory = [Memory(500_000, few), Memory(1_000_000, many)]
    assert [check.ok for check in report.checks(result)] == verdicts
    assert result.engine[0].rate == 8 / 3  # of the stage that does all of the work


def test_the_data_browser_is_asked_ten_questions_and_for_rows():
    told = json.loads(run("browser", "--rows", "5000", "--repeat", "2", "--server", "", "--json"))
    assert len(told["rows"]) == 10
    assert all(row["bare"] > 0 and row["http"] > 0 and row["same"] for row in told["rows"])
    assert 0 < told["download"]["first_byte"] < told["download"]["seconds"]


def test_all_graphs_are_computed_and_one_is_read():
    told = json.loads(run("graphs", "--rows", "20000", "--repeat", "1", "--server", "", "--json"))
    assert (told["rows"], told["graphs"]) == (20_000, 63)
    assert told["one"] > 0
    assert len(told["passes"]) == 11
    assert 0 < told["read"] <= told["read_p95"]


def test_a_published_file_is_imported_and_built() -> None:
    told = json.loads(run("publication", "--rows", "5000", "--json"))
    assert [(step["name"], step["rows"]) for step in told["steps"]] == [
        ("import", 5000),
        ("build", 5000),
    ]
    assert all(step["cost"]["memory"] > 50 for step in told["steps"])
    assert {"national.csv", "loans.parquet", "serving.duckdb"} < set(told["megabytes"])


def test_two_versions_are_compared_where_few_records_and_where_all_changed() -> None:
    few = json.loads(run("differences", "--rows", "4000", "--json"))["counts"]
    every = json.loads(run("differences", "--rows", "4000", "--all", "--json"))["counts"]
    assert 0 < few["changed"] < 400
    assert (every["before"], every["changed"], every["removed"]) == (4000, 4000, 0)


def test_reports_of_a_year_are_counted_and_read() -> None:
    few = ("--rows", "4000", "--institutions", "20", "--places", "10", "--answers", "10")
    result = json.loads(run("reports", *few, "--json"))
    assert result["rows"] == 4000
    assert result["cells"] > 0
    assert 0 < result["p50"] <= result["p95"]


def test_spreadsheets_are_compared_with_the_library_alone() -> None:
    shown = run("spreadsheets", "--rows", "200", "--repeat", "1")
    for step in ("library alone", "columns", "convert", "back to .xlsx"):
        assert f" {step} " in shown


def test_other_requests_are_timed_without_slow_callers_and_with_each_kind() -> None:
    few = ("--callers", "5", "--rows", "2000", "--seconds", "1", "--json")
    done = start(ROOT, "slow_clients", *few)  # an error says that this machine was slow
    told = json.loads(done.stdout)
    names = ["none", "5 reading slowly", "5 half a request", "5 stopped upload"]
    assert [reads["callers"] for reads in told["reads"]] == names


def test_a_filer_waits_for_one_file_and_for_many_at_once() -> None:
    few = ("--rows", "300", "--at-once", "2", "--each", "200", "--repeat", "1")
    shown = run("arrivals", *few)
    assert "\n300 records: " in shown
    assert "\n2 files of 200 at once: " in shown


def test_the_costs_of_a_filing_become_the_needs_of_a_season() -> None:
    shown = run("capacity", "--small", "100", "--large", "2000", "--repeat", "1")
    assert "| Institutions | 5,000 | 50,000 |" in shown
    assert "most used first:" in shown
