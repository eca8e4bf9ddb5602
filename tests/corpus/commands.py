"""Runs `hmda` in this process, and returns how it ended and what it printed."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from typing import Any

from filing.client.command import main


@dataclass(frozen=True)
class ClientRun:
    """A run. code: of its exit."""

    code: int
    output: str
    error: str

    def json(self) -> dict[str, Any]:
        body: dict[str, Any] = json.loads(self.output)
        return body


def run_client(words: list[str]) -> ClientRun:
    """Run a command of the client."""
    output, error = io.StringIO(), io.StringIO()
    with redirect_stdout(output), redirect_stderr(error):
        code = main(words)
    return ClientRun(code, output.getvalue(), error.getvalue())
