"""The lenders that figures are given by: those chosen, the largest, or one and its peers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from databrowser.dimensions.catalogue import COUNTY, LEI
from databrowser.dimensions.dimension import SqlStatement, is_one_of, where_clause
from databrowser.dimensions.groupings import BY_LENDER
from databrowser.publication.serving import shared_engine
from databrowser.query.figure_questions import FigureQuestion, PeerGroup
from databrowser.query.questions import Question
from databrowser.query.totals import figures_of, table_of

MOST_LENDERS = 20  # that have a group of their own where none is chosen
REST, PEERS = "rest", "peers"  # the group of all other lenders
_LEAST_SIZE, _MOST_SIZE = 0.5, 2  # of a lender's peers, in parts of its number of records


@dataclass(frozen=True, slots=True)
class LenderGroups:
    """The lenders with a group of their own, and which records count.

    others: the name of the group of all other lenders. peers: of the lender, by size.
    """

    leis: tuple[str, ...] = ()
    others: str = REST
    peer_group: PeerGroup | None = None
    peers: tuple[str, ...] = ()
    number_of_peers: int = 0

    def join(self, name: str) -> SqlStatement:
        """Return the join that gives a record its `lender`; null for the others."""
        if not self.leis:
            return SqlStatement(f" LEFT JOIN (SELECT 0 AS id, '' AS lender) ON {LEI.column} = id")
        condition = is_one_of("lei", self.leis)
        return SqlStatement(
            f" LEFT JOIN (SELECT id, lei AS lender FROM {name}.institutions "
            f"WHERE {condition.sql}) ON loans.{LEI.column} = id",
            condition.values,
        )

    def where(self, question: Question, name: str) -> SqlStatement:
        """Return the condition for the records of a question in a data set."""
        chosen = [
            dimension.condition(values, name)
            for dimension, values in question.chosen
            if not (self.peer_group and dimension is LEI)
        ]
        if self.peer_group is PeerGroup.SIZE:
            chosen.append(LEI.condition((*self.leis, *self.peers), name))
        elif self.peer_group:
            chosen.append(_same_counties(self.leis[0], name))
        return where_clause(chosen)


def find_lenders(figure_question: FigureQuestion, names: Mapping[int, str]) -> LenderGroups:
    """Return the lenders of a question. names: of its data sets, by year.

    Raises: QueriesBusy, QueryTooSlow.
    """
    leis = figure_question.chosen_values(LEI)
    if figure_question.peers is PeerGroup.SIZE:
        peers = _find_peers_of_size(figure_question, leis[0], names)
        return LenderGroups(leis, PEERS, PeerGroup.SIZE, peers, len(peers))
    if figure_question.peers:
        number = _count_peers_in_counties(figure_question, leis[0], names)
        return LenderGroups(leis, PEERS, PeerGroup.COUNTIES, number_of_peers=number)
    if BY_LENDER in figure_question.by and not leis:
        leis = _find_largest(figure_question.question, names)
    return LenderGroups(leis)


def _find_largest(question: Question, names: Mapping[int, str]) -> tuple[str, ...]:
    """Return the lenders with most records of a question."""
    records = _count_records(question, LenderGroups(), names)
    return tuple(sorted(records, key=lambda lei: (-records[lei], lei))[:MOST_LENDERS])


def _find_peers_of_size(
    figure_question: FigureQuestion, lei: str, names: Mapping[int, str]
) -> tuple[str, ...]:
    """Return the lenders with half to twice as many records as one in the same places."""
    places = tuple(each for each in figure_question.question.places if each[0] is not LEI)
    question = replace(figure_question.question, places=places, filters=())
    records = _count_records(question, LenderGroups(), names)
    size = records.pop(lei, 0)
    least, most = _LEAST_SIZE * size, _MOST_SIZE * size
    return tuple(sorted(other for other, number in records.items() if least <= number <= most))


def _count_peers_in_counties(
    figure_question: FigureQuestion, lei: str, names: Mapping[int, str]
) -> int:
    """Return the number of other lenders with records in the counties of one."""
    question = replace(figure_question.question, filters=())
    groups = LenderGroups((lei,), PEERS, PeerGroup.COUNTIES)
    return len(_count_records(question, groups, names).keys() - {lei})


def _count_records(
    question: Question, groups: LenderGroups, names: Mapping[int, str]
) -> dict[str, int]:
    """Return the number of records of each lender, among those that count."""
    needed = {LEI, COUNTY} if groups.peer_group else {LEI}
    needed |= {dimension for dimension, _ in question.chosen}
    parts: list[str] = []
    values: list[Any] = []
    for name in names.values():
        where = groups.where(question, name)
        table, records = "filers", "sum(rows)"
        if question.filters:
            table = table_of(needed, name)
            records, _ = figures_of(table)
        parts.append(
            f"SELECT institutions.lei AS lender, n FROM (SELECT lei AS id, {records} AS n "
            f"FROM {name}.{table}{where.sql} GROUP BY lei) JOIN {name}.institutions USING (id)"
        )
        values += where.values
    if not parts:
        return {}
    sql = f"SELECT lender, sum(n)::BIGINT FROM ({' UNION ALL '.join(parts)}) GROUP BY lender"
    return dict(shared_engine().rows(sql, values))


def _same_counties(lei: str, name: str) -> SqlStatement:
    """Return the condition for the counties in which a lender has records."""
    of_lender = LEI.condition((lei,), name)
    return SqlStatement(
        f"{COUNTY.column} IN (SELECT {COUNTY.column} FROM {name}.filers "
        f"WHERE {COUNTY.column} != 0 AND {of_lender.sql})",
        of_lender.values,
    )
