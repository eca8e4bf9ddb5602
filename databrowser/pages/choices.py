"""Places and institutions to choose: those that are chosen, and those that a search finds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from databrowser.charts import atlas
from databrowser.dimensions.catalogue import COUNTY, LEI, MSAMD
from databrowser.dimensions.dimension import Dimension
from databrowser.query import breakdowns
from databrowser.query.breakdowns import Place
from databrowser.query.questions import Question
from databrowser.query.totals import Live, asked_years
from filing.reference.msa_md_names import OUTSIDE
from filing.reference_data import registry

MOST_FOUND = 8  # of each kind
SHORTEST = 2  # characters that are searched for
_NONE = "00000"
_NAMED_COUNTIES = 2  # of an MSA/MD that has no name


@dataclass(frozen=True, slots=True)
class Choice:
    """A place or institution that can be ticked. rows: in the years asked for."""

    dimension: Dimension
    value: str
    label: str
    rows: int = 0
    is_chosen: bool = False

    @property
    def id(self) -> str:
        return f"{self.dimension.parameter}-{self.value}"


def chosen(question: Question, live: Live) -> list[Choice]:
    """Return the counties, MSA/MDs and institutions that are chosen, with their names.

    Raises: Busy, TooSlow.
    """
    asked = dict(question.places)
    known_places = _PlacesWithRows(asked_years(question, live))
    found = [known_places.county(code) for code in asked.get(COUNTY, ())]
    found += [known_places.msamd(code) for code in asked.get(MSAMD, ())]
    if leis := asked.get(LEI):
        known = {
            each.lei: each
            for each in breakdowns.institutions(known_places.live, leis=leis, most=len(leis))
        }
        nobody = breakdowns.Institution
        found += [_institution(known.get(lei, nobody(lei, "No rows"))) for lei in leis]
    return [Choice(each.dimension, each.value, each.label, each.rows, True) for each in found]


def found(words: str, question: Question, live: Live) -> list[Choice]:
    """Return what a search finds and is not chosen yet: the largest of each kind.

    Raises: Busy, TooSlow.
    """
    words = " ".join(words.split())
    if len(words) < SHORTEST:
        return []
    known_places = _PlacesWithRows(asked_years(question, live))
    institutions = breakdowns.institutions(known_places.live, words=words, most=MOST_FOUND)
    choices = [
        *known_places.counties_like(words),
        *known_places.msamds_like(words),
        *(_institution(each) for each in institutions),
    ]
    taken = {(each, value) for each, values in question.places for value in values}
    return [each for each in choices if (each.dimension, each.value) not in taken]


class _PlacesWithRows:
    """The counties and MSA/MDs with rows in some years."""

    def __init__(self, live: Live) -> None:
        self.live = live
        self._counties: dict[str, int] = defaultdict(int)
        self._msamds: dict[str, list[Place]] = defaultdict(list)
        for place in breakdowns.places(live):
            self._counties[place.county] += place.rows
            self._msamds[place.msamd].append(place)
        for none in (self._counties, self._msamds):
            none.pop(_NONE, None)

    @cached_property
    def _names(self) -> Mapping[str, str]:
        return registry.msa_md_names([each.year for each in self.live])

    def county(self, code: str) -> Choice:
        label = f"{atlas.county_name(code)} ({code})"
        return Choice(COUNTY, code, label, self._counties.get(code, 0))

    def msamd(self, code: str) -> Choice:
        parts = self._msamds.get(code, [])
        name = self._names.get(code) or _around(parts)
        return Choice(MSAMD, code, f"{name} ({code})", sum(each.rows for each in parts))

    def counties_like(self, words: str) -> list[Choice]:
        codes = set(atlas.counties_named(words)) | {
            code for code in self._counties if code.startswith(words)
        }
        return _largest(self.county(code) for code in codes if code in self._counties)

    def msamds_like(self, words: str) -> list[Choice]:
        counties = set(atlas.counties_named(words))
        return _largest(
            self.msamd(code)
            for code, parts in self._msamds.items()
            if code.startswith(words)
            or self._is_named(code, words)
            or (code != OUTSIDE and any(each.county in counties for each in parts))
        )

    def _is_named(self, code: str, words: str) -> bool:
        """Return whether the name of an MSA/MD has all words."""
        name, words = self._names.get(code, "").casefold(), words.casefold()
        if code == OUTSIDE:
            # It has most rows: were it found by MD, it would come before what lies in Maryland.
            return name.startswith(words)
        return all(word in name for word in words.split())


def _around(parts: Sequence[Place]) -> str:
    """Return what an MSA/MD without a name is called: by its largest counties."""
    named = [atlas.county_name(each.county) for each in parts if each.county != _NONE]
    named = list(dict.fromkeys(named))
    shown = "; ".join(named[:_NAMED_COUNTIES]) or "No rows"
    more = len(named) - _NAMED_COUNTIES
    return f"{shown} and {more} more" if more > 0 else shown


def _institution(each: breakdowns.Institution) -> Choice:
    return Choice(LEI, each.lei, f"{each.name} ({each.lei})", each.rows)


def _largest(choices: Iterable[Choice]) -> list[Choice]:
    return sorted(choices, key=lambda each: (-each.rows, each.value))[:MOST_FOUND]
