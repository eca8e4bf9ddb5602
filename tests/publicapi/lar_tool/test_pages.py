"""The pages that make a LAR from a spreadsheet, step by step and without script."""

from __future__ import annotations

import io
import re
from typing import Any

import pytest
from django.test import Client
from openpyxl import Workbook, load_workbook

from filing.lar.fields import LAR
from publicapi.checks import describe_unavailable
from tests.conversions_here import conversions_here  # noqa: F401 -- a fixture
from tests.filing.edits.cases import LEI
from tests.publicapi.lar_tool.calls import (
    EXAMPLE,
    EXAMPLE_LEI,
    EXAMPLE_LINE,
    as_csv,
    as_workbook,
    body,
    loans,
    pipe_file,
)
from tests.publicapi.lar_tool.pages import (
    COLUMNS,
    FILE,
    RESULT,
    TOOL,
    Form,
    columns,
    html,
    sent,
    sheet,
    words,
)
from tests.publicapi.uploads import left_behind  # noqa: F401 -- a fixture

pytestmark = pytest.mark.django_db

TEXT = "text/plain; charset=UTF-8"
LOST = "Choose the file again: it was not kept. Everything else is still here."
FORGOTTEN = "Your file is checked and not kept"


def test_the_first_page_says_that_nothing_is_kept_and_leads_to_templates(client: Client) -> None:
    page = html(client.get(TOOL))
    assert FORGOTTEN in words(page)
    assert 'href="/tools/lar/edit/"' in page
    for link in ("format=xlsx", "format=csv"):
        pattern = rf'href="(/v2/public/lar/template/?\?{link}[^"]*label[^"]*)"'
        addresses = set(re.findall(pattern, page))
        assert len(addresses) >= 2  # of the last year that is filed, and of the next one
        for address in addresses:
            assert client.get(address.replace("&amp;", "&")).status_code == 200
    assert not client.cookies  # none are needed


@pytest.mark.parametrize("alias", ["online-lar-formatting", "lar-formatting"])
@pytest.mark.parametrize("end", ["", "/"])
def test_the_addresses_of_the_other_tool_lead_here_for_good(
    client: Client, alias: str, end: str
) -> None:
    answer = client.get(f"/tools/{alias}{end}")
    assert (answer.status_code, answer["Location"]) == (301, TOOL)


def test_a_near_header_is_proposed_unless_its_field_is_taken(client: Client) -> None:
    headers = ["Loan Type", "State", "County", "Zip Code", "Income", "Types of loans", "Notes"]
    values = ["1", "CA", "06037", "90001", "50", "1", "x"]
    content = as_csv([[*headers, "Purposes of loan"], [*values, "1"]])
    page = html(sent(client, COLUMNS, content))
    fields = Form(page).fields
    assert [fields[f"field-{letter}"] for letter in "AFGH"] == [
        "loan_type", "", "", "loan_purpose",
    ]  # fmt: skip
    assert "Proposed: check this" in page
    assert "Not used: another column is already Loan Type" in page
    assert "6 of 8 columns are matched to a field" in words(page)
    assert "Check 3 columns" in words(page)
    assert page.index('id="field-H"') < page.index("5 columns matched") < page.index('id="field-A"')


def test_the_row_of_the_contract_becomes_its_line(client: Client) -> None:
    fields = {
        **columns(client, EXAMPLE),
        **sheet(EXAMPLE_LEI),
        "check_digit": "loan-id",
        "fill-business_or_commercial_purpose": "2",
    }
    page = html(sent(client, RESULT, EXAMPLE, fields))
    told = words(page)
    assert "1 record in the file, checked with the edits of 2024." in told
    assert "Changes: 12" in told
    assert FORGOTTEN in told
    # Each further button sends what the page carries.
    kept = Form(page).fields
    answer = sent(client, RESULT, EXAMPLE, kept, save="txt")
    lines = body(answer, TEXT).decode().split("\n")
    assert lines[1:] == [EXAMPLE_LINE, ""]
    assert answer["Content-Disposition"].endswith(f'filename="2024-4-{EXAMPLE_LEI}.txt"')


