"""The pages of the checks and of the edits reference, as a browser without script uses them."""

from __future__ import annotations

import io
import re
from html import unescape
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from filing.edits import catalogue
from filing.edits.edit import EditKind, EditLevel, EditNeed
from filing.edits.examples import pairs, records
from filing.lar.years import RULEBOOKS, Period
from publicapi import checks, findings
from tests.filing.edits.cases import LEI
from tests.markup import strip_cell_classes
from tests.publicapi.uploads import left_behind, register

__all__ = ["left_behind"]  # a fixture for all tests here: nothing may stay of a file
pytestmark = pytest.mark.django_db

LINE, FILE, BOOK = "/tools/check-line/", "/tools/check-file/", "/edits/"
YEAR = Period(2024)
LOAN = records.correct_loan(YEAR, LEI)


def line(**changes: str | int) -> str:
    return records.write_record_line(LOAN | changes)


def html(answer: Any, status: int = 200) -> str:
    assert answer.status_code == status
    return strip_cell_classes(unescape(answer.content.decode()))


def sent(client: Client, content: bytes, name: str = "lar.txt", **asked: str) -> Any:
    file = SimpleUploadedFile(name, content)
    return client.post(FILE, {"file": file, "year": "2024", "quarter": "", **asked})


def codes(told: str) -> list[str]:
    return re.findall(r'href="/edits/([^"/]+)/["?]', told)


# --- a line -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"lines": ""}, "This field is required."),
        ({"lines": "2|a\0"}, "Null characters are not allowed."),
        ({"lines": "2|a\n" * 21}, "There are 21 lines; enter at most 20."),
        ({"year": "2017"}, "2017 is not one of the available choices"),
        ({"year": "2019", "quarter": "Q1"}, checks.describe_unavailable("2019", "Q1")),
    ],
)
def test_what_cannot_be_checked_is_told_in_the_page(client, asked, told):
    answer = client.post(LINE, {"lines": line(), "year": "2024", **asked})
    assert told in html(answer, 400)


def test_what_was_pasted_is_shown_as_text(client):
    answer = client.post(LINE, {"lines": line(city="<b>x</b>", loan_type=9), "year": "2024"})
    assert b"<b>x" not in answer.content


# --- a file -------------------------------------------------------------------------------------


def test_edits_of_the_whole_file_but_no_macro_edits_are_run(client):
    content = register({}, {})
    twice = b"\n".join([*content.splitlines(), content.splitlines()[1]])
    told = html(sent(client, twice))
    assert codes(told) == ["S304", "S305", "S306"]
    assert "Total Number of LARs Found in File: 3" in told
    kinds = {edit.kind for edit in findings.select_file_edits(YEAR)}
    assert kinds == {EditKind.SYNTACTICAL, EditKind.VALIDITY, EditKind.QUALITY}


def test_the_csv_has_what_the_command_writes(client, tmp_path):
    content = register(
        *({"loan_type": 9}, {"city": "x", "uli": "=1+1"}) * 40, {"loan_term": "x"}, tax_id="12"
    )
    file = tmp_path / "lar.txt"
    file.write_bytes(content)
    said = io.StringIO()
    with pytest.raises(SystemExit):
        call_command("check_lar", str(file), "--year", "2024", "--csv", stdout=said)
    answer = sent(client, content, format="csv")
    assert answer["Content-Type"] == "text/csv; charset=UTF-8"
    assert answer["Content-Disposition"] == 'attachment; filename="findings-lar.csv"'
    told = answer.getvalue().decode()
    macro = ("Not run,Q63", "Not run,Q64")  # which run only at filing: the page says so
    lines = [line for line in said.getvalue().splitlines() if not line.startswith(macro)]
    assert told.splitlines() == lines
    assert ",'=1+1," in told
    file.unlink()


def test_a_file_may_be_sent_by_the_script_of_the_page(client):
    file = SimpleUploadedFile("lar.txt", register({"loan_type": 9}))
    data = {"file": file, "year": "2024", "quarter": ""}
    told = html(client.post(FILE, data, headers={"HX-Request": "true"}))
    assert "<html" not in told
    assert codes(told) == ["V611"]
    told = html(client.post(FILE, {"year": "2024"}, headers={"HX-Request": "true"}))
    assert "There is a problem" in told


