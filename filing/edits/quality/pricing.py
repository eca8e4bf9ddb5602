"""Quality edits of the price of a loan: rate spread and interest rate, in percent."""

from filing.edits.edit import Edit, Kind, Level, between, since
from filing.edits.vocabulary import if_then, num, number, one_of

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
    # Became Q650-1 in 2021.
    Edit(
        code="Q650",
        kind=Kind.QUALITY,
        level=Level.LAR,
        periods=between(2020, 2020),
        fields=("interest_rate",),
        text="An interest rate above 0 but below 0.5 suggests a misplaced decimal point.",
        holds=if_then(num("interest_rate") > 0, num("interest_rate") >= 0.5),
        breaks={"interest_rate": "0.0425"},
    ),
    Edit(
        code="Q650-1",
        kind=Kind.QUALITY,
        level=Level.LAR,
        periods=since(2021),
        fields=("interest_rate",),
        text="An interest rate above 0 but below 0.5 suggests a misplaced decimal point.",
        holds=if_then(num("interest_rate") > 0, num("interest_rate") >= 0.5),
        breaks={"interest_rate": "0.0425"},
    ),
    Edit(
        code="Q650-2",
        kind=Kind.QUALITY,
        level=Level.LAR,
        periods=since(2021),
        fields=("interest_rate",),
        text="An interest rate above 20 suggests a misplaced decimal point.",
        holds=if_then(number("interest_rate"), num("interest_rate") <= 20),
        breaks={"interest_rate": "42.5"},
    ),
)
