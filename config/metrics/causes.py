"""Why attempts did not succeed: the class of an error, without its text."""

from __future__ import annotations

import re

LOST = "worker lost"
OTHER = "other"
# In this order: the first that fits.
_SIGNS = {
    "database": r"\b(Operational|Interface|Database|Integrity|Internal|Data)Error\b",
    "mail server": r"\bSMTP\w*|mail server",
    "memory": r"\bMemoryError\b|OutOfMemory",
    "time limit": r"\b(SoftTimeLimitExceeded|TimeLimitExceeded)\b",
    "disk full": r"No space left|Disk quota exceeded|ENOSPC",
    "storage": r"\b(OSError|IOError|FileNotFoundError|PermissionError|TimeoutError|ClientError"
    r"|\w*Connection\w*Error|BotoCoreError|gaierror)\b",
    "staff": r"^Stopped by\b",
}
_PATTERNS = {cause: re.compile(sign) for cause, sign in _SIGNS.items()}
CAUSES = (*_SIGNS, LOST, OTHER)


def cause_of(stage: str, error: str) -> str:
    """Return the class of the stored error of a job."""
    cause = next((cause for cause, sign in _PATTERNS.items() if sign.search(error)), OTHER)
    return "mail server" if (stage, cause) == ("mail", "storage") else cause
