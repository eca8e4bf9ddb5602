"""The catalogue of figures, and the one function that answers any of them."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import date

from filing import day_hours
from filing.errors import BadInput, NotFound
from filing.figures import filers, records, work
from filing.figures.questions import Figure, FigureAnswer, FigureQuestion, to_plain_cell
from filing.lar.years import Period
from filing.models import FilingPeriod

GROUPS = (filers.GROUP, filers.DAYS_GROUP, records.GROUP, filers.OWING_GROUP, *work.GROUPS)
EARLIEST = date(2000, 1, 1)  # long before anything that a figure counts
_FIGURES = {figure.name: figure for figure in (*filers.FIGURES, *records.FIGURES, *work.FIGURES)}


def list_figures() -> list[Figure]:
    """Return all figures, by group and in the order in which pages list them."""
    return sorted(_FIGURES.values(), key=lambda figure: GROUPS.index(figure.group))


def find_figure(name: str) -> Figure:
    """Return a figure. Raises: NotFound."""
    figure = _FIGURES.get(name)
    if figure is None:
        raise NotFound(f"There is no figure {name}. These exist: {', '.join(_FIGURES)}.")
    return figure


def answer_figure(
    name: str,
    *,
    period: str,
    as_of: date | None = None,
    parameters: Mapping[str, str] | None = None,
    with_tests: bool = False,
) -> FigureAnswer:
    """Return the answer to a figure.

    Args:
        name: Of the figure.
        period: A year or a quarter: `2025`, `2026-Q1`.
        as_of: The day at whose end it is asked, in the filing time zone; by default today.
        parameters: The texts that were entered for its parameters; blank or absent: its default.
        with_tests: Whether test institutions count.

    Raises: NotFound for an unknown figure or period; BadInput for a parameter or day.
    """
    figure = find_figure(name)
    question = read_question(
        figure, find_period(period), as_of=as_of, parameters=parameters, with_tests=with_tests
    )
    rows = [[to_plain_cell(value) for value in row] for row in figure.find_rows(question)]
    return FigureAnswer(figure, question, rows, _define(figure, question))


def find_period(name: str) -> FilingPeriod:
    """Return a filing period by its name. Raises: NotFound."""
    period = None
    with suppress(ValueError):
        of = Period.parse(name)
        quarter = of.quarter_name if of.quarter else ""
        period = FilingPeriod.objects.filter(year=of.year, quarter=quarter).first()
    if period is None:
        known = ", ".join(str(each) for each in FilingPeriod.objects.all()) or "none yet"
        raise NotFound(f"There is no filing period {name[:40]!r}. These exist: {known}.")
    return period


def read_question(
    figure: Figure,
    period: FilingPeriod,
    *,
    as_of: date | None = None,
    parameters: Mapping[str, str] | None = None,
    with_tests: bool = False,
) -> FigureQuestion:
    """Return the question that someone asks. Raises: BadInput for a parameter or day."""
    texts, today = parameters or {}, day_hours.today()
    day = as_of or today
    if not EARLIEST <= day <= today:
        raise BadInput(f"The day is {day}; enter a day from {EARLIEST} to today, {today}.")
    if figure.is_live and day != today:
        raise BadInput(f"{figure.name} is known for today only, {today}; leave the day out.")
    known = [parameter.name for parameter in figure.parameters]
    if others := sorted(set(texts) - set(known)):
        accepted = f"its parameters are {', '.join(known)}" if known else "it has no parameters"
        raise BadInput(f"{figure.name} has no parameter {others[0][:40]}; {accepted}.")
    question = FigureQuestion(period, day, with_tests)
    values = {
        parameter.name: parameter.read(texts.get(parameter.name, ""), question)
        for parameter in figure.parameters
    }
    return FigureQuestion(period, day, with_tests, values)


def _define(figure: Figure, question: FigureQuestion) -> str:
    """Return what is counted, and how many files are not counted yet."""
    definition = figure.definition.format(
        period=question.period, deadline=question.period.timely_until, **question.values
    )
    if figure.is_counted and (missing := question.count_filed().filter(record_counts=None).count()):
        definition += (
            f" Not counted yet: the records of {missing:,} file{'' if missing == 1 else 's'}."
        )
    return definition
