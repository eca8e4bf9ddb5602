"""A hand-made panel with every kind of bad row, and the reason that each must be given.

The good rows in it are the first and the last one.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from datetime import date
from typing import Any

from openpyxl import Workbook

from filing.lar.years import YearStage, describe_years

COLUMNS = (
    "activity_year",
    "lei",
    "name",
    "tax_id",
    "agency",
    "email_domains",
    "quarterly_filer",
    "institution_type",
    "rssd",
    "city",
    "state",
    "assets",
    "other_lender_code",
    "parent_name",
)
FIRST_LEI, LAST_LEI, BAD_LEI = (
    "529900TESTBANK000091",
    "529900OTHERBANK00066",
    "529900THIRDBANK00087",
)
GOOD: dict[str, Any] = {
    "activity_year": "2024",
    "lei": FIRST_LEI,
    "name": "Test Bank",
    "tax_id": "12-3456789",
    "agency": "9",
    "email_domains": "bank.example",
    "quarterly_filer": "true",
    "institution_type": "State bank",
    "rssd": "42",
    "city": "Springfield",
    "state": "IL",
    "assets": "1000",
    "other_lender_code": "0",
    "parent_name": "Holding",
}
LAST = {"lei": LAST_LEI, "name": "Other Bank"}


@dataclass(frozen=True)
class Bad:
    """A bad row: what differs from a good one, and its reasons. further: cells beside it."""

    changes: dict[str, Any]
    reasons: tuple[str, ...]
    further: tuple[Any, ...] = ()
    lacks: int = 0

    def cells(self) -> list[Any]:
        values = list((GOOD | {"lei": BAD_LEI} | self.changes).values())
        return [*values[: len(values) - self.lacks], *self.further]


def bad(reason: str, *more: str, **changes: Any) -> Bad:
    return Bad(changes, (reason, *more))


YEARS = f"enter {describe_years(YearStage.DRAFT)}"
AGENCIES = "enter a code or a name: 1 OCC, 2 FRS, 3 FDIC, 5 NCUA, 7 HUD, 9 CFPB"
LEI = "enter 20 letters and digits"
DIGITS = "the check digits, its last two characters, are wrong"
TAX_ID = "enter it as 99-9999999, or leave it blank"
DOMAIN = "enter one such as bank.example"
PUBLIC = (
    "is a public email domain, in which anyone can get an address; enter a domain of the "
    "institution"
)
LONG = "Ensure this value has at most"

# These can stand in a CSV and in a workbook alike.
ANYWHERE = [
    bad(f"activity_year: '' is not an activity year; {YEARS}", activity_year=""),
    bad(f"activity_year: '2017' is not an activity year; {YEARS}", activity_year="2017"),
    bad(f"activity_year: '2045' is not an activity year; {YEARS}", activity_year="2045"),
    bad(f"activity_year: '24' is not an activity year; {YEARS}", activity_year="24"),
    bad(f"activity_year: '2O24' is not an activity year; {YEARS}", activity_year="2O24"),
    bad(f"lei: '' is not an LEI; {LEI}", lei=""),
    bad(f"lei: '{BAD_LEI[1:]}' is not an LEI; {LEI}", lei=BAD_LEI[1:]),
    bad(f"lei: '{BAD_LEI}0' is not an LEI; {LEI}", lei=f"{BAD_LEI}0"),
    bad(f"lei: '529900 HIRDBANK00087' is not an LEI; {LEI}", lei="529900 HIRDBANK00087"),
    bad(f"lei: '529900THIRDBANK00078' is not an LEI: {DIGITS}", lei="529900THIRDBANK00078"),
    bad(f"lei: '529900THIRDBNAK00087' is not an LEI: {DIGITS}", lei="529900THIRDBNAK00087"),
    bad(f"lei: '529900THIRDBANK000AB' is not an LEI: {DIGITS}", lei="529900THIRDBANK000AB"),
    bad("name: This field cannot be blank.", name=""),
    bad(f"name: {LONG} 200 characters (it has 201).", name="x" * 201),
    bad("name: 'Two\\nBanks' has a line break or another control character (U+000A)",
        name="Two\nBanks"),
    bad("name: '=1+1' is a formula; enter the value itself", name="=1+1"),
    bad(f"tax_id: '123456789' is not a TIN; {TAX_ID}", tax_id="123456789"),
    bad(f"tax_id: '12-345678O' is not a TIN; {TAX_ID}", tax_id="12-345678O"),
    bad(f"tax_id: '12-34567890' is not a TIN; {TAX_ID}", tax_id="12-34567890"),
    bad(f"agency: '' is not an agency; {AGENCIES}", agency=""),
    bad(f"agency: '4' is not an agency; {AGENCIES}", agency="4"),
    bad(f"agency: 'OTS' is not an agency; {AGENCIES}", agency="OTS"),
    bad(f"email_domains: 'gmail.com' {PUBLIC}", email_domains="gmail.com"),
    bad(f"email_domains: 'yahoo.com' {PUBLIC}", email_domains="bank.example;YAHOO.com"),
    bad(f"email_domains: 'ann@bank.example' is not an email domain; {DOMAIN}",
        email_domains="ann@bank.example"),
    bad(f"email_domains: 'bank' is not an email domain; {DOMAIN}", email_domains="bank"),
    bad(f"email_domains: 'bank .example' is not an email domain; {DOMAIN}",
        email_domains="bank .example"),
    bad("quarterly_filer: '' is not accepted; enter true or false", quarterly_filer=""),
    bad("quarterly_filer: 'perhaps' is not accepted; enter true or false",
        quarterly_filer="perhaps"),
    bad(f"institution_type: {LONG} 60 characters (it has 61).", institution_type="x" * 61),
    bad("rssd: 'many' is not a whole number; enter digits", rssd="many"),
    bad("rssd: '1,234' is not a whole number; enter digits", rssd="1,234"),
    bad("rssd: '4.2' is not a whole number; enter digits", rssd="4.2"),
    bad("rssd: '99999999999999999999' is not a whole number; enter digits", rssd="9" * 20),
    bad(f"city: {LONG} 80 characters (it has 81).", city="x" * 81),
    bad(f"state: {LONG} 2 characters (it has 8).", state="Illinois"),
    bad("assets: '$5' is not a whole number; enter digits", assets="$5"),
    bad("other_lender_code: '32768' is too large; enter a code up to 32767",
        other_lender_code="32768"),
    bad(f"parent_name: {LONG} 200 characters (it has 201).", parent_name="x" * 201),
    bad("the same LEI and year are in row 2", lei=FIRST_LEI, name="Twice"),
    bad(f"lei: 'x' is not an LEI; {LEI}", f"tax_id: 'x' is not a TIN; {TAX_ID}",
        "name: This field cannot be blank.", lei="x", tax_id="x", name=""),
]  # fmt: skip
IN_CSV = [
    Bad({}, ("15 cells; the header has 14",), further=("N.A.",)),
    Bad({}, ("13 cells; the header has 14",), lacks=1),
]
WRITE = "format the cell as text, then enter the value again"
IN_WORKBOOKS = [
    Bad({}, ("15 cells; the header has 14",), further=("N.A.",)),
    bad("rssd: '=A1+1' is a formula; enter the value itself", rssd="=A1+1"),
    bad("rssd: '#N/A' is an error of the spreadsheet; enter the value itself", rssd="#N/A"),
    bad(f"rssd: '2024-01-05 00:00:00' is a date or time; {WRITE}", rssd=date(2024, 1, 5)),
    bad("lei: '5.299e+19' is a number of more than 15 digits, which a spreadsheet rounds; "
        f"{WRITE}", lei=52_990_000_000_000_000_000),
    bad("rssd: '4.2' is not a whole number; enter digits", rssd=4.2),
    bad(f"tax_id: '123456789' is not a TIN; {TAX_ID}", tax_id=123456789.0),
    bad("quarterly_filer: '2' is not accepted; enter true or false", quarterly_filer=2.0),
]  # fmt: skip


def lines(rows: list[Bad]) -> list[list[Any]]:
    """Return the cells of a panel: a good row, these, a good row."""
    return [
        list(COLUMNS),
        list(GOOD.values()),
        *(row.cells() for row in rows),
        list((GOOD | LAST).values()),
    ]


def as_csv(rows: list[list[Any]]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue().encode()


def as_xlsx(rows: list[list[Any]]) -> bytes:
    book, file = Workbook(), io.BytesIO()
    sheet = book.active
    assert sheet is not None
    for row in rows:
        sheet.append(row)
    book.save(file)
    return file.getvalue()
