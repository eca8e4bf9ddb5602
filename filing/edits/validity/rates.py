"""Validity edits of the interest rate, in percent, and of the prepayment penalty, in months."""

from filing.edits import examples
from filing.edits.edit import Edit, Kind, Level, between, since
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
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=between(2018, 2018),
        fields=_INTEREST_RATE,
        text="Interest rate must be a number above zero, NA or Exempt.",
        holds=one_of("interest_rate", "NA", "Exempt") | (num("interest_rate") > 0),
        breaks={"interest_rate": "0"},
    ),
    Edit(
        code="V677-1",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2019),
        fields=_INTEREST_RATE,
        text="Interest rate must be a number of zero or more, NA or Exempt.",
        holds=one_of("interest_rate", "NA", "Exempt") | (num("interest_rate") >= 0),
        breaks={"interest_rate": "-0.01"},
    ),
    Edit(
        code="V677-2",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_INTEREST_RATE,
        text="When the action is 3, 4, 5 or 7, the interest rate must be NA or Exempt.",
        holds=if_then(one_of("action_taken", 3, 4, 5, 7), one_of("interest_rate", "NA", "Exempt")),
        breaks=examples.DENIED | {"interest_rate": "4.25"},
    ),
    Edit(
        code="V678-1",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_PREPAYMENT_PENALTY_TERM,
        text="Prepayment penalty term must be a number of months of zero or more, NA or Exempt.",
        holds=(
            one_of("prepayment_penalty_term", "NA", "Exempt")
            | (int32("prepayment_penalty_term") & (num("prepayment_penalty_term") >= 0))
        ),
        breaks={"prepayment_penalty_term": "-1"},
    ),
    Edit(
        code="V678-2",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_PREPAYMENT_PENALTY_TERM,
        text="For a purchased loan, prepayment penalty term must be NA or Exempt.",
        holds=if_then(one_of("action_taken", 6), one_of("prepayment_penalty_term", "NA", "Exempt")),
        breaks=examples.PURCHASED | {"prepayment_penalty_term": "12"},
    ),
    Edit(
        code="V678-3",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_PREPAYMENT_PENALTY_TERM,
        text="For a reverse mortgage, prepayment penalty term must be NA or Exempt.",
        holds=if_then(
            one_of("reverse_mortgage", 1), one_of("prepayment_penalty_term", "NA", "Exempt")
        ),
        breaks=examples.REVERSE_MORTGAGE | {"prepayment_penalty_term": "12"},
    ),
    Edit(
        code="V678-4",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_PREPAYMENT_PENALTY_TERM,
        text="For a business-purpose loan, prepayment penalty term must be NA or Exempt.",
        holds=if_then(
            one_of("business_or_commercial_purpose", 1),
            one_of("prepayment_penalty_term", "NA", "Exempt"),
        ),
        breaks=examples.BUSINESS_PURPOSE | {"prepayment_penalty_term": "12"},
    ),
    Edit(
        code="V678-5",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_PREPAYMENT_PENALTY_TERM,
        text="The prepayment penalty term may not be longer than the loan term.",
        # A term beyond 32 bits is none, so a penalty that is shorter does not pass either.
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
