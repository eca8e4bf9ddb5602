"""Tables are loaded whole or not at all, and what they correct is kept."""

from __future__ import annotations

from datetime import date
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from filing.reference.listing import BadLines
from ratespread import apor, loading
from ratespread.demo import loading as demo_loading
from ratespread.models import AporKind, AporLoad, AporWeek
from tests.at_once import call_all_at_once
from tests.ratespread.conftest import FIRST, SECOND, level, line, load, mondays, text

pytestmark = pytest.mark.django_db
THIRD = date(2017, 1, 16)


def counting(kind: AporKind = AporKind.FIXED) -> dict[date, str]:
    rows = AporWeek.objects.filter(kind=kind, replaced_by=None).order_by("week")
    return {row.week: row.rates[0] for row in rows}


def command(*arguments: str, **options: Any) -> str:
    out = StringIO()
    call_command("load_apor", *map(str, arguments), stdout=out, **options)
    return out.getvalue()


def written(tmp_path: Path, content: bytes, name: str = "YieldTableFixed.txt") -> str:
    path = tmp_path / name
    path.write_bytes(content)
    return str(path)


# --- a file -------------------------------------------------------------------------------------


def read(content: bytes | str, kind: AporKind = AporKind.FIXED) -> loading.AporFile:
    data = content.encode() if isinstance(content, str) else content
    return loading.read_apor_table(data, kind=kind, source="t")


def faults(content: bytes | str, kind: AporKind = AporKind.FIXED) -> list[str]:
    with pytest.raises(BadLines) as found:
        read(content, kind)
    return [str(line) for line in found.value.lines]


@pytest.mark.parametrize(
    ("header", "end", "last"), [(True, "\n", ""), (False, "\r\n", "\n\n"), (True, "\r", "\n")]
)
def test_a_file_may_have_a_header_any_line_ends_and_blank_ones_at_its_end(header, end, last):
    weeks = {FIRST: level("3.5"), SECOND: level("3.25", y30="4")}
    content = text(AporKind.FIXED, weeks, header=header).decode().strip().replace("\n", end) + last
    assert read("\N{ZERO WIDTH NO-BREAK SPACE}" + content).weeks == weeks


def test_a_date_seen_again_replaces_the_row_and_the_latest_of_a_week_counts():
    lines = [
        line(FIRST, level("1")),
        line(FIRST, level("2")),
        line(date(2017, 1, 11), level("4")),  # a Wednesday
        line(SECOND, level("3")),
    ]
    weeks = read("\n".join(lines)).weeks
    assert {week: rates[0] for week, rates in weeks.items()} == {FIRST: "2", SECOND: "4"}


GOOD = line(FIRST, level("3.5"))


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("", "line 1: the file has no weeks; expected a line for each week"),
        ("Term of Loan|1\n", "line 1: the file has no weeks; "),
        (GOOD[:-4], "line 1: the line has 50 columns; expected 51 columns separated by |"),
        (f"{GOOD}|1", "line 1: the line has 52 columns; "),
        (f"{GOOD}\n\n{GOOD}", "line 2: the line has 1 columns; "),
        (f"{GOOD}\n2/30/2017{GOOD[8:]}", "line 2: the date is '2/30/2017'; expected a date"),
        (f"{GOOD}\n2017-01-02{GOOD[8:]}", "line 2: the date is '2017-01-02'; "),
        (f"{GOOD}\n1/2/1917{GOOD[8:]}", "line 2: the date is '1/2/1917'; expected a date such"
            " as 1/2/2017, from 2000 to 2099"),
        (f"{GOOD}\n{GOOD[:-3]}x", "line 2: the rate for 50 years is 'x'; expected a rate in"
            " percent below 100, such as 6.85"),
        (f"{GOOD}\n{GOOD[:-3]}", "line 2: the rate for 50 years is ''; "),
        (f"{GOOD}\n{GOOD[:-3]}-1", "line 2: the rate for 50 years is '-1'; "),
        (f"{GOOD}\n{GOOD[:-3]}100", "line 2: the rate for 50 years is '100'; "),
        (f"{GOOD}\n{GOOD[:-3]}٣", "line 2: the rate for 50 years is '٣'; "),
        (f"{GOOD}\n{GOOD[:-3]}1e1", "line 2: the rate for 50 years is '1e1'; "),
        (b"\xff\xfe1\0", "line 1: the line is not text; expected a file saved as UTF-8"),
        (f"{GOOD}\r{GOOD}\n".encode() + b"1/2/2017|\xff", "line 3: the line is not text; "),
        (f"{GOOD}\x0b\n{GOOD}\n\x0c{GOOD[:-3]}x", "line 3: the rate for 50 years is 'x'; "),
        (f"{GOOD}\u2028{GOOD}", "line 1: the line has 101 columns; "),
        (f"Years to First Adjustment|1\n{GOOD}", "line 1: the file is an APOR table of variable"
            " rates; expected the fixed rate table"),
    ],
)  # fmt: skip
def test_a_bad_line_refuses_the_whole_file(content, fault):
    found = faults(content)
    assert len(found) == 1
    assert found[0].startswith(fault)


