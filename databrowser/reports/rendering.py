"""Reports as JSON and as CSV, both written from their tables.

Source: the names and the order of the keys are those of the files of the HMDA Platform from 2018.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import polars as pl

from databrowser.reports.definitions import (
    BY_ETHNICITY,
    BY_INCOME,
    BY_MEDIAN_AGE,
    BY_RACE,
    BY_TRACT,
    COLUMNS,
    ETHNICITIES,
    INCOMES,
    INSTITUTIONS,
    MEDIAN_AGES,
    PURCHASES,
    RACES,
    SEXES,
    TOTAL,
    ReportDefinition,
)
from databrowser.reports.tables import ETHNICITY, LETTERS, RACE
from filing.lar.formulas import guard_column

Row = dict[str, Any]
_SORTING = {
    group.name: group.sorting for groups in (SEXES, INCOMES, MEDIAN_AGES) for group in groups
}
_CHARACTERISTIC = "Census Tracts by Median Age of Homes"


def write_json(report: ReportDefinition, head: Mapping[str, Any], table: pl.DataFrame) -> str:
    """Return the JSON of a report. head: its first keys."""
    if report not in (BY_TRACT, PURCHASES):
        return _dump({**head, **make_body(report, table)})
    return f'{_dump(head)[:-1]},"tracts":[{_tracts(report, table)}]}}'


def write_csv(table: pl.DataFrame, heading: Sequence[str] = ()) -> str:
    """Return the CSV of a report. heading: lines of one cell before the header."""
    guarded = table.with_columns(
        guard_column(name) for name in ("institution",) if name in table.columns
    )
    cells = pl.DataFrame({"heading": heading}, schema={"heading": pl.String})
    return cells.write_csv(include_header=False, quote_style="always") + guarded.write_csv()


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _tracts(report: ReportDefinition, table: pl.DataFrame) -> str:
    """Return the JSON of tracts: written as text at once, as there may be half a million values."""
    pieces = []
    for letter, column in zip(LETTERS, COLUMNS, strict=True):
        pieces += [
            pl.lit(f'{{"dispositionName":{_dump(column.name)},"count":'),
            pl.col(f"{letter}_count").cast(pl.String),
            pl.lit(',"value":'),
            pl.col(f"{letter}_amount").cast(pl.String),
            pl.lit("}" if letter == LETTERS[-1] else "},"),
        ]
    values = pl.concat_str(pl.lit('"values":['), *pieces, pl.lit("]"))
    if report is PURCHASES:
        rows = table.select("tract", "census_tract", body=values)
    else:
        titles = {each.name: f'{{"title":{_dump(each.name)},' for each in report.dispositions}
        endings = {
            each.name: f',"titleForSorting":{_dump(report.sort_disposition(each))}}}'
            for each in report.dispositions
        }
        title = pl.col("disposition")
        text = pl.concat_str(title.replace_strict(titles), values, title.replace_strict(endings))
        rows = (
            table.select("tract", "census_tract", body=text)
            .group_by("tract", "census_tract", maintain_order=True)
            .agg(pl.col("body").str.join(","))
            .with_columns(body=pl.concat_str(pl.lit('"dispositions":['), "body", pl.lit("]")))
        )
    names = pl.Series("name", [_dump(name) for name in rows["tract"]], pl.String)
    listed = rows.with_columns(names).select(
        pl.concat_str(pl.lit('{"tract":'), "name", pl.lit(","), "body", pl.lit("}")).str.join(",")
    )
    return str(listed.item() or "")


def make_body(report: ReportDefinition, table: pl.DataFrame) -> Row:
    """Return what the JSON of reports 3, 4, 5, 9 and I has after its head."""
    if report is INSTITUTIONS:
        return {"institutions": table["institution"].to_list()}
    rows = table.to_dicts()
    if report is BY_MEDIAN_AGE:
        return {"characteristic": _CHARACTERISTIC, "medianAges": list(_median_ages(rows))}
    if report is BY_RACE:
        return {"races": list(_by_sex(report, rows, "race", "race"))}
    if report is BY_ETHNICITY:
        return {"ethnicities": list(_by_sex(report, rows, "ethnicity", "ethnicityName"))}
    return {"applicantIncomes": list(_incomes(rows))}


def _median_ages(rows: list[Row]) -> Iterator[Row]:
    for age, group in groupby(rows, itemgetter("median_age")):
        dispositions = list(group)
        yield {
            "medianAge": age,
            "loanCategories": [
                {
                    "loanCategory": column.name,
                    "dispositions": [
                        {
                            "disposition": row["disposition"],
                            "count": row[f"{letter}_count"],
                            "value": row[f"{letter}_amount"],
                        }
                        for row in dispositions
                    ],
                }
                for letter, column in zip(LETTERS, COLUMNS, strict=True)
            ],
            "ageForSorting": _SORTING[age],
        }


def _by_sex(report: ReportDefinition, rows: list[Row], column: str, key: str) -> Iterator[Row]:
    for name, group in groupby(rows, itemgetter(column)):
        by_sex = {row["sex"]: _outcomes(report, row, "disposition") for row in group}
        yield {
            key: name,
            "dispositions": by_sex.pop(TOTAL),
            "gender": [
                {"gender": sex, "dispositions": outcomes, "genderForSorting": _SORTING[sex]}
                for sex, outcomes in by_sex.items()
            ],
            f"{key}ForSorting": _sorting_of(name, report),
        }


def _sorting_of(name: str, report: ReportDefinition) -> str:
    """Return the sorting key of a race or ethnicity: some of their names are the same."""
    groups = RACES if report is BY_RACE else ETHNICITIES
    return next(group.sorting for group in groups if group.name == name)


def _incomes(rows: list[Row]) -> Iterator[Row]:
    for income, group in groupby(rows, itemgetter("income")):
        of_income = list(group)
        yield {
            "applicantIncome": income,
            "borrowerCharacteristics": {
                "race": {
                    "characteristic": RACE,
                    "races": _characteristics(of_income, RACE, "race", "raceForSorting"),
                },
                "ethnicity": {
                    "characteristic": ETHNICITY,
                    "ethnicities": _characteristics(
                        of_income, ETHNICITY, "ethnicityName", "ethnicityForSorting"
                    ),
                },
            },
            "applicantIncomeSorting": _SORTING[income],
        }


def _characteristics(rows: list[Row], characteristic: str, key: str, sorting: str) -> list[Row]:
    groups = {group.name: group for group in (RACES if characteristic == RACE else ETHNICITIES)}
    return [
        {
            key: row["group"],
            "dispositions": _outcomes(BY_INCOME, row, "name"),
            sorting: groups[row["group"]].sorting,
        }
        for row in rows
        if row["characteristic"] == characteristic
    ]


def _outcomes(report: ReportDefinition, row: Row, key: str) -> list[Row]:
    return [
        {
            key: each.name,
            "count": row[f"{each.key}_count"],
            "value": row[f"{each.key}_amount"],
            f"{key}ForSorting": report.sort_disposition(each),
        }
        for each in report.dispositions
    ]
