"""Each dimension makes its own condition: for a serving file, and for the published rows."""

from __future__ import annotations

import pytest

from databrowser.dimensions.catalogue import BY_PARAMETER, DIMENSIONS
from databrowser.dimensions.dimension import SqlStatement, where_clause

LEIS = ("549300AAAAAAAAAAAA01", "549300BBBBBBBBBBBB02")


@pytest.mark.parametrize(
    ("parameter", "values", "sql", "numbers"),
    [
        ("sexes", ("Female", "Male"), "derived_sex IN (?::UTINYINT, ?::UTINYINT)", (2, 1)),
        ("counties", ("06037",), "county_code IN (?::UINTEGER)", (6037,)),
        ("leis", LEIS, "lei IN (SELECT id FROM x.institutions WHERE lei IN (?, ?))", LEIS),
    ],
)
def test_a_serving_file_is_asked_by_numbers(parameter, values, sql, numbers) -> None:
    assert BY_PARAMETER[parameter].condition(values, "x") == SqlStatement(sql, numbers)


@pytest.mark.parametrize("dimension", DIMENSIONS, ids=lambda each: each.parameter)
def test_rows_are_asked_by_values_as_they_are_published(dimension) -> None:
    values = dimension.values[:2] or ("12345", "67890")
    found = dimension.published_condition(values)
    assert found == SqlStatement(f"{dimension.column} IN (?, ?)", values)


def test_all_conditions_hold_and_none_is_no_clause() -> None:
    assert where_clause([]) == SqlStatement("")
    both = [SqlStatement("a IN (?)", (1,)), SqlStatement("b IN (?, ?)", (2, 3))]
    assert where_clause(both) == SqlStatement(" WHERE a IN (?) AND b IN (?, ?)", (1, 2, 3))
