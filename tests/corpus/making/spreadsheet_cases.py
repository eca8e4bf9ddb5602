"""The spreadsheets of the corpus: for each, what is typed into which program, and what is right."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

import xlsxwriter

from filing.edits import examples
from filing.lar.fields import LAR, TRANSMITTAL_SHEET, WHOLE_ROW, Parse
from filing.spreadsheets.field_lists import reference_name
from tests.corpus.making.plain import (
    GIVEN,
    LABELS,
    LEI,
    NAMES,
    SHEET,
    YEAR,
    Grid,
    Loan,
    Made,
    as_book,
    as_csv,
    cell,
    day,
    grid,
    lar_lines,
    loans,
    number,
    numbers,
    us_date,
)
from tests.filing.spreadsheets.books import ErrorCell, Formula, Percent
from uliapi import checkdigit

MADE: list[Made] = []
DATES = ("application_date", "action_taken_date")
MONEY = ("loan_amount", "total_loan_costs", "origination_charges", "discount_points",
         "lender_credits", "property_value")  # fmt: skip
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


def columns(
    name: str, headings: Mapping[str, str | None], about: str, **values: str | None
) -> None:
    """Add a CSV of which the columns are matched. headings: each with its field."""
    record: dict[str, Any] = {**loans(1)[0], "loan_id": "LOAN1A1"}
    row = [record[field] if field else "Main" for field in headings.values()]
    answer = {"columns": {text: field for text, field in headings.items() if field}}
    body = {"about": about, "tool": "columns", "year": YEAR, "options": {"near": True}}
    MADE.append(Made(name, "csv", as_csv([list(headings), row]), {**body, "answer": answer}))


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
convert("excel_csv_utf_8", "csv", as_csv(grid(plain, LABELS), encoding="utf-8-sig"),
        "Excel, CSV UTF-8: a byte order mark, commas, CRLF.", right=plain)  # fmt: skip
convert("excel_csv_windows", "csv", as_csv(grid(plain), encoding="cp1252"),
        "Excel, CSV: Windows-1252, an accent in a street.", right=plain)  # fmt: skip
convert("excel_unicode_text", "txt", as_csv(grid(plain), separator="\t", encoding="utf-16"),
        "Excel, Unicode Text: UTF-16 with a mark, tabs.", right=plain)  # fmt: skip
convert("excel_text_of_a_mac", "txt", as_csv(grid(plain), separator="\t", end="\r"),
        "Excel for Mac, tab-delimited text: lines end in CR.", right=plain)  # fmt: skip
convert("excel_european_csv", "csv", as_csv(grid(plain), separator=";"),
        "Excel with European settings: semicolons.", right=plain)  # fmt: skip
convert("excel_sep_line", "csv", b"sep=;\r\n" + as_csv(grid(plain), separator=";"),
        "Made for Excel by a program: a line sep=; comes first.", right=plain)  # fmt: skip
convert("google_sheets", "csv", as_csv(grid(plain, LABELS, **each(DATES, us_date))),
        "Google Sheets, download as CSV: dates as shown, month first.", right=plain)  # fmt: skip
convert("libreoffice", "ods", as_book("ods", grid(numbers(one), **with_dates)),
        "LibreOffice: OpenDocument with dates and numbers.", right=one)  # fmt: skip
convert("libreoffice_csv_all_quoted", "csv", as_csv(grid(plain), quotes_all=True, end="\n"),
        "LibreOffice, CSV with every text cell quoted, LF.", right=plain)  # fmt: skip
convert("numbers_csv", "csv", b"Table 1\r\n\r\n" + as_csv(grid(plain, LABELS)),
        "Numbers, CSV with the name of the table in front.", right=plain)  # fmt: skip
decimals = each(("loan_type", "lien_status", "denial_reason_1"), lambda text: f"{text}.0")
convert("pandas_csv", "csv",
        as_csv([["" if not at else at - 1, *row]
                for at, row in enumerate(grid(plain, **decimals))], end="\n"),
        "pandas: an index without a heading, codes as decimals.", right=plain)  # fmt: skip
convert("sql_server_export", "csv",
        as_csv(grid(plain, action_taken_date=lambda text: f"{day(text):%Y-%m-%d} 00:00:00.000")),
        "SQL Server: dates with a time of midnight in thousandths.", right=plain)  # fmt: skip
convert("names_of_the_bureaus_page", "csv",
        as_csv(grid(plain, {field.name: reference_name(field) for field in LAR})),
        "Names of fields as on the bureau's page.", right=plain)  # fmt: skip
convert("guide_numbers_and_names", "csv",
        as_csv(grid(plain, {field.name: f"{field.number}. {field.label}" for field in LAR})),
        "Headings of the filing instructions guide with their numbers.", right=plain)  # fmt: skip


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
convert("transmittal_among_columns", "csv",
        as_csv([[*(f"ts_{name}" for name in GIVEN), *NAMES],
                *([*GIVEN.values(), *row] for row in grid(plain)[1:])]),
        "The values of the transmittal sheet in front of each loan.", right=plain,
        sheet={})  # fmt: skip
convert("blank_rows", "csv", as_csv([*grid(two), [], ["", " "], *grid(plain)[3:], [], []]),
        "Blank rows between loans and after them.", right=plain)  # fmt: skip
total = ["" for _ in NAMES]
total[NAMES.index("lei")], total[NAMES.index("loan_amount")] = "Total", "635000"
convert("total_row", "csv", as_csv([*grid(plain), total]),
        "A total below the amounts: it is no loan, and the answer says so.", right=plain,
        findings=[])  # fmt: skip
convert("excel_total_row", "xlsx",
        as_book("xlsx", [*grid(two), [],
                         ["", "TOTAL:", *[""] * 7, Formula("=SUM(J2:J3)", 455000)]]),
        "Excel: a blank row, then a sum as a formula.", right=two, findings=[])  # fmt: skip
convert("note_rows", "csv",
        as_csv([*grid(plain), [], ["Prepared by loan operations"], ["Checked 1/31/2025, J. Doe"]]),
        "Notes below the loans.", right=plain, findings=[])  # fmt: skip
convert("column_of_notes", "csv",
        as_csv([[*row[:5], "call the branch" if at else "Remarks", *row[5:]]
                for at, row in enumerate(grid(plain))]),
        "A column of remarks, which no field has.", right=plain)  # fmt: skip
convert("columns_reversed", "csv", as_csv([row[::-1] for row in grid(plain)]),
        "The columns from the last to the first.", right=plain)  # fmt: skip
convert("trailing_commas", "csv", as_csv([[*row, "", "", ""] for row in grid(plain)]),
        "Empty columns at the end, as of a sheet that was once wider.", right=plain)  # fmt: skip
convert("line_break_in_a_cell", "csv",
        as_csv(grid(plain, street=["12 Ré\nStreet", *(loan["street"] for loan in plain[1:])])),
        "Alt+Enter within a street.", right=plain)  # fmt: skip
convert("line_breaks_in_headings", "csv",
        as_csv(grid(plain, {name: label.upper().replace(" ", "\n", 1)
                            for name, label in LABELS.items()})),
        "Headings in capitals, wrapped by hand.", right=plain)  # fmt: skip

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
convert("bureau_tool_csv", "csv", as_csv(bureau(60, two)),
        "The same, saved as CSV: the transmittal sheet in its own rows.", right=two,
        sheet={})  # fmt: skip
convert("bureau_tool_97", "xls", as_book("xls", {"Data": bureau(12, one)}),
        "The same, saved for Excel 97.", right=one, sheet={})  # fmt: skip
NATIVE = ("Race of {}: Free Form Text Field for American Indian or Alaskan Native Enrolled or "
          "Principal Tribe")  # fmt: skip
MISSPELT = {
    "record_id": "record id",
    "uli": "Universal Loan Identified (ULI)",
    "applicant_race_native_free_form": NATIVE.format("Applicant or Borrower"),
    "co_applicant_race_native_free_form": NATIVE.format("Co-Applicant or Co-Borrower"),
}
convert("bureau_header_spellings", "csv",
        as_csv(grid(plain, {name: name.replace("_", " ") for name in NAMES} | MISSPELT)),
        "The headings of the bureau's tool, with its slips.", right=plain,
        options={"near": True})  # fmt: skip

by_place: Grid = [line.split("|") for line in lar_lines(two)]
by_place_of_one: Grid = [line.split("|") for line in lar_lines(one)]
in_column_a: Grid = [[line] for line in lar_lines(one)]
for kind in ("xlsx", "xls", "ods"):
    convert(f"lar_by_place_{kind}", kind, as_book(kind, by_place_of_one),
            "A LAR cut at its pipes: fields by place, no headings.", right=one,
            sheet={})  # fmt: skip
    convert(f"lar_lines_in_column_a_{kind}", kind, as_book(kind, in_column_a),
            "A LAR opened as it is: each line whole in column A.", right=one,
            sheet={})  # fmt: skip
convert("lar_by_place_csv", "csv", as_csv(by_place), "A LAR cut at its pipes, saved as CSV.",
        right=two, sheet={})  # fmt: skip
convert("lar_by_place_tabs", "txt", as_csv(by_place, separator="\t"),
        "A LAR cut at its pipes, saved as tab-delimited text.", right=two, sheet={})  # fmt: skip
convert("lar_lines_in_column_a_csv", "csv", as_csv([line, "12", "JD"] for line in lar_lines(two)),
        "Whole lines in column A, beside them columns of the lender's own.", right=two,
        sheet={})  # fmt: skip
convert("lar_lines_quoted_csv", "csv", as_csv(in_column_a, quotes_all=True),
        "Whole lines in column A, each in quotes.", right=one, sheet={})  # fmt: skip
convert("lar_numbers_by_place", "xlsx",
        as_book("xlsx", [[text if at == 2 else number(text) for at, text in enumerate(row)]
                         for row in by_place_of_one]),
        "A LAR imported with columns of the type General: codes and places are numbers.",
        right=one, sheet={})  # fmt: skip

# --- How values are typed ------------------------------------------------------------------------

convert("dates_iso", "csv",
        as_csv(grid(plain, action_taken_date=lambda text: f"{day(text):%Y-%m-%d}")),
        "Dates with the year first.", right=plain)  # fmt: skip
convert("dates_in_words", "csv",
        as_csv(grid(plain, action_taken_date=lambda text: f"{day(text):%b %-d, %Y}")),
        "Dates such as Jan 5, 2024.", right=plain)  # fmt: skip
day_first = as_csv(grid(plain, action_taken_date=lambda text: f"{day(text):%d/%m/%Y}"))
convert("dates_day_first", "csv", day_first,
        "Dates with the day first, and the answer that they have it.", right=plain,
        options={"dates": "dmy"})  # fmt: skip
convert("dates_day_first_unsaid", "csv", day_first,
        "A day above 12 in the first place, and nobody said that the day is first.",
        findings=at_cells("action_taken_date", "reading date"))  # fmt: skip
convert("dates_of_two_digits", "csv",
        as_csv(grid(plain, action_taken_date=lambda text: f"{day(text):%m/%d/%y}")),
        "Years of two digits.", findings=at_cells("action_taken_date", "reading date"))  # fmt: skip
convert("date_that_does_not_exist", "csv",
        as_csv(grid(plain, action_taken_date=["2/30/2024", "2/15/2024", "2/15/2024"])),
        "February 30.", findings=at_cells("action_taken_date", "reading date", [2]))  # fmt: skip
convert("money_signs", "csv",
        as_csv(grid(plain, **each(
            MONEY, lambda text: f"${float(text):,.2f}".removesuffix(".00")))),
        "Dollar signs and commas between thousands.", right=plain)  # fmt: skip
convert("accounting_format", "csv",
        as_csv(grid(plain, loan_amount=lambda text: f" $ {int(text):,} ",
                    income=lambda text: f" {text} ")),
        "The accounting format: blanks around the sign and the number.", right=plain)  # fmt: skip
convert("negative_in_parentheses", "csv",
        as_csv(grid(loans(1, income="-36"), income=["(36)"])),
        "A negative income in parentheses.", right=loans(1, income="-36"))  # fmt: skip
convert("percent_signs", "csv", as_csv(grid(plain, interest_rate=lambda text: f"{text}%")),
        "Rates with a percent sign.", right=plain)  # fmt: skip
convert("excel_percent_cells", "xlsx",
        as_book("xlsx", grid(two, **each(RATES, lambda text: Percent(float(text) / 100)))),
        "Excel: rates shown as percentages, kept as fractions, and the answer that they are.",
        right=two, options={"percent": "fraction"})  # fmt: skip


def fraction(text: str) -> str:
    return f"{float(text) / 100:.5f}".rstrip("0")


convert("fractions_for_percents", "csv", as_csv(grid(plain, **each(RATES, fraction))),
        "Rates as fractions, and the answer that they are.", right=plain,
        options={"percent": "fraction"})  # fmt: skip
convert("fractions_unsaid", "csv", as_csv(grid(plain, interest_rate=fraction)),
        "Rates as fractions, and nobody said so: 0.0425 could be 0.0425 %.",
        findings=at_cells("interest_rate", "reading percent"))  # fmt: skip
ratio = "combined_loan_to_value_ratio"
above = loans(**{ratio: "102"})[:2] + plain[2:3]
convert("fractions_beside_one_above_1", "csv", as_csv(grid(above, **{ratio: fraction})),
        "Ratios as fractions, some above 1, and the answer that they are.", right=above,
        options={"percent": "fraction"})  # fmt: skip
convert("fractions_beside_percent_signs", "csv",
        as_csv(grid(plain, **{ratio: [f"{plain[0][ratio]}%", *(fraction(one[ratio])
                                                               for one in plain[1:])]})),
        "Ratios with percent signs beside fractions, and nobody said so.",
        findings=[f"{cell(ratio, 3)} reading percent"])  # fmt: skip
convert("excel_digits_of_arithmetic", "xlsx",
        as_book("xlsx", grid(loans(1, interest_rate="6.875", income="67"),
                             interest_rate=[6.875000000000001], income=[66.99999999999996])),
        "Excel: computed numbers with digits that the sheet does not show.",
        right=loans(1, interest_rate="6.875", income="67"))  # fmt: skip
convert("states_by_name", "csv", as_csv(grid(plain, state=["California", "CALIFORNIA", "ca"])),
        "States by their names.", right=plain)  # fmt: skip
east = loans(state="AL", county="01001", census_tract="01001020100", zip_code="02138")
convert("lost_zeros", "csv", as_csv(grid(east, **each(PLACES, lambda text: text.lstrip("0")))),
        "Counties, tracts and zip codes that lost their zeros.", right=east)  # fmt: skip
convert("excel_lost_zeros", "xlsx", as_book("xlsx", grid(east[:1], **each(PLACES, int))),
        "Excel: the same as number cells.", right=east[:1])  # fmt: skip
longer = [loan | {"zip_code": "02138-1234"} for loan in east]
convert("zip_plus_4", "csv",
        as_csv(grid(longer, zip_code=["021381234", "21381234", "02138-1234"])),
        "Zip codes with four more digits, one of them without its zero.",
        right=longer)  # fmt: skip
convert("tract_with_a_dot", "csv",
        as_csv(grid(plain, census_tract=["06037-1234.56", "1234.56", "06037123456"])),
        "Tracts as people write them.", right=plain)  # fmt: skip
guarded = ("uli", *PLACES)
convert("guard_formula", "csv", as_csv(grid(east, **each(guarded, lambda text: f'="{text}"'))),
        'Cells kept as text by ="02138".', right=east)  # fmt: skip
convert("guard_apostrophe", "csv", as_csv(grid(east, **each(guarded, lambda text: f"'{text}"))),
        "Cells kept as text by an apostrophe.", right=east)  # fmt: skip
convert("non_breaking_blanks", "csv",
        as_csv(grid(plain, city=lambda text: f"\u00a0{text}\u00a0",
                    loan_amount=lambda text: f"{text}\u00a0")),
        "Pasted from a web page: blanks that do not break.", right=plain)  # fmt: skip
without_income = loans(income="NA")
convert("na_in_all_ways", "csv",
        as_csv(grid(without_income, income=["n/a", "N.A.", "not applicable"])),
        "NA as people write it.", right=without_income)  # fmt: skip
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
convert("uli_in_exponents", "csv",
        as_csv(grid(plain, uli=[plain[0]["uli"], "5.299E+27", plain[2]["uli"]])),
        "A ULI of digits that the program took for a number: its digits are lost.",
        findings=at_cells("uli", "reading digits", [3]))  # fmt: skip
convert("pipe_in_a_cell", "csv", as_csv(grid(plain, street=["1 A|B St", "2 C St", "3 D St"])),
        "A pipe within a street.", findings=at_cells("street", "reading pipe", [2]))  # fmt: skip
convert("yes_and_no", "csv", as_csv(grid(plain, balloon_payment=["No", "N", "Yes"])),
        "Yes and no for codes, which mean either.",
        findings=at_cells("balloon_payment", "reading code"))  # fmt: skip
convert("code_and_text", "csv",
        as_csv(grid(plain, loan_type=lambda text: "1 - Conventional",
                    lien_status=lambda text: "1: first lien",
                    action_taken=lambda text: "1 - Loan originated")),
        "Codes with their words.", right=plain)  # fmt: skip
typed_loans = [loan | {"loan_type": str(at)} for at, loan in enumerate(plain, 1)]
convert("codes_as_words", "csv",
        as_csv(grid(
            typed_loans,
            loan_type=["Conventional", "FHA", "VA"],
            construction_method=["Site built", "Site-Built", "site built"],
            occupancy_type=["Primary", "Primary residence", "Principal residence"],
            lien_status=["First", "First lien", "FIRST"],
            loan_purpose=["Refinance", "Refinancing", "refinance"])),
        "Words for codes wherever one meaning is possible.", right=typed_loans)  # fmt: skip
convert("actions_as_words", "csv",
        as_csv(grid(plain, action_taken=["Originated", "Loan originated", "ORIGINATED"])),
        "The action taken in words.", right=plain)  # fmt: skip
ended = [plain[0] | {"action_taken": "3"}, plain[1] | {"action_taken": "4"},
         plain[2] | {"action_taken": "6"}]  # fmt: skip
convert("denied_withdrawn_purchased", "csv",
        as_csv(grid(ended, action_taken=["Denied", "Withdrawn", "Purchased"])),
        "The action taken in words that are only part of the guide's.", right=ended)  # fmt: skip
convert("agency_as_a_word", "csv", as_csv(grid(plain)),
        "The agency of the transmittal sheet in words.",
        sheet=GIVEN | {"federal_agency": "NCUA"},
        lar=lar_lines(plain, federal_agency="5"))  # fmt: skip
FILLED = ("reverse_mortgage", "open_end_line_of_credit")
convert("fill_for_missing_columns", "csv",
        as_csv(grid(plain, names=[name for name in NAMES if name not in FILLED])),
        "Two columns are missing, and values for them are given.", right=plain,
        options={"fill": each(FILLED, "2")})  # fmt: skip
convert("blanks_for_na", "csv", as_csv(grid(without_income, income=["", "", ""])),
        "Blanks where a field takes NA, and the answer that they mean it.",
        right=without_income, options={"blankAsNa": True})  # fmt: skip

# Source: Regulation C, 12 CFR 1003.3(d); the further codes of a field stay blank beside the first.
EXEMPT = {field.name: str(field.exempt) for field in LAR
          if field.exempt is not None and field.parse is not Parse.CODE_OR_BLANK}  # fmt: skip
NOT_COVERED = [
    field.name
    for field in LAR
    if field.exempt is None
    and "free_form" not in field.name
    and not field.name.endswith(("_3", "_4", "_5"))
]
exempt_loans = [
    {name: "" if "free_form" in name or name.startswith(("aus_", "denial_")) else text
     for name, text in loan.items()} | EXEMPT
    for loan in plain
]  # fmt: skip
convert("exempt_lender", "csv", as_csv(grid(plain, names=NOT_COVERED)),
        "A partially exempt lender, with the columns that the exemption does not cover.",
        right=exempt_loans, findings=[], options={"exempt": True})  # fmt: skip

# --- Loan identifiers ----------------------------------------------------------------------------

ids = [f"LOAN{at}A{at}" for at in (1, 2, 3)]
made_ulis = [loan | {"uli": f"{LEI}{text}{checkdigit.compute_check_digits(LEI + text)}"}
             for loan, text in zip(plain, ids, strict=True)]  # fmt: skip
loan_numbers = as_csv(grid(plain, {"uli": "Loan Number"}, uli=ids))
convert("loan_numbers", "csv", loan_numbers,
        "Loan numbers alone: the ULI is made of the LEI, the number and check digits.",
        right=made_ulis, options={"checkDigit": "loan-id"})  # fmt: skip
convert("nuli", "csv", loan_numbers, "Loan numbers that are non-universal identifiers.",
        right=[loan | {"uli": text} for loan, text in zip(plain, ids, strict=True)],
        options={"nuli": True})  # fmt: skip
convert("ulis_without_check_digits", "csv", as_csv(grid(plain, uli=lambda text: text[:-2])),
        "ULIs without their check digits, which are appended on wish.", right=plain,
        options={"checkDigit": "append"})  # fmt: skip
lucky = examples.numbered_uli(LEI, 77)
few = loans(8)
few.append(few[0] | {"uli": lucky + checkdigit.compute_check_digits(lucky)})
convert("append_though_one_is_valid", "csv",
        as_csv(grid([few[0], few[-1], *few[1:8]], uli=lambda text: text[:-2])),
        "Of nine loan identifiers one happens to end in valid check digits: two are appended "
        "to it as to the others.", right=[few[0], few[-1], *few[1:8]],
        options={"checkDigit": "append"})  # fmt: skip
wrong = [plain[0] | {"uli": plain[0]["uli"][:-2] + "00"}, *plain[1:]]
convert("wrong_check_digits", "csv", as_csv(grid(wrong)),
        "A slip in a check digit: the file is written, and the edit names the cell.",
        right=wrong, findings=at_cells("uli", "validity V609", [2]))  # fmt: skip
nine = [plain[0] | {"loan_type": "9"}, *plain[1:]]
convert("loan_type_9", "csv", as_csv(grid(nine)), "A code that no year has.", right=nine,
        findings=at_cells("loan_type", "validity V611", [2]))  # fmt: skip
bridge = [plain[0], plain[1] | {"loan_purpose": "bridge"}, plain[2]]
convert("text_for_a_code", "csv", as_csv(grid(bridge)), "A word that no code has.", right=bridge,
        findings=at_cells("loan_purpose", "format", [3]))  # fmt: skip

# --- Vendors and headings of their own -----------------------------------------------------------

columns("vendor_cra_wiz", {
    "LEI": "lei", "ULI": "uli", "ApplDate": "application_date", "LoanType": "loan_type",
    "LoanAmountInDollars": "loan_amount", "Address": "street", "City": "city",
    "State_abrv": "state", "Zip": "zip_code", "County_5": "county", "Tract_11": "census_tract",
    "Ethnicity_1": "applicant_ethnicity_1", "Coa_Ethnicity_1": "co_applicant_ethnicity_1",
    "Race_1": "applicant_race_1", "CoaRace_1": "co_applicant_race_1", "Sex": "applicant_sex",
    "CoaSex": "co_applicant_sex", "Age": "applicant_age", "Coa_Age": "co_applicant_age",
    "CreditModel": "applicant_credit_score_type", "Denial1": "denial_reason_1",
    "TotalPtsAndFees": "total_points_and_fees", "OrigFees": "origination_charges",
    "DiscountPts": "discount_points", "LenderCredts": "lender_credits",
    "PPPTerm": "prepayment_penalty_term", "IOPMT": "interest_only_payments",
    "NegAM": "negative_amortization", "APPMethod": "submission_of_application",
    "PayableInst": "initially_payable_to_institution", "AUSystem1": "aus_1",
    "REVMTG": "reverse_mortgage", "OpenLOC": "open_end_line_of_credit",
    "BUSCML": "business_or_commercial_purpose",
}, "CRA Wiz: its short headings, matched or proposed.")  # fmt: skip
columns("vendor_encompass", {
    "Universal Loan ID": "uli", "Application Date": "application_date", "Loan Type": "loan_type",
    "Loan Purpose": "loan_purpose", "Loan Amount": "loan_amount", "Action Taken": "action_taken",
    "Action Date": "action_taken_date", "Property Address": "street", "Property City": "city",
    "Property State": "state", "Property Zip": "zip_code", "County Code": "county",
    "Census Tract": "census_tract", "HOEPA Status": "hoepa_status", "Lien Status": "lien_status",
    "Rate Spread": "rate_spread", "Interest Rate": "interest_rate", "Loan Term": "loan_term",
    "Property Value": "property_value", "DTI Ratio": "debt_to_income_ratio",
    "CLTV": "combined_loan_to_value_ratio", "NMLS ID": "nmlsr_id", "Branch": None,
}, "Encompass: a report with headings of its screens.")  # fmt: skip
columns("vendor_laserpro", {
    "Loan #": "loan_id", "Dt of Appl": "application_date", "Loan Amt": "loan_amount",
    "Action Taken": "action_taken", "Action Dt": "action_taken_date", "Prop Addr": "street",
    "Prop City": "city", "ST": "state", "Zip": "zip_code", "Rate": "interest_rate",
    "MLO NMLS": "nmlsr_id", "Occupancy": "occupancy_type", "Lien": "lien_status",
    "Applicant Income": "income", "Purchaser": "purchaser_type",
}, "LaserPro: abbreviated headings of an export.")  # fmt: skip
columns("vendor_codes_in_headings", {
    "LEI": "lei", "ULI": "uli", "Loan_Type_Code": "loan_type", "Loan_Purpose_Code": "loan_purpose",
    "Occupancy_Type_Code": "occupancy_type", "Action_Taken_Code": "action_taken",
    "Lien_Status_Code": "lien_status", "Race_1": "applicant_race_1", "Race_2": "applicant_race_2",
    "Ethnicity_1": "applicant_ethnicity_1", "Co_Race_1": "co_applicant_race_1",
}, "A data warehouse: names with the word code behind them.")  # fmt: skip
columns("names_of_the_public_file", {
    "lei": "lei", "loan_type": "loan_type", "loan_purpose": "loan_purpose",
    "applicant_race-1": "applicant_race_1", "co-applicant_race-1": "co_applicant_race_1",
    "applicant_ethnicity-1": "applicant_ethnicity_1", "action_taken": "action_taken",
    "state_code": "state", "county_code": "county", "census_tract": "census_tract",
    "loan_amount": "loan_amount",
}, "Headings of the public loan file.")  # fmt: skip
columns("other_order_of_words", {
    "Amount of loan": "loan_amount", "Type of Loan": "loan_type", "Purpose of Loan": "loan_purpose",
    "Date of Application": "application_date", "Date Action Taken": "action_taken_date",
    "Incomes": "income", "Race 1 of Co-Borrower": "co_applicant_race_1", "State": "state",
    "County": "county",
}, "Headings with the same words in another order.")  # fmt: skip

# --- Refusals ------------------------------------------------------------------------------------

convert("no_header", "csv", as_csv([["a", "b", "c"], ["1", "2", "3"]]),
        "A table of something else.", refusal=(400, ["header"]))  # fmt: skip
convert("header_alone", "csv", as_csv([NAMES]), "A template that nobody filled in.",
        refusal=(400, ["row", "header"]))  # fmt: skip
convert("empty", "csv", b"", "An empty file.", refusal=(400, ["empty"]))
convert("two_columns_for_one_field", "csv",
        as_csv([[*row, "1" if at else "Loan Amount"] for at, row in enumerate(grid(plain))]),
        "Two columns with the loan amount.",
        refusal=(400, ["Columns J and DG", "Loan Amount"]))  # fmt: skip
convert("pdf", "pdf", b"%PDF-1.7\n1 0 obj\n<<>>\nendobj\n", "The loan list printed as a PDF.",
        refusal=(415, ["PDF", "CSV"]))  # fmt: skip
convert("web_page_named_xls", "xls",
        b"<html><table><tr><td>Loan Amount</td></tr><tr><td>1</td></tr></table></html>",
        "An old system that writes a web page and calls it .xls.",
        refusal=(415, ["web page", "CSV"]))  # fmt: skip
convert("broken_workbook", "xlsx", as_book("xlsx", grid(one))[:-300],
        "A download that broke off.", refusal=(415, ["broken"]))  # fmt: skip
convert("picture", "png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "A screenshot.",
        refusal=(415, ["picture"]))  # fmt: skip
convert("too_many_columns", "csv", as_csv([["x"] * 401, ["1"] * 401]), "More than 400 columns.",
        refusal=(413, ["400", "columns"]))  # fmt: skip
convert("nul_characters", "csv", as_csv(grid(one)).replace(b"Street", b"St\0"),
        "Text with NUL characters, from a mainframe.", refusal=(415, ["NUL"]))  # fmt: skip
convert("year_of_the_sheet_differs", "csv", as_csv(grid(plain)),
        "The year that is asked for is not that of the transmittal sheet.",
        sheet=GIVEN | {"calendar_year": "2023"}, refusal=(400, ["2024", "2023"]))  # fmt: skip
