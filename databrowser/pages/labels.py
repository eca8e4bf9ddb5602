"""Labels of the values of the data filters."""

from __future__ import annotations

from databrowser.charts import atlas
from databrowser.dimensions.catalogue import COUNTY, STATE
from databrowser.dimensions.dimension import Dimension


def meaning(dimension: Dimension, value: str) -> str:
    """Return the meaning of a value, or the value itself if it needs no explanation."""
    if dimension is STATE:
        return atlas.state_name(value)
    if dimension is COUNTY:
        return atlas.county_name(value)
    return dimension.meanings.get(value) or _spelled(dimension, value)


def _spelled(dimension: Dimension, value: str) -> str:
    """Return a value with a space after its colon, or a number of units with the word units."""
    if dimension.parameter == "total_units":
        return f"{value.replace('>', 'More than ').replace('-', ' to ')} units"
    return value.replace(":", ": ")


def coded(dimension: Dimension, value: str) -> str:
    """Return a code with its meaning, or just the meaning of a value that is not a code."""
    label = meaning(dimension, value)
    is_code = bool(dimension.meanings) and value.isdecimal()
    return (
        f"{value} - {label}" if is_code and value != "8888" and label != f"{value} unit" else label
    )
