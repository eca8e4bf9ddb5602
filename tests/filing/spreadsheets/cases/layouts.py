"""Where things stand: headers, rows and sheets."""

from __future__ import annotations

from filing.lar.fields import LAR, TRANSMITTAL_SHEET
from filing.spreadsheets.field_lists import reference_name
from filing.spreadsheets.options import ConversionOptions
from filing.spreadsheets.tables import column_letter
from tests.filing.spreadsheets.cases.making import BOOKS, Case, at, case
from tests.filing.spreadsheets.loan_rows import GIVEN, NAMES, SHEET, grid, records

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


@case(
    "words in another order, with near matches",
    ("xlsx", "csv"),
    options=ConversionOptions(near=True),
)
def _(made: Case) -> None:
    made.grid[0][at("loan_amount")] = "Amount of loan"
    made.grid[0][at("income")] = "Incomes"
    made.grid[0][at("co_applicant_race_1")] = "Race 1 of Co-Borrower"


@case("headers of its own, which are mapped", ("xlsx", "csv"))
def _(made: Case) -> None:
    made.grid[0][at("loan_amount")], made.grid[0][at("lien_status")] = "Betrag", ""
    made.mapping = {"Betrag": "loan_amount", column_letter(at("lien_status")): "lien_status"}


@case("two header names for one thing, one of them mapped", ("xlsx", "csv"))
def _(made: Case) -> None:
    made.grid = [
        [*row, "Loan Amount" if not number else "1"] for number, row in enumerate(made.grid)
    ]
    made.mapping = {column_letter(at("loan_amount")): "loan_amount"}


@case("fewer columns, one of them filled", ("xlsx", "csv"))
def _(made: Case) -> None:
    missing = at("business_or_commercial_purpose")
    made.grid = [row[:missing] for row in made.grid]
    made.options = ConversionOptions(fill={"business_or_commercial_purpose": "2"})


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


@case("notes, headers and a total among the loans")
def _(made: Case) -> None:
    note = ["Loans of the branch in Springfield, as of today"]
    total = [""] * len(NAMES)
    total[0], total[at("loan_amount")] = "Grand total:", 1784265.5
    made.grid += [list(made.grid[0]), [], total, note, ["* Reviewed by the board"]]


@case("lines of a LAR by place, without headers", sheet=None)
def _(made: Case) -> None:
    made.grid[0] = list(SHEET.values())


@case("lines of a LAR by place, after blank rows and a title")
def _(made: Case) -> None:
    made.grid = [["HMDA loans of 2024"], [], [], *made.grid[1:]]


@case("whole lines of a LAR in the first column", sheet=None)
def _(made: Case) -> None:
    made.grid = ["|".join(map(str, row)) for row in (SHEET.values(), *made.grid[1:])]
    made.grid = [[line, "Branch", "JD"] for line in made.grid]


@case("whole lines of a LAR in the first column, without a transmittal sheet", BOOKS)
def _(made: Case) -> None:
    made.grid = [["Export"], [], *(["|".join(map(str, row)), ""] for row in made.grid[1:])]


@case("numbers of lines, filled down over empty rows", sheet=None)
def _(made: Case) -> None:
    for number, row in enumerate(made.grid[1:], start=2):
        row[0] = number
    empty = [[number, *[""] * 109] for number in range(7, 60)] + [["Total loans: 5"]]
    made.grid = [["LAR File Row"], ["", "Institution"], list(SHEET.values()), *made.grid, *empty]


@case("the transmittal sheet in rows above the headers", ("xlsx", "csv"), sheet=None)
def _(made: Case) -> None:
    labels = [one.label for one in TRANSMITTAL_SHEET]
    made.grid = [labels, list(SHEET.values()), [], *made.grid]


@case("the transmittal sheet as the first row below the headers", ("xlsx", "csv"), sheet=None)
def _(made: Case) -> None:
    made.grid.insert(1, list(SHEET.values()))


@case("a summary on the first sheet", BOOKS)
def _(made: Case) -> None:
    made.before = {"Summary": [["Loans", 5], ["Loan Amount", 1784265.5]]}
    made.after = {"Branches": [["City", "State"], ["Springfield", "IL"]]}


@case("an old list on a hidden sheet", ("xlsx",))
def _(made: Case) -> None:
    made.before = {"2023": grid(records(3))}
    made.writing = {"hidden": ["2023"]}


@case("a sheet that is named", BOOKS, options=ConversionOptions(sheet="June"))
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
    made.doubts = {f"{column_letter(len(NAMES))}2"}


@case("the workbook whose columns are known by place", ("xlsx", "xls"), sheet=None)
def _(made: Case) -> None:
    made.grid = [
        ["LAR File Row"],
        [f"T{number}" for number in range(15)],
        [*SHEET.values(), "a note"],
        [f"H{number}" for number in range(110)],
        *([*row, "not exported"] for row in made.grid[1:]),
    ]
