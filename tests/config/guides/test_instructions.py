"""The filing instructions of a year have each field, code and edit of the tables, and deadlines."""

from __future__ import annotations

import re
from datetime import date

import pytest
from django.test import Client
from django.urls import reverse

from filing.edits import catalogue
from filing.lar.fields import LAR, TRANSMITTAL_SHEET
from filing.lar.years import RULEBOOKS, Period, YearStage
from filing.models import FilingPeriod, FilingYear

pytestmark = pytest.mark.django_db
YEAR = RULEBOOKS[-2]


def address_of(year: int) -> str:
    return reverse("filing-instructions-of-year", args=[year])


def read_page(client: Client, year: int) -> str:
    page = client.get(address_of(year)).content.decode()
    return page[page.index('<main id="main"') : page.index("</main>")]


def read_row(page: str, anchor: str) -> str:
    return page[page.index(f'<tr id="{anchor}"') :].partition("</tr>")[0]


def read_part(page: str, anchor: str) -> str:
    return page[page.index(f'<h2 id="{anchor}"') :].partition("<h2 ")[2].partition("<h2 ")[0]


@pytest.mark.parametrize("year", [RULEBOOKS[0], 2024, RULEBOOKS[-1]])
def test_each_field_and_each_edit_of_the_year_is_there(client: Client, year: int) -> None:
    page = read_page(client, year)
    assert page.count('<tr id="field-') == len(LAR)
    assert page.count('<tr id="sheet-') == len(TRANSMITTAL_SHEET)
    for field in LAR:
        row = read_row(page, f"field-{field.number}")
        assert f"{field.number}. {field.label.replace(chr(39), '&#x27;')}<br>" in row
        assert f"<code>{field.name}</code>" in row
    linked = set(re.findall(r'href="/edits/([^/]+)/\?year=(\d+)"', read_part(page, "edits")))
    quarters = [Period(year, 1)] if Period(year, 1) in catalogue.EDITS[0].periods else []
    edits = [edit for period in (Period(year), *quarters) for edit in catalogue.list_edits(period)]
    assert linked == {(edit.code, str(year)) for edit in edits}


def test_the_days_are_those_of_the_filing_periods(client: Client) -> None:
    assert "Planned" in read_part(read_page(client, YEAR), "deadlines")
    FilingPeriod.objects.create(
        year=YEAR,
        quarter="",
        opens=date(YEAR + 1, 1, 1),
        timely_until=date(YEAR + 1, 3, 5),
        closes=date(YEAR + 1, 7, 7),
    )
    part = read_part(read_page(client, YEAR), "deadlines")
    assert f"March 5, {YEAR + 1}" in part
    assert f"July 7, {YEAR + 1}" in part
    assert "1003.5(a)(1)(i)" in part


def test_a_year_that_no_one_can_check_files_of_has_no_page(client: Client) -> None:
    assert client.get(address_of(RULEBOOKS[0] - 1)).status_code == 404
    draft = FilingYear.objects.get(year=YEAR)
    draft.stage = YearStage.DRAFT
    draft.save()
    assert client.get(address_of(YEAR)).status_code == 404
