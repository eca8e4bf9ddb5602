"""Where the client keeps things on this machine: settings, tokens, what was begun."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_NAME = "hmda"


def settings() -> Path:
    """Return the folder of settings and tokens."""
    return _home("XDG_CONFIG_HOME", ".config")


def state() -> Path:
    """Return the folder of filings that were begun."""
    return _home("XDG_STATE_HOME", ".local/state") / "filings"


def _home(variable: str, otherwise: str) -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA", Path.home())) / _NAME
    return Path(os.environ.get(variable) or Path.home() / otherwise) / _NAME
