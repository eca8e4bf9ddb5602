"""Validity edits of the property's location, from the street to the census tract."""

from filing.edits.edit import Edit, Kind, Level, Need, annual_only, quarterly_only, since
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
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("street",),
        text="Street address may not be blank.",
        holds=~blank("street"),
        breaks={"street": ""},
    ),
    Edit(
        code="V621",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("city",),
        text="City may not be blank.",
        holds=~blank("city"),
        breaks={"city": ""},
    ),
    Edit(
        code="V622",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("street", "city", "state", "zip_code"),
        text="When a street address is given, city, state and ZIP code may not be NA.",
        holds=if_then(
            ~one_of("street", "NA", "Exempt"),
            ~any_of(one_of("city", "NA"), one_of("state", "NA"), one_of("zip_code", "NA")),
        ),
        breaks={"city": "NA"},
    ),
    Edit(
        code="V623",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("state",),
        text="State must be a two-letter state or territory code, or NA.",
        holds=postal_state("state") | one_of("state", "NA"),
        breaks={"state": "ca", "county": "NA"},
    ),
    Edit(
        code="V624",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("zip_code",),
        text="ZIP code must be 5 digits, 5 and 4 digits with a hyphen, Exempt or NA.",
        holds=one_of("zip_code", "NA", "Exempt") | matches("zip_code", r"\d{5}(-\d{4})?"),
        breaks={"zip_code": "9001"},
    ),
    # Any spelling of NA passes here, and for the county only NA itself.
    Edit(
        code="V625-1",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("census_tract",),
        text="Census tract must be an 11-digit number or NA.",
        holds=matches("census_tract", r"\d{11}") | in_any_case("census_tract", "NA"),
        breaks={"census_tract": "0603712345"},
    ),
    # In all periods the census is that of the filing year.
    Edit(
        code="V625-2",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("census_tract",),
        text="A reported census tract must exist in the census file of the filing year.",
        holds=known_tract("census_tract") | in_any_case("census_tract", "NA"),
        needs=frozenset({Need.CENSUS}),
        breaks={"census_tract": "06037999999"},
    ),
    # The wording asks for the format only; that the county exists is tested all the same.
    Edit(
        code="V626",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("county",),
        text=(
            "County must be a five-digit county code that exists in the census file of the "
            "filing year, or NA."
        ),
        holds=known_county("county") | one_of("county", "NA"),
        needs=frozenset({Need.CENSUS}),
        # Here alone NA is refused in small letters.
        breaks={"county": "na", "census_tract": "NA"},
    ),
    Edit(
        code="V627",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=annual_only(2018) + quarterly_only(2020, 2020) + quarterly_only(2024),
        fields=("census_tract", "county"),
        text=(
            "When both are reported, the census tract must lie in the reported county: its "
            "first five digits are the county code."
        ),
        holds=if_then(
            ~one_of("county", "NA") & ~one_of("census_tract", "NA"),
            (first("census_tract", 5) == value("county")) & known_county("county"),
        ),
        needs=frozenset({Need.CENSUS}),
        breaks={"county": "06001"},
    ),
    Edit(
        code="V709",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("street", "city", "zip_code"),
        text="If street, city or ZIP code is Exempt, all three must be Exempt.",
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
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=annual_only(2020) + quarterly_only(2020, 2020) + quarterly_only(2023),
        fields=("county", "state"),
        text="When both are reported, the county must lie in the reported state.",
        holds=if_then(
            ~in_any_case("county", "NA") & ~in_any_case("state", "NA"),
            known_county("county") & (first("county", 2) == fips_of("state")),
        ),
        needs=frozenset({Need.CENSUS}),
        breaks={"state": "NY"},
    ),
)
