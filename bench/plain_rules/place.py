"""Where the property is."""

from __future__ import annotations

import re

from bench.plain_rules.record import NO_NUMBER, Fail, Known, Record, is_na
from filing.lar.fields import STATES

_zip_code = re.compile("[0-9]{5}(-[0-9]{4})?").fullmatch
_eleven_digits = re.compile("[0-9]{11}").fullmatch
_several = re.compile(r"[&;\\]|\band\b", re.ASCII | re.IGNORECASE).search
_placeholder = re.compile(r"[!@$^%*_+={}\[\]<>?\\]|tbd", re.ASCII | re.IGNORECASE).search
_digit = re.compile("[0-9]").search
_letter = re.compile("[A-Za-z]").search


def address(loan: Record, _: Known, fail: Fail) -> None:
    """Check V621 to V624, V709 and Q602."""
    street, city, state, zip_code = loan["street"], loan["city"], loan["state"], loan["zip_code"]
    if city == "":
        fail("V621")
    if state not in STATES and state != "NA":
        fail("V623")
    if zip_code not in NO_NUMBER and not _zip_code(zip_code):
        fail("V624")
    is_given = "NA" not in (city, state, zip_code)
    if not is_given and street not in NO_NUMBER:
        fail("V622")
    if is_given and street == "NA":
        fail("Q602")
    exempt = (street == "Exempt") + (city == "Exempt") + (zip_code == "Exempt")
    if exempt not in (0, 3):
        fail("V709")


def street(loan: Record, _: Known, fail: Fail) -> None:
    """Check V620 and Q660."""
    text = loan["street"]
    if text == "":
        fail("V620")
        return
    if len(text) > 100:
        fail("Q660-1")
    if _several(text):
        fail("Q660-2")
    if _placeholder(text):
        fail("Q660-3")
    if _digit(text):
        if not _letter(text):
            fail("Q660-4")
    elif text.lower() not in ("na", "exempt"):
        fail("Q660-4")


def tract(loan: Record, known: Known, fail: Fail) -> None:
    """Check V625 to V627, V716 and Q603."""
    county, text, state = loan["county"], loan["census_tract"], loan["state"]
    is_known_county = county in known.counties
    if not is_known_county and county != "NA":
        fail("V626")
    if text not in known.tracts:
        if not is_na(text):
            if not _eleven_digits(text):
                fail("V625-1")
            fail("V625-2")
        elif not is_na(county) and county not in known.small_counties:
            fail("Q603")
    if county != "NA" and text != "NA" and not (is_known_county and text[:5] == county):
        fail("V627")
    if is_known_county:
        if county[:2] != STATES.get(state) and not is_na(state):
            fail("V716")
    elif not is_na(county) and not is_na(state):
        fail("V716")
