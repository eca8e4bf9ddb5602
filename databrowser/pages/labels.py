"""Labels of the values of the data filters.

Source: Regulation C, 12 CFR 1003.4(a), and the filing instructions of 2018 and later.
"""

from __future__ import annotations

from databrowser.charts import atlas
from databrowser.dimensions.catalogue import COUNTY, STATE
from databrowser.dimensions.dimension import Dimension

MEANINGS = {
    "actions_taken": {
        "1": "Loan originated",
        "2": "Approved but not accepted",
        "3": "Application denied",
        "4": "Application withdrawn",
        "5": "File closed for incompleteness",
        "6": "Purchased loan",
        "7": "Preapproval request denied",
        "8": "Preapproval approved, not accepted",
    },
    "loan_types": {"1": "Conventional", "2": "FHA", "3": "VA", "4": "USDA RHS or FSA"},
    "loan_purposes": {
        "1": "Home purchase",
        "2": "Home improvement",
        "31": "Refinancing",
        "32": "Cash-out refinancing",
        "4": "Other purpose",
        "5": "Not applicable",
    },
    "lien_statuses": {"1": "First lien", "2": "Subordinate lien"},
    "construction_methods": {"1": "Site-built", "2": "Manufactured home"},
    "total_units": {"1": "1 unit"},
    "ageapplicant": {
        "8888": "Not applicable",
        "<25": "Younger than 25",
        ">74": "Older than 74",
    },
}


def meaning(dimension: Dimension, value: str) -> str:
    """Return the meaning of a value, or the value itself if it needs no explanation."""
    if dimension is STATE:
        return atlas.state_name(value)
    if dimension is COUNTY:
        return atlas.county_name(value)
    return MEANINGS.get(dimension.parameter, {}).get(value) or _spelled(dimension, value)


def _spelled(dimension: Dimension, value: str) -> str:
    """Return a value with a space after its colon, or a number of units with the word units."""
    if dimension.parameter == "total_units":
        return f"{value.replace('>', 'More than ').replace('-', ' to ')} units"
    return value.replace(":", ": ")


def coded(dimension: Dimension, value: str) -> str:
    """Return a code with its meaning, or just the meaning of a value that is not a code."""
    label = meaning(dimension, value)
    is_code = dimension.parameter in MEANINGS and value.isdecimal()
    return (
        f"{value} - {label}" if is_code and value != "8888" and label != f"{value} unit" else label
    )
