"""The workbooks of the corpus: for each, what is typed into which program, and what is right."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

import xlsxwriter

from filing.lar.fields import TRANSMITTAL_SHEET, WHOLE_ROW
from tests.corpus.making.plain import (
    GIVEN,
    LABELS,
    NAMES,
    SHEET,
    YEAR,
    Grid,
    Loan,
    Made,
    as_book,
    cell,
    day,
    grid,
    lar_lines,
    loans,
    number,
    numbers,
)
from tests.filing.spreadsheets.books import ErrorCell, Formula, Percent

MADE: list[Made] = []
RATES = ("interest_rate", "rate_spread", "debt_to_income_ratio", "combined_loan_to_value_ratio")
PLACES = ("county", "census_tract", "zip_code")


def convert(
    name: str,
    ending: str,
    content: bytes,
    about: str,
    *,
    right: Sequence[Loan] | None = None,
    findings: Sequence[str] | None = None,
    refusal: tuple[int, list[str]] | None = None,
    sheet: Mapping[str, str] | None = None,
    lar: Sequence[str] | None = None,
    **asked: Any,
) -> None:
    """Add a spreadsheet that is converted.

    right: its loans. findings: cells with kinds and codes; without `right`, no file is written.
    sheet: what is given for the transmittal sheet; default: all of it. lar: its lines, where the
    transmittal sheet differs.
    """
    answer: dict[str, Any] = {}
    if refusal:
        answer["refusal"] = {"status": refusal[0], "words": refusal[1]}
    if right is not None or lar is not None:
        answer["lar"] = list(lar or lar_lines(right or ()))
    if findings is not None:
        answer["findings"] = sorted(findings)
    body: dict[str, Any] = {"about": about, "tool": "convert", "year": YEAR, **asked}
    if sheet is not None:
        body["sheet"] = dict(sheet)
    MADE.append(Made(name, ending, content, {**body, "answer": answer}))


def each(names: Sequence[str], typed: Any) -> dict[str, Any]:
    return dict.fromkeys(names, typed)


def at_cells(name: str, finding: str, rows: Sequence[int] = (2, 3, 4)) -> list[str]:
    return [f"{cell(name, row)} {finding}" for row in rows]


# --- Makers and programs -------------------------------------------------------------------------

plain = loans()
one, two = plain[:1], plain[:2]
with_dates = each(("action_taken_date",), day)

convert("excel_labels", "xlsx", as_book("xlsx", grid(two, LABELS)),
        "Excel: the template with its labels, every cell a text.", right=two)  # fmt: skip
convert("excel_numbers_and_dates", "xlsx", as_book("xlsx", grid(numbers(two), **with_dates)),
        "Excel: typed by hand, so numbers are numbers and dates are dates.", right=two)  # fmt: skip
convert("excel_mac_1904", "xlsx", as_book("xlsx", grid(one, **with_dates), epoch_1904=True),
        "Excel 2011 for Mac: dates count from 1904.", right=one)  # fmt: skip
convert("excel_97", "xls", as_book("xls", grid(numbers(one), **with_dates)),
        "Excel 97: the binary format.", right=one)  # fmt: skip
convert("libreoffice", "ods", as_book("ods", grid(numbers(one), **with_dates)),
        "LibreOffice: OpenDocument with dates and numbers.", right=one)  # fmt: skip


def _macro_book() -> bytes:
    source, target = io.BytesIO(as_book("xlsx", grid(one))), io.BytesIO()
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.infolist():
            data = old.read(part)
            if part.filename == "[Content_Types].xml":
                data = data.replace(
                    b"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml",
                    b"application/vnd.ms-excel.sheet.macroEnabled.main+xml",
                )
            new.writestr(part, data)
    return target.getvalue()


convert("excel_with_macros", "xlsm", _macro_book(), "Excel: a workbook that may have macros.",
        right=one)  # fmt: skip

# --- Where things are ----------------------------------------------------------------------------


def special_book(rows: Grid, change: Any) -> bytes:
    """Return a workbook whose sheet a function has changed: merged cells, hidden rows."""
    data = io.BytesIO()
    book = xlsxwriter.Workbook(data, {"in_memory": True})
    sheet = book.add_worksheet("Loans")
    for at, row in enumerate(rows):
        for column, value in enumerate(row):
            if value != "":
                sheet.write(at, column, value)
    change(sheet)
    book.close()
    return data.getvalue()


convert("excel_header_on_row_3", "xlsx", as_book("xlsx", [["HMDA loans 2024"], [], *grid(two)]),
        "Excel: a title, a blank row, and the headings in row 3.", right=two)  # fmt: skip
convert("excel_merged_title", "xlsx",
        special_book([[], [], *grid(one)],
                     lambda sheet: sheet.merge_range("A1:H2", "Loan register 2024")),
        "Excel: a title over merged cells.", right=one)  # fmt: skip
convert("excel_hidden_rows", "xlsx",
        special_book(grid(two), lambda sheet: sheet.set_row(1, options={"hidden": True})),
        "Excel: a filter hides a row; it is read like the others.", right=two)  # fmt: skip
other = loans(1, loan_amount="1")
convert("excel_hidden_sheet", "xlsx",
        as_book("xlsx", {"2023": grid(other), "Loans": grid(one)}, hidden=["2023"]),
        "Excel: last year's loans on a hidden sheet.", right=one)  # fmt: skip
convert("excel_summary_first", "xlsx",
        as_book("xlsx", {"Summary": [["Loans", 1], ["Loan Amount", 250000]], "2024": grid(one)}),
        "Excel: a summary on the first sheet.", right=one)  # fmt: skip
convert("excel_sheet_by_name", "xlsx", as_book("xlsx", {"May": grid(other), "June": grid(one)}),
        "Excel: two sheets with loans, one of them named.", right=one,
        options={"sheet": "June"})  # fmt: skip
convert("excel_two_sheets", "xlsx", as_book("xlsx", {"May": grid(one), "June": grid(two[1:])}),
        "Excel: loans on two sheets with the same headings, and the answer that both count.",
        right=two, options={"sheet": "*"})  # fmt: skip
convert("excel_two_sheets_unsaid", "xlsx",
        as_book("xlsx", {"May": grid(one), "June": grid(two[1:])}),
        "Excel: loans on two sheets, and nobody said which count.",
        findings=[f"{WHOLE_ROW} 2 reading sheet"])  # fmt: skip
convert("excel_hidden_rows_left_out", "xlsx",
        special_book(grid(two), lambda sheet: sheet.set_row(1, options={"hidden": True})),
        "Excel: a filter hides a row, and the answer that it is left out.", right=two[1:],
        options={"leaveOutHidden": True})  # fmt: skip
convert("excel_transmittal_sheet", "xlsx",
        as_book("xlsx", {"Loans": grid(one), "Transmittal sheet": [
            [field.label, SHEET[field.name]] for field in TRANSMITTAL_SHEET
            if field.name in GIVEN]}),
        "Excel: the transmittal sheet on a sheet of its own, label and value.", right=one,
        sheet={})  # fmt: skip
total = ["" for _ in NAMES]
total[NAMES.index("lei")], total[NAMES.index("loan_amount")] = "Total", "635000"
convert("excel_total_row", "xlsx",
        as_book("xlsx", [*grid(two), [],
                         ["", "TOTAL:", *[""] * 7, Formula("=SUM(J2:J3)", 455000)]]),
        "Excel: a blank row, then a sum as a formula.", right=two, findings=[])  # fmt: skip

# --- The bureau's workbook, and LARs that went through a spreadsheet program ---------------------

SHEET_HEADINGS = ["Institution", "Year", "Quarter", "Contact", "Phone", "Email", "Street", "City",
                  "State", "Zip", "Agency", "Entries", "Tax ID", "LEI"]  # fmt: skip


def bureau(rows: int, records: Sequence[Loan]) -> Grid:
    """Return the sheet Data of the bureau's tool: column A counts lines, filled down."""
    headings = [name.replace("_", " ").title() for name in NAMES[1:]]
    loan_rows = [[str(at + 2), *list(loan.values())[1:]] for at, loan in enumerate(records)]
    return [
        ["LAR File Row"],
        ["", *SHEET_HEADINGS],
        list((SHEET | {"total_lines": str(len(records))}).values()),
        ["", *headings],
        *loan_rows,
        *([str(at + 2)] for at in range(len(records), rows)),
    ]


