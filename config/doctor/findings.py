"""Findings: what is as it should be, what is not, and what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum


class Level(StrEnum):
    """How a finding counts."""

    OK = "ok"
    LEFT_OUT = "left out"
    WARNING = "warning"
    ERROR = "error"


_BY_WEIGHT = tuple(Level)


@dataclass(frozen=True, slots=True)
class Finding:
    """A sentence about a part. advice: what to do; blank if there is nothing to do."""

    level: Level
    text: str
    advice: str = ""


def fine(text: str) -> Finding:
    """Return a finding about what is as it should be."""
    return Finding(Level.OK, text)


def left_out(text: str) -> Finding:
    """Return a finding about what could not, or need not, be looked at."""
    return Finding(Level.LEFT_OUT, text)


def warning(text: str, advice: str) -> Finding:
    """Return a finding about what may be wrong."""
    return Finding(Level.WARNING, text, advice)


def error(text: str, advice: str) -> Finding:
    """Return a finding about what is wrong."""
    return Finding(Level.ERROR, text, advice)


@dataclass(frozen=True, slots=True)
class Options:
    """What the caller asked for. email_to: where to send a test message; blank for none."""

    email_to: str = ""


class Needs(StrEnum):
    """What must work before a part can be looked at."""

    NOTHING = ""
    DATABASE = "the database"
    TABLES = "all migrations"


@dataclass(frozen=True, slots=True)
class Part:
    """A part of an installation. is_outside: looking at it calls machines of others."""

    name: str
    look: Callable[[Options], Iterable[Finding]]
    needs: Needs = Needs.NOTHING
    is_outside: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """The findings about a part."""

    part: str
    findings: list[Finding] = field(default_factory=list)

    @property
    def level(self) -> Level:
        """The level of the worst finding."""
        return max((each.level for each in self.findings), key=_BY_WEIGHT.index, default=Level.OK)
