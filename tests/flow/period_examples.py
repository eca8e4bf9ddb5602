"""The calls of filing periods and obligations whose answers the API document shows."""

from __future__ import annotations

from tests.flow.recording import LEI, OTHER_LEI, UNKNOWN_LEI, Recording

PERIODS = "/v2/filing/periods"
OBLIGATIONS = "/v2/filing/institutions/{lei}/obligations"


def record(recording: Recording, tokens: dict[str, str]) -> None:
    """Record them after a filing was signed. tokens: by LEI; one is of no institution."""
    recording.call("GET", PERIODS)
    path = OBLIGATIONS.format(lei=LEI)
    recording.call("GET", path, token=tokens[LEI])
    recording.call("GET", path)
    recording.call("GET", path, token=tokens[OTHER_LEI])
    unknown = OBLIGATIONS.format(lei=UNKNOWN_LEI)
    for address in (unknown, f"{unknown}.ics"):
        recording.call("GET", address, token=tokens[UNKNOWN_LEI])
    recording.call("GET", f"{path}.ics")
    recording.call("GET", f"{path}.ics", token=tokens[OTHER_LEI])
