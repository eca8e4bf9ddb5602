"""The calls of filing periods and obligations whose answers the API document shows."""

from __future__ import annotations

from tests.flow.recording import LEI, UNKNOWN_LEI, Recording

PERIODS = "/v2/filing/periods"
OBLIGATIONS = "/v2/filing/institutions/{lei}/obligations"


def record(recording: Recording, tokens: dict[str, str]) -> None:
    """Record them after a filing was signed. tokens: by LEI; one is of no institution."""
    recording.call("GET", PERIODS)
    recording.call("GET", OBLIGATIONS.format(lei=LEI), token=tokens[LEI])
    for form in ("", ".ics"):
        path = OBLIGATIONS.format(lei=LEI) + form
        recording.refuse_others(tokens[LEI], ("GET", path))
        recording.call("GET", path.replace(LEI, UNKNOWN_LEI), token=tokens[UNKNOWN_LEI])
