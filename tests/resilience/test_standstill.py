"""The outcome of a run with faults: the figures of a made-up history."""

from __future__ import annotations

from typing import Any

from filing.statuses import Event, Status
from tests.resilience.standstill import compute_outcome

WAY = [
    (None, Status.CREATED, "CREATED"),
    (Status.CREATED, Status.UPLOADING, Event.UPLOAD_STARTED.name),
    (Status.UPLOADING, Status.UPLOADED, Event.UPLOAD_FINISHED.name),
    (Status.UPLOADED, Status.PARSING, Event.PARSE_STARTED.name),
    (Status.PARSING, Status.PARSED, Event.PARSE_PASSED.name),
    (Status.PARSED, Status.VALIDATING, Event.EDITS_STARTED.name),
    (Status.VALIDATING, Status.QUALITY_ERRORS, Event.QUALITY_FOUND_ERRORS.name),
]


def history(*steps: int, seconds: int = 1, tries: int = 1) -> dict[str, Any]:
    """Return that of one submission. steps: of the way, each so many seconds after the last."""
    return {
        "now": 1000.0,
        "names": {"1": "A-2025-1"},
        "changes": [[1, *WAY[step], float(number * seconds)] for number, step in enumerate(steps)],
        "jobs": [],
        "tries": [
            {"submission": 1, "stage": "parse", "is_done": True, "began": 2.0} for _ in range(tries)
        ],
        "receipts": [],
    }


def figures(found: dict[str, Any]) -> Any:
    return compute_outcome(found, promised={"A-2025-1": "uploaded"}, limit=60, missing=[])


def test_a_submission_that_moved_all_the_time_is_whole():
    seen = figures(history(*range(7)))
    assert seen.is_whole
    assert seen.longest == {2: 1.0, 3: 1.0, 4: 1.0, 6: 1.0, 7: 1.0}


def test_a_wait_for_the_service_is_a_stall_and_one_for_the_filer_is_not():
    seen = figures(history(0, 1, 2, 3, 4, 5, 6, seconds=61))
    assert [stall["status"] for stall in seen.stalls] == [2, 3, 4, 6, 7]
    assert not seen.is_whole
    assert figures(history(0)).lost == ["A-2025-1: uploaded, is 1"]


def test_what_has_not_come_to_an_end_is_a_stall_until_now():
    seen = figures(history(0, 1, 2, 3))
    assert seen.unfinished == ["A-2025-1 4"]
    assert [(stall["status"], stall["seconds"]) for stall in seen.stalls] == [(4, 997.0)]


def test_work_that_was_taken_twice_and_a_move_backward_are_named():
    seen = figures(history(*range(5), 4, tries=2))
    assert seen.doubled == ["A-2025-1 parse", "A-2025-1 PARSE_PASSED"]
    back = history(*range(7))
    back["changes"][3][1:3] = [Status.PARSED, Status.PARSING]
    assert figures(back).backward == ["A-2025-1 6 to 4 (PARSE_STARTED)"]
