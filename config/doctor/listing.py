"""Findings as JSON, in one form for the command and the admin."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.conf import settings
from django.core import checks

from config.doctor.examination import Findings

LEVELS = {
    checks.DEBUG: "ok",
    checks.INFO: "left out",
    checks.WARNING: "warning",
    checks.ERROR: "error",
}


def describe_findings(findings: Findings) -> dict[str, Any]:
    """Return findings as values of JSON; the level of a part is that of its worst."""
    counts = Counter(each.level for messages in findings.values() for each in messages)
    parts = {
        part: {
            "level": LEVELS[max((each.level for each in messages), default=checks.DEBUG)],
            "findings": [
                {
                    "level": LEVELS[each.level],
                    "text": str(each.msg),
                    "advice": str(each.hint or "") if each.level >= checks.WARNING else "",
                }
                for each in messages
            ],
        }
        for part, messages in findings.items()
    }
    return {
        "version": settings.VERSION,
        "site": settings.PUBLIC_URL,
        "errors": counts[checks.ERROR],
        "warnings": counts[checks.WARNING],
        "parts": parts,
    }
