"""Validity edits of the reasons for denial."""

from filing.edits import examples
from filing.edits.edit import Edit, Kind, Level, since
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
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_REASONS,
        text="The first denial reason must be a code from 1 to 10 or 1111.",
        holds=one_of("denial_reason_1", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1111),
        breaks={"denial_reason_1": 11},
    ),
    Edit(
        code="V669-2",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_REASONS,
        text="Denial reasons 2 to 4 must each be blank or a code from 1 to 9.",
        holds=all_of(
            *(blank(reason) | one_of(reason, 1, 2, 3, 4, 5, 6, 7, 8, 9) for reason in _FURTHER)
        ),
        breaks=examples.DENIED | {"denial_reason_2": 10},
    ),
    Edit(
        code="V669-3",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_REASONS,
        text="No denial reason may be reported twice.",
        holds=all_distinct(*_REASONS),
        breaks=examples.DENIED | {"denial_reason_2": 1},
    ),
    Edit(
        code="V669-4",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_REASONS,
        text=(
            "When the first denial reason is not applicable or exempt, the others must be blank."
        ),
        holds=if_then(one_of("denial_reason_1", 10, 1111), _NO_FURTHER),
        breaks={"denial_reason_2": 1},
    ),
    Edit(
        code="V670-1",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_ACTION,
        text=(
            "For a denied application or preapproval request the first denial reason must be a "
            "real reason or 1111."
        ),
        holds=if_then(
            one_of("action_taken", 3, 7),
            one_of("denial_reason_1", 1, 2, 3, 4, 5, 6, 7, 8, 9, 1111),
        ),
        breaks=examples.DENIED | {"denial_reason_1": 10},
    ),
    # This edit and the next were switched off in 2018.
    Edit(
        code="V670-2",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2019),
        fields=_ACTION,
        text=(
            "A real denial reason may only be given when the application or preapproval request "
            "was denied."
        ),
        holds=if_then(
            one_of("denial_reason_1", 1, 2, 3, 4, 5, 6, 7, 8, 9), one_of("action_taken", 3, 7)
        ),
        breaks={"denial_reason_1": 1},
    ),
    Edit(
        code="V670-3",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2019),
        fields=_ACTION,
        text="When nothing was denied, the first denial reason must be 10 or 1111.",
        holds=if_then(
            one_of("action_taken", 1, 2, 4, 5, 6, 8), one_of("denial_reason_1", 10, 1111)
        ),
        breaks={"denial_reason_1": 1},
    ),
    Edit(
        code="V670-4",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_ACTION,
        text=("A denial reason of 10 (not applicable) may only be given when nothing was denied."),
        holds=if_then(one_of("denial_reason_1", 10), one_of("action_taken", 1, 2, 4, 5, 6, 8)),
        breaks=examples.DENIED | {"denial_reason_1": 10},
    ),
    Edit(
        code="V671-1",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_FREE_FORM,
        text=(
            "When one of the denial reasons is 9 (other), the free-form reason must be filled in."
        ),
        holds=if_then(_SOME_OTHER, ~blank("denial_reason_free_form")),
        breaks=examples.DENIED | {"denial_reason_1": 9},
    ),
    Edit(
        code="V671-2",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_FREE_FORM,
        text="A free-form denial reason may only be given when one of the reasons is 9 (other).",
        holds=if_then(~blank("denial_reason_free_form"), _SOME_OTHER),
        breaks={"denial_reason_free_form": "Unverifiable references"},
    ),
    Edit(
        code="V711",
        kind=Kind.VALIDITY,
        level=Level.LAR,
        periods=since(2018),
        fields=_FREE_FORM,
        text=(
            "If the first denial reason is 1111, the other reasons and the free-form reason must "
            "be blank."
        ),
        holds=if_then(
            one_of("denial_reason_1", 1111), _NO_FURTHER & blank("denial_reason_free_form")
        ),
        breaks={"denial_reason_1": 1111, "denial_reason_2": 1},
    ),
)
