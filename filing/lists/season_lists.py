"""The lists of a season: its panel, who has filed, who has not, and the catalogue of figures.

They are about the current filing period, and leave out test institutions.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from filing import day_hours, standing
from filing.figures import catalogue
from filing.figures.questions import Figure
from filing.lar.fields import records_in
from filing.models import FilingPeriod, Institution, Submission
from filing.periods import timeliness
from filing.registries import StaffList
from filing.seasons import figures

_CHUNK = 2_000
FILER_COLUMNS = (
    *("period", "lei", "name", "agency", "submission", "records"),
    *("signed_at", "timeliness", "receipt"),
)
FIGURE_COLUMNS = ("period", "figure", "number")


def read_panel() -> Iterator[list[Any]]:
    """Yield the panel of the year of the current filing period, the header first."""
    # It reads and writes workbooks, for which every command would wait.
    from filing.panel.exports import EXPORTED_COLUMNS

    yield list(EXPORTED_COLUMNS)
    if period := _current_period():
        panel = Institution.objects.filter(
            standing.is_real_institution(), activity_year=period.year
        )
        rows = panel.order_by("name", "lei").values_list(*EXPORTED_COLUMNS)
        for row in rows.iterator(chunk_size=_CHUNK):
            yield [";".join(cell) if isinstance(cell, list) else cell for cell in row]


def read_filers() -> Iterator[list[Any]]:
    """Yield what counts as filed in the current filing period, the header first."""
    yield list(FILER_COLUMNS)
    if period := _current_period():
        counting = (
            Submission.objects.filter(
                standing.is_counting(), standing.is_for_the_public(), filing__period=period
            )
            .select_related("signature", "filing__institution", "filing__period")
            .order_by("filing__institution__name", "filing__institution__lei")
        )
        for submission in timeliness.with_first_signature(counting, filing="filing").iterator(
            chunk_size=_CHUNK
        ):
            filer = submission.filing.institution
            signed_at = day_hours.to_filing_zone(submission.signature.signed_at)
            yield [
                *(str(period), filer.lei, filer.name, filer.get_agency_display()),
                *(submission.sequence_number, records_in(submission.lines or 0)),
                signed_at.isoformat(timespec="seconds"),
                timeliness.describe_submission(submission),
                submission.signature.receipt,
            ]


def read_not_filed() -> Iterator[list[Any]]:
    """Yield who has not filed for the current filing period, the header first."""
    period = _current_period()
    if period is None:
        yield list(figures.NOT_FILED_COLUMNS)
    else:
        yield from figures.list_not_filed_rows(period)


def read_season_figures() -> Iterator[list[Any]]:
    """Yield the figures of the current filing period, the header first."""
    yield list(FIGURE_COLUMNS)
    if period := _current_period():
        filings = figures.count_period_filings(period)
        numbers = {
            "filings expected": filings.expected,
            "filings signed": filings.signed,
            "filings in progress": filings.in_progress,
            "filings not started": filings.not_started,
            "filings signed late": figures.build_signature_curve(period).late,
            **{
                f"submissions {group}": number
                for group, number in figures.count_statuses(period).now.items()
            },
        }
        yield from ([str(period), figure, number] for figure, number in numbers.items())


def list_figure_lists() -> Iterator[StaffList]:
    """Yield a list for each figure of the catalogue that needs no parameters."""
    for figure in catalogue.list_figures():
        if not figure.parameters:
            read = partial(_read_figure, figure)
            label = f"figure: {figure.title[:1].lower()}{figure.title[1:]}"
            yield StaffList(f"figure-{figure.name}", label, "filing.view_submission", read)


def _read_figure(figure: Figure) -> Iterator[list[Any]]:
    """Yield the rows of a figure for the current filing period, the header first."""
    yield list(figure.columns)
    if period := _current_period():
        yield from catalogue.answer_figure(figure.name, period=str(period)).rows


def _current_period() -> FilingPeriod | None:
    return figures.find_default_period(figures.list_periods())


SEASON_LISTS = (
    StaffList("panel", "panel of institutions", "filing.view_institution", read_panel),
    StaffList("filers", "who has filed", "filing.view_submission", read_filers),
    StaffList("not-filed", "who has not filed", "filing.view_filing", read_not_filed),
    StaffList("season", "figures of the season", "filing.view_filing", read_season_figures),
    *list_figure_lists(),
)