convert("bureau_tool", "xlsx",
        as_book("xlsx", {"Resources": [["Quick Start Guide:"]], "Data": bureau(60, two)}),
        "The bureau's formatting tool: column A counts lines, filled down over empty rows.",
        right=two, sheet={})  # fmt: skip
convert("bureau_tool_97", "xls", as_book("xls", {"Data": bureau(12, one)}),
        "The same, saved for Excel 97.", right=one, sheet={})  # fmt: skip

by_place_of_one: Grid = [line.split("|") for line in lar_lines(one)]
in_column_a: Grid = [[line] for line in lar_lines(one)]
for kind in ("xlsx", "xls", "ods"):
    convert(f"lar_by_place_{kind}", kind, as_book(kind, by_place_of_one),
            "A LAR cut at its pipes: fields by place, no headings.", right=one,
            sheet={})  # fmt: skip
    convert(f"lar_lines_in_column_a_{kind}", kind, as_book(kind, in_column_a),
            "A LAR opened as it is: each line whole in column A.", right=one,
            sheet={})  # fmt: skip
convert("lar_numbers_by_place", "xlsx",
        as_book("xlsx", [[text if at == 2 else number(text) for at, text in enumerate(row)]
                         for row in by_place_of_one]),
        "A LAR imported with columns of the type General: codes and places are numbers.",
        right=one, sheet={})  # fmt: skip