def test_findings_stand_at_their_cells_with_a_link_to_the_edit(client: Client) -> None:
    content = as_workbook(loans({}, {"loan_type": "7"}, {"loan_amount": "abc"}))
    fields = {**columns(client, content), **sheet(LEI, 3)}
    page = html(sent(client, RESULT, content, fields))
    assert 'href="/edits/V611/?year=' in page
    assert re.search(r"Not checked because .+: [SVQ]\d", words(page))  # no census is loaded
    assert re.search(r"<summary><strong>V611</strong> <strong>Loan Type</strong> [^/]*>E3<", page)
    assert re.search(r'<th scope="row">E3</th><td>7</td>', page)
    assert re.search(r'<th scope="row">J4</th>', page)
    csv = body(sent(client, RESULT, content, fields, save="findings"), "text/csv; charset=UTF-8")
    assert b"V611" in csv


def test_a_question_is_asked_once_for_a_column_and_its_answer_is_used(client: Client) -> None:
    dates = [{"action_taken_date": text} for text in ("21/7/2024", "7/8/2024")]
    content = as_csv(loans(*dates))
    page = html(sent(client, COLUMNS, content))
    assert "L2:L3, such as 21/7/2024, 7/8/2024" in words(page)
    fields = {**Form(page).fields, **sheet(LEI, 2)}
    assert fields["dates-action_taken_date"] == ""
    result = html(sent(client, RESULT, content, fields))
    assert Form(result).fields["dates-action_taken_date"] == ""  # asked here, too
    assert re.search(r'id="see-again" class="usa-button"', result)
    answered = {**fields, "dates-action_taken_date": "dmy"}
    lar = body(sent(client, RESULT, content, answered, save="txt"), TEXT)
    assert b"|20240721|" in lar
    assert b"|20240807|" in lar


@pytest.mark.parametrize(
    "questions", ["7", '[1, {"kind": "dates"}, {"examples": 1}]', '[{"kind": [], "field": {}}]']
)
def test_questions_that_a_browser_carries_may_be_anything(client: Client, questions: str) -> None:
    carried = '{"columns": [], "questions": ' + questions + "}"
    page = html(sent(client, COLUMNS, None, columns=carried), 400)
    assert LOST in words(page)


def test_a_partially_exempt_lender_needs_no_further_column(client: Client) -> None:
    names = [at for at, field in enumerate(LAR) if field.exempt is None]
    content = as_csv([[row[at] for at in names] for row in loans({}, {})])
    fields = {**columns(client, content), **sheet(LEI, 2), "exempt": "on"}
    page = html(sent(client, RESULT, content, fields))
    assert "Partial exemption" in words(page)
    assert Form(page).fields["exempt"] == "on"
    assert b"|Exempt|" in body(sent(client, RESULT, content, fields, save="txt"), TEXT)


def test_check_digits_that_many_ulis_lack_can_be_appended_to_all(client: Client) -> None:
    for count, is_offered in ((1, False), (2, True)):
        content = as_csv(loans(*[{"uli": f"{LEI}1000{number}99"} for number in range(count)]))
        page = html(sent(client, RESULT, content, {**columns(client, content), **sheet(LEI)}))
        assert (Form(page).fields.get("check_digit") == "append") is is_offered
    page = html(sent(client, RESULT, content, Form(page).fields))
    assert "V609" not in page
    assert Form(page).fields["check_digit"] == "append"  # carried on


def test_a_cell_that_is_not_understood_stops_the_file_until_it_is_saved_as_typed(
    client: Client,
) -> None:
    content = as_csv(loans({"action_taken_date": "21/7/2024"}))
    fields = {**columns(client, content), **sheet(LEI)}
    page = html(sent(client, RESULT, content, fields))
    assert "The file cannot be written yet" in page
    assert "Values that could not be understood, or are missing: 1." in words(page)
    assert "options." not in page
    assert 'value="typed"' in page
    refused = html(sent(client, RESULT, content, fields, save="txt"), 422)
    assert "L2" in refused
    assert "There is a problem" in refused
    assert b"|21/7/2024|" in body(sent(client, RESULT, content, fields, save="typed"), TEXT)


def test_the_result_is_saved_as_a_spreadsheet(client: Client) -> None:
    content = as_csv(loans({"loan_amount": "$110,500.00"}))
    fields = {**columns(client, content), **sheet(LEI)}
    answer = sent(client, RESULT, content, fields, save="xlsx")
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    book = load_workbook(io.BytesIO(body(answer, kind)))
    assert book["Loans"]["J2"].value == "110500.00"


