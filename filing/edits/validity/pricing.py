"""Validity edits of rate spread (in percent), HOEPA status and lien status."""

from filing.edits import examples
from filing.edits.edit import Edit, EditKind, EditLevel, since
from filing.edits.vocabulary import if_then, number, one_of

_RATE_SPREAD = ("rate_spread", "action_taken", "reverse_mortgage")
_HOEPA_STATUS = ("hoepa_status", "action_taken")

EDITS = (
    Edit(
        code="V657-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_RATE_SPREAD,
        text="Rate Spread must be a number, Exempt, or NA, and cannot be left blank.",
        holds=number("rate_spread") | one_of("rate_spread", "NA", "Exempt"),
        breaks={"rate_spread": "none"},
    ),
    # Approved but not accepted (2, 8) is not among these actions: such an offer has a rate.
    Edit(
        code="V657-2",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_RATE_SPREAD,
        text="If Action Taken is 3, 4, 5, 6, or 7, then Rate Spread must be Exempt or NA.",
        holds=if_then(one_of("action_taken", 3, 4, 5, 6, 7), one_of("rate_spread", "NA", "Exempt")),
        breaks=examples.PURCHASED | {"rate_spread": "0.25"},
    ),
    Edit(
        code="V657-3",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_RATE_SPREAD,
        text="If Reverse Mortgage is 1, then Rate Spread must be Exempt or NA.",
        holds=if_then(one_of("reverse_mortgage", 1), one_of("rate_spread", "NA", "Exempt")),
        breaks=examples.REVERSE_MORTGAGE | {"rate_spread": "0.25"},
    ),
    Edit(
        code="V658-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_HOEPA_STATUS,
        text="HOEPA Status must be 1, 2, or 3, and cannot be left blank.",
        holds=one_of("hoepa_status", 1, 2, 3),
        breaks={"hoepa_status": 4},
    ),
    Edit(
        code="V658-2",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_HOEPA_STATUS,
        text=(
            "If Action Taken is 2, 3, 4, 5, 7, or 8 (neither originated nor purchased), then HOEPA "
            "Status must be 3 (not applicable)."
        ),
        holds=if_then(one_of("action_taken", 2, 3, 4, 5, 7, 8), one_of("hoepa_status", 3)),
        breaks=examples.NOT_ACCEPTED | {"hoepa_status": 2},
    ),
    Edit(
        code="V659",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("lien_status",),
        text="Lien Status must be 1 or 2, and cannot be left blank.",
        holds=one_of("lien_status", 1, 2),
        breaks={"lien_status": 3},
    ),
)
