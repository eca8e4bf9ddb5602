"""Quality edits of the loan originator: the NMLSR ID."""

from filing.edits.edit import Edit, EditKind, EditLevel, between, since
from filing.edits.vocabulary import if_then, length, matches, one_of

EDITS = (
    Edit(
        code="Q620",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("business_or_commercial_purpose", "nmlsr_id"),
        text=(
            "If Business or Commercial Purpose is 2 (not primarily for business), then NMLSR ID "
            "should generally not be NA."
        ),
        holds=if_then(one_of("business_or_commercial_purpose", 2), ~one_of("nmlsr_id", "NA")),
        breaks={"nmlsr_id": "NA"},
    ),
    Edit(
        code="Q621",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=between(2018, 2024),
        fields=("nmlsr_id",),
        text="NMLSR ID should consist of no more than 12 letters and digits.",
        holds=matches("nmlsr_id", "[A-Za-z0-9]*", "consists of letters and digits")
        & (length("nmlsr_id") <= 12),
        breaks={"nmlsr_id": "1234567890123"},
    ),
    # Ended with 2025; V695-3 is stricter since 2025.
    Edit(
        code="Q621",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=between(2025, 2025),
        fields=("nmlsr_id",),
        text="NMLSR ID should have 4 to 12 characters, or be Exempt or NA.",
        holds=one_of("nmlsr_id", "NA", "Exempt") | length("nmlsr_id").is_between(4, 12),
        breaks={"nmlsr_id": "123"},
    ),
)
