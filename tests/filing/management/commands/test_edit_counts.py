"""The command that counts the edits."""

from __future__ import annotations

import json
from io import StringIO

from django.core.management import call_command

from filing.edits import catalogue
from filing.lar.years import rulebook_periods

# No mark for the database: the command must do without it.


def said(*options: str) -> str:
    out = StringIO()
    call_command("edit_counts", *options, stdout=out)
    return out.getvalue()


def test_the_table_has_a_line_for_each_period_and_a_column_for_each_kind() -> None:
    head, *rows = [line.split() for line in said().splitlines()]
    assert head == ["period", "syntactical", "validity", "quality", "macro", "total"]
    assert [row[0] for row in rows] == [str(period) for period in rulebook_periods()]
    counts = {row[0]: [int(cell) for cell in row[1:]] for row in rows}
    assert counts == {
        str(period): [*catalogue.count_edits(period).values(), len(catalogue.list_edits(period))]
        for period in rulebook_periods()
    }


def test_json_says_the_same() -> None:
    head, *rows = [line.split() for line in said().splitlines()]
    table = {row[0]: dict(zip(head[1:], map(int, row[1:]), strict=True)) for row in rows}
    assert json.loads(said("--json")) == table
