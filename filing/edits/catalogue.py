"""Every edit of every filing year, in one place."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import combinations, groupby

from filing.edits import macro, syntactical, transmittal
from filing.edits.edit import Edit, Kind, Level
from filing.edits.quality import QUALITY
from filing.edits.reading import fields_read, reads_as_listed
from filing.edits.validity import VALIDITY
from filing.edits.vocabulary import called
from filing.lar.fields import LAR_BY_NAME, TS_BY_NAME, WHOLE_ROW, WHOLE_ROW_LABEL
from filing.lar.period import Period, known_periods

_KINDS = tuple(Kind)
_LEVELS = tuple(Level)


def disjoint(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """Return the edits by kind, code, level and first year.

    Raises: ValueError, naming an edit of which two entries run in the same period.
    """
    ordered = tuple(sorted(edits, key=_place))
    for _, entries in groupby(ordered, key=lambda edit: (edit.code, edit.level)):
        for one, other in combinations(entries, 2):
            if one.periods.overlaps(other.periods):
                raise ValueError(f"Two entries of {one.code} ({one.level.value}) run at once.")
    return ordered


def edits(
    period: Period, *, kind: Kind | None = None, level: Level | None = None
) -> tuple[Edit, ...]:
    """Return the rulebook of a period, or its part of one kind or level."""
    return tuple(
        edit
        for edit in EDITS
        if edit.runs_in(period) and kind in {None, edit.kind} and level in {None, edit.level}
    )


def find(code: str, period: Period, level: Level | str) -> Edit:
    """Return the edit as it stands in a period; one code may serve two levels.

    Raises: LookupError, when the period has no such edit.
    """
    for edit in _by_code(period).get(code, ()):
        if edit.level is Level(level):
            return edit
    raise LookupError(f"{period} has no edit {code} of level {Level(level).value}.")


def text(code: str, period: Period) -> str:
    """Return what the edit asks for, in a sentence; a sentence for each level that has the code.

    Raises: LookupError, when the period has no such edit.
    """
    return " ".join(edit.text for edit in forms(code, period))


def forms(code: str, period: Period) -> tuple[Edit, ...]:
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
    found: dict[str, tuple[Edit, ...]] = {}
    for edit in edits(period):
        found[edit.code] = (*found.get(edit.code, ()), edit)
    return found


def counts(period: Period) -> dict[Kind, int]:
    """Return how many edits of each kind run in a period."""
    return {kind: len(edits(period, kind=kind)) for kind in _KINDS}


def markdown() -> str:
    """Return the edits reference as a page: how many there are, then each with its rule."""
    lines = ["# Edits", "", *_counts_table(), "", _ABOUT_FIELDS, ""]
    for kind in _KINDS:
        lines += [f"## {kind.value.capitalize()}", ""]
        for edit in EDITS:
            if edit.kind is kind:
                lines += [*_section(edit), ""]
    return "\n".join(lines)


_ABOUT_FIELDS = (
    "*Shows* names the fields that the bureau lists for an edit: details and downloads show these. "
    "*Reads* names the fields that its rule reads, where they are not the same."
)
LOOKS_AT = {Level.TS: "transmittal sheet", Level.LAR: "loan", Level.FILE: "whole file"}


def _counts_table() -> list[str]:
    heads = [kind.value.capitalize() for kind in _KINDS]
    lines = [f"| Period | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
    for period in known_periods():
        numbers = " | ".join(str(number) for number in counts(period).values())
        lines.append(f"| {period} | {numbers} |")
    return lines


def _section(edit: Edit) -> list[str]:
    shown = _labels(edit, edit.fields)
    read = "" if reads_as_listed(edit) else _labels(edit, fields_read(edit))
    return [
        f"### {edit.code}",
        "",
        edit.text,
        "",
        f"- Looks at: {LOOKS_AT[edit.level]}",
        f"- Runs in: {edit.periods}",
        f"- Rule: {_plain(edit.rule)}",
        *([f"- Shows: {shown}"] if shown else []),
        *([f"- Reads: {read}"] if read else []),
    ]


def _labels(edit: Edit, names: Iterable[str]) -> str:
    return "; ".join(label(edit, name) for name in names)


def _plain(text: str) -> str:
    """Return text of which nothing means anything to Markdown."""
    return _MARKS.sub(r"\\\g<0>", text)


_MARKS = re.compile(r"[\\*_\[\]`|<>]")


def label(edit: Edit, name: str) -> str:
    """Return what a filer calls a field that the edit shows or reads."""
    if name == WHOLE_ROW:
        return WHOLE_ROW_LABEL
    if name not in LAR_BY_NAME and name not in TS_BY_NAME:
        return called(name)
    table = TS_BY_NAME if edit.level is Level.TS or name not in LAR_BY_NAME else LAR_BY_NAME
    return table[name].label


def _place(edit: Edit) -> tuple[int, str, int, int]:
    first = min(edit.annual | edit.quarterly)
    return _KINDS.index(edit.kind), edit.code, _LEVELS.index(edit.level), first


EDITS = disjoint(
    (*transmittal.EDITS, *syntactical.EDITS, *VALIDITY, *QUALITY, *macro.EDITS),
)
