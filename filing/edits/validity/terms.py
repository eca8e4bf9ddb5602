"""Validity edits of the terms: length, introductory rate and features that do not amortize."""

from filing.edits import examples
from filing.edits.edit import Edit, EditKind, EditLevel, since
from filing.edits.vocabulary import all_of, any_of, if_then, int32, num, one_of

_NON_AMORTIZING = (
    "balloon_payment",
    "interest_only_payments",
    "negative_amortization",
    "other_non_amortizing_features",
)

EDITS = (
    Edit(
        code="V682-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("loan_term", "reverse_mortgage"),
        text=(
            "Loan Term must be a whole number of months greater than 0, Exempt, or NA, and cannot "
            "be left blank."
        ),
        holds=one_of("loan_term", "NA", "Exempt") | (int32("loan_term") & (num("loan_term") > 0)),
        breaks={"loan_term": "0"},
    ),
    Edit(
        code="V682-2",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("loan_term", "reverse_mortgage"),
        text="If Reverse Mortgage is 1, then Loan Term must be Exempt or NA.",
        holds=if_then(one_of("reverse_mortgage", 1), one_of("loan_term", "NA", "Exempt")),
        breaks=examples.REVERSE_MORTGAGE | {"loan_term": "360"},
    ),
    Edit(
        code="V683",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("introductory_rate_period",),
        text=(
            "Introductory Rate Period must be a whole number of months greater than 0, Exempt, or "
            "NA, and cannot be left blank."
        ),
        holds=(
            one_of("introductory_rate_period", "NA", "Exempt")
            | (int32("introductory_rate_period") & (num("introductory_rate_period") > 0))
        ),
        breaks={"introductory_rate_period": "0"},
    ),
    Edit(
        code="V684",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("balloon_payment",),
        text="Balloon Payment must be 1, 2, or 1111 (exempt), and cannot be left blank.",
        holds=one_of("balloon_payment", 1, 2, 1111),
        breaks={"balloon_payment": 3},
    ),
    Edit(
        code="V685",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("interest_only_payments",),
        text="Interest-Only Payments must be 1, 2, or 1111 (exempt), and cannot be left blank.",
        holds=one_of("interest_only_payments", 1, 2, 1111),
        breaks={"interest_only_payments": 3},
    ),
    Edit(
        code="V686",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("negative_amortization",),
        text="Negative Amortization must be 1, 2, or 1111 (exempt), and cannot be left blank.",
        holds=one_of("negative_amortization", 1, 2, 1111),
        breaks={"negative_amortization": 3},
    ),
    Edit(
        code="V687",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("other_non_amortizing_features",),
        text=(
            "Other Non-amortizing Features must be 1, 2, or 1111 (exempt), and cannot be left "
            "blank."
        ),
        holds=one_of("other_non_amortizing_features", 1, 2, 1111),
        breaks={"other_non_amortizing_features": 3},
    ),
    Edit(
        code="V715",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_NON_AMORTIZING,
        text=(
            "If Balloon Payment, Interest-Only Payments, Negative Amortization, or Other "
            "Non-amortizing Features is 1111 (exempt), then all four must be 1111."
        ),
        holds=if_then(
            any_of(*(one_of(feature, 1111) for feature in _NON_AMORTIZING)),
            all_of(*(one_of(feature, 1111) for feature in _NON_AMORTIZING)),
        ),
        breaks={"balloon_payment": 1111},
    ),
)
