"""A client of the filing API: one method for each endpoint, and `file`, from upload to receipt.

with FilingClient(url, token) as client:
    outcome = file(client, path, lei=lei, period=Period(2024), verify=True, sign=True)

Names are imported when they are first used: `hmda --help` needs none of them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from filing.client.api import FilingClient
    from filing.client.calls import Answer, Refused, Trouble, Unreachable
    from filing.client.outcome import Ending, Event, NotRun, Outcome, Sent, Standing, Step
    from filing.client.steps import file

_HOMES = {
    "FilingClient": "api",
    **dict.fromkeys(("Answer", "Refused", "Trouble", "Unreachable"), "calls"),
    **dict.fromkeys(
        ("Ending", "Event", "NotRun", "Outcome", "Sent", "Standing", "Step"), "outcome"
    ),
    "file": "steps",
}

__all__ = [
    "Answer",
    "Ending",
    "Event",
    "FilingClient",
    "NotRun",
    "Outcome",
    "Refused",
    "Sent",
    "Standing",
    "Step",
    "Trouble",
    "Unreachable",
    "file",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
