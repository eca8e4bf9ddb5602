"""Spreadsheets as people have them: how each is written, and which cells cannot be understood."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

from filing.lar.fields import LAR, LAR_BY_NAME, TRANSMITTAL_SHEET, Parse
from filing.spreadsheets.code_texts import codes
from filing.spreadsheets.field_lists import reference_name
from filing.spreadsheets.options import Options
from filing.spreadsheets.tables import letter
from tests.filing.spreadsheets import books
from tests.filing.spreadsheets.books import ErrorCell, Formula, Percent
from tests.filing.spreadsheets.loan_rows import GIVEN, LEI, NAMES, SHEET, Record, grid, records

Grid = list[list[Any]]
ALL = ("xlsx", "xls", "ods", "csv")
BOOKS = ("xlsx", "xls", "ods")


@dataclass
class Case:
    """A spreadsheet of five loans. truth: their records. rows: where they stand in the file.

    doubts: the cells with a finding; then nothing is written. columns: the fields by position.
    """

    name: str
    truth: list[Record]
    grid: Grid
    kind: str = "xlsx"
    options: Options = Options()  # noqa: RUF009 -- a frozen value
    mapping: dict[str, str | None] = field(default_factory=dict)
    doubts: set[str] = field(default_factory=set)
    sheet: Mapping[str, str] | None = field(default_factory=lambda: GIVEN)
    before: dict[str, Sequence[Sequence[Any]]] = field(default_factory=dict)
    after: dict[str, Sequence[Sequence[Any]]] = field(default_factory=dict)
    writing: dict[str, Any] = field(default_factory=dict)
    title: str = "Loans"

    def write(self, folder: Path) -> Path:
        path = folder / f"file.{self.kind}"
        if self.kind == "csv":
            return books.csv_file(
                path, [list(map(_csv_text, row)) for row in self.grid], **self.writing
            )
        sheets = {**self.before, self.title: self.grid, **self.after}
        writers: dict[str, Any] = {"xlsx": books.xlsx, "xls": books.xls, "ods": books.ods}
        return Path(writers[self.kind](path, sheets, **self.writing))


def _csv_text(value: Any) -> str:
    """Return a cell as a spreadsheet program writes it into CSV."""
    if isinstance(value, datetime):
        return f"{value:%m/%d/%Y %H:%M}"
    if isinstance(value, date):
        return f"{value.month}/{value.day}/{value.year}"
    if isinstance(value, ErrorCell):
        return value.text
    if isinstance(value, Percent):
        return f"{value.value:.3%}"
    return str(value).upper() if isinstance(value, bool) else str(value)


CASES: list[Case] = []


def case(name: str, kinds: Iterable[str] = ALL, **changes: Any) -> Callable[..., Any]:
    """Add a case for each kind of file, after a function has changed a plain one."""

    def add(change: Callable[[Case], Case | None]) -> Callable[[Case], Case | None]:
        for kind in kinds:
            truth = records()
            plain = Case(name, truth, grid(truth), kind, **changes)
            CASES.append(change(plain) or plain)
        return change

    return add


def at(name: str) -> int:
    return NAMES.index(name)


def cell(name: str, number: int) -> str:
    """Return the cell of a field of a loan, by the number of the loan from 0."""
    return f"{letter(at(name))}{number + 2}"


def type_(made: Case, name: str, values: Iterable[Any], truth: Iterable[str] = ()) -> None:
    """Put values into a column, and what they mean into the truth."""
    for row, value in zip(made.grid[1:], values, strict=True):
        row[at(name)] = value
    for record, text in zip(made.truth, truth, strict=False):
        record[name] = text


def type_one(made: Case, name: str, value: Any, *, number: int = 1, doubt: bool = True) -> None:
    """Put one value into a column, which cannot be understood."""
    made.grid[number + 1][at(name)] = value
    if doubt:
        made.doubts.add(cell(name, number))


def day(text: str) -> date:
    return datetime.strptime(text, "%Y%m%d").date()  # noqa: DTZ007 -- a day


def _number(text: str) -> Any:
    try:
        value = float(text)
    except ValueError:
        return text
    return int(value) if value == int(value) else value


def days(made: Case, name: str = "action_taken_date") -> list[date]:
    return [day(record[name]) for record in made.truth]


# --- Headers -------------------------------------------------------------------------------------


@case("labels as headers")
def _(made: Case) -> None: ...


@case("names as headers")
def _(made: Case) -> None:
    made.grid[0] = list(NAMES)


@case("names of the reference's tool", ("xlsx", "csv"))
def _(made: Case) -> None:
    made.grid[0] = [reference_name(one) for one in LAR]


@case("JSON paths as headers", ("xlsx", "csv"))
def _(made: Case) -> None:
    made.grid[0] = [one.json for one in LAR]


@case("numbers before the labels", ("xlsx", "csv"))
def _(made: Case) -> None:
    made.grid[0] = [f"{one.number}. {one.label}" for one in LAR]


@case("numbers of the fields alone", ("xlsx", "csv"))
def _(made: Case) -> None:
    made.grid[0] = list(range(1, 111))


@case("upper case and line breaks in headers", ("xlsx", "ods"))
def _(made: Case) -> None:
    made.grid[0] = [one.label.upper().replace(" ", "\n", 1) for one in LAR]


@case("columns in another order")
def _(made: Case) -> None:
    made.grid = [list(reversed(row)) for row in made.grid]


@case("a column of notes, and one without a header")
def _(made: Case) -> None:
    made.grid = [
        [*row[:5], "Notes" if not number else "call again", *row[5:], "" if not number else "x"]
        for number, row in enumerate(made.grid)
    ]


@case("words in another order, with near matches", ("xlsx", "csv"), options=Options(near=True))
def _(made: Case) -> None:
    made.grid[0][at("loan_amount")] = "Amount of loan"
    made.grid[0][at("income")] = "Incomes"
    made.grid[0][at("co_applicant_race_1")] = "Race 1 of Co-Borrower"


@case("headers of its own, which are mapped", ("xlsx", "csv"))
def _(made: Case) -> None:
    made.grid[0][at("loan_amount")], made.grid[0][at("lien_status")] = "Betrag", ""
    made.mapping = {"Betrag": "loan_amount", letter(at("lien_status")): "lien_status"}


@case("two header names for one thing, one of them mapped", ("xlsx", "csv"))
def _(made: Case) -> None:
    made.grid = [
        [*row, "Loan Amount" if not number else "1"] for number, row in enumerate(made.grid)
    ]
    made.mapping = {letter(at("loan_amount")): "loan_amount"}


@case("fewer columns, one of them filled", ("xlsx", "csv"))
def _(made: Case) -> None:
    missing = at("business_or_commercial_purpose")
    made.grid = [row[:missing] for row in made.grid]
    made.options = Options(fill={"business_or_commercial_purpose": "2"})


@case("fewer columns, and the last one missing", ("xlsx", "csv"))
def _(made: Case) -> None:
    missing = at("business_or_commercial_purpose")
    made.grid = [row[:missing] for row in made.grid]
    made.doubts = {f"business_or_commercial_purpose {row}" for row in range(2, 7)}


@case("a title of merged cells, and the header on row 3")
def _(made: Case) -> None:
    made.grid = [["HMDA loans of 2024", "", ""], [], *made.grid]


@case("the header on row 10, after an address", ("xlsx", "csv"))
def _(made: Case) -> None:
    made.grid = [["Example Bank"], ["1 Main St"], *[[] for _ in range(7)], *made.grid]


# --- Rows and sheets -----------------------------------------------------------------------------


@case("blank rows between and after")
def _(made: Case) -> None:
    made.grid = [*made.grid[:3], [], ["", " "], *made.grid[3:], [], []]


@case("a total row at the end")
def _(made: Case) -> None:
    total = [""] * len(NAMES)
    total[at("uli")], total[at("loan_amount")] = "Total", 1784265.5
    made.grid.append(total)
    made.doubts = {f"{letter(at('business_or_commercial_purpose'))}7"}


@case("a summary on the first sheet", BOOKS)
def _(made: Case) -> None:
    made.before = {"Summary": [["Loans", 5], ["Loan Amount", 1784265.5]]}
    made.after = {"Branches": [["City", "State"], ["Springfield", "IL"]]}


@case("an old list on a hidden sheet", ("xlsx",))
def _(made: Case) -> None:
    made.before = {"2023": grid(records(3))}
    made.writing = {"hidden": ["2023"]}


@case("a sheet that is named", BOOKS, options=Options(sheet="June"))
def _(made: Case) -> None:
    made.title, made.before = "June", {"May": grid(records(3))}


@case("a transmittal sheet of labels and values", BOOKS, sheet=None)
def _(made: Case) -> None:
    made.after = {"Transmittal sheet": [[one.label, SHEET[one.name]] for one in TRANSMITTAL_SHEET]}


@case("a transmittal sheet of a header row and a row", BOOKS, sheet=None)
def _(made: Case) -> None:
    made.before = {"TS": [[one.label for one in TRANSMITTAL_SHEET], list(SHEET.values())]}


@case("the transmittal sheet among the loans", sheet=None)
def _(made: Case) -> None:
    before = [
        one for one in TRANSMITTAL_SHEET if one.name not in ("record_id", "lei", "total_lines")
    ]
    made.grid = [
        [*row, *(SHEET[one.name] if number else one.label for one in before)]
        for number, row in enumerate(made.grid)
    ]


@case("a transmittal sheet on which the rows do not agree", ("xlsx", "csv"))
def _(made: Case) -> None:
    made.sheet = {name: text for name, text in GIVEN.items() if name != "federal_agency"}
    agencies = ["Federal Agency", "9", "9", "7", "9", "9"]
    made.grid = [[*row, agency] for row, agency in zip(made.grid, agencies, strict=True)]
    made.doubts = {f"{letter(len(NAMES))}2"}


@case("the workbook whose columns are known by place", ("xlsx", "xls"), sheet=None)
def _(made: Case) -> None:
    made.grid = [
        ["LAR File Row"],
        [f"T{number}" for number in range(15)],
        [*SHEET.values(), "a note"],
        [f"H{number}" for number in range(110)],
        *([*row, "not exported"] for row in made.grid[1:]),
    ]


# --- Dates ---------------------------------------------------------------------------------------


@case("date cells")
def _(made: Case) -> None:
    type_(made, "action_taken_date", days(made))
    type_(made, "application_date", days(made, "application_date"))


@case("date cells of the 1904 system", ("xlsx",), writing={"epoch_1904": True})
def _(made: Case) -> None:
    type_(made, "action_taken_date", days(made))


@case("dates as text, with the year first", ("xlsx", "csv"))
def _(made: Case) -> None:
    type_(made, "action_taken_date", [f"{one:%Y-%m-%d}" for one in days(made)])
    type_(made, "application_date", [f"{one:%Y/%m/%d}" for one in days(made, "application_date")])


@case("dates as text, with the month first", ("xlsx", "csv"))
def _(made: Case) -> None:
    type_(made, "action_taken_date", [f"{d.month}/{d.day}/{d.year}" for d in days(made)])
    type_(made, "application_date", [f"{d:%m-%d-%Y}" for d in days(made, "application_date")])


@case("dates in words", ("xlsx", "csv"))
def _(made: Case) -> None:
    forms = (
        "{:%b} {d}, {:%Y}",
        "{:%B} {d}, {:%Y}",
        "{d}-{:%b}-{:%Y}",
        "{d} {:%B} {:%Y}",
        "{:%b} {d} {:%Y}",
    )
    type_(
        made,
        "action_taken_date",
        [form.format(one, one, d=one.day) for form, one in zip(forms, days(made), strict=True)],
    )


@case("dates with the day first", ("xlsx", "csv"), options=Options(dates="dmy"))
def _(made: Case) -> None:
    typed = ["7/8/2024", "21/7/2024", "01-02-2024", "3/4/2024", "31/12/2024"]
    type_(made, "action_taken_date", typed,
          ["20240807", "20240721", "20240201", "20240403", "20241231"])  # fmt: skip


@case("a day before the month that no one announced", ("xlsx", "csv"))
def _(made: Case) -> None:
    type_one(made, "action_taken_date", "21/7/2024")


@case("a year of two digits", ("xlsx", "csv"))
def _(made: Case) -> None:
    type_one(made, "application_date", "7/21/24")


@case("a day that does not exist", ("xlsx", "csv"))
def _(made: Case) -> None:
    type_one(made, "action_taken_date", "2/30/2024")


@case("midnight behind a date", ("xlsx", "csv"))
def _(made: Case) -> None:
    ends = (" 00:00", " 0:00:00", "T00:00:00", " 12:00 AM", " 12:00:00 AM")
    type_(
        made,
        "action_taken_date",
        [f"{one:%Y-%m-%d}{end}" for one, end in zip(days(made), ends, strict=True)],
    )


@case("another time behind a date", ("xlsx", "csv"))
def _(made: Case) -> None:
    type_one(made, "action_taken_date", datetime(2024, 7, 21, 13, 30))  # noqa: DTZ001 -- as in a cell


@case("a date as the number of a day", ("xlsx", "csv"))
def _(made: Case) -> None:
    type_one(made, "action_taken_date", 45494)


@case("a date where a number belongs", ("xlsx", "xls", "ods"))
def _(made: Case) -> None:
    type_one(made, "debt_to_income_ratio", date(2024, 3, 4))
    type_one(made, "street", date(2024, 3, 4), number=2)


# --- Numbers -------------------------------------------------------------------------------------


@case("numbers as number cells")
def _(made: Case) -> None:
    numbers = (Parse.DECIMAL, Parse.INTEGER, Parse.CODE, Parse.CODE_OR_BLANK, Parse.INTEGER_OR_NA,
               Parse.DECIMAL_NA_OR_EXEMPT, Parse.INTEGER_NA_OR_EXEMPT)  # fmt: skip
    for one in LAR:
        if one.parse in numbers:
            values = [record[one.name] for record in made.truth]
            type_(made, one.name, [_number(text) for text in values], values)
    made.truth = [{**record, "total_loan_costs": "3500.5"} for record in made.truth]


@case("money signs and groups of digits", ("xlsx", "csv"))
def _(made: Case) -> None:
    typed = ["$110,500.00", "$ 250,000.50", "75 000", "1,250,000", "98\u00a0765"]
    type_(made, "loan_amount", typed,
          ["110500.00", "250000.50", "75000", "1250000", "98765"])  # fmt: skip


@case("negative numbers as accountants write them", ("xlsx", "csv"))
def _(made: Case) -> None:
    type_(made, "income", ["(36)", "($12)", "-$1,200", "- 5", "($1,005)"],
          ["-36", "-12", "-1200", "-5", "-1005"])  # fmt: skip


@case("decimals where whole numbers belong", ("xlsx", "csv"))
def _(made: Case) -> None:
    type_(made, "income", ["36.00", "12.0", "NA", "5.", "-7.0"], ["36", "12", "NA", "5", "-7"])


@case("text where a number belongs", ("xlsx", "csv"))
def _(made: Case) -> None:
    type_one(made, "loan_amount", "about 100,000")
    type_one(made, "loan_amount", "1.234,56", number=2)
    type_one(made, "income", "36.5", number=3)


@case("percent signs", ("xlsx", "csv"))
def _(made: Case) -> None:
    type_(made, "interest_rate", ["4.125%", "6.5 %", "3.875%", "4%", "-0.5%"],
          ["4.125", "6.5", "3.875", "4", "-0.5"])  # fmt: skip


@case("fractions shown as percentages", BOOKS)
def _(made: Case) -> None:
    type_(made, "interest_rate", [Percent(n) for n in (0.04125, 0.065, 0.03875, 0.04, 0.07)])
    made.doubts = {cell("interest_rate", number) for number in range(5)}


@case("fractions that are announced", BOOKS, options=Options(percent="fraction"))
def _(made: Case) -> None:
    type_(made, "interest_rate", [Percent(n) for n in (0.04125, 0.065, 0.03875, 0.04, 0.07)],
          ["4.125", "6.5", "3.875", "4", "7"])  # fmt: skip
    type_(made, "combined_loan_to_value_ratio", [0.8, 0.95, "NA", 0.6667, 0.5],
          ["80", "95", "NA", "66.67", "50"])  # fmt: skip


# --- Codes, NA and Exempt ------------------------------------------------------------------------


@case("codes with their texts")
def _(made: Case) -> None:
    for name in ("loan_type", "action_taken", "lien_status", "hoepa_status", "applicant_race_1"):
        texts = codes(LAR_BY_NAME[name], 2024)
        values = [record[name] for record in made.truth]
        type_(made, name, [f"{text} - {texts[int(text)]}" for text in values])


@case("the texts of codes")
def _(made: Case) -> None:
    for one in LAR:
        texts = codes(one, 2024)
        if texts and one.name != "record_id":
            values = [record[one.name] for record in made.truth]
            type_(made, one.name, [texts[int(text)].upper() if text else "" for text in values])


@case("codes as decimals", ("xlsx", "csv"))
def _(made: Case) -> None:
    type_(made, "loan_type", ["1.0", "1.00", "1 ", " 1", "1.0"])


@case("yes and no for codes", ("xlsx", "csv"))
def _(made: Case) -> None:
    for number, word in enumerate(("Yes", "No", "Y", "n")):
        type_one(made, "balloon_payment", word, number=number)


@case("true and false for codes")
def _(made: Case) -> None:
    type_one(made, "interest_only_payments", True)
    type_one(made, "reverse_mortgage", False, number=2)


@case("a code with the text of another", ("xlsx", "csv"))
def _(made: Case) -> None:
    type_one(made, "loan_type", "2 - Conventional")


@case("a word that is no code", ("xlsx", "csv"))
def _(made: Case) -> None:
    type_one(made, "loan_purpose", "Purchase")


@case("spellings of NA", ("xlsx", "csv"))
def _(made: Case) -> None:
    words = ["na", "N/A", "n.a.", "not applicable", "Na"]
    type_(made, "income", words, ["NA"] * 5)
    type_(made, "prepayment_penalty_term", words, ["NA"] * 5)
    type_(made, "nmlsr_id", words, ["NA"] * 5)


@case("spellings of Exempt", ("xlsx", "csv"))
def _(made: Case) -> None:
    words = ["exempt", "EXEMPT", "Exempt", " exempt ", "eXempt"]
    type_(made, "total_loan_costs", words, ["Exempt"] * 5)
    type_(made, "street", words, ["Exempt"] * 5)
    type_(made, "aus_1", words, ["1111"] * 5)
    type_(made, "applicant_credit_score", words, ["1111"] * 5)


@case("blank for NA", ("xlsx", "csv"), options=Options(blank_as_na=True))
def _(made: Case) -> None:
    type_(made, "income", [""] * 5, ["NA"] * 5)
    type_(made, "nmlsr_id", [""] * 5, ["NA"] * 5)
    type_(made, "discount_points", [""] * 5, [""] * 5)


@case("nothing where a value belongs", ("xlsx", "csv"))
def _(made: Case) -> None:
    type_one(made, "loan_type", "")
    type_one(made, "income", "", number=2)


# --- Places and identifiers ----------------------------------------------------------------------


@case("lost zeros in number cells")
def _(made: Case) -> None:
    type_(made, "county", [6037] * 5)
    type_(made, "census_tract", [6037123456] * 5)
    type_(made, "zip_code", [2116, 501, 90001, 21161234, 2116],
          ["02116", "00501", "90001", "02116-1234", "02116"])  # fmt: skip


@case("lost zeros in text", ("xlsx", "csv"))
def _(made: Case) -> None:
    type_(made, "county", ["6037", "6037.0", "06037", "6037", "6037"])
    type_(
        made,
        "census_tract",
        ["6037123456", "06037123456", "6037123456.0", "6037123456", "06037123456"],
    )
    type_(made, "zip_code", ["2116", "021161234", "2116-1234", "02116 1234", "501"],
          ["02116", "02116-1234", "02116-1234", "02116-1234", "00501"])  # fmt: skip


@case("tracts with a point", ("xlsx", "csv"))
def _(made: Case) -> None:
    type_(made, "census_tract", ["06037-1234.56", "1234.56", "06037 1234.56", "0012.01", "1.50"],
          ["06037123456", "06037123456", "06037123456", "06037001201", "06037000150"])  # fmt: skip


@case("tracts as numbers beside a county", BOOKS)
def _(made: Case) -> None:
    type_(made, "census_tract", [1234.56, 2640.0, 12.1, 9800.01, 7],
          ["06037123456", "06037264000", "06037001210", "06037980001", "06037000700"])  # fmt: skip


@case("names and small letters of states", ("xlsx", "csv"))
def _(made: Case) -> None:
    type_(made, "state", ["California", "ca", "NEW YORK", "district of columbia", "Tx"],
          ["CA", "CA", "NY", "DC", "TX"])  # fmt: skip


@case("an LEI in small letters", ("xlsx", "csv"))
def _(made: Case) -> None:
    type_(made, "lei", [LEI.lower()] * 5)


@case(
    "loan identifiers, joined with check digits",
    ("xlsx", "csv"),
    options=Options(check_digit="loan-id"),
)
def _(made: Case) -> None:
    made.grid[0][at("uli")] = "Loan Number"
    made.doubts = set()
    type_(made, "uli", [f"{number + 1:010d}" for number in range(5)])


@case("check digits to be appended", ("xlsx", "csv"), options=Options(check_digit="append"))
def _(made: Case) -> None:
    type_(made, "uli", [record["uli"][:-2] for record in made.truth])


@case("identifiers without check digits", ("xlsx", "csv"), options=Options(nuli=True))
def _(made: Case) -> None:
    made.grid[0][at("uli")] = "loan_id"
    type_(made, "uli", ["A1", "A2", "A3", "A4", "A5"], ["A1", "A2", "A3", "A4", "A5"])


@case("an identifier as a number cell", BOOKS)
def _(made: Case) -> None:
    type_one(made, "uli", 12345678901234567890)


@case("an identifier in exponent form", ("xlsx", "csv"))
def _(made: Case) -> None:
    type_one(made, "uli", "5.299E+22")


# --- Texts, formulas and errors ------------------------------------------------------------------


@case("blanks, line breaks and quotes")
def _(made: Case) -> None:
    typed = [" 1 Main St ", '1 "Main" St', "1 Main\nSt", "\u00a01 Main St", "1 Main St"]
    type_(made, "street", typed, ["1 Main St"] * 5)
    type_(made, "loan_amount", [f" {record['loan_amount']} " for record in made.truth])


@case("a pipe within a cell", ("xlsx", "csv"))
def _(made: Case) -> None:
    type_one(made, "street", "1 Main St | Apt 2")


@case("formulas with stored values", ("xlsx",))
def _(made: Case) -> None:
    type_(made, "loan_amount", [Formula("=100*5", float(r["loan_amount"])) for r in made.truth])
    type_(made, "city", [Formula('="A"&"B"', "Springfield")] * 5, ["Springfield"] * 5)


@case("formulas without stored values", ("xlsx",))
def _(made: Case) -> None:
    type_one(made, "loan_amount", Formula("=100*5"))
    type_one(made, "street", Formula("=A1"), number=3)


@case("formulas without stored values", ("ods",))
def _(made: Case) -> None:
    type_one(made, "loan_amount", Formula("=100*5"))


@case("errors of the spreadsheet")
def _(made: Case) -> None:
    type_one(made, "loan_amount", ErrorCell("#REF!"))
    type_one(made, "income", ErrorCell("#DIV/0!"), number=2)
    type_one(made, "street", ErrorCell("#VALUE!"), number=3, doubt=made.kind != "csv")
    if made.kind == "csv":
        made.truth[3]["street"] = "#VALUE!"


@case("#N/A where NA is a value, and where it is not")
def _(made: Case) -> None:
    type_(made, "income", [ErrorCell("#N/A")] * 5, ["NA"] * 5)
    type_one(made, "loan_type", ErrorCell("#N/A"))


# --- CSV -----------------------------------------------------------------------------------------


@case("Windows-1252 with semicolons", ("csv",), writing={"separator": ";", "encoding": "cp1252"})
def _(made: Case) -> None: ...


@case("UTF-8 with a mark", ("csv",), writing={"encoding": "utf-8-sig"})
def _(made: Case) -> None: ...


@case("UTF-16 with tabs", ("csv",), writing={"separator": "\t", "encoding": "utf-16"})
def _(made: Case) -> None: ...


@case("pipes with a header row", ("csv",), writing={"separator": "|"})
def _(made: Case) -> None: ...


@case("line feeds alone", ("csv",), writing={"end": "\n"})
def _(made: Case) -> None: ...


@case("carriage returns alone", ("csv",), writing={"end": "\r"})
def _(made: Case) -> None: ...


@case("line breaks within quotes", ("csv",))
def _(made: Case) -> None:
    type_(made, "street", ["1 Main St\nApt 2", "a\r\nb", "c", "d", "e"],
          ["1 Main St Apt 2", "a b", "c", "d", "e"])  # fmt: skip


@case("rows that end early", ("csv",))
def _(made: Case) -> None:
    made.grid[2] = made.grid[2][:100]
    made.doubts = {f"{letter(len(NAMES) - 1)}3"}


@case("apostrophes before formulas", ("csv",))
def _(made: Case) -> None:
    type_(made, "street", ["'=1 Main St", "'+1", "'@home", "'-a", "'s Heerenberg"],
          ["=1 Main St", "+1", "@home", "-a", "'s Heerenberg"])  # fmt: skip


@case("a title line before the header", ("csv",), writing={"separator": ";"})
def _(made: Case) -> None:
    made.grid = [["HMDA 2024"], *made.grid]


def variety() -> list[Case]:
    """Return the cases with distinct names."""
    return [replace(one, name=f"{one.name}, {one.kind}") for one in CASES]
