"""The command that checks a register on this machine: what it prints, and how it ends."""

from __future__ import annotations

import csv
import json
import os
import sqlite3
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from config.running.supervisor import ROOT
from filing.client.checking import CheckEnding
from filing.demo import census as demo_census
from filing.demo.files import LarRecipe, make_lar_file
from filing.demo.loading import load_demo_census
from filing.edits import catalogue
from filing.edits.edit import EditLevel
from filing.lar.fields import LAR_BY_NAME
from filing.lar.years import Period
from filing.management.commands.check_lar import Command

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

LEI = "529900TESTBANK000042"
YEAR = Period(2024)
OF_CENSUS = ["V625-2", "V626", "V627", "V716", "Q603"]
NO_CENSUS = "the census tracts of the year are not loaded"
NO_PANEL = "there is no panel record of the institution for the year"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "lar.txt"


def register(path: Path, *, rows: int = 40, period: Period = YEAR, **fails: int) -> None:
    recipe = LarRecipe(period=period, lei=LEI, rows=rows, tax_id="12-3456789", fails=fails)
    path.write_bytes(
        b"".join(make_lar_file(recipe, demo_census.make_census_rows(period.year)["census_tract"]))
    )


def spoil(path: Path, *lines: int) -> None:
    """Put a loan type that cannot be read into some lines."""
    text = [line.split("|") for line in path.read_text().split("\n")]
    for line in lines:
        text[line - 1][4] = "x"
    path.write_text("\n".join("|".join(cells) for cells in text))


def checked(path: Path, *options: str) -> tuple[int, str]:
    """How the command ends, and what it prints."""
    said = StringIO()
    words = options if "--year" in "".join(options) else ("--year=2024", *options)
    try:
        call_command("check_lar", str(path), *words, stdout=said)
    except SystemExit as ended:
        return int(str(ended.code)), said.getvalue()
    return 0, said.getvalue()


@pytest.mark.parametrize(
    ("fails", "ending", "form"),
    [
        ({}, CheckEnding.NOTHING_FOUND, ()),
        ({"Q611": 1}, CheckEnding.TO_BE_VERIFIED, ("--json",)),
        ({"Q637": 1}, CheckEnding.TO_BE_VERIFIED, ("--csv",)),
        ({"V617": 1, "Q611": 1}, CheckEnding.TO_BE_CORRECTED, ()),
        ({"S304": 1}, CheckEnding.TO_BE_CORRECTED, ("--json",)),
    ],
)
def test_the_exit_code_says_what_is_to_be_done(path, fails, ending, form):
    register(path, **fails)
    assert checked(path, *form)[0] == ending


@pytest.mark.parametrize("form", [(), ("--json",), ("--csv",)], ids=["text", "json", "csv"])
def test_lines_that_cannot_be_read_come_before_all_edits(path, form):
    register(path, V617=1)
    spoil(path, 3)
    assert checked(path, *form)[0] == CheckEnding.UNREADABLE


def test_a_correct_file_is_reported_with_what_was_not_run(path):
    register(path)
    assert checked(path) == (
        0,
        f"{path}: 2024, 40 records.\n"
        f"\nNot checked because {NO_CENSUS}: {', '.join(OF_CENSUS)}.\n"
        f"\nNot checked because {NO_PANEL}: S303.\n"
        "\nNo edit was triggered.\n",
    )


def test_edits_are_told_by_kind_with_their_lines_and_figures(path):
    register(path, rows=100, V617=25, Q611=1, Q637=1, S304=1)
    ended, said = checked(path)
    texts = {edit.code: edit.text for edit in catalogue.list_edits(YEAR)}
    assert ended == CheckEnding.TO_BE_CORRECTED
    kinds = [line for line in said.splitlines() if line.endswith(" edits:")]
    assert kinds == ["Syntactical edits:", "Validity edits:", "Quality edits:", "Macro edits:"]
    assert f"  S304  {texts['S304']}\n    Entries Reported in Transmittal Sheet: 101; Total" in said
    (lines,) = [line for line in said.splitlines() if line.startswith("    25 records: lines ")][:1]
    assert lines.endswith(", ...")
    assert len(lines.split(", ")) == 20 + 1
    assert f"  Q637  {texts['Q637']}\n    " in said
    assert " of 100 records closed for incompleteness; limit 15%\n" in said
    assert said.endswith("\nThe file must be corrected before it can be filed.\n")


def test_twenty_lines_that_cannot_be_read_are_told_and_the_others_counted(path):
    register(path)
    spoil(path, *range(2, 27))
    ended, said = checked(path)
    assert ended == CheckEnding.UNREADABLE
    assert "\nLines with formatting errors: 25\n  line 2, " in said
    assert said.count(": Loan Type is 'x', accepted: Integer: 1, 2, 3, 4\n") == 20
    assert "\n  and 5 more; --json and --csv list all\n" in said
    assert "\nNot checked because the whole file is needed: S304, " in said


