"""One line is validated by anyone: the edits that it triggers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from filing.demo.loading import load_demo_census
from filing.edits import catalogue
from filing.edits.edit import EditKind, EditLevel, EditNeed
from filing.lar.years import Period
from tests.publicapi.lines import (
    PUBLIC,
    VALIDATE,
    YEAR,
    asked,
    by_kind,
    found,
    loan,
    sheet,
)

pytestmark = pytest.mark.django_db


def test_the_census_that_is_loaded_is_used(client):
    nowhere = loan(county="06999", census_tract="NA")
    assert found(client, "lar", nowhere) == {}
    load_demo_census(2024, by="test")
    codes = {"validity": ["V626", "V716"], "quality": ["Q603"]}
    assert found(client, "lar", nowhere) == codes


def told_of_file(client: Client, content: str, of: Period = YEAR) -> dict[str, set[str]]:
    """Return what the check of a file says about its sheet and its only loan."""
    where = f"{of.year}/quarter/{of.quarter_name}" if of.quarter else f"{of.year}"
    file = SimpleUploadedFile("lar.txt", content.encode())
    answer = client.post(f"{PUBLIC}/disclosure/validate/{where}", {"file": file})
    rows = json.loads(answer.getvalue())["validationErrors"]
    return {row[0]["uli"]: {(e["editName"], e["editDescription"]) for e in row} for row in rows}


NEEDS_NO_OTHER_LINE = [
    edit
    for edit in catalogue.list_edits(YEAR)
    if edit.level is not EditLevel.FILE and not edit.needs & {EditNeed.INSTITUTION, EditNeed.TS}
]


def breaking(edit: Any) -> dict[str, str | int]:
    return {k: v for k, v in edit.breaks.items() if not k.startswith("ts.")}


def test_a_line_alone_has_the_findings_it_has_in_a_file(client):
    load_demo_census(2024, by="test")
    checked = 0
    for edit in NEEDS_NO_OTHER_LINE[::25]:
        of_sheet = edit.level is EditLevel.TS
        first = sheet(total_lines=1, **(breaking(edit) if of_sheet else {}))
        second = loan(**({} if of_sheet else breaking(edit)))
        key, line = ("ts", first) if of_sheet else ("lar", second)
        answer = asked(client, VALIDATE[key], {key: line})
        if answer.status_code == 400:
            continue  # what breaks it cannot be read
        alone = {
            (e["edit"], e["description"]) for k in by_kind(answer).values() for e in k["errors"]
        }
        rows = told_of_file(client, f"{first}\n{second}")
        uli = first.split("|")[-1] if of_sheet else second.split("|")[2]
        assert alone == {each for each in rows.get(uli, set()) if each[0] not in {"S301"}}
        checked += 1
    assert checked > 3


def test_edits_that_need_more_than_the_line_are_left_out(client, institution):
    wrong = {"tax_id": "99-0000000", "federal_agency": 1}
    assert found(client, "ts", sheet(**wrong)) == {}
    assert found(client, "lar", loan(lei="OTHER000000000000001")).get("syntactical") is None
    assert all(e.kind is not EditKind.MACRO for e in NEEDS_NO_OTHER_LINE)
