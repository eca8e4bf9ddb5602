"""The sequences of events that made-up submissions go through: which, how often, and when."""

from __future__ import annotations

import random
from datetime import datetime, timedelta

from filing.demo.weights import draw as draw_weighted
from filing.statuses import Event

BY_PEOPLE = {Event.UPLOAD_STARTED, Event.EVERYTHING_VERIFIED, Event.SIGNED}
_UPLOADED = (Event.UPLOAD_STARTED, Event.UPLOAD_FINISHED)
_PARSED = (*_UPLOADED, Event.PARSE_STARTED, Event.PARSE_PASSED)
_ROWS_PASSED = (*_PARSED, Event.EDITS_STARTED, Event.SYNTACTICAL_AND_VALIDITY_PASSED)
_QUALITY = (*_ROWS_PASSED, Event.QUALITY_FOUND_ERRORS)
_MACRO = (*_QUALITY, Event.MACRO_FOUND_ERRORS)
_CLEAN = (*_ROWS_PASSED, Event.QUALITY_PASSED, Event.MACRO_PASSED)
_VERIFIED = (*_MACRO, Event.EVERYTHING_VERIFIED)
_INVALID = (*_PARSED, Event.EDITS_STARTED, Event.SYNTACTICAL_OR_VALIDITY_FOUND_ERRORS)
_UNREADABLE = (*_UPLOADED, Event.PARSE_STARTED, Event.PARSE_FOUND_ERRORS)
_STOPPED = (*_UPLOADED, Event.PARSE_STARTED, Event.FAILED)
EventSequence = tuple[Event, ...]
# Sequences with weights: of submissions that a later one replaced, and of the latest ones.
_EARLIER: dict[EventSequence, int] = {
    (): 10,
    _UNREADABLE: 15,
    _INVALID: 40,
    _STOPPED: 2,
    _QUALITY: 8,
    _MACRO: 10,
    _VERIFIED: 5,
    (*_VERIFIED, Event.SIGNED): 10,
}
_LAST: dict[EventSequence, int] = {
    (): 40,
    _UNREADABLE: 50,
    _INVALID: 100,
    _STOPPED: 10,
    _QUALITY: 50,
    _MACRO: 80,
    _VERIFIED: 100,
    (*_VERIFIED, Event.SIGNED): 450,
    (*_CLEAN, Event.NOTHING_TO_VERIFY, Event.SIGNED): 100,
    # Still being processed, or stuck.
    _UPLOADED[:1]: 3,
    _UPLOADED: 3,
    _PARSED[:3]: 3,
    _PARSED: 3,
    (*_PARSED, Event.EDITS_STARTED): 4,
    _ROWS_PASSED: 1,
    _CLEAN[:-1]: 1,
    _CLEAN: 2,
}


def draw(chance: random.Random, *, is_last: bool) -> EventSequence:
    """Return a random sequence of events. is_last: the submission is the latest of its filing."""
    return draw_weighted(chance, _LAST if is_last else _EARLIER, 1)[0]


def times(
    events: EventSequence, span: tuple[datetime, datetime], chance: random.Random
) -> list[datetime]:
    """Return when a submission was created, and when each event happened.

    span: the earliest time it may be created, and the time by which all of it has happened.
    """
    pauses = [
        timedelta(seconds=chance.uniform(30, 20_000) if event in BY_PEOPLE else chance.random())
        for event in events
    ]
    latest = span[1] - sum(pauses, timedelta())
    at = span[0] + max(latest - span[0], timedelta()) * chance.random()
    result = [at]
    for pause in pauses:
        at += pause
        result.append(at)
    return result
