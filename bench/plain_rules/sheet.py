"""The transmittal sheet."""

from __future__ import annotations

import re

from bench.plain_rules.record import Fail, Known, Record, number
from filing.lar.fields import STATES

_zip_code = re.compile("[0-9]{5}(-[0-9]{4})?").fullmatch
_phone = re.compile("[0-9]{3}-[0-9]{3}-[0-9]{4}").fullmatch
_tax_id = re.compile("[0-9]{2}-[0-9]{7}").fullmatch
_email = re.compile(
    r"[\w+-]+(\.[\w-]+)*@[A-Za-z0-9-]+(\.[A-Za-z0-9]+)*\.[A-Za-z]{2,}", re.ASCII
).fullmatch
_FILLED_IN = ("institution_name", "contact_name", "contact_email", "contact_street", "contact_city")


def transmittal_sheet(sheet: Record, known: Known, fail: Fail) -> None:
    """Check S300, S302, S303, V600 to V607, V717 and V719."""
    if sheet["record_id"] != 1:
        fail("S300")
    if sheet["calendar_year"] != known.year:
        fail("S302")
    if (
        sheet["lei"].lower() != known.panel_lei.lower()
        or sheet["federal_agency"] != known.panel_agency
        or sheet["tax_id"] != known.panel_tax_id
    ):
        fail("S303")
    if len(sheet["lei"]) != 20:
        fail("V600")
    if not all(sheet[name] for name in _FILLED_IN):
        fail("V601")
    if sheet["calendar_quarter"] != 4:
        fail("V602")
    if not _phone(sheet["contact_phone"]):
        fail("V603")
    if sheet["contact_state"] not in STATES:
        fail("V604")
    if not _zip_code(sheet["contact_zip_code"]):
        fail("V605")
    if sheet["total_lines"] <= 0:
        fail("V606")
    if not _tax_id(sheet["tax_id"]):
        fail("V607")
    if not _email(sheet["contact_email"]):
        fail("V717")
    if number(sheet["institution_name"]) is not None:
        fail("V719-1")
    if sheet["institution_name"] == sheet["lei"]:
        fail("V719-2")
