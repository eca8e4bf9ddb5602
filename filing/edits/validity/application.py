"""Validity edits of the submission of the application and the party the loan is payable to."""

from filing.edits import examples
from filing.edits.edit import Edit, EditKind, EditLevel, since
from filing.edits.vocabulary import if_then, iff, one_of

EDITS = (
    Edit(
        code="V693-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("submission_of_application", "action_taken"),
        text=(
            "Submission of Application must be 1, 2, 3, or 1111 (exempt), and cannot be left blank."
        ),
        holds=one_of("submission_of_application", 1, 2, 3, 1111),
        breaks={"submission_of_application": 4},
    ),
    Edit(
        code="V693-2",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("submission_of_application", "action_taken"),
        text=(
            "If Action Taken is 6 (purchased loan), then Submission of Application must be 3 (not "
            "applicable) or 1111 (exempt)."
        ),
        holds=if_then(one_of("action_taken", 6), one_of("submission_of_application", 3, 1111)),
        breaks=examples.PURCHASED | {"submission_of_application": 1},
    ),
    Edit(
        code="V693-3",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("submission_of_application", "action_taken"),
        text=(
            "If Submission of Application is 3 (not applicable), then Action Taken must be 6 "
            "(purchased loan)."
        ),
        holds=if_then(one_of("submission_of_application", 3), one_of("action_taken", 6)),
        breaks={"submission_of_application": 3},
    ),
    Edit(
        code="V694-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("initially_payable_to_institution", "action_taken"),
        text=(
            "Initially Payable to Your Institution must be 1, 2, 3, or 1111 (exempt), and cannot "
            "be left blank."
        ),
        holds=one_of("initially_payable_to_institution", 1, 2, 3, 1111),
        breaks=examples.NOT_ACCEPTED | {"initially_payable_to_institution": 4},
    ),
    Edit(
        code="V694-2",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("initially_payable_to_institution", "action_taken"),
        text=(
            "If Action Taken is 6 (purchased loan), then Initially Payable to Your Institution "
            "must be 3 (not applicable) or 1111 (exempt)."
        ),
        holds=if_then(
            one_of("action_taken", 6), one_of("initially_payable_to_institution", 3, 1111)
        ),
        breaks=examples.PURCHASED | {"initially_payable_to_institution": 1},
    ),
    Edit(
        code="V694-3",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2019),
        fields=("initially_payable_to_institution", "action_taken"),
        text=(
            "If Action Taken is 1 (loan originated), then Initially Payable to Your Institution "
            "must be 1, 2, or 1111 (exempt)."
        ),
        holds=if_then(
            one_of("action_taken", 1), one_of("initially_payable_to_institution", 1, 2, 1111)
        ),
        breaks={"initially_payable_to_institution": 3},
    ),
    Edit(
        code="V714",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=("submission_of_application", "initially_payable_to_institution"),
        text=(
            "Submission of Application and Initially Payable to Your Institution must both be 1111 "
            "(exempt), or neither."
        ),
        holds=iff(
            one_of("submission_of_application", 1111),
            one_of("initially_payable_to_institution", 1111),
        ),
        breaks={"submission_of_application": 1111},
    ),
)