def test_the_editor_gets_the_lines_and_their_findings(client: Client, settings: Any) -> None:
    content = as_csv(loans({}, {"loan_type": "7"}))
    fields = {**columns(client, content), **sheet(LEI, 2)}
    given = sent(client, RESULT, content, fields, save="editor").json()
    assert len(given["text"].splitlines()) == 3
    assert [(each["line"], each["code"]) for each in given["findings"]] == [(3, "V611")]
    settings.LAR_EDITOR_LOANS = 1
    refused = html(sent(client, RESULT, content, fields, save="editor"), 400)
    assert "The row editor holds at most 1 loans." in refused


def test_a_pipe_file_is_taken_as_it_is(client: Client) -> None:
    content = pipe_file({}, {})
    page = html(sent(client, COLUMNS, content))
    assert "its fields are known by their places" in words(page)
    fields = Form(page).fields
    assert body(sent(client, RESULT, content, fields, save="txt"), TEXT) == content


def test_a_lost_file_is_asked_for_again_and_all_else_is_kept(client: Client) -> None:
    fields = {
        **columns(client, EXAMPLE),
        **sheet(EXAMPLE_LEI),
        "field-D": "income",
        "fill-lien_status": "1",
        "exempt": "on",
        "blank_as_na": "on",
    }
    page = html(sent(client, RESULT, None, fields), 400)
    assert LOST in words(page)
    again = Form(page).fields
    assert {name: again.get(name) for name in fields} == fields
    page = html(sent(client, RESULT, None, fields, save="txt"), 400)
    del fields["check_digit"]  # which is not asked for without the file
    assert LOST in words(page)
    again = Form(page).fields
    assert {name: again.get(name) for name in fields} == fields
    assert LOST in words(html(sent(client, COLUMNS, None), 400))


def test_another_file_with_other_columns_is_matched_again(client: Client) -> None:
    fields = {**columns(client, EXAMPLE), **sheet(EXAMPLE_LEI)}
    other = EXAMPLE.replace(b"Loan Amount", b"Income").replace(
        b",Income,Rate", b",Loan Amount,Rate"
    )
    page = html(sent(client, RESULT, other, fields))
    assert "This file has other columns than the file before." in words(page)
    assert Form(page).fields["field-D"] == "income"


def test_another_file_keeps_nothing_of_the_file_before(client: Client) -> None:
    fields = {**columns(client, EXAMPLE), **sheet(EXAMPLE_LEI), "fill-lien_status": "1"}
    other = as_csv(loans({}))
    for address in (COLUMNS, RESULT):
        page = html(sent(client, address, other, {**fields, "field-ZZ": "income"}))
        assert "This file has other columns than the file before." in words(page)
        again = Form(page).fields
        assert (again["field-C"], again["ts-lei"]) == ("uli", "")
        assert 'href="/tools/lar/">Start again with another file' in page


def test_another_sheet_is_read_on_wish(client: Client) -> None:
    content = as_workbook(loans({}))
    book = load_workbook(io.BytesIO(content))
    other = book.create_sheet("Second")
    for row in loans({}, {}):
        other.append(list(reversed(row)))
    file = io.BytesIO()
    book.save(file)
    fields = columns(client, file.getvalue())
    page = html(sent(client, COLUMNS, file.getvalue(), fields, sheet="Second", again="1"))
    again = Form(page).fields
    assert again["sheet"] == "Second"
    assert again["field-A"] == LAR[-1].name


def test_a_header_row_far_below_is_named_on_the_first_page(client: Client) -> None:
    content = b"Our loans\n" * 14 + EXAMPLE
    page = html(sent(client, COLUMNS, content, {"sheet": "Old"}), 400)
    assert {"sheet": "Old", "header": ""}.items() <= Form(page).fields.items()
    fields = Form(html(sent(client, COLUMNS, content, header="15"))).fields
    assert (fields["header"], fields["field-D"]) == ("15", "loan_amount")


