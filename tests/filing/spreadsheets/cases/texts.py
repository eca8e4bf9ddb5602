"""Texts, formulas and errors, and CSV as programs write it."""

from __future__ import annotations

from filing.spreadsheets.tables import column_letter
from tests.filing.spreadsheets.books import ErrorCell, Formula
from tests.filing.spreadsheets.cases.making import Case, case, type_, type_one
from tests.filing.spreadsheets.loan_rows import NAMES

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
    made.doubts = {f"{column_letter(len(NAMES) - 1)}3"}


@case("apostrophes before formulas", ("csv",))
def _(made: Case) -> None:
    type_(made, "street", ["'=1 Main St", "'+1", "'@home", "'-a", "'s Heerenberg"],
          ["=1 Main St", "+1", "@home", "-a", "'s Heerenberg"])  # fmt: skip


@case("a title line before the header", ("csv",), writing={"separator": ";"})
def _(made: Case) -> None:
    made.grid = [["HMDA 2024"], *made.grid]
