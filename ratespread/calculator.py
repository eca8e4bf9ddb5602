"""Rate spreads of a column of loans, of a file of loans, and of one loan, with its explanation.

A single loan is a column of one. A file is answered line by line as received, each with its answer
at the end, after the separator of the line.

Source: Regulation C, 12 CFR 1003.4(a)(12): the difference between the annual percentage rate and
        the average prime offer rate (APOR) of a comparable transaction, of the week in which the
        rate was set.
Units:  rates and spreads in percent, terms in years.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import ROUND_05UP, Context, Decimal, InvalidOperation
from functools import partial
from itertools import chain

import polars as pl

from filing.errors import BadInput
from filing.files.line_files import split_cells
from filing.lar import formats
from filing.lar.formulas import guard_line, guard_lines
from filing.lar.prefetch import map_in_parallel
from ratespread.apor import PLACES, RATE, AporTables, WeekOfRates
from ratespread.models import AporKind, AporLoad, AporWeek

NA = "NA"
# The values of a loan, in the order of a line.
LOAN_FIELDS = (
    "actionTakenType",
    "loanTerm",
    "amortizationType",
    "apr",
    "lockInDate",
    "reverseMortgage",
)
_AMORTIZATION = pl.Enum(["FixedRate", "VariableRate"])  # in the order of the tables
_PLAIN_BYTES = PLACES + 1  # a number this short never has more decimals than PLACES
_NUMBER = re.compile(formats.NUMBER)
_MOST_DIGITS = 15  # before the decimal point
# Numbers with more decimals are cut in a way that does not change their later rounding.
_CUT = Context(prec=_MOST_DIGITS + PLACES + 1, rounding=ROUND_05UP)
_MARKS = '";\t'  # of a file that a spreadsheet program has saved
HEADER = "rate_spread"
TOO_FEW = f"error: a line must have {len(LOAN_FIELDS)} columns"
_KINDS = {"FixedRate": AporKind.FIXED, "VariableRate": AporKind.VARIABLE}


@dataclass(frozen=True, slots=True)
class LoanFault:
    """Why a loan gets no answer. name: the JSON name of the field; reason: without commas."""

    name: str
    reason: str


# In the order in which they are checked: a term out of range comes first.
LOAN_FAULTS = (
    LoanFault("loanTerm", "loan term must be 1 to 50"),
    LoanFault("actionTakenType", "action taken type must be 1 to 8"),
    LoanFault("amortizationType", "amortization type must be FixedRate or VariableRate"),
    LoanFault("apr", "APR must be a number such as 6.125"),
    LoanFault("lockInDate", "lock-in date must be a real date such as 2023-11-20"),
    LoanFault("reverseMortgage", "reverse mortgage must be 1 or 2 or 1111"),
    LoanFault(
        "lockInDate", "no average prime offer rate is known for the week of the lock-in date"
    ),
)
NO_APOR_FAULT = len(LOAN_FAULTS) - 1
_REASONS = pl.Series([f"error: {fault.reason}" for fault in LOAN_FAULTS])


def compute_rate_spreads(loans: pl.DataFrame, apor: AporTables) -> pl.DataFrame:
    """Return the answer for each loan, and the rate it is computed from.

    Shape: loans has the columns LOAN_FIELDS as text; null for a missing value. The result has a
           row for each: `fault` (its position in LOAN_FAULTS), `answer` (a spread with three
           decimals, or NA; null with a fault), `week` (its number in the tables) and `rate`, null
           if not used.
    """
    values = pl.DataFrame(
        {
            "action": loans["actionTakenType"].cast(pl.Int32, strict=False),
            "term": loans["loanTerm"].cast(pl.Int32, strict=False),
            "kind": loans["amortizationType"].cast(_AMORTIZATION, strict=False).to_physical(),
            "apr": parse_numbers(loans["apr"]),
            "day": apor.day_numbers(loans["lockInDate"]),
            "reverse": loans["reverseMortgage"].cast(pl.Int32, strict=False),
        }
    ).with_columns(fault=_fault(), has_spread=_has_spread())
    values = values.with_columns(
        week=pl.when(pl.col("has_spread") & pl.col("fault").is_null() & (pl.col("day") >= 0)).then(
            pl.col("day") // 7
        )
    )
    rates = apor.rates(values["kind"].cast(pl.Int32), values["week"], values["term"])
    return values.with_columns(rate=rates).select(
        fault=pl.col("fault").fill_null(
            pl.when(pl.col("has_spread") & pl.col("rate").is_null()).then(NO_APOR_FAULT)
        ),
        answer=pl.when("has_spread")
        .then(_spread())
        .when(pl.col("fault").is_null())
        .then(pl.lit(NA)),
        week="week",
        rate="rate",
    )


def _fault() -> pl.Expr:
    """Return the first fault of a loan, except for a missing rate."""
    conditions = (
        pl.col("term").is_between(1, 50),
        pl.col("action").is_between(1, 8),
        pl.col("kind").is_not_null(),
        pl.col("apr").is_not_null(),
        pl.col("day").is_not_null(),
        pl.col("reverse").is_in([1, 2, 1111]),
    )
    return pl.coalesce(
        pl.when(~condition.fill_null(False)).then(pl.lit(number, pl.Int8))
        for number, condition in enumerate(conditions)
    )


def _has_spread() -> pl.Expr:
    """Return whether a loan has a spread: originated or approved, and not a reverse mortgage."""
    return pl.col("action").is_in([1, 2, 8]) & (pl.col("reverse") == 2)


def _spread() -> pl.Expr:
    """Return the exact spread rounded to three decimals, halves away from zero."""
    exact = pl.col("apr") - pl.col("rate")
    return exact.round(3, mode="half_away_from_zero").cast(pl.Decimal(38, 3)).cast(pl.String)


def parse_numbers(texts: pl.Series) -> pl.Series:
    """Return the number in each text, null if it is not a number."""
    plain = texts.cast(RATE, strict=False)
    is_plain = (texts.str.len_bytes() <= _PLAIN_BYTES) & ~texts.str.contains("[eE]")
    if is_plain.all():
        return plain
    unusual = texts.filter(~is_plain).unique()
    parsed = pl.Series([_number(text) for text in unusual], dtype=RATE)
    exact = texts.replace_strict(unusual, parsed, default=None, return_dtype=RATE)
    return plain.zip_with(is_plain.fill_null(False), exact)


def _number(text: str) -> Decimal | None:
    if _NUMBER.fullmatch(text) is None:
        return None
    try:
        number = Decimal(text)
    except InvalidOperation:  # an exponent out of range
        return None
    if not number.is_finite() or (number and number.adjusted() >= _MOST_DIGITS):
        return None
    return number.quantize(Decimal(1).scaleb(-PLACES), context=_CUT)


def answer_file(
    chunks: Iterable[pl.Series], apor: AporTables, *, for_spreadsheet: bool = False
) -> Iterator[bytes]:
    """Yield the answer to a file chunk by chunk, LF after every line, in the order of the file.

    chunks: lines without their ends, trimmed. for_spreadsheet: put an apostrophe before cells that
    a spreadsheet would read as formulas.
    """
    series = iter(chunks)
    first = next(series, pl.Series(dtype=pl.String))
    if len(first) and first[0].lower().lstrip('"').startswith("action"):
        separator = split_cells(first[:1], columns=len(LOAN_FIELDS))["separator"][0]
        header = guard_line(first[0]) if for_spreadsheet else first[0]
        yield f"{header}{separator}{HEADER}\n".encode()
        first = first[1:]
    remaining = (lines for lines in chain([first], series) if len(lines))
    yield from map_in_parallel(
        partial(answer_lines, apor=apor, for_spreadsheet=for_spreadsheet), remaining
    )


def answer_lines(lines: pl.Series, apor: AporTables, *, for_spreadsheet: bool = False) -> bytes:
    """Return the lines, each with its rate spread, NA, or an error."""
    results, separators = _answers(lines, apor)
    if for_spreadsheet:
        lines = guard_lines(lines)
    if separators is None:
        frame = pl.DataFrame({"line": lines, "result": results})
    else:
        frame = pl.DataFrame({"line": lines + separators + results})
    buffer = io.BytesIO()
    frame.write_csv(buffer, include_header=False, quote_style="never")
    return buffer.getvalue()


def _answers(lines: pl.Series, apor: AporTables) -> tuple[pl.Series, pl.Series | None]:
    """Return the last cell of each line, and what comes before it; None for commas alone."""
    if len(lines) and any(mark in lines[0] for mark in _MARKS):
        return _tolerant_answers(lines, apor)
    cells = lines.str.split(",")
    results, is_bad = _results(_loans(cells), apor)
    if not is_bad.any():
        return results, None
    results = results.set(cells.list.len() < len(LOAN_FIELDS), TOO_FEW)
    # Blanks and quotes around a cell, and other separators, are accepted but rare: only lines with
    # a fault are read again.
    places = is_bad.arg_true()
    places = places.filter(lines.gather(places).str.contains(r'[\s";]'))
    if not len(places):
        return results, None
    again, separators = _tolerant_answers(lines.gather(places), apor)
    commas = pl.repeat(",", len(lines), eager=True)
    return results.scatter(places, again), commas.scatter(places, separators)


def _tolerant_answers(lines: pl.Series, apor: AporTables) -> tuple[pl.Series, pl.Series]:
    split = split_cells(lines, columns=len(LOAN_FIELDS))
    results, _ = _results(_loans(split["cells"]), apor)
    is_short = split["cells"].list.len() < len(LOAN_FIELDS)
    return results.set(is_short, TOO_FEW), split["separator"]


def _loans(cells: pl.Series) -> pl.DataFrame:
    return pl.select(
        cells.list.get(place, null_on_oob=True).alias(name)
        for place, name in enumerate(LOAN_FIELDS)
    )


def _results(loans: pl.DataFrame, apor: AporTables) -> tuple[pl.Series, pl.Series]:
    """Return the last cell of each line, and whether it is an error."""
    results = compute_rate_spreads(loans, apor)
    fault = results["fault"]
    if fault.null_count() == len(fault):
        return results["answer"], fault.is_not_null()
    is_bad = fault.is_not_null()
    places = is_bad.arg_true()
    texts = results["answer"].scatter(places, _REASONS.gather(fault.gather(places)))
    return texts, is_bad


@dataclass(frozen=True, slots=True)
class RateCorrection:
    """A rate that was in use before, and until when."""

    apor: str
    load: AporLoad
    until: datetime


@dataclass(frozen=True, slots=True)
class UsedRate:
    """The rate used. table: fixed or variable. week: its Monday. term: in years."""

    table: str
    week: date
    term: int
    apor: str
    load: AporLoad
    corrections: list[RateCorrection]


@dataclass(frozen=True, slots=True)
class RateSpreadAnswer:
    """A rate spread or NA, with the loan and the week of the rate. week: None for NA."""

    rate_spread: str
    week: WeekOfRates | None
    loan: Mapping[str, str]

    @property
    def text(self) -> str:
        """How the answer was computed, in one sentence."""
        if self.week is None:
            return (
                "A rate spread is reported only for loans originated, or approved but not accepted "
                "(action taken 1, 2 and 8), that are not reverse mortgages."
            )
        return (
            f"APR {self.loan['apr']} less {self.apor}, the {self.week.kind.label} APOR for "
            f"{self.term} year{'' if self.term == 1 else 's'} in the week of {self.week.monday}."
        )

    @property
    def term(self) -> int:
        return int(self.loan["loanTerm"])

    @property
    def apor(self) -> str:
        return self.week.rates[self.term - 1] if self.week else ""

    def rate(self) -> UsedRate | None:
        """Return the rate used, with earlier rates that it corrected; None for NA."""
        if self.week is None:
            return None
        kind, monday, at = self.week.kind, self.week.monday, self.term - 1
        rows = AporWeek.objects.filter(kind=kind, week=monday).order_by("id")
        replaced = rows.exclude(replaced_by=None).select_related("load", "replaced_by")
        return UsedRate(
            table=str(kind.value),
            week=monday,
            term=self.term,
            apor=self.apor,
            load=AporLoad.objects.get(pk=self.week.load_id),
            corrections=[
                RateCorrection(row.rates[at], row.load, row.replaced_by.loaded_at)
                for row in replaced
                if row.replaced_by
            ],
        )


def compute_rate_spread(loan: Mapping[str, str], apor: AporTables) -> RateSpreadAnswer:
    """Return the answer for one loan. loan: the text of each of LOAN_FIELDS.

    Raises: BadInput, naming what is wrong and what is accepted.
    """
    texts = {name: [loan[name]] for name in LOAN_FIELDS}
    results = compute_rate_spreads(
        pl.DataFrame(texts, schema=dict.fromkeys(LOAN_FIELDS, pl.String)), apor
    )
    row = results.row(0, named=True)
    if row["fault"] is not None:
        raise BadInput(_refusal(row["fault"], loan, apor))
    if row["answer"] == NA:
        return RateSpreadAnswer(NA, None, loan)
    week = apor.week(_KINDS[loan["amortizationType"]], row["week"])
    return RateSpreadAnswer(row["answer"], week, loan)


def _refusal(number: int, loan: Mapping[str, str], apor: AporTables) -> str:
    fault = LOAN_FAULTS[number]
    if number != NO_APOR_FAULT:
        return f"{fault.name} {loan[fault.name][:60]!r} is not accepted: {fault.reason}."
    kind = _KINDS[loan["amortizationType"]]
    day = date.fromisoformat(loan["lockInDate"])
    week = day - timedelta(days=day.weekday())
    span = apor.span(kind)
    has = f"has weeks from {span[0]} to {span[1]}" if span else "is empty"
    return (
        f"There is no average prime offer rate for {loan['lockInDate']}, the week of {week}: "
        f"the table of {kind.label}s {has}."
    )
