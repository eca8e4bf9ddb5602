"""The full names of counties and states, as reports write them: `Collin County`, `Texas`.

The atlas has the names of counties without what kind of county each is; here is that kind.

Source: Census Bureau, national county file (names and legal descriptions) of 2017 and 2023.
"""

from __future__ import annotations

from databrowser.charts import atlas

# The kinds of most counties of a state, by its digits; a blank where the name says all.
_OF_STATE = {
    "02": "Borough",
    "11": "",
    "22": "Parish",
    "60": "District",
    "66": "",
    "69": "Municipality",
    "72": "Municipio",
    "78": "Island",
}
_COUNTY, _CITY, _REGION = "County", "city", "Planning Region"
_OTHERS = {
    **dict.fromkeys(
        (
            *("02016", "02050", "02063", "02066", "02070", "02105", "02158", "02180", "02198"),
            *("02240", "02261", "02290"),
        ),
        "Census Area",
    ),
    **dict.fromkeys(("02110", "02220", "02275", "02282"), "City and Borough"),
    "02230": "Municipality",
    "02020": "Municipality",
    "24510": _CITY,
    "29510": _CITY,
    "32510": "",
}
_FIRST_CITY_OF_VIRGINIA, _FIRST_REGION_OF_CONNECTICUT = "51510", "09110"


def name_county(county: str) -> str:
    """Return the full name of a county by its five digits; blank if it is not known."""
    name = atlas.county_name(county).rpartition(", ")[0]
    kind = _name_kind(county)
    return f"{name} {kind}".rstrip() if name else ""


def _name_kind(county: str) -> str:
    state = county[:2]
    if county in _OTHERS:
        return _OTHERS[county]
    if state == "51" and county >= _FIRST_CITY_OF_VIRGINIA:
        return _CITY
    if state == "09" and county >= _FIRST_REGION_OF_CONNECTICUT:
        return _REGION
    return _OF_STATE.get(state, _COUNTY)


def name_state(county: str) -> str:
    """Return the name of the state of a county; blank if it is not known."""
    letters = atlas.state_of(county)
    return atlas.state_name(letters) if letters else ""
