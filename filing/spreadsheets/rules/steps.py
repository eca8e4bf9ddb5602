"""Runs the rules of a column over its distinct values, and keeps every change and doubt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from filing.spreadsheets.sheet_rows import CellKind

VALUE, KIND, BESIDE, AFTER = (pl.col(name) for name in ("value", "kind", "beside", "after"))
IS_NUMBER = KIND.eq(int(CellKind.NUMBER))
_ALWAYS = pl.lit(value=True)
_NO_CELLS = pl.DataFrame(schema={"row": pl.UInt32, "value": pl.String})
_ROWS_SHAPE = {"row": pl.UInt32, "before": pl.String, "after": pl.String}


@dataclass(frozen=True, slots=True)
class RuleStep:
    """A rule. value: what it writes, null where it does not apply. is_silent: not a change.

    holds: whether it writes it, by `AFTER`, the value: an expression within another is computed
    again wherever it stands.
    """

    rule: str
    value: pl.Expr
    is_silent: bool = False
    holds: pl.Expr = _ALWAYS


@dataclass(frozen=True, slots=True)
class RuleDoubt:
    """A value without a single reading. message: what is accepted, as a sentence."""

    rule: str
    where: pl.Expr
    message: str


@dataclass(frozen=True, slots=True)
class ColumnRules:
    """The rules of a column. regular: the values that no rule concerns. words: those that one does.

    Both are regular expressions; `words` goes before.
    """

    regular: str
    steps: tuple[RuleStep, ...] = ()
    doubts: tuple[RuleDoubt, ...] = ()
    words: str = ""
    is_blank_regular: bool = True


@dataclass(frozen=True, slots=True)
class ColumnChange:
    """The changes of one rule in a column. rows: `row`, `before` and `after`.

    is_column: whether a field without a column got one value for all records, which is listed once.
    """

    field: str
    rule: str
    rows: pl.DataFrame
    is_column: bool = False


@dataclass(frozen=True, slots=True)
class DoubtfulCells:
    """The cells of a column with one doubt: `row` and `value`; none for a hint about the column.

    is_question: whether all of them wait for one answer, and are one finding.
    """

    field: str
    rule: str
    message: str
    cells: pl.DataFrame
    is_question: bool = False


@dataclass(slots=True)
class RuleLog:
    """Every change and doubt, as columns are normalised."""

    changes: list[ColumnChange] = field(default_factory=list)
    doubts: list[DoubtfulCells] = field(default_factory=list)

    def doubt(
        self, name: str, rule: str, message: str, cells: pl.DataFrame, *, is_question: bool = False
    ) -> None:
        """Keep a doubt about some cells, if there are any."""
        if cells.height:
            some = cells.select("row", "value")
            self.doubts.append(DoubtfulCells(name, rule, message, some, is_question))

    def hint(self, name: str, rule: str, message: str) -> None:
        """Keep a hint about a whole column."""
        self.doubts.append(DoubtfulCells(name, rule, message, _NO_CELLS))

    def change(self, name: str, rule: str, rows: pl.DataFrame) -> None:
        """Keep the changes of a rule, if there are any."""
        if rows.height:
            self.changes.append(ColumnChange(name, rule, rows.select(*_ROWS_SHAPE)))

    def change_column(self, name: str, rule: str, after: str) -> None:
        """Keep that a field without a column got a value."""
        row = pl.DataFrame({"row": [0], "before": [""], "after": [after]}, schema=_ROWS_SHAPE)
        self.changes.append(ColumnChange(name, rule, row, is_column=True))


@dataclass(frozen=True, slots=True)
class TypedColumn:
    """A column as typed: its texts, the kinds of its cells, and its rules."""

    values: pl.Series
    kinds: pl.Series
    rules: ColumnRules


def mark_concerned(columns: Mapping[str, TypedColumn]) -> pl.DataFrame:
    """Return, for each column, which cells some rule concerns: all in one pass."""
    frame: dict[str, pl.Series] = {}
    concerned: dict[str, pl.Expr] = {}
    for at, (name, column) in enumerate(columns.items()):
        frame |= {f"value {at}": column.values, f"kind {at}": column.kinds}
        concerned[name] = _concerned(column.rules, pl.col(f"value {at}"), pl.col(f"kind {at}"))
    return pl.DataFrame(frame).select(**concerned)


def run_rules(
    name: str,
    values: pl.Series,
    kinds: pl.Series,
    rules: ColumnRules,
    log: RuleLog,
    *,
    beside: pl.Series | None = None,
    concerned: pl.Series | None = None,
) -> pl.Series:
    """Return the values of a column after its rules.

    beside: the column that some rules look at, too. concerned: the cells that some rule concerns,
    where they are known.
    """
    if concerned is None:
        concerned = mark_concerned({name: TypedColumn(values, kinds, rules)})[name]
    if not concerned.any():
        return values
    columns = {"value": values, "kind": kinds}
    if beside is not None:
        columns["beside"] = beside
    frame = pl.DataFrame(columns).with_row_index("row").filter(concerned)
    distinct = frame.group_by(list(columns), maintain_order=True).agg("row")
    distinct = distinct.with_columns(typed=VALUE)
    for step in rules.steps:
        distinct = _step(name, distinct, step, log)
    some = distinct.select(**{str(n): doubt.where.any() for n, doubt in enumerate(rules.doubts)})
    for doubt, has_cells in zip(rules.doubts, some.row(0), strict=True):
        if has_cells:
            cells = distinct.filter(doubt.where).select("row", value="typed").explode("row")
            log.doubt(name, doubt.rule, doubt.message, cells)
    changed = (
        distinct.filter(pl.col("typed") != pl.col("value")).select("row", "value").explode("row")
    )
    return values.scatter(changed["row"], changed["value"]) if changed.height else values


def _concerned(rules: ColumnRules, value: pl.Expr, kind: pl.Expr) -> pl.Expr:
    concerned = ~value.str.contains(rules.regular) | kind.ge(int(CellKind.DATE))
    if rules.words:
        concerned |= value.str.contains(rules.words)
    return concerned if rules.is_blank_regular else concerned | (value == "")


def _step(name: str, distinct: pl.DataFrame, step: RuleStep, log: RuleLog) -> pl.DataFrame:
    made = distinct.select(VALUE, step.value.alias("after"))
    after = made.select(pl.coalesce(pl.when(step.holds).then(AFTER), VALUE)).to_series()
    is_changed = after != distinct["value"]
    if not is_changed.any():
        return distinct
    if not step.is_silent:
        rows = distinct.select("row", before="value", after=after).filter(is_changed)
        log.change(name, step.rule, rows.explode("row"))
    return distinct.with_columns(value=after)


def fold_texts(text: pl.Expr) -> pl.Expr:
    """Return texts as names are compared: see `sheet_rows.fold_name`."""
    lower = text.str.to_lowercase().str.replace_all("&", "and", literal=True)
    return lower.str.replace_all(r"[^\p{L}\p{N}]", "")
