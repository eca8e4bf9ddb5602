"""Counties, MSA/MDs and institutions as filters: those chosen, and the matches of a search."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from databrowser.charts import atlas
from databrowser.dimensions.catalogue import COUNTY, LEI, MSAMD, STATE
from databrowser.dimensions.dimension import Dimension
from databrowser.query import breakdowns
from databrowser.query.breakdowns import CountyRows
from databrowser.query.questions import Question
from databrowser.query.totals import Live, data_sets_of
from filing.reference.census import OUTSIDE_MSA_MD
from filing.reference_data import registry

MOST_FOUND = 8  # of each kind
SHORTEST = 2  # characters that are searched for
_NONE = "00000"
_NAMED_COUNTIES = 2  # of an MSA/MD that has no name


@dataclass(frozen=True, slots=True)
class PlaceChoice:
    """A place or institution with a checkbox. rows: the number of its records in these years."""

    dimension: Dimension
    value: str
    label: str
    rows: int = 0
    is_chosen: bool = False

    @property
    def id(self) -> str:
        return f"{self.dimension.parameter}-{self.value}"


def chosen_places(question: Question, live: Live) -> list[PlaceChoice]:
    """Return the chosen counties, MSA/MDs and institutions, with their names.

    Raises: QueriesBusy, QueryTooSlow.
    """
    chosen_values = dict(question.places)
    if not chosen_values.keys() - {STATE}:
        return []
    known_places = _PlacesWithRows(data_sets_of(question, live))
    choices = [known_places.county(code) for code in chosen_values.get(COUNTY, ())]
    choices += [known_places.msamd(code) for code in chosen_values.get(MSAMD, ())]
    if leis := chosen_values.get(LEI):
        by_lei = {
            institution.lei: institution
            for institution in breakdowns.institutions_with_rows(
                known_places.live, leis=leis, most=len(leis)
            )
        }
        unknown = breakdowns.InstitutionRows
        choices += [_institution(by_lei.get(lei, unknown(lei, "No records"))) for lei in leis]
    return [
        PlaceChoice(choice.dimension, choice.value, choice.label, choice.rows, True)
        for choice in choices
    ]


def matching_places(words: str, question: Question, live: Live) -> list[PlaceChoice]:
    """Return the matches of a search that are not chosen yet: the largest of each kind.

    Raises: QueriesBusy, QueryTooSlow.
    """
    words = " ".join(words.split())
    if len(words) < SHORTEST:
        return []
    known_places = _PlacesWithRows(data_sets_of(question, live))
    institutions = breakdowns.institutions_with_rows(
        known_places.live, words=words, most=MOST_FOUND
    )
    matches = [
        *known_places.counties_like(words),
        *known_places.msamds_like(words),
        *(_institution(institution) for institution in institutions),
    ]
    chosen_values = {
        (dimension, value) for dimension, values in question.places for value in values
    }
    return [choice for choice in matches if (choice.dimension, choice.value) not in chosen_values]


class _PlacesWithRows:
    """The counties and MSA/MDs with records in some years."""

    def __init__(self, live: Live) -> None:
        self.live = live
        self._counties: dict[str, int] = defaultdict(int)
        self._msamds: dict[str, list[CountyRows]] = defaultdict(list)
        for place in breakdowns.counties_with_rows(live):
            self._counties[place.county] += place.rows
            self._msamds[place.msamd].append(place)
        for none in (self._counties, self._msamds):
            none.pop(_NONE, None)

    @cached_property
    def _names(self) -> Mapping[str, str]:
        return registry.find_msa_md_names([data_set.year for data_set in self.live])

    def county(self, code: str) -> PlaceChoice:
        label = f"{atlas.county_name(code)} ({code})"
        return PlaceChoice(COUNTY, code, label, self._counties.get(code, 0))

    def msamd(self, code: str) -> PlaceChoice:
        places = self._msamds.get(code, [])
        name = self._names.get(code) or _around(places)
        return PlaceChoice(MSAMD, code, f"{name} ({code})", sum(place.rows for place in places))

    def counties_like(self, words: str) -> list[PlaceChoice]:
        codes = set(atlas.counties_named(words)) | {
            code for code in self._counties if code.startswith(words)
        }
        return _largest(self.county(code) for code in codes if code in self._counties)

    def msamds_like(self, words: str) -> list[PlaceChoice]:
        counties = set(atlas.counties_named(words))
        return _largest(
            self.msamd(code)
            for code, places in self._msamds.items()
            if code.startswith(words)
            or self._is_named(code, words)
            or (code != OUTSIDE_MSA_MD and any(place.county in counties for place in places))
        )

    def _is_named(self, code: str, words: str) -> bool:
        """Tell whether the name of an MSA/MD contains all words."""
        name, words = self._names.get(code, "").casefold(), words.casefold()
        if code == OUTSIDE_MSA_MD:
            # It has the most records: a search for MD must not list it before places in Maryland.
            return name.startswith(words)
        return all(word in name for word in words.split())


def _around(places: Sequence[CountyRows]) -> str:
    """Return a name for an MSA/MD without one: its largest counties."""
    names = [atlas.county_name(place.county) for place in places if place.county != _NONE]
    names = list(dict.fromkeys(names))
    label = "; ".join(names[:_NAMED_COUNTIES]) or "No records"
    more = len(names) - _NAMED_COUNTIES
    return f"{label} and {more} more" if more > 0 else label


def _institution(institution: breakdowns.InstitutionRows) -> PlaceChoice:
    return PlaceChoice(
        LEI, institution.lei, f"{institution.name} ({institution.lei})", institution.rows
    )


def _largest(choices: Iterable[PlaceChoice]) -> list[PlaceChoice]:
    return sorted(choices, key=lambda choice: (-choice.rows, choice.value))[:MOST_FOUND]
