"""The filing instructions of a year have each field, code and edit of the tables, and deadlines."""

from __future__ import annotations

import re
from datetime import date

import pytest
from django.test import Client
from django.urls import reverse

from filing.edits import catalogue
from filing.lar.fields import LAR, TRANSMITTAL_SHEET
from filing.lar.years import RULEBOOKS, Period, YearStage, newest_year
from filing.models import FilingPeriod, FilingYear, WithdrawnEdit
from filing.seasons.rulebooks import compare_rulebooks
from filing.spreadsheets.code_texts import list_codes

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


def test_the_address_without_a_year_leads_to_the_newest_open_one(client: Client) -> None:
    answer = client.get(reverse("filing-instructions"))
    assert (answer.status_code, answer["Location"]) == (
        302,
        address_of(newest_year(YearStage.FILING)),
    )


@pytest.mark.parametrize("year", RULEBOOKS)
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


def test_a_field_of_codes_has_those_of_the_year_with_their_texts(client: Client) -> None:
    field = next(each for each in LAR if each.name == "applicant_credit_score_type")
    rows = {year: read_row(read_page(client, year), f"field-{field.number}") for year in RULEBOOKS}
    for year, row in rows.items():
        codes = {int(code) for code in re.findall(r"<li><b>(\d+)</b>", row)}
        assert codes == set(list_codes(field, year))
    assert len(set(rows.values())) > 1


def test_a_field_with_the_codes_of_an_earlier_one_refers_to_it(client: Client) -> None:
    page = read_page(client, YEAR)
    first, again = (
        next(field.number for field in LAR if field.name == f"applicant_race_{number}")
        for number in (2, 3)
    )
    assert f'href="#field-{first}"' in read_row(page, f"field-{again}")


def test_a_field_says_when_it_is_na_or_exempt(client: Client) -> None:
    field = next(each for each in LAR if each.name == "rate_spread")
    row = read_row(read_page(client, YEAR), f"field-{field.number}")
    assert "<code>Exempt</code>" in row
    for code in ("V657-2", "V657-3"):
        assert catalogue.find_edit_text(code, Period(YEAR)) in row
    assert f'href="/edits/V657-1/?year={YEAR}"' in row


@pytest.mark.parametrize("year", RULEBOOKS[1:])
def test_what_changed_is_what_the_tables_differ_in(client: Client, year: int) -> None:
    part = read_part(read_page(client, year), "changes")
    changes = compare_rulebooks(year - 1, year).edits
    listed = re.findall(r'href="/edits/([^/]+)/', part)
    assert listed == [edit.code for edit in changes]
    new = {
        code
        for field in LAR
        for code in list_codes(field, year).keys() - list_codes(field, year - 1).keys()
    }
    assert {int(code) for code in re.findall(r"</b> (\d+) \(", part)} <= new
    assert ("<b>added</b>" in part) is bool(new)


def test_the_first_year_has_nothing_to_compare_with(client: Client) -> None:
    assert 'id="changes"' not in read_page(client, RULEBOOKS[0])


def test_a_year_with_the_rules_of_another_says_so(client: Client) -> None:
    year = RULEBOOKS[-1] + 1
    page = read_page(client, year)
    assert f"the rules of {RULEBOOKS[-1]}" in page
    assert f"?year={year}" in page
    assert "<table" not in read_part(page, "changes")


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


def test_thresholds_stand_beside_those_of_the_year_before(client: Client) -> None:
    FilingYear.objects.filter(year=YEAR).update(closed_end_threshold=4321)
    FilingYear.objects.filter(year=YEAR - 1).update(closed_end_threshold=1234)
    part = read_part(read_page(client, YEAR), "who")
    assert "4,321" in part
    assert "1,234" in part


def test_a_withdrawn_edit_is_named_with_its_reason(client: Client) -> None:
    assert 'id="withdrawn"' not in read_page(client, YEAR)
    WithdrawnEdit.objects.create(
        filing_year_id=YEAR,
        code="Q600",
        since=date(YEAR, 1, 1),
        reason="It counted twice.",
        withdrawn_by="ann",
    )
    assert "It counted twice." in read_part(read_page(client, YEAR), "withdrawn")


def test_a_year_that_no_one_can_check_files_of_has_no_page(client: Client) -> None:
    assert client.get(address_of(RULEBOOKS[0] - 1)).status_code == 404
    draft = FilingYear.objects.get(year=YEAR)
    draft.stage = YearStage.DRAFT
    draft.save()
    assert client.get(address_of(YEAR)).status_code == 404
