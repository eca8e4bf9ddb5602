"""Terminal output of a filing: its steps, its progress, and its formatting errors and edits."""

from __future__ import annotations

from types import TracebackType
from typing import IO

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from filing.client.outcome import Event, Outcome, Sent, Standing, Step

_WIDTH = 120  # columns, if the output is not a terminal


class Screen:
    """Prints events as they come, with progress bars on a terminal."""

    def __init__(self, out: IO[str]) -> None:
        is_terminal = out.isatty()
        # No markup: the texts contain what filers typed.
        self._console = Console(
            file=out,
            markup=False,
            emoji=False,
            highlight=False,
            width=None if is_terminal else _WIDTH,
        )
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f}%"),
            TimeElapsedColumn(),
            console=self._console,
            transient=True,
            disable=not is_terminal,
        )
        self._bar: tuple[str, TaskID] | None = None
        self._code = 0

    def __enter__(self) -> Screen:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def watch(self, event: Event) -> None:
        """Show an event."""
        match event:
            case Sent(done, total):
                self._advance("upload", done, total)
            case Standing(code, message, done, total):
                if code != self._code:
                    self._console.print(f"{code:>3}  {message}")
                    self._code = code
                if total:
                    self._advance(message, done, total)
            case Step(name, status, seconds):
                self._clear()
                response = f"HTTP {status}" if status else "no response"
                self._console.print(f"     {name}: {response}, {seconds:.2f} s")

    def show(self, outcome: Outcome) -> None:
        """Show the outcome of the filing."""
        if outcome.format_errors:
            self._console.print(_format_errors(outcome))
            listed = len(outcome.format_errors)
            self._console.print(f"{listed} of {outcome.format_error_lines} lines are listed.")
        if any(outcome.edits.values()):
            self._console.print(_edits(outcome))
        if outcome.status:
            status = outcome.status
            self._console.print(f"{status['code']}: {status['message']}")
            self._console.print(status["description"])
        if outcome.receipt:
            self._console.print(f"Receipt number: {outcome.receipt['receipt']}")
        if outcome.error:
            self._console.print(f"Stopped: {outcome.error}")

    def _advance(self, name: str, done: int, total: int) -> None:
        """Update the bar with this name; it replaces a bar with another name."""
        if self._bar is None or self._bar[0] != name:
            self._clear()
            self._bar = (name, self._progress.add_task(name))
        self._progress.update(self._bar[1], completed=done, total=total)

    def _clear(self) -> None:
        if self._bar:
            self._progress.remove_task(self._bar[1])
            self._bar = None


def _format_errors(outcome: Outcome) -> Table:
    table = Table("Line", "ULI", "Field", "Value", "Accepted", title="Formatting errors")
    for line in outcome.format_errors:
        for error in line["errorMessages"]:
            cells = (error["fieldName"], error["inputValue"], error["validValues"])
            table.add_row(str(line["rowNumber"]), *map(_printable, (line["estimatedULI"], *cells)))
    return table


def _printable(text: str) -> str:
    return "".join(character if character.isprintable() else "\ufffd" for character in text)


def _edits(outcome: Outcome) -> Table:
    table = Table("Kind", "Edit", "Records", "What it requires", title="Edits")
    for kind, edits in outcome.edits.items():
        for edit in edits:
            # An edit of the whole file has no records.
            records = str(edit["records"] or "whole file")
            table.add_row(kind, edit["edit"], records, edit["description"])
    return table
