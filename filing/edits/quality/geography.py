"""Quality edits of the property's location."""

from string import ascii_lowercase, digits

from filing.edits.edit import Edit, Kind, Level, Need, annual_only, since
from filing.edits.vocabulary import (
    any_of,
    blank,
    contains,
    contains_any,
    fips_of,
    first,
    if_then,
    in_any_case,
    known_county,
    length,
    one_of,
    small_county,
)

# `\b` on both sides says the same, and takes twice as long.
_AND = "(?u:^|[^A-Za-z0-9_])(?i:and)(?u:[^A-Za-z0-9_]|$)"

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
        breaks={"county": "06999", "census_tract": "NA"},
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
    Edit(
        code="Q660-1",
        kind=Kind.QUALITY,
        level=Level.LAR,
        periods=since(2024),
        fields=("street",),
        text="A street address of more than 100 characters may hold more than one address.",
        holds=length("street") <= 100,
        breaks={"street": "1 Main St, " + 10 * "Building 1, " + "Apt 1"},
    ),
    Edit(
        code="Q660-2",
        kind=Kind.QUALITY,
        level=Level.LAR,
        periods=since(2024),
        fields=("street",),
        text=(
            "Separators (&, ; and \\) or the word 'and' in a street address suggest that several "
            "addresses were given."
        ),
        holds=~contains("street", rf"[&;\\]|{_AND}", what="&, ;, \\ or the word and"),
        breaks={"street": "1 Oak St and 2 Elm St"},
    ),
    Edit(
        code="Q660-3",
        kind=Kind.QUALITY,
        level=Level.LAR,
        periods=since(2024),
        fields=("street",),
        text="Unusual special characters or 'tbd' in a street address suggest a placeholder.",
        holds=~contains_any("street", *"!@$^%*_+={}[]<>?\\", "tbd"),
        breaks={"street": "1 Main St, lot TBD"},
    ),
    # Only ASCII letters count.
    Edit(
        code="Q660-4",
        kind=Kind.QUALITY,
        level=Level.LAR,
        periods=since(2024),
        fields=("street",),
        text="A street address normally mixes letters and digits.",
        holds=any_of(
            contains_any("street", *digits) & contains_any("street", *ascii_lowercase),
            blank("street"),
            in_any_case("street", "NA", "Exempt"),
        ),
        breaks={"street": "Main St"},
    ),
)
