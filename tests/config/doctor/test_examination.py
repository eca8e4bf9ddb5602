"""All parts are looked at, whatever one of them does, and within a deadline."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.core import checks
from django.core.checks import CheckMessage, Debug, Error, Info
from django.core.checks.registry import CheckRegistry

from config.doctor.examination import examine_parts
from config.health.live_checks import DOCTOR, NEEDS_DATABASE, NEEDS_TABLES, OUTSIDE

# The whole registry needs a database: what others need is looked at beforehand.
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def registry() -> CheckRegistry:
    """Checks of parts that hang, break and work."""
    registry = CheckRegistry()

    @registry.register("hanging", DOCTOR)
    def hang(**options: Any) -> Iterator[CheckMessage]:
        yield Error("It is slow.", "Wait.")
        threading.Event().wait(60)

    @registry.register("broken", DOCTOR, OUTSIDE)
    def break_down(**options: Any) -> Iterator[CheckMessage]:
        yield Debug("It begins.")
        raise ValueError("the reason\nand more of it")

    for part, *needs in (("whole",), ("server", NEEDS_DATABASE), ("rows", NEEDS_TABLES)):

        def work(**options: Any) -> Iterator[CheckMessage]:
            yield Debug("It works.")

        registry.register(work, part, DOCTOR, *needs)
    return registry


def test_a_part_that_fails_or_hangs_hides_no_other(registry: CheckRegistry) -> None:
    began = time.monotonic()
    findings = examine_parts(["hanging", "broken", "whole"], seconds=1, registry=registry)
    assert time.monotonic() - began < 5
    assert {part: [each.msg for each in messages] for part, messages in findings.items()} == {
        "hanging": ["It is slow.", "No answer within 1 seconds."],
        "broken": ["It begins.", "It cannot be looked at: ValueError: the reason"],
        "whole": ["It works."],
    }
    assert findings["hanging"][-1].level == findings["broken"][-1].level == checks.ERROR


def test_parts_outside_are_left_out_on_request(registry: CheckRegistry) -> None:
    findings = examine_parts(["broken", "whole"], is_offline=True, registry=registry)
    assert findings == {
        "broken": [Info("Left out with --offline.")],
        "whole": [Debug("It works.")],
    }


def test_parts_that_need_the_database_are_looked_at_while_it_works(registry: CheckRegistry) -> None:
    works = [Debug("It works.")]
    findings = examine_parts(["rows", "server"], registry=registry)
    assert findings == {"rows": works, "server": works}
