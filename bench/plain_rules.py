"""The edits of single records, annual filing of 2024, as plain Python conditions over one record.

They were written by hand from the rules and share no code with the rulebook, so that both can be
held against each other. Each says what a correct record looks like.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any

from filing.lar.fields import STATES

YEAR = 2024

Record = Mapping[str, Any]  # a loan or a transmittal sheet: coded and whole-number fields are ints


@dataclass(frozen=True, slots=True)
class Known:
    """What the rules look up beside the record; lei: that of the transmittal sheet."""

    year: int
    lei: str
    panel_lei: str
    panel_agency: int
    panel_tax_id: str
    tracts: frozenset[str]
    counties: frozenset[str]
    small_counties: frozenset[str]


Rule = Callable[[Record, Known], bool]

_alphanumeric = re.compile("[0-9A-Za-z]+").fullmatch
_zip_code = re.compile("[0-9]{5}(-[0-9]{4})?").fullmatch
_eleven_digits = re.compile("[0-9]{11}").fullmatch
_phone = re.compile("[0-9]{3}-[0-9]{3}-[0-9]{4}").fullmatch
_tax_id = re.compile("[0-9]{2}-[0-9]{7}").fullmatch
_email = re.compile(
    r"[\w+-]+(\.[\w-]+)*@[A-Za-z0-9-]+(\.[A-Za-z0-9]+)*\.[A-Za-z]{2,}", re.ASCII
).fullmatch
_numeric = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?").fullmatch
_eight_digits = re.compile("[0-9]{8}").fullmatch

_NO_IDENTIFIERS = {"NA", "EXEMPT", "1111"}
_NO_NUMBERS = {"NA", "Exempt", ""}
_WORTH_OF_LETTER = str.maketrans({chr(55 + worth): str(worth) for worth in range(10, 36)})


def number(text: str) -> float | None:
    """Return the value of a numeric field, nothing where it says NA, Exempt or is blank."""
    return None if text in _NO_NUMBERS else float(text)


@lru_cache(maxsize=4096)
def day(text: str) -> int | None:
    """Return a day of the calendar as the number YYYYMMDD, nothing for any other text."""
    if not _eight_digits(text):
        return None
    try:
        date(int(text[:4]), int(text[4:6]), int(text[6:]))
    except ValueError:
        return None
    return int(text)


def _is_na(text: str) -> bool:
    return text.upper() == "NA"


def _has_check_digits(uli: str) -> bool:
    if not 23 <= len(uli) <= 45 or not _alphanumeric(uli):
        return False
    return int(uli.upper().translate(_WORTH_OF_LETTER)) % 97 == 1


def _is_no_other_identifier(loan: Record, _: Known) -> bool:
    uli = loan["uli"]
    if len(uli) >= 23:
        return True
    return bool(_alphanumeric(uli)) and uli.upper() not in _NO_IDENTIFIERS


def _is_after_application(loan: Record, _: Known) -> bool:
    if loan["action_taken"] not in (1, 2, 3, 4, 5, 7, 8) or loan["application_date"] == "NA":
        return True
    applied = day(loan["application_date"])
    return applied is not None and loan["action_taken_date"] >= applied


def _is_within_two_years(loan: Record, _: Known) -> bool:
    applied = day(loan["application_date"])
    return applied is None or applied >= loan["action_taken_date"] - 20_000


def _closes_later(loan: Record, _: Known) -> bool:
    applied = day(loan["application_date"])
    return applied is None or loan["action_taken"] != 1 or loan["action_taken_date"] > applied


def _is_whole_address(loan: Record, _: Known) -> bool:
    if loan["street"] in ("NA", "Exempt"):
        return True
    return "NA" not in (loan["city"], loan["state"], loan["zip_code"])


def _lies_in_county(loan: Record, known: Known) -> bool:
    county, tract = loan["county"], loan["census_tract"]
    if county == "NA" or tract == "NA":
        return True
    return tract[:5] == county and county in known.counties


def _lies_in_state(loan: Record, known: Known) -> bool:
    county, state = loan["county"], loan["state"]
    if _is_na(county) or _is_na(state):
        return True
    return county in known.counties and county[:2] == STATES.get(state, "")


def _is_all_exempt(loan: Record, _: Known) -> bool:
    address = (loan["street"], loan["city"], loan["zip_code"])
    return "Exempt" not in address or address == ("Exempt",) * 3


def _may_lack_tract(loan: Record, known: Known) -> bool:
    if not _is_na(loan["census_tract"]) or _is_na(loan["county"]):
        return True
    return loan["county"] in known.small_counties


def _is_high_cost(lien: int, above: float) -> Rule:
    def holds(loan: Record, _: Known) -> bool:
        if loan["action_taken"] != 1 or loan["lien_status"] != lien:
            return True
        spread = number(loan["rate_spread"])
        return spread is None or spread <= above or loan["hoepa_status"] == 1

    return holds


def _sold_at_usual_rate(loan: Record, _: Known) -> bool:
    if loan["purchaser_type"] not in (1, 2, 3, 4):
        return True
    spread = number(loan["rate_spread"])
    return spread is None or spread <= 10


def _agrees_with_panel(sheet: Record, known: Known) -> bool:
    return (
        sheet["lei"].lower() == known.panel_lei.lower()
        and sheet["federal_agency"] == known.panel_agency
        and sheet["tax_id"] == known.panel_tax_id
    )


_FILLED_IN = ("institution_name", "contact_name", "contact_email", "contact_street", "contact_city")

SHEET: dict[str, Rule] = {
    "S300": lambda sheet, _: sheet["record_id"] == 1,
    "S302": lambda sheet, known: sheet["calendar_year"] == known.year,
    "S303": _agrees_with_panel,
    "V600": lambda sheet, _: len(sheet["lei"]) == 20,
    "V601": lambda sheet, _: all(sheet[name] for name in _FILLED_IN),
    "V602": lambda sheet, _: sheet["calendar_quarter"] == 4,
    "V603": lambda sheet, _: bool(_phone(sheet["contact_phone"])),
    "V604": lambda sheet, _: sheet["contact_state"] in STATES,
    "V605": lambda sheet, _: bool(_zip_code(sheet["contact_zip_code"])),
    "V606": lambda sheet, _: sheet["total_lines"] > 0,
    "V607": lambda sheet, _: bool(_tax_id(sheet["tax_id"])),
    "V717": lambda sheet, _: bool(_email(sheet["contact_email"])),
    "V719-1": lambda sheet, _: not _numeric(sheet["institution_name"]),
    "V719-2": lambda sheet, _: sheet["institution_name"] != sheet["lei"],
}

LOANS: dict[str, Rule] = {
    "S300": lambda loan, _: loan["record_id"] == 2,
    "S301": lambda loan, known: loan["lei"].lower() == known.lei.lower(),
    "V600": lambda loan, _: len(loan["lei"]) == 20,
    "V608-1": lambda loan, _: (
        len(loan["uli"]) < 23 or (len(loan["uli"]) <= 45 and bool(_alphanumeric(loan["uli"])))
    ),
    "V608-2": _is_no_other_identifier,
    "V609": lambda loan, _: len(loan["uli"]) < 23 or _has_check_digits(loan["uli"]),
    "V610-1": lambda loan, _: (
        loan["application_date"] == "NA" or day(loan["application_date"]) is not None
    ),
    "V610-2": lambda loan, _: (loan["action_taken"] == 6) == (loan["application_date"] == "NA"),
    "V611": lambda loan, _: loan["loan_type"] in (1, 2, 3, 4),
    "V612-1": lambda loan, _: loan["loan_purpose"] in (1, 2, 31, 32, 4, 5),
    "V612-2": lambda loan, _: loan["preapproval"] != 1 or loan["loan_purpose"] == 1,
    "V613-1": lambda loan, _: loan["preapproval"] in (1, 2),
    "V613-2": lambda loan, _: loan["action_taken"] not in (7, 8) or loan["preapproval"] == 1,
    "V613-3": lambda loan, _: loan["action_taken"] not in (3, 4, 5, 6) or loan["preapproval"] == 2,
    "V613-4": lambda loan, _: loan["preapproval"] != 1 or loan["action_taken"] in (1, 2, 7, 8),
    "V614-1": lambda loan, _: (
        loan["loan_purpose"] not in (2, 31, 32, 4, 5) or loan["preapproval"] == 2
    ),
    "V614-2": lambda loan, _: (
        number(loan["multifamily_affordable_units"]) is None or loan["preapproval"] == 2
    ),
    "V614-3": lambda loan, _: loan["reverse_mortgage"] != 1 or loan["preapproval"] == 2,
    "V614-4": lambda loan, _: loan["open_end_line_of_credit"] != 1 or loan["preapproval"] == 2,
    "V615-1": lambda loan, _: loan["construction_method"] in (1, 2),
    "V615-2": lambda loan, _: (
        loan["manufactured_home_land_property_interest"] not in (1, 2, 3, 4)
        or loan["construction_method"] == 2
    ),
    "V615-3": lambda loan, _: (
        loan["manufactured_home_secured_property_type"] not in (1, 2)
        or loan["construction_method"] == 2
    ),
    "V616": lambda loan, _: loan["occupancy_type"] in (1, 2, 3),
    "V617": lambda loan, _: float(loan["loan_amount"]) >= 0,
    "V618": lambda loan, _: loan["action_taken"] in (1, 2, 3, 4, 5, 6, 7, 8),
    "V619-1": lambda loan, _: day(str(loan["action_taken_date"])) is not None,
    "V619-2": lambda loan, known: loan["action_taken_date"] // 10_000 == known.year,
    "V619-3": _is_after_application,
    "V620": lambda loan, _: loan["street"] != "",
    "V621": lambda loan, _: loan["city"] != "",
    "V622": _is_whole_address,
    "V623": lambda loan, _: loan["state"] in STATES or loan["state"] == "NA",
    "V624": lambda loan, _: (
        loan["zip_code"] in ("NA", "Exempt") or bool(_zip_code(loan["zip_code"]))
    ),
    "V625-1": lambda loan, _: (
        bool(_eleven_digits(loan["census_tract"])) or _is_na(loan["census_tract"])
    ),
    "V625-2": lambda loan, known: (
        loan["census_tract"] in known.tracts or _is_na(loan["census_tract"])
    ),
    "V626": lambda loan, known: loan["county"] in known.counties or loan["county"] == "NA",
    "V627": _lies_in_county,
    "V709": _is_all_exempt,
    "V716": _lies_in_state,
    "Q601": _is_within_two_years,
    "Q602": lambda loan, _: (
        "NA" in (loan["zip_code"], loan["state"], loan["city"]) or loan["street"] != "NA"
    ),
    "Q603": _may_lack_tract,
    "Q605-1": lambda loan, _: loan["purchaser_type"] not in (1, 3) or loan["loan_type"] == 1,
    "Q605-2": lambda loan, _: loan["purchaser_type"] != 2 or loan["loan_type"] in (2, 3, 4),
    "Q606": lambda loan, _: loan["income"] == "NA" or float(loan["income"]) < 10_000,
    "Q607": lambda loan, _: loan["lien_status"] != 2 or float(loan["loan_amount"]) <= 250_000,
    "Q608": _closes_later,
    "Q609": _sold_at_usual_rate,
    "Q610": _is_high_cost(lien=1, above=6.5),
    "Q611": _is_high_cost(lien=2, above=8.5),
    "Q612": lambda loan, _: loan["purchaser_type"] not in (1, 3) or loan["hoepa_status"] in (2, 3),
    "Q613": lambda loan, _: (
        loan["business_or_commercial_purpose"] != 1 or loan["loan_purpose"] in (1, 2, 31, 32, 5)
    ),
    "Q614-1": lambda loan, _: loan["applicant_age"] == 8888 or 18 <= loan["applicant_age"] <= 100,
    "Q614-2": lambda loan, _: (
        loan["co_applicant_age"] in (8888, 9999) or 18 <= loan["co_applicant_age"] <= 100
    ),
}
