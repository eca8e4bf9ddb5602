"""Quality edits of the property location."""

from string import ascii_lowercase, digits

from filing.edits.edit import Edit, EditKind, EditLevel, EditNeed, annual_only, since
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

# `\b` on both sides means the same, but takes twice as long.
_AND = "(?u:^|[^A-Za-z0-9_])(?i:and)(?u:[^A-Za-z0-9_]|$)"

EDITS = (
    Edit(
        code="Q602",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("street", "city", "state", "zip_code"),
        text=(
            "If none of City, State, and Zip Code is NA, then Street Address should generally not "
            "be NA."
        ),
        holds=if_then(
            ~any_of(one_of("zip_code", "NA"), one_of("state", "NA"), one_of("city", "NA")),
            ~one_of("street", "NA"),
        ),
        breaks={"street": "NA"},
    ),
    Edit(
        code="Q603",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("county", "census_tract"),
        text=(
            "If Census Tract is NA and County is not, then County should generally be one with a "
            "population of 30,000 or less."
        ),
        holds=if_then(
            in_any_case("census_tract", "NA") & ~in_any_case("county", "NA"),
            small_county("county"),
        ),
        needs=frozenset({EditNeed.CENSUS}),
        breaks={"census_tract": "NA"},
    ),
    # V716 checks this since 2020.
    Edit(
        code="Q604",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=annual_only(2018, 2018),
        fields=("county", "state"),
        text=(
            "If neither County nor State is NA, then County should be in the census data of the "
            "filing year."
        ),
        holds=if_then(
            ~in_any_case("county", "NA") & ~in_any_case("state", "NA"), known_county("county")
        ),
        needs=frozenset({EditNeed.CENSUS}),
        breaks={"county": "06999", "census_tract": "NA"},
    ),
    Edit(
        code="Q604",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=annual_only(2019, 2019),
        fields=("county", "state"),
        text=(
            "If neither County nor State is NA, then County should be in the census data of the "
            "filing year, and its first two digits should be the FIPS code of State."
        ),
        holds=if_then(
            ~in_any_case("county", "NA") & ~in_any_case("state", "NA"),
            known_county("county") & (first("county", 2) == fips_of("state")),
        ),
        needs=frozenset({EditNeed.CENSUS}),
        breaks={"state": "NY"},
    ),
    Edit(
        code="Q660-1",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2024),
        fields=("street",),
        text=(
            "Street Address should generally have no more than 100 characters: a longer one may "
            "contain more than one address."
        ),
        holds=length("street") <= 100,
        breaks={"street": "1 Main St, " + 10 * "Building 1, " + "Apt 1"},
    ),
    Edit(
        code="Q660-2",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2024),
        fields=("street",),
        text=(
            'Street Address should generally not contain &, ;, \\, or the word "and": they may '
            "separate more than one address."
        ),
        holds=~contains("street", rf"[&;\\]|{_AND}", words='&, ;, \\, or the word "and"'),
        breaks={"street": "1 Oak St and 2 Elm St"},
    ),
    Edit(
        code="Q660-3",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2024),
        fields=("street",),
        text=(
            'Street Address should generally not contain "tbd" or any of ! @ $ ^ % * _ + = { } [ ] '
            "< > ? \\."
        ),
        holds=~contains_any("street", *"!@$^%*_+={}[]<>?\\", "tbd"),
        breaks={"street": "1 Main St, lot TBD"},
    ),
    # Only ASCII letters count.
    Edit(
        code="Q660-4",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2024),
        fields=("street",),
        text=(
            "Street Address should generally contain both letters and digits, or be Exempt, NA, or "
            "blank."
        ),
        holds=any_of(
            contains_any("street", *digits) & contains_any("street", *ascii_lowercase),
            blank("street"),
            in_any_case("street", "NA", "Exempt"),
        ),
        breaks={"street": "Main St"},
    ),
)