@pytest.mark.parametrize(
    ("content", "fields", "status", "told"),
    [
        (b"%PDF-1.7", {}, 415, "This is a PDF"),
        (b"a,b\n1,2\n", {}, 400, "header"),
        (EXAMPLE, {"year": "2017"}, 400, describe_unavailable("2017")),
        (EXAMPLE, {"quarter": "Q4"}, 400, describe_unavailable("2024", "Q4")),
        (EXAMPLE, {"header": "x"}, 400, "header"),
        (b"x" * 5_001, {}, 413, "larger than 5000 bytes"),
    ],
)
def test_a_file_that_is_not_accepted_is_refused_in_the_page(
    client: Client, settings: Any, content: bytes, fields: dict[str, str], status: int, told: str
) -> None:
    settings.PUBLIC_UPLOAD_LIMIT = 5_000
    answer = sent(client, COLUMNS, content, fields)
    page = html(answer, status)
    assert 'role="alert"' in page
    assert told in words(page)
    assert "<b>" not in page


def test_two_columns_for_one_field_lead_back_to_the_columns(client: Client) -> None:
    fields = {**columns(client, EXAMPLE), **sheet(EXAMPLE_LEI), "field-J": "loan_amount"}
    page = html(sent(client, RESULT, EXAMPLE, fields), 400)
    assert "Columns D and J are both Loan Amount" in words(page)
    assert Form(page).fields["field-J"] == "loan_amount"


def test_the_script_gets_only_the_step(client: Client) -> None:
    content = io.BytesIO(EXAMPLE)
    content.name = "loans.csv"
    data = {"file": content, "year": "2024", "quarter": ""}
    part = html(client.post(COLUMNS, data, headers={"HX-Request": "true"}))
    assert "<html" not in part
    assert 'id="step-heading"' in part
    part = html(client.post(COLUMNS, {"year": "2024"}, headers={"HX-Request": "true"}))
    assert "There is a problem" in part


def test_what_is_in_a_file_is_shown_as_text(client: Client) -> None:
    rows = loans({"city": "<i>x</i>", "loan_type": "<u>7</u>"})
    rows[0][12] = "<b>Street Address</b>"
    content = as_csv(rows)
    page = html(sent(client, COLUMNS, content))
    shown = html(sent(client, RESULT, content, {**Form(page).fields, **sheet(LEI)}))
    for mark in ("<b>S", "<i>x", "<u>7"):
        assert mark not in page + shown


@pytest.mark.parametrize("value", ["x", "[]", '{"columns": [1]}', '{"columns": [{"column": 1}]}'])
def test_a_carried_matching_that_is_none_is_left_out(client: Client, value: str) -> None:
    html(sent(client, RESULT, EXAMPLE, {**sheet(EXAMPLE_LEI), "columns": value}))


def test_visitors_sign_in_beside_the_page_which_stays(client: Client) -> None:
    fields = {**columns(client, EXAMPLE), **sheet(EXAMPLE_LEI)}
    page = html(sent(client, RESULT, EXAMPLE, fields))
    assert "/sign-in/?next=/tools/lar/" in page
    assert 'target="_blank"' in page
    answer = sent(client, FILE, EXAMPLE, fields)
    assert answer.status_code == 302
    assert "next=/tools/lar/" in answer["Location"]


def test_loans_on_several_sheets_are_asked_about_and_what_is_hidden_is_said(client: Client) -> None:
    book, file = Workbook(), io.BytesIO()
    for title, at in (("May", 0), ("June", 1)):
        sheet_of_month = book.create_sheet(title)
        for row in (loans({}, {})[0], loans({}, {})[at + 1]):
            sheet_of_month.append(row)
    book.remove(book.worksheets[0])
    book["June"].row_dimensions[2].hidden = True
    book.save(file)
    content = file.getvalue()
    page = html(sent(client, COLUMNS, content))
    assert "May (1 row), June (1 row)" in words(page)
    fields = {**Form(page).fields, **sheet(LEI, 2)}
    assert fields["sheet"] == ""
    unanswered = html(sent(client, RESULT, content, fields))
    assert 'name="sheet"' in unanswered
    assert "The file cannot be written yet" in words(unanswered)
    both = html(sent(client, RESULT, content, {**fields, "sheet": "*"}))
    assert "2 records in the file" in words(both)
    assert "Row June!2 is hidden" in words(both)
    only = html(
        sent(client, RESULT, content, {**fields, "sheet": "June", "without_hidden": "on"}), 400
    )
    assert "no data row" in words(only)
