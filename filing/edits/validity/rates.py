"""Validity edits of the interest rate, in percent, and of the prepayment penalty, in months."""

from filing.edits import examples
from filing.edits.edit import Edit, EditKind, EditLevel, between, since
from filing.edits.vocabulary import all_of, if_then, int32, num, number, one_of

_INTEREST_RATE = ("interest_rate", "action_taken")
_PREPAYMENT_PENALTY_TERM = (
    "prepayment_penalty_term",
    "action_taken",
    "reverse_mortgage",
    "business_or_commercial_purpose",
    "loan_term",
)

EDITS = (
    Edit(
        code="V677-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=between(2018, 2018),
        fields=_INTEREST_RATE,
        text=(
            "Interest Rate must be a number greater than 0, Exempt, or NA, and cannot be left "
            "blank."
        ),
        holds=one_of("interest_rate", "NA", "Exempt") | (num("interest_rate") > 0),
        breaks={"interest_rate": "0"},
    ),
    Edit(
        code="V677-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2019),
        fields=_INTEREST_RATE,
        text=(
            "Interest Rate must be a number greater than or equal to 0, Exempt, or NA, and cannot "
            "be left blank."
        ),
        holds=one_of("interest_rate", "NA", "Exempt") | (num("interest_rate") >= 0),
        breaks={"interest_rate": "-0.01"},
    ),
    Edit(
        code="V677-2",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_INTEREST_RATE,
        text=(
            "If Action Taken is 3, 4, 5, or 7 (application denied or withdrawn, file closed for "
            "incompleteness, or preapproval request denied), then Interest Rate must be Exempt or "
            "NA."
        ),
        holds=if_then(one_of("action_taken", 3, 4, 5, 7), one_of("interest_rate", "NA", "Exempt")),
        breaks=examples.DENIED | {"interest_rate": "4.25"},
    ),
    Edit(
        code="V678-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_PREPAYMENT_PENALTY_TERM,
        text=(
            "Prepayment Penalty Term must be a whole number of months greater than or equal to 0, "
            "Exempt, or NA, and cannot be left blank."
        ),
        holds=(
            one_of("prepayment_penalty_term", "NA", "Exempt")
            | (int32("prepayment_penalty_term") & (num("prepayment_penalty_term") >= 0))
        ),
        breaks={"prepayment_penalty_term": "-1"},
    ),
    Edit(
        code="V678-2",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_PREPAYMENT_PENALTY_TERM,
        text=(
            "If Action Taken is 6 (purchased loan), then Prepayment Penalty Term must be Exempt or "
            "NA."
        ),
        holds=if_then(one_of("action_taken", 6), one_of("prepayment_penalty_term", "NA", "Exempt")),
        breaks=examples.PURCHASED | {"prepayment_penalty_term": "12"},
    ),
    Edit(
        code="V678-3",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_PREPAYMENT_PENALTY_TERM,
        text="If Reverse Mortgage is 1, then Prepayment Penalty Term must be Exempt or NA.",
        holds=if_then(
            one_of("reverse_mortgage", 1), one_of("prepayment_penalty_term", "NA", "Exempt")
        ),
        breaks=examples.REVERSE_MORTGAGE | {"prepayment_penalty_term": "12"},
    ),
    Edit(
        code="V678-4",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_PREPAYMENT_PENALTY_TERM,
        text=(
            "If Business or Commercial Purpose is 1, then Prepayment Penalty Term must be Exempt "
            "or NA."
        ),
        holds=if_then(
            one_of("business_or_commercial_purpose", 1),
            one_of("prepayment_penalty_term", "NA", "Exempt"),
        ),
        breaks=examples.BUSINESS_PURPOSE | {"prepayment_penalty_term": "12"},
    ),
    Edit(
        code="V678-5",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_PREPAYMENT_PENALTY_TERM,
        text=(
            "If both Prepayment Penalty Term and Loan Term are numbers, then Prepayment Penalty "
            "Term must be less than or equal to Loan Term."
        ),
        # A term beyond 32 bits is not a term, and even a shorter penalty term does not pass.
        holds=if_then(
            number("prepayment_penalty_term") & number("loan_term"),
            all_of(
                int32("prepayment_penalty_term"),
                int32("loan_term"),
                num("prepayment_penalty_term") <= num("loan_term"),
            ),
        ),
        breaks={"prepayment_penalty_term": "361"},
    ),
)
