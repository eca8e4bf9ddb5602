"""The pages of yearly reports: the steps to a report, and what its page shows."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import polars as pl
import pytest
from django.test import Client

from databrowser.pages.report_tables import ReportTable
from databrowser.reports import catalogue
from databrowser.reports.definitions import AGGREGATE, MEDIAN_AGES
from filing.errors import NotFound
from tests.databrowser.made_once import make_once
from tests.databrowser.reports.years import (
    E1,
    E2,
    LATE,
    YEAR,
    publish_input_a,
    publish_vintage,
    sign_input_a,
)

pytestmark = pytest.mark.django_db
REPORTS = "/data/reports/"
DALLAS = f"{REPORTS}{YEAR}/aggregate/TX/19124/"
OF_E1 = f"{REPORTS}{YEAR}/disclosure/{E1}/"


@pytest.fixture
def published() -> None:
    make_once(publish_input_a)


def look(address: str, status: int = 200) -> str:
    answer = Client().get(address)
    assert answer.status_code == status, answer.content.decode()[-2000:]
    return unescape(answer.content.decode())


def links(page: str) -> list[str]:
    """Return the addresses of the links within a page, without those around it."""
    return re.findall(r'href="(/data/reports/[^"]*)"', page.partition("<main")[2])


def cells(page: str, group: str, row: str) -> list[str]:
    """Return the cells of a row of a group: numbers, with amounts after a blank."""
    body = page.partition(f"<span>{group}</span>")[2].partition("</tbody>")[0]
    line = body.partition(f'<th scope="row">{row}</th>')[2].partition("</tr>")[0]
    return [re.sub(r"</?small>", " ", cell).strip() for cell in re.findall("<td>(.*?)</td>", line)]


def table_of(code: str) -> ReportTable:
    report = catalogue.find_report(YEAR, AGGREGATE, "19124", code)
    return ReportTable(report.definition, report.table)


def test_each_step_leads_to_the_next(published):
    steps = [REPORTS, f"{REPORTS}{YEAR}/aggregate/", f"{REPORTS}{YEAR}/aggregate/TX/", DALLAS]
    for step, following in zip(steps, [*steps[1:], f"{DALLAS}5/"], strict=True):
        assert following in links(look(step)), step
    page = look(f"{DALLAS}5/")
    assert [step for step in steps if step not in links(page)] == []  # the way back
    steps = [REPORTS, f"{REPORTS}{YEAR}/disclosure/", OF_E1, f"{OF_E1}99999/"]
    for step, following in zip(steps, [*steps[1:], f"{OF_E1}99999/2/"], strict=True):
        assert following in links(look(step)), step
    assert f"{OF_E1}nationwide/IRS/" in links(look(OF_E1))


def test_all_reports_of_a_year_are_one_file(published):
    assert f'href="/v2/public/reports/{YEAR}/all.zip"' in look(REPORTS)


def test_other_reports_have_their_groups(published):
    purchased = look(f"{DALLAS}2/")
    row = purchased.partition('<th scope="row">Collin County/Texas/031101</th>')[2]
    assert row.startswith("<td>1<small>$285,000</small></td><td>0</td><td>1")
    assert cells(look(f"{DALLAS}3/"), "Asian", "Total") == ["0"] * 6
    assert len(cells(look(f"{DALLAS}4/"), "Hispanic or Latino", "Male")) == 6
    income = look(f"{DALLAS}5/")
    group = "50-79% OF MSA/MD MEDIAN: Ethnicity"
    assert len(cells(income, group, "Not Hispanic or Latino")) == 7
    ages = look(f"{DALLAS}9/")
    originated = [cells(ages, each.name, "Loans Originated") for each in MEDIAN_AGES]
    assert ["2 $600,000", "1 $325,000", "1 $535,000", "1 $65,000", "1 $1,255,000"] in [
        row[:5] for row in originated
    ]
    listed = look(f"{DALLAS}i/")
    assert "<li>EXAMPLE BANK</li><li>SECOND EXAMPLE CREDIT UNION</li>" in listed


def test_the_picture_has_what_the_table_comes_to(published):
    picture = table_of("1").picture
    assert picture is not None
    originated_and_denied = [[bar.number for bar in row.bars] for row in picture.rows]
    assert originated_and_denied[0] == [2, 1]
    assert max(bar.length for row in picture.rows for bar in row.bars) == 100
    purchases = table_of("2").picture
    assert [bar.number for row in purchases.rows for bar in row.bars] == [1, 0, 2, 0, 1, 1, 0]
    age = table_of("9").picture
    # F and G are parts of the others.
    assert max([bar.number for bar in row.bars] for row in age.rows) == [6, 3]


def test_an_all_zero_report_says_that_this_is_right(published):
    for address, is_zero in ((f"{OF_E1}99999/2/", True), (f"{OF_E1}99999/1/", False)):
        assert ("All values of this report are 0" in look(address)) == is_zero
    assert "All values" not in look(f"{REPORTS}{YEAR}/aggregate/TX/99999/i/")


NOWHERE = (
    f"{REPORTS}2019/aggregate/",
    f"{REPORTS}2019/disclosure/",
    f"{REPORTS}{YEAR}/aggregate/MD/",
    f"{REPORTS}{YEAR}/aggregate/MD/19124/",
    f"{REPORTS}{YEAR}/aggregate/TX/10000/1/",
    f"{DALLAS}7/",
    f"{DALLAS}1/?part=2",
    f"{DALLAS}1/?part=x",
    f"{OF_E1}10000/",
    f"{OF_E1}19124/3/",
    f"{REPORTS}{YEAR}/disclosure/529900NOSUCHBANK0000/",
)


def test_where_nothing_is_the_page_says_where_to_choose_again(published):
    for address in NOWHERE:
        page = look(address, 404)
        assert "Choose again" in page
        assert REPORTS in links(page)


def test_while_they_are_counted_the_answer_is_to_try_again():
    sign_input_a()
    publish_vintage(counted=False)
    answer = Client().get(f"{REPORTS}{YEAR}/aggregate/")
    assert (answer.status_code, answer["Retry-After"]) == (503, "60")


def test_institutions_are_found_by_name_and_lei(published):
    address = f"{REPORTS}{YEAR}/disclosure/"
    of_e2 = OF_E1.replace(E1, E2)
    for words, found in (
        ("", {OF_E1, of_e2}),
        ("?q=second", {of_e2}),
        (f"?q={E1.lower()}", {OF_E1}),
        ("?q=nobody", set()),
    ):
        shown = {link for link in links(look(f"{address}{words}")) if link.startswith(address)}
        assert shown - {address} == found, words
    assert Client().get(f"{address}?page=x").status_code == 400


def test_the_reports_of_a_late_signer_say_of_which_data_set_they_are():
    sign_input_a(E2=LATE)
    publish_vintage()
    publish_vintage("one-year")
    of_e2 = OF_E1.replace(E1, E2)
    page = look(f"{of_e2}19124/1/")
    assert "signed only after the snapshot" in page
    assert "2024 one-year data set" in page
    assert "signed only after" not in look(f"{OF_E1}19124/1/")


def test_an_msa_md_in_several_states_is_in_each_of_them(published, monkeypatch):
    source = catalogue.find_year(YEAR)
    found = source.names.msa_mds["19124"]
    monkeypatch.setitem(source.names.msa_mds, "19124", replace(found, states=("OK", "TX")))
    assert f"{REPORTS}{YEAR}/aggregate/OK/" in links(look(f"{REPORTS}{YEAR}/aggregate/"))
    assert "<table" in look(DALLAS.replace("TX", "OK") + "1/")


def test_the_data_browser_leads_to_the_reports_of_an_msa_md_and_year(published):
    for words, is_linked in (
        (f"years={YEAR}&msamds=19124", True),
        (f"years={YEAR}&msamds=19124,99999", False),
        (f"years={YEAR}&states=TX", False),
    ):
        assert (DALLAS in links(look(f"/data/browser/?{words}"))) == is_linked


def test_a_long_report_is_cut_into_parts(published):
    report = table_of("1")
    for tracts, parts in ((1_999, 0), (2_000, 2), (2_001, 3)):
        names = pl.DataFrame({"tract": [f"County/State/{number:06}" for number in range(tracts)]})
        one = report.table.head(6).drop("tract")
        table = replace(report, table=names.join(one, how="cross"))
        assert (table.tracts, len(table.parts)) == (tracts, parts)
    second = replace(table, number=2)
    assert (second.parts[1].first, second.parts[1].last) == (
        "County/State/001000",
        "County/State/001999",
    )
    assert second.body.count("<tbody>") == 1_000
    assert second.body.startswith(
        '<tbody><tr><th scope="rowgroup" colspan="8"><span>County/State/001000'
    )
    with pytest.raises(NotFound):
        replace(table, number=4)


def test_names_are_written_as_text(published):
    report = table_of("2")
    named = replace(report, table=report.table.with_columns(tract=pl.lit("<b>&Co</b>")))
    body = named.body
    assert "<b>" not in body
    assert "&lt;b&gt;&amp;Co" in body
