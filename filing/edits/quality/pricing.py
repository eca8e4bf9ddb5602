"""Quality edits of the price of a loan: the rate spread, in percent."""

from filing.edits.edit import Edit, Kind, Level, since
from filing.edits.vocabulary import if_then, num, one_of

EDITS = (
    Edit(
        code="Q610",
        kind=Kind.QUALITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("action_taken", "lien_status", "rate_spread", "hoepa_status"),
        text=(
            "A first-lien origination with a spread above 6.5 should normally be reported as "
            "high-cost."
        ),
        holds=if_then(
            one_of("action_taken", 1) & one_of("lien_status", 1) & (num("rate_spread") > 6.5),
            one_of("hoepa_status", 1),
        ),
        breaks={"rate_spread": "6.501"},
    ),
    Edit(
        code="Q611",
        kind=Kind.QUALITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("action_taken", "lien_status", "rate_spread", "hoepa_status"),
        text=(
            "A subordinate-lien origination with a spread above 8.5 should normally be "
            "reported as high-cost."
        ),
        holds=if_then(
            one_of("action_taken", 1) & one_of("lien_status", 2) & (num("rate_spread") > 8.5),
            one_of("hoepa_status", 1),
        ),
        breaks={"lien_status": 2, "rate_spread": "8.501"},
    ),
)
