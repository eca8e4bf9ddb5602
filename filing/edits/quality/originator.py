"""Quality edits of the loan originator: the NMLSR id."""

from filing.edits.edit import Edit, Kind, Level, between, since
from filing.edits.vocabulary import if_then, length, matches, one_of

EDITS = (
    Edit(
        code="Q620",
        kind=Kind.QUALITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("business_or_commercial_purpose", "nmlsr_id"),
        text="A loan that is not for business normally has an originator with an NMLSR id.",
        holds=if_then(one_of("business_or_commercial_purpose", 2), ~one_of("nmlsr_id", "NA")),
        breaks={"nmlsr_id": "NA"},
    ),
    Edit(
        code="Q621",
        kind=Kind.QUALITY,
        level=Level.LAR,
        periods=between(2018, 2024),
        fields=("nmlsr_id",),
        text="An NMLSR id consists of at most twelve letters and digits.",
        holds=matches("nmlsr_id", "[A-Za-z0-9]*") & (length("nmlsr_id") <= 12),
        breaks={"nmlsr_id": "1234567890123"},
    ),
    # Gone in 2026; V695-3 has asked for more since 2025.
    Edit(
        code="Q621",
        kind=Kind.QUALITY,
        level=Level.LAR,
        periods=between(2025, 2025),
        fields=("nmlsr_id",),
        text="An NMLSR id should be four to twelve characters long.",
        holds=one_of("nmlsr_id", "NA", "Exempt") | length("nmlsr_id").is_between(4, 12),
        breaks={"nmlsr_id": "123"},
    ),
)
