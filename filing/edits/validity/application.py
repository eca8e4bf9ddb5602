"""Validity edits of how an application came in and to whom its loan was first payable."""

from filing.edits import examples
from filing.edits.edit import Edit, Kind, Level, since
from filing.edits.vocabulary import if_then, iff, one_of

EDITS = (
    Edit(
        code="V693-1",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("submission_of_application", "action_taken"),
        text="Submission of application must be 1, 2, 3 or 1111 (exempt).",
        holds=one_of("submission_of_application", 1, 2, 3, 1111),
        breaks={"submission_of_application": 4},
    ),
    Edit(
        code="V693-2",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("submission_of_application", "action_taken"),
        text="For a purchased loan, submission of application must be 3 or 1111.",
        holds=if_then(one_of("action_taken", 6), one_of("submission_of_application", 3, 1111)),
        breaks=examples.PURCHASED | {"submission_of_application": 1},
    ),
    Edit(
        code="V693-3",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("submission_of_application", "action_taken"),
        text="Submission of application may be 3 (not applicable) only for a purchased loan.",
        holds=if_then(one_of("submission_of_application", 3), one_of("action_taken", 6)),
        breaks={"submission_of_application": 3},
    ),
    Edit(
        code="V694-1",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("initially_payable_to_institution", "action_taken"),
        text="Initially payable to your institution must be 1, 2, 3 or 1111 (exempt).",
        holds=one_of("initially_payable_to_institution", 1, 2, 3, 1111),
        breaks=examples.NOT_ACCEPTED | {"initially_payable_to_institution": 4},
    ),
    Edit(
        code="V694-2",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("initially_payable_to_institution", "action_taken"),
        text="For a purchased loan, initially payable to your institution must be 3 or 1111.",
        holds=if_then(
            one_of("action_taken", 6), one_of("initially_payable_to_institution", 3, 1111)
        ),
        breaks=examples.PURCHASED | {"initially_payable_to_institution": 1},
    ),
    Edit(
        code="V694-3",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2019),
        fields=("initially_payable_to_institution", "action_taken"),
        text="For an originated loan, initially payable to your institution must be 1, 2 or 1111.",
        holds=if_then(
            one_of("action_taken", 1), one_of("initially_payable_to_institution", 1, 2, 1111)
        ),
        breaks={"initially_payable_to_institution": 3},
    ),
    Edit(
        code="V714",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=("submission_of_application", "initially_payable_to_institution"),
        text=(
            "Submission of application and initially payable to your institution must be 1111 "
            "together or not at all."
        ),
        holds=iff(
            one_of("submission_of_application", 1111),
            one_of("initially_payable_to_institution", 1111),
        ),
        breaks={"submission_of_application": 1111},
    ),
)