def test_commas_between_fields_are_named_once_and_not_line_by_line(path):
    register(path)
    path.write_text(path.read_text().replace("|", ","))
    ended, said = checked(path)
    assert ended == CheckEnding.UNREADABLE
    assert (
        "\nLines with formatting errors: 41\n  The fields are separated by commas; save the file "
        "again as text with a pipe (|) between the fields.\n"
    ) in said
    assert "Incorrect Number" not in said
    assert len(json.loads(checked(path, "--json")[1])["parserErrors"]) == 41


@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf"])
def test_an_empty_file_is_called_empty_and_nothing_more(path, content):
    path.write_bytes(content)
    said = f"{path}: the file is empty; its first line must be the transmittal sheet.\n"
    assert checked(path) == (CheckEnding.UNREADABLE, said)
    ended, document = checked(path, "--json")
    (error,) = json.loads(document)["parserErrors"]
    assert (ended, error["errorMessages"][0]["fieldName"]) == (
        CheckEnding.UNREADABLE,
        "Incorrect Number of TS Fields",
    )


def test_json_is_one_document(path):
    register(path, rows=40, V617=40)
    spoil(path, 3)
    ended, said = checked(path, "--json")
    found: dict[str, Any] = json.loads(said)
    assert ended == CheckEnding.UNREADABLE
    assert list(found) == [
        "file",
        "period",
        "loans",
        "edits",
        "notRun",
        "parserErrors",
        "validationErrors",
    ]
    assert (found["file"], found["period"], found["loans"]) == ("lar.txt", "2024", 40)
    v617 = catalogue.find_edit("V617", YEAR, EditLevel.LAR)
    assert found["edits"][0] == {
        "edit": "V617",
        "kind": "validity",
        "level": "lar",
        "description": v617.text,
        "total": 39,
        "detail": "",
    }
    assert {"edit": "S303", "reason": NO_PANEL} in found["notRun"]
    assert [error["rowNumber"] for error in found["parserErrors"]] == [3]
    first = found["validationErrors"][0][0]
    assert (first["editName"], list(first["fields"])) == ("V617", ["Loan Amount"])
    assert len(found["validationErrors"]) == 39


def test_csv_has_a_line_for_each_finding_format_errors_first(path):
    register(path, rows=3, V617=3)
    uli = path.read_text().split("\n")[2].split("|")[2]
    spoil(path, 3)
    ended, said = checked(path, "--csv")
    table = list(csv.reader(StringIO(said)))
    assert ended == CheckEnding.UNREADABLE
    assert table[0] == ["editType", "editId", "ULI", "editDescription", "rowNumber", "fields"]
    assert {len(line) for line in table} == {6}
    accepts = "Loan Type accepts: Integer: 1, 2, 3, 4."
    assert table[1] == ["Format", "", uli, accepts, "3", "Loan Type: x"]
    found = [line for line in table[2:] if line[0] != "Not run"]
    assert [(line[0], line[1], line[4]) for line in found] == [
        ("Validity", "V617", "2"),
        ("Validity", "V617", "4"),
        ("Quality", "Q645-1", "2"),
        ("Quality", "Q645-1", "4"),
    ]


def test_the_edits_are_those_of_the_quarter(path):
    register(path, period=Period(2024, 2))
    ended, said = checked(path, "--year=2024", "--quarter=Q2")
    assert (ended, said.split("\n")[0]) == (0, f"{path}: 2024-Q2, 40 records.")
    ended, said = checked(path)
    assert ended == CheckEnding.TO_BE_CORRECTED
    assert "  V602  " in said


def test_the_census_of_a_file_wins_over_the_one_that_is_loaded(path, tmp_path):
    load_demo_census(2024, by="test")
    census = tmp_path / "census.txt"
    census.write_text("header\n2024|1|36|061|000100|1|1|1|1|1|1|1|1|T|New York\n")
    register(path)
    assert checked(path)[0] == 0
    ended, said = checked(path, "--census", str(census))
    assert ended == CheckEnding.TO_BE_CORRECTED
    assert "  V626  " in said


