"""Conversions of spreadsheets in the process of the tests.

To start a process takes many times as long as to convert a file of a few rows. What is told to it
and what it answers is the same here; its limits, and how it ends, have tests of their own in
`tests/filing/spreadsheets/test_confined_conversion.py`.
"""

from __future__ import annotations

import io
from typing import Any

import pytest

from filing.lar import years
from filing.spreadsheets import aliases, confined_conversion, conversion_program

# What the program sets for its process.
OF_THE_PROCESS = ((years, "_source"), (years, "_today"), (aliases, "_source"))


@pytest.fixture(autouse=True)
def conversions_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Convert spreadsheets in this process, in each module that imports this fixture."""
    monkeypatch.setattr(confined_conversion, "run_confined_program", run_program)


def run_program(module: str, *, output: Any, content: bytes, **limits: Any) -> None:
    """Run the program of conversions as `confinement.run_confined_program` does in a process."""
    answer = io.BytesIO()
    with pytest.MonkeyPatch.context() as changed:
        for owner, name in OF_THE_PROCESS:
            changed.setattr(owner, name, getattr(owner, name))
        changed.setattr(conversion_program, "limit_process", lambda **limits: None)
        changed.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
        changed.setattr("sys.stdout", io.TextIOWrapper(answer, write_through=True))
        conversion_program.main()
        output.write(answer.getvalue())
