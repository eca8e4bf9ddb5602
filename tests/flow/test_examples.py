"""Forty edits of all kinds fire through the whole service."""

from __future__ import annotations

import csv
import io
import re

import pytest

from filing.edits import catalogue
from filing.edits.edit import Edit, EditLevel
from filing.lar.fields import LAR_BY_NAME, TS_BY_NAME
from filing.lar.years import Period
from tests.flow.filer import Filer, lar

ROWS = 150
# One file cannot have all: a quality edit is shown only where nothing has to be corrected.
TO_CORRECT = ("S301", "V608-1", "V609", "V613-3", "V617", "V622", "V628-1", "V636-2", "V651-1")
TO_CORRECT += ("V660-2", "V670-1", "V672-3", "V678-5", "V688-2", "V692-3", "V696-3", "V715")
TO_VERIFY = ("Q602", "Q605-1", "Q611", "Q613", "Q614-1", "Q615-2", "Q617", "Q620", "Q623", "Q627")
TO_VERIFY += ("Q631", "Q633", "Q642-1", "Q649-2", "Q651", "Q654", "Q656", "Q659-1", "Q660-4")
OF_THE_FILE = ("S304", "Q600", "Q636", "Q640")
SAMPLE = {*TO_CORRECT, *TO_VERIFY, *OF_THE_FILE}


def test_the_sample_has_forty_edits_of_all_kinds():
    edits = [edit for edit in catalogue.list_edits(Period(2024)) if edit.code in SAMPLE]
    assert len(SAMPLE) == 40
    assert {edit.code for edit in edits} == SAMPLE
    assert len({edit.kind for edit in edits}) == 4


@pytest.mark.parametrize(
    ("period", "codes", "rests"),
    [("2024-Q1", TO_CORRECT, 9), ("2025", TO_VERIFY, 11)],
    ids=["to correct", "to verify"],
)
def test_edits_of_loans_fire_with_their_rows_and_values(service, period, codes, rests):
    known = {edit.code: edit for edit in of_loans(period) if edit.code in codes}
    with Filer.of(service, period) as filer:
        content = lar(filer, rows=ROWS, fail=tuple(known))
        filed = {line.split("|")[2]: line.split("|") for line in content.decode().splitlines()}
        assert filer.file(content)["status"]["code"] == rests
        summary = filer.call("GET", "/submissions/1/edits").json()
        shown = {
            e["edit"]
            for kind in ("syntactical", "validity", "quality")
            for e in summary[kind]["edits"]
        }
        assert set(known) <= shown
        for code, edit in known.items():
            detail = filer.call("GET", f"/submissions/1/edits/{code}").json()
            assert detail["total"] == detail["count"] >= 1
            for row in detail["rows"]:
                assert row["fields"] == values(edit, filed[row["id"]])
            assert in_csv(filer, code) == detail["total"]


@pytest.mark.parametrize("code", OF_THE_FILE)
def test_edits_of_the_file_fire_with_what_they_counted(service, code):
    with Filer.of(service, "2024") as filer:
        filer.file(lar(filer, rows=ROWS, fail=(code,)))
        edits = filer.call("GET", "/submissions/1/edits").json()
        assert code in {
            e["edit"] for k in ("syntactical", "quality", "macro") for e in edits[k]["edits"]
        }
        detail = filer.call("GET", f"/submissions/1/edits/{code}").json()
        if code in {"Q636", "Q640"}:
            assert detail["rows"] == []
            assert re.search(r"; limit \d+%$", detail["detail"])
        else:
            assert detail["rows"][0]["fields"]
            assert detail["detail"] == ""
        assert in_csv(filer, code) == 1


def of_loans(period: str) -> list[Edit]:
    return list(catalogue.list_edits(Period.parse(period), level=EditLevel.LAR))


def values(edit: Edit, line: list[str]) -> list[dict[str, str]]:
    fields = [LAR_BY_NAME.get(name) or TS_BY_NAME[name] for name in edit.fields]
    return [{"name": field.label, "value": line[field.number - 1]} for field in fields]


def in_csv(filer: Filer, code: str) -> int:
    answer = filer.call("GET", f"/submissions/1/edits/{code}/csv")
    table = list(csv.DictReader(io.StringIO(answer.text)))
    assert {row["editId"] for row in table} == {code}
    return len(table)