# --- How values are typed ------------------------------------------------------------------------

convert("excel_percent_cells", "xlsx",
        as_book("xlsx", grid(two, **each(RATES, lambda text: Percent(float(text) / 100)))),
        "Excel: rates shown as percentages, kept as fractions, and the answer that they are.",
        right=two, options={"percent": "fraction"})  # fmt: skip
convert("excel_digits_of_arithmetic", "xlsx",
        as_book("xlsx", grid(loans(1, interest_rate="6.875", income="67"),
                             interest_rate=[6.875000000000001], income=[66.99999999999996])),
        "Excel: computed numbers with digits that the sheet does not show.",
        right=loans(1, interest_rate="6.875", income="67"))  # fmt: skip
east = loans(state="AL", county="01001", census_tract="01001020100", zip_code="02138")
convert("excel_lost_zeros", "xlsx", as_book("xlsx", grid(east[:1], **each(PLACES, int))),
        "Excel: the same as number cells.", right=east[:1])  # fmt: skip
without_income = loans(income="NA")
convert("excel_na_error", "xlsx",
        as_book("xlsx", grid(without_income[:1], income=[ErrorCell("#N/A")])),
        "Excel: a lookup that found nothing, in a column that takes NA.",
        right=without_income[:1])  # fmt: skip
convert("excel_reference_error", "xlsx",
        as_book("xlsx", grid(one, loan_amount=[ErrorCell("#REF!")])),
        "Excel: a formula that lost its cells.",
        findings=at_cells("loan_amount", "reading error", [2]))  # fmt: skip
convert("excel_formulas", "xlsx",
        as_book("xlsx", grid(one, loan_amount=[Formula("=200000+50000", 250000)],
                             uli=[Formula('=B2&"x"', one[0]["uli"])])),
        "Excel: formulas with their stored values.", right=one)  # fmt: skip

# --- Refusals ------------------------------------------------------------------------------------

convert("web_page_named_xls", "xls",
        b"<html><table><tr><td>Loan Amount</td></tr><tr><td>1</td></tr></table></html>",
        "An old system that writes a web page and calls it .xls.",
        refusal=(415, ["web page", "CSV"]))  # fmt: skip
convert("broken_workbook", "xlsx", as_book("xlsx", grid(one))[:-300],
        "A download that broke off.", refusal=(415, ["broken"]))  # fmt: skip
