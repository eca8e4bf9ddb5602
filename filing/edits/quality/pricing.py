"""Quality edits of the price of a loan: rate spread and interest rate, in percent."""

from filing.edits.edit import Edit, EditKind, EditLevel, between, since
from filing.edits.vocabulary import if_then, num, number, one_of

EDITS = (
    Edit(
        code="Q610",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("action_taken", "lien_status", "rate_spread", "hoepa_status"),
        text=(
            "If Action Taken is 1 (loan originated), Lien Status is 1 (first lien), and Rate "
            "Spread is greater than 6.5%, then HOEPA Status should generally be 1 (high-cost "
            "mortgage)."
        ),
        holds=if_then(
            one_of("action_taken", 1) & one_of("lien_status", 1) & (num("rate_spread") > 6.5),
            one_of("hoepa_status", 1),
        ),
        breaks={"rate_spread": "6.501"},
    ),
    Edit(
        code="Q611",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("action_taken", "lien_status", "rate_spread", "hoepa_status"),
        text=(
            "If Action Taken is 1 (loan originated), Lien Status is 2 (subordinate lien), and Rate "
            "Spread is greater than 8.5%, then HOEPA Status should generally be 1 (high-cost "
            "mortgage)."
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
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=between(2020, 2020),
        fields=("interest_rate",),
        text=(
            "If Interest Rate is greater than 0, then it should generally be 0.5% or greater: "
            "check the decimal point."
        ),
        holds=if_then(num("interest_rate") > 0, num("interest_rate") >= 0.5),
        breaks={"interest_rate": "0.0425"},
    ),
    Edit(
        code="Q650-1",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2021),
        fields=("interest_rate",),
        text=(
            "If Interest Rate is greater than 0, then it should generally be 0.5% or greater: "
            "check the decimal point."
        ),
        holds=if_then(num("interest_rate") > 0, num("interest_rate") >= 0.5),
        breaks={"interest_rate": "0.0425"},
    ),
    Edit(
        code="Q650-2",
        kind=EditKind.QUALITY,
        level=EditLevel.LAR,
        periods=since(2021),
        fields=("interest_rate",),
        text=(
            "If Interest Rate is a number, then it should generally be 20% or less: check the "
            "decimal point."
        ),
        holds=if_then(number("interest_rate"), num("interest_rate") <= 20),
        breaks={"interest_rate": "42.5"},
    ),
)
