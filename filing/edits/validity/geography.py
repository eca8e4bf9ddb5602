"""Validity edits of the property location, from the street address to the census tract."""

from filing.edits.edit import (
    Edit,
    EditKind,
    EditLevel,
    EditNeed,
    annual_only,
    quarterly_only,
    since,
)
from filing.edits.vocabulary import (
    any_of,
    blank,
    fips_of,
    first,
    if_then,
    in_any_case,
    known_county,
    known_tract,
    matches,
    one_of,
    postal_state,
    value,
)

EDITS = (
    Edit(
        code="V620",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("street",),
        text="Street Address cannot be left blank.",
        holds=~blank("street"),
        breaks={"street": ""},
    ),
    Edit(
        code="V621",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("city",),
        text="City cannot be left blank.",
        holds=~blank("city"),
        breaks={"city": ""},
    ),
    Edit(
        code="V622",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("street", "city", "state", "zip_code"),
        text=(
            "If Street Address is neither NA nor Exempt, then City, State, and Zip Code cannot be "
            "NA."
        ),
        holds=if_then(
            ~one_of("street", "NA", "Exempt"),
            ~any_of(one_of("city", "NA"), one_of("state", "NA"), one_of("zip_code", "NA")),
        ),
        breaks={"city": "NA"},
    ),
    Edit(
        code="V623",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("state",),
        text=(
            "State must be the two-letter code of a state, the District of Columbia, or a "
            "territory, or NA, and cannot be left blank."
        ),
        holds=postal_state("state") | one_of("state", "NA"),
        breaks={"state": "ca", "county": "NA"},
    ),
    Edit(
        code="V624",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("zip_code",),
        text=(
            "Zip Code must have the format 12345 or 12345-6789, or be Exempt or NA, and cannot be "
            "left blank."
        ),
        holds=one_of("zip_code", "NA", "Exempt")
        | matches("zip_code", r"\d{5}(-\d{4})?", "has the format 12345 or 12345-6789"),
        breaks={"zip_code": "9001"},
    ),
    # NA passes here in upper and lower case, but for the county only in upper case.
    Edit(
        code="V625-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("census_tract",),
        text="Census Tract must be an 11-digit number or NA, and cannot be left blank.",
        holds=matches("census_tract", r"\d{11}", "is an 11-digit number")
        | in_any_case("census_tract", "NA"),
        breaks={"census_tract": "0603712345"},
    ),
    # In all periods the census data are those of the filing year.
    Edit(
        code="V625-2",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("census_tract",),
        text=(
            "If Census Tract is not NA, then it must be a tract in the census data of the filing "
            "year."
        ),
        holds=known_tract("census_tract") | in_any_case("census_tract", "NA"),
        needs=frozenset({EditNeed.CENSUS}),
        breaks={"census_tract": "06037999999"},
    ),
    # The guide asks for the format only, but the edit also checks that the county exists.
    Edit(
        code="V626",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("county",),
        text=(
            "County must be a five-digit FIPS code in the census data of the filing year, or NA, "
            "and cannot be left blank."
        ),
        holds=known_county("county") | one_of("county", "NA"),
        needs=frozenset({EditNeed.CENSUS}),
        # Only here is NA in lower case refused.
        breaks={"county": "na", "census_tract": "NA"},
    ),
    Edit(
        code="V627",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=annual_only(2018) + quarterly_only(2020, 2020) + quarterly_only(2024),
        fields=("census_tract", "county"),
        text=(
            "If neither County nor Census Tract is NA, then County must be in the census data of "
            "the filing year, and the first five digits of Census Tract must match County."
        ),
        holds=if_then(
            ~one_of("county", "NA") & ~one_of("census_tract", "NA"),
            (first("census_tract", 5) == value("county")) & known_county("county"),
        ),
        needs=frozenset({EditNeed.CENSUS}),
        breaks={"county": "06001"},
    ),
    Edit(
        code="V709",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("street", "city", "zip_code"),
        text="If Street Address, City, or Zip Code is Exempt, then all three must be Exempt.",
        holds=if_then(
            any_of(
                one_of("street", "Exempt"), one_of("city", "Exempt"), one_of("zip_code", "Exempt")
            ),
            one_of("street", "Exempt") & one_of("city", "Exempt") & one_of("zip_code", "Exempt"),
        ),
        breaks={"zip_code": "Exempt"},
    ),
    Edit(
        code="V716",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=annual_only(2020) + quarterly_only(2020, 2020) + quarterly_only(2023),
        fields=("county", "state"),
        text=(
            "If neither County nor State is NA, then County must be in the census data of the "
            "filing year, and its first two digits must be the FIPS code of State."
        ),
        holds=if_then(
            ~in_any_case("county", "NA") & ~in_any_case("state", "NA"),
            known_county("county") & (first("county", 2) == fips_of("state")),
        ),
        needs=frozenset({EditNeed.CENSUS}),
        breaks={"state": "NY"},
    ),
)
