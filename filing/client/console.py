"""Terminal output of a filing: its steps, its progress, and its formatting errors and edits."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from filing.client.outcome import Ending, Event, NotRun, Outcome, Sent, Standing, Step
from filing.client.terminal import replace_controls, stream_behind

if TYPE_CHECKING:
    from filing.client.batch import Filed

_WIDTH = 120  # columns, if the output is not a terminal


class _Console(Console):
    """A console that replaces control characters in texts."""

    def print(self, *texts: Any, **options: Any) -> None:
        super().print(
            *(replace_controls(text) if isinstance(text, str) else text for text in texts),
            **options,
        )


class Screen:
    """Prints events as they come, with progress bars on a terminal."""

    def __init__(self, out: IO[str], *, is_quiet: bool = False) -> None:
        is_terminal = out.isatty() and not is_quiet
        # No markup: the texts contain what filers typed.
        self._console = _Console(
            file=stream_behind(out),
            markup=False,
            emoji=False,
            highlight=False,
            width=None if is_terminal else _WIDTH,
            quiet=is_quiet,
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
            case NotRun():
                for sentence in event.sentences():
                    self._console.print(sentence)
            case Step(name, status, seconds):
                self._clear()
                response = f"HTTP {status}" if status else "no response"
                self._console.print(f"     {name}: {response}, {seconds:.2f} s")

    def show(self, outcome: Outcome) -> None:
        """Show the outcome of the filing."""
        if outcome.format_errors:
            self._console.print(_format_errors(outcome))
            count = len(outcome.format_errors)
            self._console.print(f"{count} of {outcome.format_error_lines} lines are listed.")
        if any(outcome.edits.values()):
            self._console.print(_edits(outcome))
        for sentence in NotRun(outcome.not_run).sentences():
            self._console.print(sentence)
        rulebook = outcome.rulebook
        if rulebook and rulebook["provisional"]:
            self._console.print(
                f"Checked with rules that are provisional: the rules of {rulebook['year']}."
            )
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
            self._bar = (name, self._progress.add_task(replace_controls(name)))
        self._progress.update(self._bar[1], completed=done, total=total)

    def _clear(self) -> None:
        if self._bar:
            self._progress.remove_task(self._bar[1])
            self._bar = None


class Board:
    """One line for each file, and how many are done; with a single file, its steps."""

    def __init__(self, out: IO[str], bars: IO[str], files: int, *, quiet: bool) -> None:
        self._screen = Screen(out, is_quiet=quiet or files > 1)
        self._steps = Screen(bars, is_quiet=quiet or files > 1)
        self._out, self._quiet, self._files = out, quiet, files
        self._progress = Progress(
            TextColumn("{task.completed} of {task.total} files"),
            BarColumn(),
            TimeElapsedColumn(),
            console=_Console(file=stream_behind(bars)),
            transient=True,
            disable=quiet or files == 1 or not bars.isatty(),
        )
        self._task = self._progress.add_task("", total=files)

    def __enter__(self) -> Board:
        if self._files > 1:
            self._progress.start()
        else:
            self._steps.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._files > 1:
            self._progress.stop()
        else:
            self._steps.__exit__(kind, error, trace)

    def watch(self, event: Event) -> None:
        """Show an event of a single file."""
        self._steps.watch(event)

    def show(self, filed: Filed) -> None:
        """Show a file that has ended."""
        self._progress.advance(self._task)
        if self._quiet:
            return
        if self._files == 1:
            self._screen.show(filed.outcome)
        if self._files > 1 or filed.outcome.was_signed:
            print(_line(filed), file=self._out, flush=True)
        if filed.saved:
            print(f"Receipt saved: {filed.saved}", file=self._out, flush=True)

    def summarize(self, endings: Sequence[Ending]) -> None:
        """Print how many files ended in which way."""
        counts = [f"{endings.count(each)} {each.word}" for each in Ending if each in endings]
        print(f"{len(endings)} files: {', '.join(counts)}.", file=self._out)


def _line(filed: Filed) -> str:
    outcome = filed.outcome
    if outcome.error:
        result = f"stopped: {outcome.error}"
    elif outcome.was_signed and outcome.receipt:
        result = f"already signed, receipt {outcome.receipt['receipt']}"
        if outcome.receipt.get("replacedBy"):
            result += f", replaced by {outcome.receipt['replacedBy']}; --again files it again"
    elif outcome.receipt:
        result = f"signed, receipt {outcome.receipt['receipt']}"
    else:
        result = f"{outcome.status['code']}: {outcome.status['message']}"
    if outcome.not_run:
        result += f" {' '.join(NotRun(outcome.not_run).sentences())}"
    return f"{filed.path.name}  {filed.lei} {filed.period or ''}  {result}"


def _format_errors(outcome: Outcome) -> Table:
    table = Table("Line", "ULI", "Field", "Value", "Accepted", title="Formatting errors")
    for line in outcome.format_errors:
        for error in line["errorMessages"]:
            cells = (error["fieldName"], error["inputValue"], error["validValues"])
            _add_row(table, line["rowNumber"], line["estimatedULI"], *cells)
    return table


def _edits(outcome: Outcome) -> Table:
    table = Table("Kind", "Edit", "Records", "What it requires", title="Edits")
    for kind, edits in outcome.edits.items():
        for edit in edits:
            # An edit of the whole file has no records.
            records = str(edit["records"] or "whole file")
            _add_row(table, kind, edit["edit"], records, edit["description"])
    return table


def _add_row(table: Table, *cells: object) -> None:
    table.add_row(*(replace_controls(str(cell)) for cell in cells))
