"""Validity edits of the loan: application date, type, purpose, preapproval and amount."""

from filing.edits import examples
from filing.edits.edit import Edit, EditKind, EditLevel, since
from filing.edits.vocabulary import if_then, iff, num, number, one_of, valid_date

_PREAPPROVAL = (
    "preapproval",
    "loan_purpose",
    "multifamily_affordable_units",
    "reverse_mortgage",
    "open_end_line_of_credit",
)
_CONSTRUCTION = (
    "construction_method",
    "manufactured_home_land_property_interest",
    "manufactured_home_secured_property_type",
)

EDITS = (
    Edit(
        code="V610-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("application_date", "action_taken"),
        text=(
            "Application Date must be a valid date in the format YYYYMMDD, or NA, and cannot be "
            "left blank."
        ),
        holds=valid_date("application_date") | one_of("application_date", "NA"),
        breaks={"application_date": "20240231"},
    ),
    Edit(
        code="V610-2",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("application_date", "action_taken"),
        text=(
            "If Action Taken is 6 (purchased loan), then Application Date must be NA, and vice "
            "versa."
        ),
        holds=iff(one_of("action_taken", 6), one_of("application_date", "NA")),
        breaks={"application_date": "NA"},
    ),
    Edit(
        code="V611",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("loan_type",),
        text="Loan Type must be 1, 2, 3, or 4, and cannot be left blank.",
        holds=one_of("loan_type", 1, 2, 3, 4),
        breaks={"loan_type": 5},
    ),
    Edit(
        code="V612-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("loan_purpose", "preapproval"),
        text="Loan Purpose must be 1, 2, 31, 32, 4, or 5, and cannot be left blank.",
        holds=one_of("loan_purpose", 1, 2, 31, 32, 4, 5),
        breaks={"loan_purpose": 3},
    ),
    Edit(
        code="V612-2",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("loan_purpose", "preapproval"),
        text="If Preapproval is 1 (requested), then Loan Purpose must be 1 (home purchase).",
        holds=if_then(one_of("preapproval", 1), one_of("loan_purpose", 1)),
        breaks={"preapproval": 1},
    ),
    Edit(
        code="V613-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("preapproval", "action_taken"),
        text="Preapproval must be 1 or 2, and cannot be left blank.",
        holds=one_of("preapproval", 1, 2),
        breaks=examples.PREAPPROVAL_REQUESTED | {"preapproval": 3},
    ),
    Edit(
        code="V613-2",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("preapproval", "action_taken"),
        text=(
            "If Action Taken is 7 or 8 (preapproval request denied, or approved but not accepted), "
            "then Preapproval must be 1 (requested)."
        ),
        holds=if_then(one_of("action_taken", 7, 8), one_of("preapproval", 1)),
        breaks=examples.NOT_ACCEPTED | {"action_taken": 8},
    ),
    Edit(
        code="V613-3",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("preapproval", "action_taken"),
        text=(
            "If Action Taken is 3, 4, 5, or 6 (application denied or withdrawn, file closed for "
            "incompleteness, or purchased loan), then Preapproval must be 2 (not requested)."
        ),
        holds=if_then(one_of("action_taken", 3, 4, 5, 6), one_of("preapproval", 2)),
        breaks=examples.DENIED | examples.PREAPPROVAL_REQUESTED,
    ),
    Edit(
        code="V613-4",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("preapproval", "action_taken"),
        text="If Preapproval is 1 (requested), then Action Taken must be 1, 2, 7, or 8.",
        holds=if_then(one_of("preapproval", 1), one_of("action_taken", 1, 2, 7, 8)),
        breaks=examples.PURCHASED | examples.PREAPPROVAL_REQUESTED,
    ),
    Edit(
        code="V614-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_PREAPPROVAL,
        text=(
            "If Loan Purpose is 2, 31, 32, 4, or 5 (other than home purchase), then Preapproval "
            "must be 2 (not requested)."
        ),
        holds=if_then(one_of("loan_purpose", 2, 31, 32, 4, 5), one_of("preapproval", 2)),
        breaks={"preapproval": 1},
    ),
    Edit(
        code="V614-2",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_PREAPPROVAL,
        text=(
            "If Multifamily Affordable Units is a number, then Preapproval must be 2 (not "
            "requested)."
        ),
        holds=if_then(number("multifamily_affordable_units"), one_of("preapproval", 2)),
        breaks=examples.MULTIFAMILY | examples.PREAPPROVAL_REQUESTED,
    ),
    Edit(
        code="V614-3",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_PREAPPROVAL,
        text="If Reverse Mortgage is 1, then Preapproval must be 2 (not requested).",
        holds=if_then(one_of("reverse_mortgage", 1), one_of("preapproval", 2)),
        breaks=examples.REVERSE_MORTGAGE | examples.PREAPPROVAL_REQUESTED,
    ),
    Edit(
        code="V614-4",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_PREAPPROVAL,
        text="If Open-End Line of Credit is 1, then Preapproval must be 2 (not requested).",
        holds=if_then(one_of("open_end_line_of_credit", 1), one_of("preapproval", 2)),
        breaks=examples.LINE_OF_CREDIT | examples.PREAPPROVAL_REQUESTED,
    ),
    Edit(
        code="V615-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_CONSTRUCTION,
        text="Construction Method must be 1 or 2, and cannot be left blank.",
        holds=one_of("construction_method", 1, 2),
        breaks={"construction_method": 3},
    ),
    Edit(
        code="V615-2",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_CONSTRUCTION,
        text=(
            "If Manufactured Home Land Property Interest is 1, 2, 3, or 4, then Construction "
            "Method must be 2 (manufactured home)."
        ),
        holds=if_then(
            one_of("manufactured_home_land_property_interest", 1, 2, 3, 4),
            one_of("construction_method", 2),
        ),
        breaks={"manufactured_home_land_property_interest": 1},
    ),
    Edit(
        code="V615-3",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_CONSTRUCTION,
        text=(
            "If Manufactured Home Secured Property Type is 1 or 2, then Construction Method must "
            "be 2 (manufactured home)."
        ),
        holds=if_then(
            one_of("manufactured_home_secured_property_type", 1, 2),
            one_of("construction_method", 2),
        ),
        breaks={"manufactured_home_secured_property_type": 1},
    ),
    Edit(
        code="V616",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("occupancy_type",),
        text="Occupancy Type must be 1, 2, or 3, and cannot be left blank.",
        holds=one_of("occupancy_type", 1, 2, 3),
        breaks={"occupancy_type": 4},
    ),
    Edit(
        code="V617",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("loan_amount",),
        text="Loan Amount must be a number greater than or equal to 0, and cannot be left blank.",
        holds=num("loan_amount") >= 0,
        breaks=examples.NO_COSTS | {"loan_amount": "-0.01"},
    ),
)
