"""Codes, NA and Exempt, places and identifiers."""

from __future__ import annotations

from filing.lar.fields import LAR, LAR_BY_NAME
from filing.spreadsheets.code_texts import list_codes
from filing.spreadsheets.options import ConversionOptions
from tests.filing.spreadsheets.cases.making import BOOKS, Case, at, case, type_, type_one
from tests.filing.spreadsheets.loan_rows import LEI

# --- Codes, NA and Exempt ------------------------------------------------------------------------


@case("codes with their texts")
def _(made: Case) -> None:
    for name in ("loan_type", "action_taken", "lien_status", "hoepa_status", "applicant_race_1"):
        texts = list_codes(LAR_BY_NAME[name], 2024)
        values = [record[name] for record in made.truth]
        type_(made, name, [f"{text} - {texts[int(text)]}" for text in values])


@case("the texts of codes")
def _(made: Case) -> None:
    for one in LAR:
        texts = list_codes(one, 2024)
        if texts and one.name != "record_id":
            values = [record[one.name] for record in made.truth]
            type_(made, one.name, [texts[int(text)].upper() if text else "" for text in values])


@case("codes as decimals", ("xlsx", "csv"))
def _(made: Case) -> None:
    type_(made, "loan_type", ["1.0", "1.00", "1 ", " 1", "1.0"])


@case("yes and no for codes", ("xlsx", "csv"))
def _(made: Case) -> None:
    for number, word in enumerate(("Yes", "No", "Y", "n")):
        type_one(made, "hoepa_status", word, number=number)


@case("true and false for codes")
def _(made: Case) -> None:
    type_one(made, "hoepa_status", True)
    type_one(made, "submission_of_application", False, number=2)


@case("a code with the text of another", ("xlsx", "csv"))
def _(made: Case) -> None:
    type_one(made, "loan_type", "2 - Conventional")


@case("a word that is no code", ("xlsx", "csv"))
def _(made: Case) -> None:
    type_one(made, "action_taken", "Approved")


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


@case("blank for NA", ("xlsx", "csv"), options=ConversionOptions(blank_as_na=True))
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
    options=ConversionOptions(check_digit="loan-id"),
)
def _(made: Case) -> None:
    made.grid[0][at("uli")] = "Loan Number"
    made.doubts = set()
    type_(made, "uli", [f"{number + 1:010d}" for number in range(5)])


@case(
    "check digits to be appended", ("xlsx", "csv"), options=ConversionOptions(check_digit="append")
)
def _(made: Case) -> None:
    type_(made, "uli", [record["uli"][:-2] for record in made.truth])


@case("identifiers without check digits", ("xlsx", "csv"), options=ConversionOptions(nuli=True))
def _(made: Case) -> None:
    made.grid[0][at("uli")] = "loan_id"
    type_(made, "uli", ["A1", "A2", "A3", "A4", "A5"], ["A1", "A2", "A3", "A4", "A5"])


@case("an identifier as a number cell", BOOKS)
def _(made: Case) -> None:
    type_one(made, "uli", 12345678901234567890)


@case("an identifier in exponent form", ("xlsx", "csv"))
def _(made: Case) -> None:
    type_one(made, "uli", "5.299E+22")