@pytest.mark.parametrize(
    ("content", "asked", "status", "told"),
    [
        ("1|".encode("utf-16"), {}, 400, "the file is text in UTF-16 or UTF-32. Save it as UTF-8"),
        (b"PK\x03\x04", {}, 400, "the file is a zip archive. Unpack it"),
        (b"1|x\n\xe9", {}, 400, "byte 1 of line 2 is E9"),
        (b"1|x", {"year": "2017"}, 400, checks.describe_unavailable("2017")),
        (b"1|x", {"year": "<b>"}, 400, "is not available for validation"),
        (b"1|x", {"quarter": "Q4"}, 400, checks.describe_unavailable("2024", "Q4")),
        (b"x" * 1_001, {}, 413, "larger than 1000 bytes"),
    ],
)
@pytest.mark.parametrize("form", ["", "csv"])
def test_a_file_that_is_not_taken_is_told_in_the_page(
    client, settings, content, asked, status, told, form
):
    settings.PUBLIC_UPLOAD_LIMIT = 1_000
    answer = sent(client, content, format=form, **asked)
    assert told in html(answer, status)
    assert b'role="alert"' in answer.content
    assert b"<b>" not in answer.content


def test_names_and_values_of_a_file_are_shown_as_text(client):
    answer = sent(client, register({"uli": "<b>x</b>"}), name="<i>x.txt")
    assert answer.status_code == 200
    assert b"<b>x" not in answer.content
    assert b"<i>x" not in answer.content


# --- the book -----------------------------------------------------------------------------------


def test_the_book_lists_every_edit_of_what_is_asked_for(client):
    assert f"{len(catalogue.EDITS)} edits" in html(client.get(BOOK))
    of_kind = html(client.get(BOOK, {"year": "2024", "quarter": "Q1", "kind": "syntactical"}))
    assert codes(of_kind) == [
        edit.code for edit in catalogue.list_edits(Period(2024, 1), kind=EditKind.SYNTACTICAL)
    ]
    found = codes(html(client.get(BOOK, {"q": "v611"})))
    assert found == ["V611"]
    assert "No edits match" in html(client.get(BOOK, {"q": "xyzzy"}))


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"year": "2017"}, "2017 is not one of the available choices"),
        ({"quarter": "Q1"}, "Choose a year for the quarter."),
        ({"year": "2019", "quarter": "Q1"}, "The period 2019-Q1 is not available"),
    ],
)
def test_what_the_book_has_not_is_told_in_the_page(client, asked, told):
    assert told in html(client.get(BOOK, asked), 400)


@pytest.mark.parametrize("code", ["V999", "x", "v611"])
def test_an_edit_that_never_was_is_not_found(client, code):
    assert client.get(f"{BOOK}{code}/").status_code == 404


@pytest.mark.parametrize("kind", [EditKind.SYNTACTICAL, EditKind.VALIDITY, EditKind.QUALITY])
def test_the_example_of_an_edit_holds_and_fails(client, kind):
    """By the very function behind the page that checks lines; some edits will do for that."""
    shown_of = {edit: pairs.find_example(edit) for edit in catalogue.EDITS if edit.kind is kind}
    of_lines = {edit: shown for edit, shown in shown_of.items() if shown}
    assert all(shown.rows for shown in of_lines.values())
    for edit, shown in list(of_lines.items())[::5]:
        if edit.needs & {EditNeed.INSTITUTION, EditNeed.CENSUS}:
            continue
        run = [each for each in checks.select_edits(shown.period, None) if each.code == edit.code]
        right, wrong = (
            findings.collect_line_findings(lines.split("\n"), shown.period, run)
            for lines in (shown.holds, shown.breaks)
        )
        assert (right.total, right.unread) == (0, 0), edit.code
        assert wrong.total or wrong.unread, edit.code


@pytest.mark.parametrize("edit", [catalogue.EDITS[0], *catalogue.EDITS[::25]], ids=lambda e: e.code)
def test_the_page_of_an_edit_opens(client, edit):
    told = html(client.get(reverse("edit-page", args=[edit.code])))
    assert edit.rule in told
    assert ("An example of" in told) or edit.level is EditLevel.FILE


def test_the_example_of_an_edit_is_of_the_period_asked_for(client):
    address = reverse("edit-page", args=["V628-1"])
    for query, period in (
        ("", str(RULEBOOKS[-1])),
        ("?year=2021", "2021"),
        ("?year=2023&quarter=Q2", "2023-Q2"),
    ):
        told = html(client.get(address + query))
        assert set(re.findall(r"An example of ([\w-]+)", told)) == {period}
    assert client.get(f"{address}?year=1990").status_code == 404
    listed = html(client.get(BOOK, {"year": "2023", "quarter": "Q2", "q": "V628-1"}))
    assert f"{address}?year=2023&quarter=Q2" in listed
