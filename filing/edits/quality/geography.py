"""Quality edits of the property's location."""

from filing.edits.edit import Edit, Kind, Level, Need, annual_only, since
from filing.edits.vocabulary import (
    any_of,
    fips_of,
    first,
    if_then,
    in_any_case,
    known_county,
    one_of,
    small_county,
)

EDITS = (
    Edit(
        code="Q602",
        kind=Kind.QUALITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("street", "city", "state", "zip_code"),
        text="A street of NA makes little sense when city, state and zip code are given.",
        holds=if_then(
            ~any_of(one_of("zip_code", "NA"), one_of("state", "NA"), one_of("city", "NA")),
            ~one_of("street", "NA"),
        ),
        breaks={"street": "NA"},
    ),
    Edit(
        code="Q603",
        kind=Kind.QUALITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("county", "census_tract"),
        text=(
            "The tract may be left out as NA only for counties flagged small (30,000 "
            "inhabitants or fewer)."
        ),
        holds=if_then(
            in_any_case("census_tract", "NA") & ~in_any_case("county", "NA"),
            small_county("county"),
        ),
        needs=frozenset({Need.CENSUS}),
        breaks={"census_tract": "NA"},
    ),
    # From 2020 on V716 asks this.
    Edit(
        code="Q604",
        kind=Kind.QUALITY,
        level=Level.LAR,
        periods=annual_only(2018, 2018),
        fields=("county", "state"),
        text="State and county, when both given, should form a real combination.",
        holds=if_then(
            ~in_any_case("county", "NA") & ~in_any_case("state", "NA"), known_county("county")
        ),
        needs=frozenset({Need.CENSUS}),
        breaks={"county": "06999"},
    ),
    Edit(
        code="Q604",
        kind=Kind.QUALITY,
        level=Level.LAR,
        periods=annual_only(2019, 2019),
        fields=("county", "state"),
        text=(
            "State and county, when both given, should form a real combination: a known "
            "county lying in that state."
        ),
        holds=if_then(
            ~in_any_case("county", "NA") & ~in_any_case("state", "NA"),
            known_county("county") & (first("county", 2) == fips_of("state")),
        ),
        needs=frozenset({Need.CENSUS}),
        breaks={"state": "NY"},
    ),
)
