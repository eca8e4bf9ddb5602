"""Every edit of every released rulebook, in one place.

A period is here one of a rulebook: `years.rulebook_period` tells which one a filing period runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import combinations, groupby

from filing.edits import macro, syntactical, transmittal
from filing.edits.edit import Edit, EditKind, EditLevel
from filing.edits.quality import QUALITY
from filing.edits.read_fields import cite_edit, fields_read, reads_as_listed
from filing.edits.validity import VALIDITY
from filing.edits.vocabulary import called
from filing.lar.fields import LAR_BY_NAME, TS_BY_NAME, WHOLE_ROW, WHOLE_ROW_LABEL
from filing.lar.years import NoRulebookError, Period, rulebook_periods

_KINDS = tuple(EditKind)
_LEVELS = tuple(EditLevel)

_ABOUT_FIELDS = (
    "*Shows* names the fields that the bureau lists for an edit: details and downloads show these. "
    "*Reads* names the fields that its rule reads, if they are not the same. *Regulation C* cites "
    "the paragraphs of 12 CFR part 1003 that ask for the fields of the rule."
)
LOOKS_AT = {
    EditLevel.TS: "transmittal sheet",
    EditLevel.LAR: "record",
    EditLevel.FILE: "whole file",
}

_MARKS = re.compile(r"[\\*_\[\]`|<>]")


def order_edits(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """Return the edits by kind, code, level and first year.

    Raises: ValueError, naming an edit with two entries in the same period.
    """
    ordered = tuple(sorted(edits, key=_place))
    for _, entries in groupby(ordered, key=lambda edit: (edit.code, edit.level)):
        for earlier, later in combinations(entries, 2):
            if earlier.periods.overlaps(later.periods):
                raise ValueError(
                    f"Two entries of {earlier.code} ({earlier.level.value}) run at once."
                )
    return ordered


def list_edits(
    period: Period, *, kind: EditKind | None = None, level: EditLevel | None = None
) -> tuple[Edit, ...]:
    """Return the rulebook of a period, or its part of one kind or level.

    Raises: NoRulebookError for a period without a released rulebook, which has no empty one.
    """
    return tuple(
        edit
        for edit in _rulebook(period)
        if kind in {None, edit.kind} and level in {None, edit.level}
    )


@lru_cache(maxsize=64)
def _rulebook(period: Period) -> tuple[Edit, ...]:
    """Return the edits of a rulebook; there are few, and edits never change."""
    edits = tuple(edit for edit in EDITS if period in edit.periods)
    if not edits:
        raise NoRulebookError(f"No rulebook was released for {period}.")
    return edits


def find_edit(code: str, period: Period, level: EditLevel | str) -> Edit:
    """Return the edit of a period; one code may serve two levels.

    Raises: LookupError, when the period has no such edit.
    """
    for edit in _by_code(period).get(code, ()):
        if edit.level is EditLevel(level):
            return edit
    raise LookupError(f"{period} has no edit {code} of level {EditLevel(level).value}.")


def find_edit_text(code: str, period: Period) -> str:
    """Return the text of the edit: a sentence for each level that has the code.

    Raises: LookupError, when the period has no such edit.
    """
    return " ".join(edit.text for edit in find_edits_by_code(code, period))


def find_edits_by_code(code: str, period: Period) -> tuple[Edit, ...]:
    """Return the edits of a period that have a code, one for each level.

    Raises: LookupError, when the period has no such edit.
    """
    try:
        return _by_code(period)[code]
    except KeyError:
        raise LookupError(f"{period} has no edit {code}.") from None


@lru_cache(maxsize=64)
def _by_code(period: Period) -> dict[str, tuple[Edit, ...]]:
    """Return the edits of a period by code; there are few periods, and edits never change."""
    by_code: dict[str, tuple[Edit, ...]] = {}
    for edit in list_edits(period):
        by_code[edit.code] = (*by_code.get(edit.code, ()), edit)
    return by_code


def count_edits(period: Period) -> dict[EditKind, int]:
    """Return how many edits of each kind run in a period."""
    return {kind: len(list_edits(period, kind=kind)) for kind in _KINDS}


def write_edits_reference() -> str:
    """Return the edits reference as a page: the counts, then each edit with its rule."""
    lines = ["# Edits", "", *_counts_table(), "", _ABOUT_FIELDS, ""]
    for kind in _KINDS:
        lines += [f"## {kind.value.capitalize()}", ""]
        for edit in EDITS:
            if edit.kind is kind:
                lines += [*_section(edit), ""]
    return "\n".join(lines)


def _counts_table() -> list[str]:
    heads = [kind.value.capitalize() for kind in _KINDS]
    lines = [f"| Period | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
    for period in rulebook_periods():
        numbers = " | ".join(str(number) for number in count_edits(period).values())
        lines.append(f"| {period} | {numbers} |")
    return lines


def _section(edit: Edit) -> list[str]:
    listed_fields = _labels(edit, edit.fields)
    fields_of_rule = "" if reads_as_listed(edit) else _labels(edit, fields_read(edit))
    citation = cite_edit(edit)
    return [
        f"### {edit.code}",
        "",
        edit.text,
        "",
        f"- Looks at: {LOOKS_AT[edit.level]}",
        f"- Runs in: {edit.periods}",
        f"- Rule: {_plain(edit.rule)}",
        *([f"- Shows: {listed_fields}"] if listed_fields else []),
        *([f"- Reads: {fields_of_rule}"] if fields_of_rule else []),
        *([f"- Regulation C: {citation}"] if citation else []),
    ]


def _labels(edit: Edit, names: Iterable[str]) -> str:
    return "; ".join(label_field(edit, name) for name in names)


def _plain(text: str) -> str:
    """Return the text with its Markdown characters escaped."""
    return _MARKS.sub(r"\\\g<0>", text)


def label_field(edit: Edit, name: str) -> str:
    """Return the label of a field that the edit lists or reads."""
    if name == WHOLE_ROW:
        return WHOLE_ROW_LABEL
    if name not in LAR_BY_NAME and name not in TS_BY_NAME:
        return called(name)
    table = TS_BY_NAME if edit.level is EditLevel.TS or name not in LAR_BY_NAME else LAR_BY_NAME
    return table[name].label


def _place(edit: Edit) -> tuple[int, str, int, int]:
    first = min(edit.annual | edit.quarterly)
    return _KINDS.index(edit.kind), edit.code, _LEVELS.index(edit.level), first


EDITS = order_edits(
    (*transmittal.EDITS, *syntactical.EDITS, *VALIDITY, *QUALITY, *macro.EDITS),
)
