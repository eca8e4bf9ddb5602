"""What a report of an error contains: where in the code it was raised, and how to find its log.

A report is written from a list of what may be in it, so that nothing else leaves the service,
whatever a library adds: no message, for it may quote a record, and no variables, headers,
addresses, bodies, breadcrumbs, host names or arguments.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import structlog

_OF_EVENT = (
    "event_id",
    "timestamp",
    "level",
    "logger",
    "platform",
    "release",
    "environment",
    "sdk",
)
_OF_EXCEPTION = ("type", "module")
_OF_FRAME = ("filename", "function", "module", "lineno", "in_app")


def report(event: Mapping[str, Any], hint: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the report of an error; None for one without an exception, which is only a text."""
    exceptions = (event.get("exception") or {}).get("values")
    if not exceptions:
        return None
    context = structlog.contextvars.get_contextvars()
    request = getattr(hint.get("log_record"), "request", None)
    tags = {
        "reference": context.get("request_id", ""),
        "method": getattr(request, "method", None) or "",
    }
    return {
        **_pick(event, _OF_EVENT),
        "transaction": _route(request) or _kind_of_job(context),
        "tags": {name: str(value) for name, value in tags.items() if value},
        "exception": {"values": [_exception(exception) for exception in exceptions]},
    }


def _exception(exception: Mapping[str, Any]) -> dict[str, Any]:
    frames = (exception.get("stacktrace") or {}).get("frames") or ()
    return {
        **_pick(exception, _OF_EXCEPTION),
        "stacktrace": {"frames": [_pick(frame, _OF_FRAME) for frame in frames]},
    }


def _pick(values: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: values[name] for name in names if values.get(name) is not None}


def _route(request: Any) -> str:
    """Return the pattern of a request's address, which has names where the address has values."""
    return getattr(getattr(request, "resolver_match", None), "route", None) or ""


def _kind_of_job(context: Mapping[str, Any]) -> str:
    stage = context.get("stage")
    return f"job {stage}" if stage else ""
