"""Validity edits of the loan originator: the NMLSR ID."""

from filing.edits.edit import Edit, EditKind, EditLevel, between, since
from filing.edits.vocabulary import blank, integer, length, matches, one_of

EDITS = (
    # Became V695-1 and V695-2 in 2021.
    Edit(
        code="V695",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=between(2018, 2020),
        fields=("nmlsr_id",),
        text="NMLSR ID cannot be left blank.",
        holds=~blank("nmlsr_id"),
        breaks={"nmlsr_id": ""},
    ),
    # A negative number must fit 32 bits, any other may have any number of digits.
    Edit(
        code="V695-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2021),
        fields=("nmlsr_id",),
        text="NMLSR ID must be a whole number, Exempt, or NA, and cannot be left blank.",
        holds=(
            one_of("nmlsr_id", "NA", "Exempt")
            | matches("nmlsr_id", r"\+?[0-9]+", "is a whole number without a minus sign")
            | (integer("nmlsr_id") >= -(2**31))
        ),
        breaks={"nmlsr_id": "AB1234"},
    ),
    # Only as typed: until 2024 no edit refuses 00.
    Edit(
        code="V695-2",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2021),
        fields=("nmlsr_id",),
        text="NMLSR ID cannot be 0.",
        holds=~one_of("nmlsr_id", "0"),
        breaks={"nmlsr_id": "0"},
    ),
    # The length is that of the text: leading zeros and a plus sign count.
    Edit(
        code="V695-3",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=between(2025, 2025),
        fields=("nmlsr_id",),
        text="NMLSR ID must be a whole number greater than 0 with 4 to 12 digits, Exempt, or NA.",
        holds=(
            one_of("nmlsr_id", "NA", "Exempt")
            | (length("nmlsr_id").is_between(4, 12) & (integer("nmlsr_id") > 0))
        ),
        breaks={"nmlsr_id": "0000"},
    ),
    Edit(
        code="V695-3",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2026),
        fields=("nmlsr_id",),
        text=(
            "NMLSR ID must be a whole number greater than 0 and not greater than 3000000 with 4 to "
            "7 digits, Exempt, or NA."
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
