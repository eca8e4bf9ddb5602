"""The expressions that the engine computes over frames of records, all edits in one pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from filing.edits.edit import Edit
from filing.edits.facts import Facts


class Pass:
    """Edits and other expressions to compute over one frame of records after another."""

    def __init__(
        self, edits: Sequence[Edit], facts: Facts, also: Mapping[str, pl.Expr] | None = None
    ) -> None:
        self._edits, self._facts = tuple(edits), facts
        self._outputs = [edit.holds.expr.alias(_name(edit)) for edit in edits]
        self._outputs += [expr.alias(name) for name, expr in (also or {}).items()]
        self._names = {name for expr in self._outputs for name in expr.meta.root_names()}

    def over(self, records: pl.DataFrame) -> pl.DataFrame:
        """Return a column for each edit and for each other expression.

        One query for all lets polars share what several expressions have in common.
        """
        derived = self._facts.columns(self._names, present=records.columns)
        return records.lazy().with_columns(derived).select(self._outputs).collect()

    def failing(self, results: pl.DataFrame, rows: pl.Series) -> Iterator[tuple[Edit, pl.Series]]:
        """Yield the edits that fail on some record, each with the rows of these records.

        Raises: ValueError, naming the edits that gave no verdict on some record.
        """
        holds = {edit: results[_name(edit)] for edit in self._edits}
        require_verdicts({edit.code: column for edit, column in holds.items()})
        for edit, column in holds.items():
            if not column.all():
                yield edit, rows.gather((~column).arg_true())


def require_verdicts(columns: Mapping[str, pl.Series]) -> None:
    """Raises: ValueError, naming the columns that are neither true nor false on some row."""
    if unclear := [name for name, column in columns.items() if column.null_count()]:
        raise ValueError(f"No verdict on some row: {', '.join(unclear)}.")


def _name(edit: Edit) -> str:
    return f"{edit.code} holds"
