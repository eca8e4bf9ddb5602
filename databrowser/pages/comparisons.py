"""What a question could show side by side, and what readers must know of such comparisons."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from databrowser.dimensions.catalogue import LEI
from databrowser.dimensions.groupings import (
    BY_COUNTY,
    BY_LENDER,
    BY_MSAMD,
    BY_STATE,
    BY_YEAR,
    GROUPINGS,
    PLACE_GROUPINGS,
    Grouping,
)
from databrowser.pages.definition_changes import DefinitionChange, list_definition_changes
from databrowser.pages.parameters import PageQuestion
from databrowser.query.figure_questions import PeerGroup
from databrowser.query.figures import FigureTable
from databrowser.query.measures import MeasureKind

_PEOPLE = {GROUPINGS[name] for name in ("races", "ethnicities", "sexes", "ageapplicant")}
_CAUTIOUS = {MeasureKind.RATE, MeasureKind.QUARTILES}
_APART = {
    BY_YEAR: "years",
    BY_STATE: "states",
    BY_MSAMD: "MSA/MDs",
    BY_COUNTY: "counties",
    BY_LENDER: "institutions",
}
_PEERS = {
    PeerGroup.SIZE: "with lenders of its size",
    PeerGroup.COUNTIES: "with lenders in its counties",
}
_WHO_PEERS_ARE = {
    PeerGroup.SIZE: "{number} with half to twice as many records in these years and places",
    PeerGroup.COUNTIES: "{number} with records in the same counties; only these counties count, "
    "for the institution too",
}
# After the notice that the FFIEC and the CFPB publish with the data of each year.
# Source: purposes of the data: Regulation C, 12 CFR 1003.1(b).
CAUTION = (
    "These data alone do not show whether a lender complies with fair lending laws. They lack "
    "factors of a decision or a price, such as credit scores, and some values are changed or left "
    "out to protect applicants. A difference between groups or lenders can have many reasons."
)


@dataclass(frozen=True, slots=True)
class ComparisonLink:
    """A way to compare. query: of the page."""

    label: str
    query: str


@dataclass(frozen=True)
class Comparison:
    """The comparisons that a question invites, and the notes on the one it makes."""

    page_question: PageQuestion
    table: FigureTable

    @property
    def links(self) -> list[ComparisonLink]:
        """Links that show side by side what is counted together, or one lender with its peers."""
        return [*self._apart(), *self._with_peers()]

    def _apart(self) -> Iterator[ComparisonLink]:
        question = self.page_question.question
        several = {BY_YEAR} if len(question.years) > 1 else set()
        several |= {
            GROUPINGS[dimension.parameter]
            for dimension, values in question.places
            if len(values) > 1
        }
        for grouping, plural in _APART.items():
            if grouping in several and grouping not in self.page_question.groupings:
                yield ComparisonLink(plural, self._by(grouping).query)

    def _by(self, grouping: Grouping, peers: PeerGroup | None = None) -> PageQuestion:
        """Return the question by a grouping first, then by the rows that were chosen."""
        is_place = grouping in PLACE_GROUPINGS
        others = [
            each.parameter
            for each in self.page_question.groupings
            if each.parameter in self.page_question.by
            and each is not grouping
            and not (is_place and each in PLACE_GROUPINGS)
        ]
        return self.page_question.with_by(grouping.parameter, *others[:1], peers=peers)

    def _with_peers(self) -> Iterator[ComparisonLink]:
        if len(self.page_question.figure_question.chosen_values(LEI)) == 1:
            for peers, label in _PEERS.items():
                if self.page_question.figure_question.peers is not peers:
                    yield ComparisonLink(label, self._by(BY_LENDER, peers).query)

    @property
    def peers(self) -> str:
        """Who the peers of a lender are; blank if it is not compared."""
        peers = self.page_question.figure_question.peers
        return _WHO_PEERS_ARE[peers].format(number=f"{self.table.peers:,}") if peers else ""

    @property
    def caution(self) -> str:
        """What figures by lender, and rates of groups of people, do not show; else blank."""
        groupings = {*self.page_question.groupings}
        chosen = {dimension for dimension, _ in self.page_question.question.chosen}
        people = groupings & _PEOPLE or {each for each in _PEOPLE if each.dimension in chosen}
        has_rates = self.page_question.measure.kind in _CAUTIOUS
        return CAUTION if BY_LENDER in groupings or (people and has_rates) else ""

    @property
    def definition_changes(self) -> list[DefinitionChange]:
        """The changes of definitions between the years."""
        return list_definition_changes(self.page_question.question.years)
