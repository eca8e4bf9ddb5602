"""All parts are looked at, whatever one of them does, and within a deadline."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from config.doctor.examination import examine
from config.doctor.findings import Finding, Level, Needs, Options, Part, error, fine, warning
from config.doctor.registry import PARTS


def whole(options: Options) -> Iterator[Finding]:
    yield fine("It works.")


def doubtful(options: Options) -> Iterator[Finding]:
    yield fine("Half of it works.")
    yield warning("The other half may not.", "Look at it.")


def broken(options: Options) -> Iterator[Finding]:
    yield fine("It begins.")
    raise ValueError("the reason\nand more of it")


def hanging(options: Options) -> Iterator[Finding]:
    yield error("It is slow.", "Wait.")
    threading.Event().wait(60)


def test_a_part_that_fails_or_hangs_hides_no_other() -> None:
    began = time.monotonic()
    parts = [
        Part("hanging", hanging),
        Part("broken", broken),
        Part("doubtful", doubtful),
        Part("whole", whole),
    ]
    results = examine(parts, Options(), seconds=1)
    assert time.monotonic() - began < 5
    assert [(result.part, result.level) for result in results] == [
        ("hanging", Level.ERROR),
        ("broken", Level.ERROR),
        ("doubtful", Level.WARNING),
        ("whole", Level.OK),
    ]
    assert [each.text for each in results[0].findings] == [
        "It is slow.",
        "No answer within 1 seconds.",
    ]
    assert [each.text for each in results[1].findings] == [
        "It begins.",
        "It cannot be looked at: ValueError: the reason",
    ]


def test_parts_outside_are_left_out_on_request() -> None:
    parts = [Part("far", broken, is_outside=True), Part("near", whole)]
    far, near = examine(parts, Options(), offline=True)
    assert (far.level, near.level) == (Level.LEFT_OUT, Level.OK)


@pytest.mark.django_db(transaction=True)
def test_parts_that_need_the_database_are_looked_at_while_it_works() -> None:
    parts = [Part("rows", whole, needs=Needs.TABLES), Part("server", whole, needs=Needs.DATABASE)]
    assert [each.level for each in examine(parts, Options())] == [Level.OK, Level.OK]


def test_each_part_has_a_name_of_its_own_and_every_need_is_met() -> None:
    assert len({part.name for part in PARTS}) == len(PARTS)
    assert all(len(part.name) < 14 for part in PARTS)  # the width of its column
