"""The ten questions of the benchmark of the data browser."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from databrowser.dimensions.catalogue import BY_PARAMETER, FILTERS, PLACES

_ALL = "2018,2019,2020,2021,2022"


@dataclass(frozen=True, slots=True)
class Query:
    """A question. limit: the milliseconds it may take."""

    name: str
    parameters: dict[str, str]
    limit: int

    @property
    def address(self) -> str:
        is_placed = any(place.parameter in self.parameters for place in PLACES)
        path = "aggregations" if is_placed else "nationwide/aggregations"
        return f"/v2/data-browser-api/view/{path}?{urlencode(self.parameters)}"

    @property
    def by(self) -> list[str]:
        """The columns that make groups."""
        return [dimension.column for dimension in FILTERS if dimension.parameter in self.parameters]

    @property
    def where(self) -> dict[str, list[Any]]:
        """The values of each column."""
        values: dict[str, list[Any]] = {
            "activity_year": [int(year) for year in self.parameters["years"].split(",")]
        }
        for name, text in self.parameters.items():
            if name != "years":
                values[BY_PARAMETER[name].column] = text.split(",")
        return values


def _every(parameter: str) -> str:
    return ",".join(BY_PARAMETER[parameter].values)


def questions(facts: dict[str, Any]) -> list[Query]:
    """Return the questions about made-up rows. facts: which places and institutions are large."""
    nation, place = 100, 250
    rows = [
        ("1 nationwide 1y, actions 5,6", nation, "2020", {"actions_taken": "5,6"}),
        ("2 nationwide 5y, sex x purpose", nation, _ALL, ("sexes", "loan_purposes")),
        ("3 large state 1y, race x ethnicity", nation, "2020",
         {"states": "CA", "races": "", "ethnicities": ""}),
        ("4 three large states 5y, type x purpose x lien", nation, _ALL,
         {"states": "CA,TX,FL", "loan_types": "", "loan_purposes": "", "lien_statuses": ""}),
        ("5 largest county 5y, action", place, _ALL,
         {"counties": facts["county"], "actions_taken": ""}),
        ("6 MSA 1y, dwelling x construction", place, "2020",
         {"msamds": facts["msamd"], "dwelling_categories": "", "construction_methods": ""}),
        ("7 largest LEI 5y, action x sex", place, _ALL,
         {"leis": facts["large"], "actions_taken": "", "sexes": ""}),
        ("8 small LEI 1y, product", place, "2020",
         {"leis": facts["small"], "loan_products": ""}),
        ("9 nationwide 1y, Asian + Female + action 1", nation, "2020",
         {"races": "Asian", "sexes": "Female", "actions_taken": "1"}),
        ("10 nationwide 5y, units x dwelling", nation, _ALL,
         ("total_units", "dwelling_categories")),
    ]  # fmt: skip
    return [
        Query(name, {"years": years, **_filled(chosen)}, limit)
        for name, limit, years, chosen in rows
    ]


def _filled(chosen: Any) -> dict[str, str]:
    """Return the parameters; one without values has all that there are."""
    pairs = chosen.items() if isinstance(chosen, dict) else ((name, "") for name in chosen)
    return {name: values or _every(name) for name, values in pairs}
