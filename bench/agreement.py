"""The findings of two sides in the same file, stored by each in its process and compared here."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

ENGINE, PLAIN = "engine", "plain"
BAD_ROWS = "bad-rows"

Rows = npt.NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Agreement:
    """The comparison of both sides on a file.

    differences: sentences, none if they agree. compared: the number of edits compared; findings: of
    their rows. only_engine, only_plain: edits that only one side has run.
    """

    compared: int = 0
    findings: int = 0
    differences: list[str] = field(default_factory=list)
    only_engine: list[str] = field(default_factory=list)
    only_plain: list[str] = field(default_factory=list)


def findings_of(folder: Path, side: str) -> Path:
    """Return the file of the rows of a side's findings, edit after edit, as uint32."""
    return folder / f"{side}-findings"


def bad_rows_of(folder: Path, side: str) -> Path:
    """Return the file of a side's rows with formatting errors, as uint32."""
    return folder / f"{side}-bad-rows"


def store(folder: Path, side: str, index: Mapping[str, tuple[int, int, int]]) -> None:
    """Store total, position and number of rows in the findings of a side, by code and level."""
    (folder / f"{side}.json").write_text(json.dumps(index))


def compare(folder: Path) -> Agreement:
    """Return the comparison of the sides whose findings are stored in a folder."""
    engine, plain = (_Side(folder, side) for side in (ENGINE, PLAIN))
    both = [edit for edit in engine.index if edit in plain.index]
    differences = _differing("rows with format errors", engine.bad, plain.bad)
    for edit in both:
        differences += _differing(edit, engine.rows(edit), plain.rows(edit))
        totals = engine.index[edit][0], plain.index[edit][0]
        if totals[0] != totals[1]:
            differences.append(f"{edit}: the engine counts {totals[0]}, the plain loop {totals[1]}")
    return Agreement(
        compared=len(both),
        findings=sum(engine.index[edit][2] for edit in both),
        differences=differences,
        only_engine=[edit for edit in engine.index if edit not in plain.index],
        only_plain=[edit for edit in plain.index if edit not in engine.index],
    )


class _Side:
    def __init__(self, folder: Path, side: str) -> None:
        self.index: dict[str, Any] = json.loads((folder / f"{side}.json").read_text())
        self.bad = np.fromfile(bad_rows_of(folder, side), "<u4")
        self._findings = np.fromfile(findings_of(folder, side), "<u4")

    def rows(self, edit: str) -> Rows:
        # Copies of repeated loans stand in another order on each side.
        _, position, listed = self.index[edit]
        return np.sort(self._findings[position : position + listed])


def _differing(what: str, engine: Rows, plain: Rows) -> list[str]:
    if np.array_equal(engine, plain):
        return []
    sides = {
        "the engine": np.setdiff1d(engine, plain),
        "the plain loop": np.setdiff1d(plain, engine),
    }
    return [
        f"{what}: {len(rows)} found only by {side}, such as row {rows[0]}"
        for side, rows in sides.items()
        if len(rows)
    ] or [f"{what}: the same rows, but not equally often"]
