"""Validity edits of the loan originator: the NMLSR id."""

from filing.edits.edit import Edit, Kind, Level, between, since
from filing.edits.vocabulary import blank, integer, length, matches, one_of

EDITS = (
    # Became V695-1 and V695-2 in 2021.
    Edit(
        code="V695",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=between(2018, 2020),
        fields=("nmlsr_id",),
        text="The NMLSR id may not be blank.",
        holds=~blank("nmlsr_id"),
        breaks={"nmlsr_id": ""},
    ),
    # A negative number must fit 32 bits, any other may have any number of digits.
    Edit(
        code="V695-1",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2021),
        fields=("nmlsr_id",),
        text="The NMLSR id must be a whole number, NA or Exempt.",
        holds=(
            one_of("nmlsr_id", "NA", "Exempt")
            | matches("nmlsr_id", r"\+?[0-9]+")
            | (integer("nmlsr_id") >= -(2**31))
        ),
        breaks={"nmlsr_id": "AB1234"},
    ),
    # Only as it is typed: until 2024 nothing refuses 00.
    Edit(
        code="V695-2",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2021),
        fields=("nmlsr_id",),
        text="The NMLSR id may not be just 0.",
        holds=~one_of("nmlsr_id", "0"),
        breaks={"nmlsr_id": "0"},
    ),
    # The length is that of the text: leading zeros and a plus sign count.
    Edit(
        code="V695-3",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=between(2025, 2025),
        fields=("nmlsr_id",),
        text="The NMLSR id must be a positive whole number of 4 to 12 digits, NA or Exempt.",
        holds=(
            one_of("nmlsr_id", "NA", "Exempt")
            | (length("nmlsr_id").is_between(4, 12) & (integer("nmlsr_id") > 0))
        ),
        breaks={"nmlsr_id": "0000"},
    ),
    Edit(
        code="V695-3",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2026),
        fields=("nmlsr_id",),
        text=(
            "The NMLSR id must be a positive whole number of 4 to 7 digits and not above 3000000, "
            "or NA or Exempt."
        ),
        holds=(
            one_of("nmlsr_id", "NA", "Exempt")
            | (
                length("nmlsr_id").is_between(4, 7)
                & (integer("nmlsr_id") > 0)
                & (integer("nmlsr_id") <= 3_000_000)
            )
        ),
        breaks={"nmlsr_id": "3000001"},
    ),
)
