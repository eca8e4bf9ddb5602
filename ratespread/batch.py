"""Rate spreads of a whole file: its lines as received, each with its answer at the end."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain

import polars as pl

from filing.lar.formulas import guarded_line, guarded_lines
from filing.lar.prefetch import in_parallel
from ratespread.apor import Apor
from ratespread.calculator import FAULTS, NAMES, answers

HEADER = "rate_spread"
TOO_FEW = f"error: a line must have {len(NAMES)} columns"

_REASONS = pl.Series([f"error: {fault.reason}" for fault in FAULTS])


def pieces(
    chunks: Iterable[pl.Series], apor: Apor, *, for_spreadsheet: bool = False
) -> Iterator[bytes]:
    """Yield the answer to a file chunk by chunk, LF after every line, in the order of the file.

    chunks: lines without their ends, trimmed. for_spreadsheet: put an apostrophe before cells that
    a spreadsheet would read as formulas.
    """
    series = iter(chunks)
    first = next(series, pl.Series(dtype=pl.String))
    if len(first) and first[0].lower().startswith("action"):
        header = guarded_line(first[0]) if for_spreadsheet else first[0]
        yield f"{header},{HEADER}\n".encode()
        first = first[1:]
    remaining = (lines for lines in chain([first], series) if len(lines))
    yield from in_parallel(
        partial(answer_lines, apor=apor, for_spreadsheet=for_spreadsheet), remaining
    )


def answer_lines(lines: pl.Series, apor: Apor, *, for_spreadsheet: bool = False) -> bytes:
    """Return the lines, each with its rate spread, NA, or an error."""
    cells = lines.str.split(",")
    loans = pl.select(
        cells.list.get(place, null_on_oob=True).alias(name) for place, name in enumerate(NAMES)
    )
    results, is_bad = _results(loans, apor)
    if is_bad.any():
        is_short = cells.list.len() < len(NAMES)
        results = results.set(is_short, TOO_FEW)
        # Blanks around a cell are accepted but rare: only cells of lines with a fault are trimmed.
        places = (is_bad & ~is_short).arg_true()
        places = places.filter(lines.gather(places).str.contains(r"\s"))
        if len(places):
            again, _ = _results(loans[places].select(pl.all().str.strip_chars()), apor)
            results = results.scatter(places, again)
    if for_spreadsheet:
        lines = guarded_lines(lines)
    buffer = io.BytesIO()
    frame = pl.DataFrame({"line": lines, "result": results})
    frame.write_csv(buffer, include_header=False, quote_style="never")
    return buffer.getvalue()


def _results(loans: pl.DataFrame, apor: Apor) -> tuple[pl.Series, pl.Series]:
    """Return the last cell of each line, and whether it is an error."""
    results = answers(loans, apor)
    fault = results["fault"]
    if fault.null_count() == len(fault):
        return results["answer"], fault.is_not_null()
    is_bad = fault.is_not_null()
    places = is_bad.arg_true()
    texts = results["answer"].scatter(places, _REASONS.gather(fault.gather(places)))
    return texts, is_bad
