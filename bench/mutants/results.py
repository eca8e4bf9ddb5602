"""Results, one line each, and the table that sums them up."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from bench.mutants.changes import Change


class Verdict(StrEnum):
    """What became of a change."""

    NOTICED = "noticed"
    EQUIVALENT = "equivalent"
    UNNOTICED = "unnoticed"


@dataclass(frozen=True, slots=True)
class Result:
    """A change and its verdict. detail: the test that noticed, or the reason of equivalence."""

    change: Change
    verdict: Verdict
    detail: str = ""
    seconds: float = 0.0


class Results:
    """The file of results: each is added as it comes, so that a run can be resumed."""

    def __init__(self, path: Path, *, resume: bool) -> None:
        self._path = path
        self._known: dict[str, dict[str, Any]] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        if not resume:
            path.unlink(missing_ok=True)
        elif path.exists():
            lines = map(json.loads, path.read_text().splitlines())
            self._known = {line["digest"]: line for line in lines}

    def noticed(self, change: Change, source: str) -> Result | None:
        """Return the result of an earlier run, if the module is the same and a test noticed."""
        line = self._known.get(_digest(change, source))
        if line is None or line["verdict"] != Verdict.NOTICED:
            return None
        return Result(change, Verdict.NOTICED, line["detail"], line["seconds"])

    def add(self, result: Result, source: str) -> None:
        """Write a result at the end of the file."""
        change = result.change
        line = {
            "digest": _digest(change, source),
            "verdict": result.verdict,
            "detail": result.detail,
            "seconds": result.seconds,
            "module": change.path,
            "scope": change.scope,
            "original": change.original,
            "changed": change.changed,
        }
        with self._path.open("a") as file:
            file.write(f"{json.dumps(line)}\n")


def _digest(change: Change, source: str) -> str:
    return hashlib.sha256("\0".join((*change.key, source)).encode()).hexdigest()


def table(results: Iterable[Result]) -> str:
    """Return how many changes of each module, and of all, came to which verdict."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for result in results:
        for name in (result.change.path, "all"):
            counts[name][0] += 1
            counts[name][1 + list(Verdict).index(result.verdict)] += 1
    rows = sorted(counts.items(), key=lambda row: (row[0] == "all", row[0]))
    width = max((len(name) for name, _ in rows), default=0)
    head = f"{'module':{width}} {'changes':>9} {'noticed':>9} {'equivalent':>11} {'unnoticed':>10}"
    return "\n".join([head, *(_row(name, width, numbers) for name, numbers in rows)])


def _row(name: str, width: int, numbers: list[int]) -> str:
    made, noticed, equivalent, unnoticed = numbers
    return f"{name:{width}} {made:>9,} {noticed:>9,} {equivalent:>11,} {unnoticed:>10,}"
