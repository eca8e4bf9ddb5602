"""Reads questions for figures: records and places as in all queries, a measure, and groupings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from databrowser import errors
from databrowser.dimensions.catalogue import ACTION, COUNTY, LEI, MSAMD, STATE
from databrowser.dimensions.dimension import Dimension
from databrowser.dimensions.groupings import (
    BY_LENDER,
    BY_TRACT,
    GROUPINGS,
    PLACE_GROUPINGS,
    Grouping,
)
from databrowser.query.measures import MEASURES, Measure, MeasureKind
from databrowser.query.questions import (
    FIGURES,
    Parameters,
    Question,
    read_question,
    read_values,
)

MOST_GROUPINGS = 3
PARAMETERS = ("measure", "by", "base", "peers")
Key = tuple[str | None, ...]  # of a figure: a value of each grouping, None for all of them


class ShareBase(StrEnum):
    """What shares are of: all records, those of the same row, or those of the same column."""

    ALL = "all"
    ROWS = "rows"
    COLUMNS = "columns"


class PeerGroup(StrEnum):
    """Which lenders one lender is compared with.

    SIZE: those with half to twice as many records in the years and places. COUNTIES: those with
    records in the same counties, of which records in other counties are left out.
    """

    SIZE = "size"
    COUNTIES = "counties"


@dataclass(frozen=True, slots=True)
class FigureQuestion:
    """A question for figures.

    by: what makes the rows, the columns, and the tables. base: of shares. peers: blank for none.
    """

    question: Question
    measure: Measure
    by: tuple[Grouping, ...] = ()
    base: ShareBase = ShareBase.ALL
    peers: PeerGroup | None = None

    @property
    def years(self) -> tuple[int, ...]:
        return self.question.years

    def chosen_values(self, dimension: Dimension | None) -> tuple[str, ...]:
        """Return the values of a dimension that the question chooses; none if it is not in it."""
        return dict(self.question.chosen).get(dimension, ()) if dimension else ()


def read_figure_question(
    parameters: Parameters, *, published: Iterable[int], withdrawn: Iterable[int] = ()
) -> FigureQuestion:
    """Return the question of a request.

    Raises: QueryRefused.
    """
    question = read_question(parameters, FIGURES, published=published, withdrawn=withdrawn)
    figure_question = FigureQuestion(
        question,
        MEASURES[_one_of(parameters, "measure", MEASURES, "count")],
        _groupings(parameters),
        ShareBase(_one_of(parameters, "base", ShareBase, ShareBase.ALL)),
        _peers(parameters),
    )
    check_figure_question(figure_question)
    return figure_question


def check_figure_question(figure_question: FigureQuestion) -> None:
    """Refuse a question whose parts do not go together. Raises: QueryRefused."""
    question, measure, by = figure_question.question, figure_question.measure, figure_question.by
    chosen = {dimension for dimension, _ in question.chosen}
    if measure.kind is MeasureKind.RATE and (
        ACTION in chosen or ACTION in {grouping.dimension for grouping in by}
    ):
        raise errors.not_together(
            f"{measure.label} counts actions taken itself: remove {ACTION.parameter} from the "
            "filters and from by, or choose another measure"
        )
    if measure.kind is MeasureKind.PER_THOUSAND and LEI in chosen:
        raise errors.not_together(
            f"measure={measure.name} is of places: remove leis, or choose another measure"
        )
    if BY_TRACT in by and not chosen & {STATE, COUNTY, MSAMD}:
        raise errors.not_together("by=tracts needs a place: enter states, counties or msamds")
    has_one_lender = len(figure_question.chosen_values(LEI)) == 1 and by[:1] == (BY_LENDER,)
    if figure_question.peers and not has_one_lender:
        raise errors.not_together(
            "peers compares one lender with others: enter one LEI in leis, and by=leis first"
        )


def _groupings(parameters: Parameters) -> tuple[Grouping, ...]:
    names = read_values(parameters, "by")
    if wrong := [name for name in names if name not in GROUPINGS]:
        raise errors.invalid_parameter("by", wrong, GROUPINGS)
    if len(names) > MOST_GROUPINGS:
        raise errors.not_together(f"by takes at most {MOST_GROUPINGS} names, not {len(names)}")
    by = tuple(GROUPINGS[name] for name in names)
    if len(set(by) & {*PLACE_GROUPINGS}) > 1:
        raise errors.not_together("by takes one kind of place: states, msamds, counties or tracts")
    return by


def _peers(parameters: Parameters) -> PeerGroup | None:
    name = _one_of(parameters, "peers", PeerGroup, "")
    return PeerGroup(name) if name else None


def _one_of(parameters: Parameters, name: str, values: Iterable[str], default: str) -> str:
    words, allowed = read_values(parameters, name), [*values]
    if not words:
        return default
    if len(words) > 1 or words[0] not in allowed:
        raise errors.invalid_parameter(name, words, allowed)
    return words[0]
