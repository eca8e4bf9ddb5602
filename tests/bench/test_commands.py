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


def measure(command: str, *words: str) -> Any:
    """Return the figures that a command writes as JSON."""
    return json.loads(run(command, *words, "--json"))


def test_the_figures_come_as_json_with_those_of_the_plain_loop():
    result = measure("filing", "--rows", "1000,3000", "--repeat", "1", "--dirty")
    assert [each["rows"] for each in result["engine"]] == [1000, 3000]
    assert set(result["engine"][0]["stages"]) == {PARSE, EDITS}
    assert result["plain"]["rows"] == 3000
    assert result["checks"][0]["name"] == "times the plain loop, 1,000 rows"


@pytest.mark.parametrize(
    ("command", "words", "texts"),
    [
        (
            "filing",
            ("--rows", "500", "--repeat", "1", "--year", "2023"),
            ["Filing 2023", "plain loop has the rules of another year"],
        ),
        (
            "spreadsheets",
            ("--rows", "200", "--repeat", "1"),
            [" library alone ", " columns ", " convert ", " back to .xlsx "],
        ),
        (
            "arrivals",
            ("--rows", "300", "--at-once", "2", "--each", "200", "--repeat", "1"),
            ["\n300 records: ", "\n2 files of 200 at once: "],
        ),
        (
            "capacity",
            ("--small", "100", "--large", "2000", "--repeat", "1"),
            ["| Institutions | 5,000 | 50,000 |", "most used first:"],
        ),
    ],
)
def test_a_command_says_in_words_what_it_measured(
    command: str, words: tuple[str, ...], texts: list[str]
) -> None:
    shown = run(command, *words)
    assert [text for text in texts if text not in shown] == []


def test_pages_are_read_at_the_start_and_at_the_end():
    pages = measure("pages", "--rows", "2000", "--reads", "3")["pages"]
    numbers = [(page["page"], page["number"]) for page in pages[:3]]
    assert numbers == [("first", 1), ("middle", 50), ("last", 100)]
    assert all(0 < page["p50"] <= page["p95"] for page in pages)


def test_lists_are_answered_alike_bare_by_a_plain_loop_and_over_http():
    tools = ("--tool", "check digit, generate", "--tool", "check digit, validate")
    told = measure("tools", "--rows", "3000", "--repeat", "1", *tools)
    ways = ["engine", "plain loop", "HTTP"]
    assert [row["way"] for row in told["rows"]] == ways * 4
    assert [row["lines"] for row in told["rows"]] == ([300] * 3 + [3000] * 3) * 2
    checks = [check for check in told["checks"] if check["name"].endswith("different answers")]
    assert [check["ok"] for check in checks] == [True] * 2


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
    told = measure("browser", "--rows", "5000", "--repeat", "2", "--server", "")
    assert len(told["rows"]) == 10
    assert all(row["bare"] > 0 and row["http"] > 0 and row["same"] for row in told["rows"])
    assert 0 < told["download"]["first_byte"] < told["download"]["seconds"]


def test_all_graphs_are_computed_and_one_is_read():
    told = measure("graphs", "--rows", "20000", "--repeat", "1", "--server", "")
    assert (told["rows"], told["graphs"]) == (20_000, 63)
    assert told["one"] > 0
    assert len(told["passes"]) == 11
    assert 0 < told["read"] <= told["read_p95"]


def test_a_published_file_is_imported_and_built() -> None:
    told = measure("publication", "--rows", "5000")
    steps = [(step["name"], step["rows"]) for step in told["steps"]]
    assert steps == [("import", 5000), ("build", 5000)]
    assert all(step["cost"]["memory"] > 50 for step in told["steps"])
    assert {"national.csv", "loans.parquet", "serving.duckdb"} < set(told["megabytes"])


def test_two_versions_are_compared_where_few_records_and_where_all_changed() -> None:
    few = measure("differences", "--rows", "4000")["counts"]
    every = measure("differences", "--rows", "4000", "--all")["counts"]
    assert 0 < few["changed"] < 400
    assert (every["before"], every["changed"], every["removed"]) == (4000, 4000, 0)


def test_reports_of_a_year_are_counted_and_read() -> None:
    few = ("--rows", "4000", "--institutions", "20", "--places", "10", "--answers", "10")
    result = measure("reports", *few)
    assert result["rows"] == 4000
    assert result["cells"] > 0
    assert 0 < result["p50"] <= result["p95"]


def test_other_requests_are_timed_without_slow_callers_and_with_each_kind() -> None:
    few = ("--callers", "5", "--rows", "2000", "--seconds", "1", "--json")
    done = start(ROOT, "slow_clients", *few)  # an error says that this machine was slow
    told = json.loads(done.stdout)
    names = ["none", "5 reading slowly", "5 half a request", "5 stopped upload"]
    assert [reads["callers"] for reads in told["reads"]] == names