def test_a_bad_census_is_refused_with_all_its_faults(path, tmp_path):
    register(path)
    census = tmp_path / "census.txt"
    census.write_text("header\n2023|1|36|061|000100|1|1|1|1|1|1|1|1|T|New York\n2024|1\n")
    with pytest.raises(CommandError) as refused:
        checked(path, "--census", str(census))
    assert str(refused.value).splitlines() == [
        "line 2: collection year is '2023'; expected 2024",
        "line 3: the line has 2 columns; expected 15 columns separated by |",
    ]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("1|Bank".encode("utf-16"), "the file is text in UTF-16 or UTF-32"),
        (b"PK\x03\x04", "the file is a zip archive. Unpack it"),
        (b"1|Bank\n2|\0", "line 2 holds a NUL byte"),
        (b"1|Bank\n2|\xe9", "byte 3 of line 2 is E9"),
        (None, "No such file or directory: '.*lar.txt'"),
    ],
)
def test_what_is_no_register_is_refused_before_anything_is_printed(path, content, why):
    if content is not None:
        path.write_bytes(content)
    said = StringIO()
    with pytest.raises(CommandError, match=why) as refused:
        call_command("check_lar", str(path), "--year=2024", "--json", stdout=said)
    assert refused.value.returncode == 1
    assert said.getvalue() == ""


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--year=2017"], "invalid choice: 2017"),
        (["--year=2019", "--quarter=Q1"], "2019-Q1 is not a filing period: .* begins in 2020"),
        (["--year=2024", "--quarter=Q4"], "Q4"),
        (["--year=2024", "--json", "--csv"], "not allowed with argument"),
        ([], "--year"),
        (["--year=2024", "--census=no-such-file.txt"], "No such file .*no-such-file.txt"),
    ],
)
def test_a_wrong_call_is_explained(path, options, why):
    register(path)
    with pytest.raises(CommandError, match=why):
        call_command("check_lar", str(path), *options)


def test_words_that_are_not_understood_end_with_2(path):
    with pytest.raises(SystemExit) as ended:
        Command().run_from_argv(["manage.py", "check_lar", str(path), "--year=now"])
    assert ended.value.code == 2


def in_a_process(path: Path, data: Path, database: str = "") -> subprocess.CompletedProcess[str]:
    """Run the command as a user does who may have no database."""
    own = {"DATA_DIR": str(data), "DJANGO_SETTINGS_MODULE": "config.settings"}
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    return subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), "check_lar", str(path), "--year=2024"],
        env=environment | own | ({"DATABASE_URL": database} if database else {}),
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("database", ["", "postgres://nobody@127.0.0.1:9/none"])
def test_no_database_is_needed_and_none_is_made(path, tmp_path, database):
    register(path, V617=1)
    done = in_a_process(path, tmp_path / "data", database)
    assert (done.returncode, done.stderr) == (CheckEnding.TO_BE_CORRECTED, "")
    assert f"Not checked because {NO_CENSUS}: {', '.join(OF_CENSUS)}." in done.stdout
    assert list((tmp_path / "data").glob("*sqlite*")) == []


def test_a_database_without_tables_is_as_good_as_none(path, tmp_path):
    register(path)
    data = tmp_path / "data"
    data.mkdir()
    (data / "service.sqlite3").touch()
    done = in_a_process(path, data)
    assert (done.returncode, done.stderr) == (CheckEnding.NOTHING_FOUND, "")
    with sqlite3.connect(data / "service.sqlite3") as database:
        assert database.execute("SELECT name FROM sqlite_master").fetchall() == []
    database.close()


def exempt(path: Path) -> None:
    """Claim the partial exemption for a field of the first record."""
    lines = [line.split("|") for line in path.read_text().split("\n")]
    lines[1][LAR_BY_NAME["nmlsr_id"].number - 1] = "Exempt"
    path.write_text("\n".join("|".join(cells) for cells in lines))


@pytest.mark.parametrize(
    ("year", "rules", "change", "kinds", "ending"),
    [
        (2024, 2025, "changed", ("macro", "quality"), CheckEnding.TO_BE_VERIFIED),
        (2025, 2024, "changed", ("quality", "macro"), CheckEnding.TO_BE_VERIFIED),
    ],
)
def test_the_rules_of_another_year_are_compared_edit_by_edit(
    path, year, rules, change, kinds, ending
):
    register(path, period=Period(year))
    exempt(path)
    options = (f"--year={year}", f"--rules={rules}")
    ended, said = checked(path, *options, "--json")
    found = json.loads(said)
    (edit,) = (edit for edit in found["edits"] if edit["edit"] == "Q646")
    sides = tuple(side and side["kind"] for side in (edit["before"], edit["after"]))
    assert (ended, edit["change"], sides) == (ending, change, kinds)
    assert len(found["edits"]) <= found["differing"]
    text, table = checked(path, *options), checked(path, *options, "--csv")
    assert (text[0], table[0]) == (ending, ending)
    assert found["description"] in text[1]
    rows = {row["edit"]: row for row in csv.DictReader(StringIO(table[1]))}
    assert rows.keys() == {edit["edit"] for edit in found["edits"]}
    assert rows["Q646"]["change"] == change


@pytest.mark.parametrize("rules", ["2017", "2050"])
def test_rules_that_do_not_exist_are_refused(path, rules):
    register(path)
    with pytest.raises(CommandError):
        checked(path, f"--rules={rules}")
