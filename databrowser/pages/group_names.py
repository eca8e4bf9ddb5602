"""The names of the groups of figures: of states, counties, MSA/MDs, lenders and values."""

from __future__ import annotations

from collections.abc import Mapping

from databrowser.charts import atlas
from databrowser.dimensions.groupings import (
    BY_COUNTY,
    BY_LENDER,
    BY_MSAMD,
    BY_STATE,
    BY_TRACT,
    BY_YEAR,
    NOT_AVAILABLE,
    Grouping,
)
from databrowser.pages.parameters import describe_value
from databrowser.query import breakdowns
from databrowser.query.figures import FigureTable
from databrowser.query.lenders import PEERS, REST
from databrowser.query.totals import Live
from filing.reference_data import registry

Names = Mapping[tuple[Grouping, str], str]
_NOT_REPORTED = {
    BY_STATE: "Place not reported",
    BY_COUNTY: "Place not reported",
    BY_TRACT: "Place not reported",
    BY_MSAMD: "No MSA/MD reported",
}


def name_groups(table: FigureTable, data_sets: Live) -> Names:
    """Return the name of each value of each grouping. Raises: QueriesBusy, QueryTooSlow."""
    names: dict[tuple[Grouping, str], str] = {}
    for grouping, axis in zip(table.groupings, table.axes, strict=True):
        known: Mapping[str, str] = {}
        if grouping is BY_LENDER:
            known = _lender_names(axis, data_sets, table.peers)
        elif grouping is BY_MSAMD:
            by_code = registry.find_msa_md_names([data_set.year for data_set in data_sets])
            known = {code: f"{by_code[code]} ({code})" for code in axis if code in by_code}
        for value in axis:
            names[grouping, value] = known.get(value) or _name(grouping, value)
    return names


def _lender_names(axis: tuple[str, ...], data_sets: Live, peers: int) -> dict[str, str]:
    leis = [value for value in axis if value not in (PEERS, REST)]
    rows = breakdowns.institutions_with_rows(data_sets, leis=leis, most=len(leis)) if leis else []
    others = {REST: "All other lenders", PEERS: f"{peers:,} peers together"}
    return others | {row.lei: row.name for row in rows}


def _name(grouping: Grouping, value: str) -> str:
    if value == NOT_AVAILABLE:
        return _NOT_REPORTED.get(grouping, "Not reported")
    if grouping is BY_YEAR or grouping is BY_TRACT or grouping.dimension is None:
        return value
    if grouping is BY_COUNTY:
        return atlas.county_name(value)
    return describe_value(grouping.dimension, value)
