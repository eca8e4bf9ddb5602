"""Looks at all parts, each in a thread of its own, with a deadline for all.

One part that fails or hangs hides no other. What it found before it hung is reported.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from django.db import Error, connections

from config.doctor.findings import Finding, Needs, Options, Part, Result, error, left_out
from config.health import dependencies
from config.health.looks import Look

DEADLINE_SECONDS = 20  # for the parts that need nothing, and again for those that need others
_AWAY = {
    Needs.DATABASE: dependencies.database,
    Needs.TABLES: dependencies.migrations,
}


def examine(
    parts: Sequence[Part],
    options: Options,
    *,
    offline: bool = False,
    seconds: float = DEADLINE_SECONDS,
) -> list[Result]:
    """Return the findings about each part, in the order of the parts.

    offline: leave out the parts outside. seconds: the deadline, which counts twice if some parts
    need others.
    """
    findings: dict[str, list[Finding]] = {part.name: [] for part in parts}
    asked = [part for part in parts if not (offline and part.is_outside)]
    for part in parts:
        if part not in asked:
            findings[part.name].append(left_out("Left out with --offline."))
    needs = {part.needs for part in asked} - {Needs.NOTHING}
    first = [part for part in asked if part.needs is Needs.NOTHING]
    reasons = _wave(first, options, findings, seconds=seconds, needs=needs)
    second = []
    for part in asked:
        if part.needs is not Needs.NOTHING and reasons[part.needs]:
            text = f"Not looked at: it needs {part.needs.value}."
            findings[part.name].append(left_out(text))
        elif part.needs is not Needs.NOTHING:
            second.append(part)
    _wave(second, options, findings, seconds=seconds)
    return [Result(part.name, findings[part.name]) for part in parts]


def _wave(
    parts: Sequence[Part],
    options: Options,
    findings: dict[str, list[Finding]],
    *,
    seconds: float,
    needs: set[Needs] = frozenset(),  # type: ignore[assignment]
) -> dict[Needs, str]:
    """Look at some parts at the same time; return why what others need is not there."""
    until = time.monotonic() + seconds
    reasons = {
        need: Look(_AWAY[need], failed="It cannot be looked at.", name=need) for need in needs
    }
    looks = {
        part: Look(_look(part, options, findings[part.name]), failed=None, name=part.name)
        for part in parts
    }
    hung = object()
    for part, look in looks.items():
        if look.result(until=until, late=hung) is hung:  # type: ignore[arg-type]
            so_far = list(findings[part.name])
            late = error(f"No answer within {seconds:g} seconds.", "Look at what it waits for.")
            findings[part.name] = [*so_far, late]
    return {need: look.result(until=until, late="No answer.") for need, look in reasons.items()}


def _look(part: Part, options: Options, into: list[Finding]) -> Callable[[], None]:
    """Return a look at a part that ends in findings, whatever happens."""

    def see() -> None:
        try:
            for finding in part.look(options):
                into.append(finding)  # noqa: PERF402 -- what is there when it hangs is reported
        except Error as failure:
            into.append(
                error(
                    f"The database refused: {dependencies.first_line(failure)}",
                    "Run `manage.py prepare`, then look at the database's own log.",
                )
            )
        except Exception as failure:  # one part must not hide the others
            reason = f"{type(failure).__name__}: {dependencies.first_line(failure)}"
            into.append(error(f"It cannot be looked at: {reason}", "See the logs in DATA_DIR/log."))
        finally:
            connections.close_all()

    return see
