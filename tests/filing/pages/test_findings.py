"""Formatting errors and edits as filers see them: the same counts on pages, in the API and CSV."""

from __future__ import annotations

import re
from collections import Counter
from io import BytesIO
from typing import Any

import pytest
from openpyxl import load_workbook

from filing import storage
from filing.files import workbook_files
from filing.lar import errors
from filing.models import EditResult, Submission
from filing.submissions import findings
from tests import make
from tests.conftest import LEI
from tests.filing.pages.steps import prepare, text
from tests.filing.pages.tables import cells, saved
from tests.filing.submissions.uploading import register

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("census")]
API = f"/v2/filing/institutions/{LEI}/filings/2024/submissions"
# Edits of all kinds but macro ones, some by one record, some by several.
DIRTY = {"V617": 3, "V628-1": 2, "V655-1": 1}
UNUSUAL = {"Q611": 25, "Q631": 2}


def called(address: str) -> Any:
    return make.program("ann", leis=[LEI]).get(f"{API}/{address}").json()


@pytest.mark.parametrize("fails", [DIRTY, UNUSUAL], ids=["dirty", "unusual"])
def test_counts_of_edits_are_the_same_on_pages_in_the_api_and_in_the_csv(browser, fails):
    address = prepare(browser, register(**fails))
    page = browser.get(f"{address}edits/")
    api = called("1/edits")
    counts = {
        edit["edit"]: called(f"1/edits/{edit['edit']}").get("total")
        for kind in ("syntactical", "validity", "quality")
        for edit in api[kind]["edits"]
    }
    assert set(fails) <= set(counts)
    listed = {
        row[0]: int(row[1])
        for kind in ("syntactical", "validity", "quality")
        if api[kind]["edits"]
        for row in cells(page, f"{kind.capitalize()} edits")
    }
    assert listed == counts
    in_csv = Counter(row["editId"] for row in saved(browser.get(f"{address}edits/?format=csv")))
    assert {code: in_csv[code] for code in counts} == counts
    report = browser.get(f"{address}edits/report/")
    for kind, number, records, _ in cells(report, "Edits that were triggered"):
        items = api[kind.lower()]["edits"]
        assert int(number) == len(items)
        if kind != "Macro":
            assert int(records) == sum(counts[item["edit"]] for item in items)
    for code, count in counts.items():
        words = f"Triggered by {count} record"
        assert words in text(browser.get(f"{address}edits/{code}/"))
        assert len(saved(browser.get(f"{address}edits/{code}/?format=csv"))) == count
    for code, count in counts.items():
        assert f"{code} : triggered by {count} record" in text(report).replace(
            f"{code}:", f"{code} :"
        )


def broken() -> bytes:
    """Return a file with formatting errors on four lines, of three fields and of their number."""
    lines = register().split(b"\n")
    for at, (number, value) in ((2, (7, b"x")), (3, (7, b"<b>")), (4, (8, b"y"))):
        fields = lines[at].split(b"|")
        fields[number] = value
        lines[at] = b"|".join(fields)
    return b"\n".join(lines) + b"2|three|fields\n"


def test_formatting_errors_of_one_field_are_listed_by_themselves(browser, monkeypatch):
    monkeypatch.setattr(errors, "MOST_ROWS", 1)
    address = f"{prepare(browser, broken())}formatting-errors/"
    groups = cells(browser.get(address), "Formatting errors by field")
    field, number, _ = groups[0]
    assert number == "2"
    page = browser.get(address, {"group": "1"})
    assert [row[2] for row in cells(page, "Formatting errors by line")] == [field]
    assert "2 of 4 lines. The first 1 are listed here; the CSV has all." in text(page)
    assert b"<b>" not in page.content
    assert "There is no group 9" in text(browser.get(address, {"group": "9"}), 404)


def test_a_file_of_an_earlier_release_has_its_lines_without_groups(browser):
    address = f"{prepare(browser, broken())}formatting-errors/"
    submission = Submission.objects.get()
    storage.open_local_copy(f"{submission.parse_folder}/{storage.GROUPS}").unlink()
    page = browser.get(address)
    assert "By field" not in text(page)
    assert len(cells(page, "Formatting errors by line")) == 4


def test_edits_are_searched_and_filtered(browser):
    address = prepare(browser, register(**DIRTY))
    for parameters, codes in (
        ({}, {"V617", "V628-1", "V655-1"}),
        ({"q": "v617"}, {"V617"}),
        ({"q": "ethnicity hispanic"}, {"V628-1"}),
        ({"kind": "quality"}, set()),
        ({"kind": "validity", "q": "V655"}, {"V655-1"}),
        ({"field": "Income"}, {"V655-1"}),
        ({"q": "<script>"}, set()),
    ):
        page = browser.get(f"{address}edits/", parameters)
        linked = set(re.findall(r'/edits/([SVQ][0-9-]+)/[?"]', page.content.decode()))
        assert linked & set(DIRTY) == codes
        assert b"<script>" not in page.content.partition(b"<main")[2]
        if not codes:
            assert "No edits match. Remove a filter." in text(page)


