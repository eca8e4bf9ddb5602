"""Dates and numbers, however they are written."""

from __future__ import annotations

from datetime import date, datetime

from filing.lar.fields import LAR, Parse
from filing.spreadsheets.options import ConversionOptions
from tests.filing.spreadsheets.books import Percent
from tests.filing.spreadsheets.cases.making import (
    BOOKS,
    Case,
    case,
    cell,
    days,
    number_of,
    type_,
    type_one,
)

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


@case("dates with the day first", ("xlsx", "csv"), options=ConversionOptions(dates="dmy"))
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


@case("another time behind a date", ("csv",))
def _(made: Case) -> None:
    type_one(made, "action_taken_date", datetime(2024, 7, 21, 13, 30))  # noqa: DTZ001 -- as in a cell


@case("a time that a date cell does not show", ("xlsx",))
def _(made: Case) -> None:
    value = datetime(2024, 7, 21, 13, 30)  # noqa: DTZ001 -- as in a cell
    type_one(made, "action_taken_date", value, doubt=False)
    made.truth[1]["action_taken_date"] = "20240721"


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
            type_(made, one.name, [number_of(text) for text in values], values)
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


@case("fractions that are announced", BOOKS, options=ConversionOptions(percent="fraction"))
def _(made: Case) -> None:
    type_(made, "interest_rate", [Percent(n) for n in (0.04125, 0.065, 0.03875, 0.04, 0.07)],
          ["4.125", "6.5", "3.875", "4", "7"])  # fmt: skip
    type_(made, "combined_loan_to_value_ratio", [0.8, 0.95, "NA", 0.6667, 0.5],
          ["80", "95", "NA", "66.67", "50"])  # fmt: skip
