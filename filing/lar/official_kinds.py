"""Official public files, known by the cells of their first line.

Source: headings of the files that the CFPB and the FFIEC publish for 2018 and later (public and
modified LAR, panel, transmittal sheet), FHFA (county loan limits), and of the tables of average
prime offer rates; field numbers of the FFIEC census flat file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from enum import StrEnum

PANEL_HEADINGS = (
    "activity_year",
    "lei",
    "tax_id",
    "agency_code",
    "id_2017",
    "respondent_rssd",
    "respondent_name",
    "respondent_state",
    "respondent_city",
    "assets",
    "other_lender_code",
    "parent_rssd",
    "parent_name",
    "topholder_rssd",
    "topholder_name",
)
SHEET_HEADINGS = (
    "activity_year",
    "calendar_quarter",
    "lei",
    "tax_id",
    "agency_code",
    "respondent_name",
    "respondent_state",
    "respondent_city",
    "respondent_zip_code",
    "lar_count",
)
PUBLIC_LAR_COLUMNS, MODIFIED_LAR_COLUMNS, LAR_COLUMNS, SHEET_COLUMNS = 99, 85, 110, 15
RATE_COLUMNS = 51
# The flat file has had 1,212 and more fields; no other file has nearly as many.
FLAT_CENSUS_COLUMNS = 1_000

_YEAR = re.compile(r"20[0-9]{2}")
_LEI = re.compile(r"[0-9A-Za-z]{20}")
_DAY = re.compile(r"[0-9]{1,2}/[0-9]{1,2}/[0-9]{4}")


class OfficialKind(StrEnum):
    """A kind of file, as people call it."""

    PUBLIC_LAR = "a file of public loan records (public LAR)"
    MODIFIED_LAR = "a modified LAR"
    LAR = "a LAR as institutions file it"
    PANEL = "a panel file"
    TRANSMITTAL_SHEET = "a file of transmittal sheets"
    INSTITUTIONS = "a list of institutions for the panel"
    FIXED_RATES = "an APOR table of fixed rates"
    VARIABLE_RATES = "an APOR table of variable rates"
    RATES = "an APOR table"
    COUNTY_LIMITS = "a list of county loan limits"
    CENSUS = "a census file"
    FLAT_CENSUS = "an FFIEC census flat file"
    WEB_PAGE = "a web page"


def recognize_cells(cells: Sequence[str]) -> OfficialKind | None:
    """Return the kind of an official file by the cells of its first line, if it is known."""
    names = {re.sub("[^a-z0-9]", "", cell.lower()) for cell in cells}
    return next((kind for kind, fits in _FITS if fits(names, cells)), None)


def _is_record(cells: Sequence[str], width: int, lei: int = 1) -> bool:
    """Return whether a line begins the data of a file: the year first, and the LEI in its place."""
    return (
        len(cells) == width
        and _YEAR.fullmatch(cells[0]) is not None
        and _LEI.fullmatch(cells[lei]) is not None
    )


_Fits = Callable[[set[str], Sequence[str]], bool]
# In the order in which they are asked: what several kinds have in common comes last.
_FITS: tuple[tuple[OfficialKind, _Fits], ...] = (
    (
        OfficialKind.PUBLIC_LAR,
        lambda names, cells: (
            ("lei" in names and any(name.startswith("derived") for name in names))
            or _is_record(cells, PUBLIC_LAR_COLUMNS)
        ),
    ),
    (
        OfficialKind.MODIFIED_LAR,
        lambda names, cells: (
            {"lei", "actiontaken", "loanamount"} <= names or _is_record(cells, MODIFIED_LAR_COLUMNS)
        ),
    ),
    (OfficialKind.INSTITUTIONS, lambda names, _: {"lei", "emaildomains"} <= names),
    (
        OfficialKind.TRANSMITTAL_SHEET,
        lambda names, cells: (
            {"lei", "larcount"} <= names or _is_record(cells, len(SHEET_HEADINGS), 2)
        ),
    ),
    (
        OfficialKind.PANEL,
        lambda names, cells: (
            ("respondentname" in names and bool({"otherlendercode", "respondentrssd"} & names))
            or _is_record(cells, len(PANEL_HEADINGS))
        ),
    ),
    (
        OfficialKind.LAR,
        lambda _, cells: (
            (len(cells) == SHEET_COLUMNS and cells[0] == "1")
            or (len(cells) == LAR_COLUMNS and cells[0] == "2")
        ),
    ),
    (OfficialKind.FIXED_RATES, lambda names, _: "termofloaninyears" in names),
    (OfficialKind.VARIABLE_RATES, lambda names, _: "yearstofirstadjustment" in names),
    (
        OfficialKind.RATES,
        lambda _, cells: len(cells) == RATE_COLUMNS and _DAY.fullmatch(cells[0]) is not None,
    ),
    (OfficialKind.COUNTY_LIMITS, lambda names, _: {"fipscountycode", "oneunitlimit"} <= names),
    (OfficialKind.CENSUS, lambda names, _: {"collectionyear", "censustract"} <= names),
    (
        OfficialKind.FLAT_CENSUS,
        lambda _, cells: (
            len(cells) >= FLAT_CENSUS_COLUMNS and _YEAR.fullmatch(cells[0]) is not None
        ),
    ),
)