def test_all_that_is_wrong_is_told_at_once():
    found = faults(f"{GOOD}\nx\n{GOOD[:-3]}y\n1/32/2017{GOOD[8:]}")
    assert [each.split(":")[0] for each in found] == ["line 2", "line 3", "line 4"]


# --- loading ------------------------------------------------------------------------------------


@pytest.mark.servers
def test_weeks_that_a_file_lacks_stay_and_those_it_corrects_are_kept():
    first = load(AporKind.FIXED, {FIRST: level("3.5"), SECOND: level("3")})
    second = load(AporKind.FIXED, {SECOND: level("3.25"), THIRD: level("3.75")})
    assert counting() == {FIRST: "3.5", SECOND: "3.25", THIRD: "3.75"}
    replaced = AporWeek.objects.exclude(replaced_by=None).get()
    assert (replaced.week, replaced.rates, replaced.load) == (SECOND, level("3"), first)
    assert replaced.replaced_by == second
    assert (second.rows, second.added, second.changed) == (2, 1, 1)


def test_the_first_real_table_takes_its_demo_away_and_leaves_the_other():
    demo_loading.load_demo_rates(by="prepare")
    assert {load.is_demo for load in AporLoad.objects.all()} == {True}
    demo = apor.read_current_tables()
    assert demo.span(AporKind.VARIABLE) is not None
    demo_loading.load_demo_rates(by="prepare")
    assert AporLoad.objects.count() == 2
    load(AporKind.FIXED, {SECOND: level("3.25")})
    assert counting() == {SECOND: "3.25"}
    assert len(counting(AporKind.VARIABLE)) > 500
    assert apor.read_current_tables().span(AporKind.VARIABLE) == demo.span(AporKind.VARIABLE)
    load(AporKind.VARIABLE, {SECOND: level("3.5")})
    assert counting(AporKind.VARIABLE) == {SECOND: "3.5"}
    assert AporWeek.objects.filter(load__is_demo=True).exclude(replaced_by=None).count() > 100
    demo_loading.load_demo_rates(by="prepare")
    assert counting() == {SECOND: "3.25"}


@pytest.mark.servers
@pytest.mark.django_db(transaction=True)
def test_two_loads_at_once_come_one_after_the_other():
    weeks = mondays(FIRST, 60)
    tables = [
        text(AporKind.FIXED, {week: level(rate) for week in weeks}) for rate in ("1.5", "2.5")
    ]
    call_all_at_once(
        [partial(loading.load_apor_table, read(content), by="me") for content in tables]
    )
    assert sorted(AporLoad.objects.values_list("added", "changed")) == [(0, 60), (60, 0)]
    assert len(set(counting().values())) == 1
    assert AporWeek.objects.filter(replaced_by=None).count() == 60
    assert AporWeek.objects.count() == 120


# --- the command --------------------------------------------------------------------------------


def test_the_command_loads_both_tables_and_tells_what_changed(tmp_path):
    fixed = written(tmp_path, text(AporKind.FIXED, {FIRST: level("3.5")}))
    other = written(
        tmp_path, text(AporKind.VARIABLE, {FIRST: level("3")}), "YieldTableAdjustable.txt"
    )
    told = command(fixed, other, by="ops")
    assert "fixed rate, YieldTableFixed.txt: 1 weeks, 2017-01-02 to 2017-01-02; 1 added" in told
    assert "variable rate, YieldTableAdjustable.txt: 1 weeks" in told
    assert set(AporLoad.objects.values_list("loaded_by", flat=True)) == {"ops"}
    assert "Nothing was loaded: the rates are the same as those in use." in command(fixed)
    fixed = written(tmp_path, text(AporKind.FIXED, {FIRST: level("3.75")}))
    assert "Corrected: 2017-01-02" in command(fixed, dry_run=True)
    assert counting() == {FIRST: "3.5"}


def test_the_command_asks_for_the_kind_where_the_name_does_not_tell(tmp_path):
    path = written(tmp_path, text(AporKind.FIXED, {FIRST: level("3.5")}), "apor.txt")
    with pytest.raises(CommandError, match="Add --kind fixed or --kind variable"):
        command(path)
    command(path, kind="fixed")
    assert counting() == {FIRST: "3.5"}


def test_the_command_tells_every_bad_line_and_loads_nothing(tmp_path):
    path = written(tmp_path, f"{GOOD}\nx\ny\n".encode())
    with pytest.raises(CommandError, match=r"(?s)line 2: .*line 3: .*Nothing was loaded: 2 lines"):
        command(path)
    with pytest.raises(CommandError, match="The file cannot be read"):
        command(str(tmp_path / "fixed.txt"))
    assert AporLoad.objects.count() == 0
