"""The findings as one page, and as JSON."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence
from typing import Any

from django.conf import settings

from config.doctor.findings import Level, Result

WIDTH = 100  # columns
_NAME = 14  # columns of the part
_WORDS = {Level.OK: "OK", Level.LEFT_OUT: "-", Level.WARNING: "WARNING", Level.ERROR: "ERROR"}
_WORD = 9  # columns of the level


def counts(results: Sequence[Result]) -> dict[Level, int]:
    """Return the number of findings of each level."""
    levels = [finding.level for result in results for finding in result.findings]
    return {level: levels.count(level) for level in Level}


def page(results: Sequence[Result]) -> str:
    """Return the findings as a page, a line or two for each."""
    lines = [f"HMDA service {settings.VERSION} at {settings.PUBLIC_URL}", ""]
    for result in results:
        name = result.part
        for finding in result.findings:
            start = f"{name:<{_NAME}}{_WORDS[finding.level]:<{_WORD}}"
            lines += _wrapped(start, finding.text)
            if finding.advice:
                lines += _wrapped(" " * len(start), f"-> {finding.advice}")
            name = ""
    return "\n".join([*lines, "", summary(results)])


def summary(results: Sequence[Result]) -> str:
    """Return the last line: how much is wrong."""
    numbers = counts(results)
    errors, warnings = numbers[Level.ERROR], numbers[Level.WARNING]
    if not errors and not warnings:
        return "Nothing is wrong."
    return f"Errors: {errors}. Warnings: {warnings}."


def as_json(results: Sequence[Result]) -> str:
    """Return the findings as JSON for programs."""
    numbers = counts(results)
    content: dict[str, Any] = {
        "version": settings.VERSION,
        "site": settings.PUBLIC_URL,
        "errors": numbers[Level.ERROR],
        "warnings": numbers[Level.WARNING],
        "parts": {
            result.part: {
                "level": result.level,
                "findings": [
                    {"level": each.level, "text": each.text, "advice": each.advice}
                    for each in result.findings
                ],
            }
            for result in results
        },
    }
    return json.dumps(content, indent=2)


def _wrapped(start: str, text: str) -> list[str]:
    blank = " " * len(start)
    return textwrap.wrap(
        " ".join(text.split()),
        WIDTH,
        initial_indent=start,
        subsequent_indent=blank,
        break_long_words=False,
        break_on_hyphens=False,
    )