def test_one_edit_has_its_rule_an_example_and_the_edits_beside_it(browser):
    address = prepare(browser, register(**DIRTY))
    page = browser.get(f"{address}edits/V628-1/")
    shown = text(page)
    assert "Validity edit V628-1" in shown
    assert "Previous edit: V617" in shown
    assert "Next edit: V655-1" in shown
    assert "An example of 2024" in shown
    assert "/edits/V628-1/?year=2024" in page.content.decode()
    example = cells(page, "An example of")[0]
    assert example == ["Ethnicity of Applicant or Borrower: 1", "2", "(blank)"]
    assert len(cells(page, "Records that triggered V628-1")) == 2
    first = text(browser.get(f"{address}edits/V617/"))
    assert "Previous edit" not in first
    assert "No record triggered this edit" in text(browser.get(f"{address}edits/V661/"))
    assert "There is no edit V999 in 2024." in text(browser.get(f"{address}edits/V999/"), 404)


def test_records_are_paged(browser):
    address = f"{prepare(browser, register(**UNUSUAL))}edits/Q611/"
    pages = [browser.get(address, {"page": number}) for number in (1, 2)]
    lines = [[row[0] for row in cells(page, "Records that triggered Q611")] for page in pages]
    assert [len(each) for each in lines] == [20, 5]
    of_api = [called(f"1/edits/Q611?page={number}")["rows"] for number in (1, 2)]
    ulis = [[row[1] for row in cells(page, "Records that triggered Q611")] for page in pages]
    assert ulis == [[row["id"] for row in rows] for rows in of_api]
    assert "There is no page 9" in text(browser.get(address, {"page": "9"}))
    assert "is not a whole number" in text(browser.get(address, {"page": "x"}), 400)


def test_a_value_of_a_file_is_no_formula_in_a_workbook(browser):
    lines = register(**UNUSUAL).split(b"\n")
    for at, line in enumerate(lines[1:-1], 1):
        fields = line.split(b"|")
        fields[2] = b"=cmd" + str(at).encode()
        lines[at] = b"|".join(fields)
    address = prepare(browser, b"\n".join(lines))
    answer = browser.get(f"{address}edits/", {"format": "xlsx"})
    book = load_workbook(BytesIO(b"".join(answer.streaming_content)))
    ulis = {row[2] for row in book["Edits"].iter_rows(min_row=2, values_only=True) if row[2]}
    assert ulis
    assert all(uli.startswith("'=cmd") or uli == LEI for uli in ulis), ulis


def test_a_workbook_that_is_cut_says_so_and_so_does_the_page(browser, monkeypatch):
    address = prepare(browser, register(**UNUSUAL))
    for module in ("filing.files.workbook_files", "filing.pages.findings"):
        monkeypatch.setattr(f"{module}.MOST_ROWS", 20)
    for page in ("edits/", "edits/Q611/"):
        assert "A workbook cannot hold all of these records" in text(browser.get(address + page))
        answer = browser.get(address + page, {"format": "xlsx"})
        book = load_workbook(BytesIO(b"".join(answer.streaming_content)))
        *_, last = book["Edits"].iter_rows(values_only=True)
        assert "Download the CSV" in last[0]
    assert workbook_files.MOST_ROWS == 20


def test_macro_edits_have_their_figures_in_a_sentence(browser):
    address = prepare(browser, register(Q637=1))
    macro = called("1/edits")["macro"]["edits"]
    assert macro
    page = text(browser.get(f"{address}edits/"))
    report = text(browser.get(f"{address}edits/report/"))
    for edit in macro:
        results = EditResult.objects.filter(code=edit["edit"])
        figures = findings.describe_macro_result(Submission.objects.get(), list(results))
        assert re.search(r"[0-9]+ of [0-9]+", figures)
        detail = text(browser.get(f"{address}edits/{edit['edit']}/"))
        assert all(figures in each for each in (page, report, detail))


def test_the_list_costs_as_many_queries_however_many_edits_there_are(
    browser, django_assert_max_num_queries
):
    prepare(browser, register(**DIRTY))
    many = prepare(browser, register(**DIRTY, **{"V651-1": 1, "V661": 1, "V662-1": 1}))
    for page in ("edits/", "edits/report/"):
        # One of them is for what counts: every page of a submission says whether it was replaced.
        with django_assert_max_num_queries(15):
            browser.get(f"{many}{page}")
