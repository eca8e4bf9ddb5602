"""Validity edits of the reasons for denial."""

from filing.edits import examples
from filing.edits.edit import Edit, EditKind, EditLevel, since
from filing.edits.vocabulary import all_distinct, all_of, any_of, blank, if_then, one_of

_FURTHER = ("denial_reason_2", "denial_reason_3", "denial_reason_4")
_REASONS = ("denial_reason_1", *_FURTHER)
_ACTION = ("action_taken", "denial_reason_1")
_FREE_FORM = (*_REASONS, "denial_reason_free_form")

_NO_FURTHER = all_of(*(blank(reason) for reason in _FURTHER))
_SOME_OTHER = any_of(*(one_of(reason, 9) for reason in _REASONS))

EDITS = (
    Edit(
        code="V669-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_REASONS,
        text=(
            "Reason for Denial: 1 must be 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, or 1111 (exempt), and "
            "cannot be left blank."
        ),
        holds=one_of("denial_reason_1", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1111),
        breaks={"denial_reason_1": 11},
    ),
    Edit(
        code="V669-2",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_REASONS,
        text=(
            "Reason for Denial: 2 through Reason for Denial: 4 must each be 1, 2, 3, 4, 5, 6, 7, "
            "8, or 9, or be left blank."
        ),
        holds=all_of(
            *(blank(reason) | one_of(reason, 1, 2, 3, 4, 5, 6, 7, 8, 9) for reason in _FURTHER)
        ),
        breaks=examples.DENIED | {"denial_reason_2": 10},
    ),
    Edit(
        code="V669-3",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_REASONS,
        text="Each Reason for Denial can be reported only once.",
        holds=all_distinct(*_REASONS),
        breaks=examples.DENIED | {"denial_reason_2": 1},
    ),
    Edit(
        code="V669-4",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_REASONS,
        text=(
            "If Reason for Denial: 1 is 10 (not applicable) or 1111 (exempt), then Reason for "
            "Denial: 2 through Reason for Denial: 4 must be left blank."
        ),
        holds=if_then(one_of("denial_reason_1", 10, 1111), _NO_FURTHER),
        breaks={"denial_reason_2": 1},
    ),
    Edit(
        code="V670-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_ACTION,
        text=(
            "If Action Taken is 3 or 7 (application or preapproval request denied), then Reason "
            "for Denial: 1 must be 1, 2, 3, 4, 5, 6, 7, 8, 9, or 1111 (exempt)."
        ),
        holds=if_then(
            one_of("action_taken", 3, 7),
            one_of("denial_reason_1", 1, 2, 3, 4, 5, 6, 7, 8, 9, 1111),
        ),
        breaks=examples.DENIED | {"denial_reason_1": 10},
    ),
    # This edit and the next did not run in 2018.
    Edit(
        code="V670-2",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2019),
        fields=_ACTION,
        text=(
            "If Reason for Denial: 1 is 1, 2, 3, 4, 5, 6, 7, 8, or 9, then Action Taken must be 3 "
            "or 7 (application or preapproval request denied)."
        ),
        holds=if_then(
            one_of("denial_reason_1", 1, 2, 3, 4, 5, 6, 7, 8, 9), one_of("action_taken", 3, 7)
        ),
        breaks={"denial_reason_1": 1},
    ),
    Edit(
        code="V670-3",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2019),
        fields=_ACTION,
        text=(
            "If Action Taken is 1, 2, 4, 5, 6, or 8 (not denied), then Reason for Denial: 1 must "
            "be 10 (not applicable) or 1111 (exempt)."
        ),
        holds=if_then(
            one_of("action_taken", 1, 2, 4, 5, 6, 8), one_of("denial_reason_1", 10, 1111)
        ),
        breaks={"denial_reason_1": 1},
    ),
    Edit(
        code="V670-4",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_ACTION,
        text=(
            "If Reason for Denial: 1 is 10 (not applicable), then Action Taken must be 1, 2, 4, 5, "
            "6, or 8 (not denied)."
        ),
        holds=if_then(one_of("denial_reason_1", 10), one_of("action_taken", 1, 2, 4, 5, 6, 8)),
        breaks=examples.DENIED | {"denial_reason_1": 10},
    ),
    Edit(
        code="V671-1",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_FREE_FORM,
        text=(
            "If any Reason for Denial is 9 (other), then Reason for Denial: Conditional Free Form "
            "Text Field for Code 9 cannot be left blank."
        ),
        holds=if_then(_SOME_OTHER, ~blank("denial_reason_free_form")),
        breaks=examples.DENIED | {"denial_reason_1": 9},
    ),
    Edit(
        code="V671-2",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_FREE_FORM,
        text=(
            "If Reason for Denial: Conditional Free Form Text Field for Code 9 is not blank, then "
            "at least one Reason for Denial must be 9 (other)."
        ),
        holds=if_then(~blank("denial_reason_free_form"), _SOME_OTHER),
        breaks={"denial_reason_free_form": "Unverifiable references"},
    ),
    Edit(
        code="V711",
        kind=EditKind.VALIDITY,
        level=EditLevel.LAR,
        periods=since(2018),
        fields=_FREE_FORM,
        text=(
            "If Reason for Denial: 1 is 1111 (exempt), then Reason for Denial: 2 through Reason "
            "for Denial: 4 and Reason for Denial: Conditional Free Form Text Field for Code 9 must "
            "be left blank."
        ),
        holds=if_then(
            one_of("denial_reason_1", 1111), _NO_FURTHER & blank("denial_reason_free_form")
        ),
        breaks={"denial_reason_1": 1111, "denial_reason_2": 1},
    ),
)
