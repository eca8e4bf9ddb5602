"""The rules of state, county, census tract and zip code."""

from __future__ import annotations

import polars as pl

from filing.spreadsheets.headers import fold
from filing.spreadsheets.rules.steps import BESIDE, IS_NUMBER, VALUE, Step, first_of, folded

_NAMES = {
    "AK": "Alaska", "AL": "Alabama", "AR": "Arkansas", "AS": "American Samoa", "AZ": "Arizona",
    "CA": "California", "CO": "Colorado", "CT": "Connecticut", "DC": "District of Columbia",
    "DE": "Delaware", "FL": "Florida", "FM": "Federated States of Micronesia", "GA": "Georgia",
    "GU": "Guam", "HI": "Hawaii", "IA": "Iowa", "ID": "Idaho", "IL": "Illinois", "IN": "Indiana",
    "KS": "Kansas", "KY": "Kentucky", "LA": "Louisiana", "MA": "Massachusetts", "MD": "Maryland",
    "ME": "Maine", "MH": "Marshall Islands", "MI": "Michigan", "MN": "Minnesota", "MO": "Missouri",
    "MP": "Northern Mariana Islands", "MS": "Mississippi", "MT": "Montana",
    "NC": "North Carolina", "ND": "North Dakota", "NE": "Nebraska", "NH": "New Hampshire",
    "NJ": "New Jersey", "NM": "New Mexico", "NV": "Nevada", "NY": "New York", "OH": "Ohio",
    "OK": "Oklahoma", "OR": "Oregon", "PA": "Pennsylvania", "PR": "Puerto Rico", "PW": "Palau",
    "RI": "Rhode Island", "SC": "South Carolina", "SD": "South Dakota", "TN": "Tennessee",
    "TX": "Texas", "UT": "Utah", "VA": "Virginia", "VI": "Virgin Islands", "VT": "Vermont",
    "WA": "Washington", "WI": "Wisconsin", "WV": "West Virginia", "WY": "Wyoming",
}  # fmt: skip
STATE_NAMES = {fold(name): code for code, name in _NAMES.items()} | {
    fold("U.S. Virgin Islands"): "VI",
}
_WITHOUT_POINT = Step("number", VALUE.str.extract(r"^([0-9]{3,})\.0+$"))

UPPER = Step("upper", VALUE.str.to_uppercase())
STATE = (
    Step(
        "state",
        folded(VALUE).replace_strict(STATE_NAMES, default=None, return_dtype=pl.String),
    ),
    Step("upper", pl.when(VALUE.str.contains("^[A-Za-z]{2}$")).then(VALUE.str.to_uppercase())),
)
COUNTY = (
    _WITHOUT_POINT,
    Step("zeros", pl.when(VALUE.str.contains("^[0-9]{4}$")).then(VALUE.str.zfill(5))),
)
ZIP = (
    _WITHOUT_POINT,
    Step(
        "zeros",
        first_of(
            [
                pl.when(VALUE.str.contains("^[0-9]{3,4}$")).then(VALUE.str.zfill(5)),
                pl.when(VALUE.str.contains("^[0-9]{7,8}$")).then(VALUE.str.zfill(9)),
                pl.when(VALUE.str.contains("^[0-9]{3,4}-[0-9]{4}$")).then(VALUE.str.zfill(10)),
            ]
        ),
    ),
    Step("zip", VALUE.str.replace(r"^([0-9]{5})\s*([0-9]{4})$", "${1}-${2}")),
)


def _tract() -> tuple[Step, ...]:
    whole = r"^([0-9]{5})[-\s]?([0-9]{1,4})\.([0-9]{2})$"
    short = r"^([0-9]{1,4})\.([0-9]{2})$"
    # A number cell shows 2640.00, and holds 2640; it shows 12.10, and holds 12.1.
    number = r"^([0-9]{1,4})(?:\.([0-9]{1,2}))?$"
    county = pl.when(BESIDE.str.contains("^[0-9]{5}$")).then(BESIDE)
    hundredths = pl.concat_str(VALUE.str.extract(number, 2).fill_null(""), pl.lit("00")).str.head(2)
    return (
        Step("number", VALUE.str.extract(r"^([0-9]{10,11})\.0+$")),
        Step("zeros", pl.when(VALUE.str.contains("^[0-9]{10}$")).then(VALUE.str.zfill(11))),
        Step(
            "tract",
            first_of(
                [
                    pl.concat_str(
                        VALUE.str.extract(whole, 1),
                        VALUE.str.extract(whole, 2).str.zfill(4),
                        VALUE.str.extract(whole, 3),
                    ),
                    pl.concat_str(
                        county,
                        VALUE.str.extract(short, 1).str.zfill(4),
                        VALUE.str.extract(short, 2),
                    ),
                    pl.when(IS_NUMBER).then(
                        pl.concat_str(county, VALUE.str.extract(number, 1).str.zfill(4), hundredths)
                    ),
                ]
            ),
        ),
    )


TRACT = _tract()
