"""Every cell of every report of a made-up year, against a plain loop over its records."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow.parquet as pq
import pytest
from django.test import Client

from databrowser.models import Version
from databrowser.publication.columns import SCHEMA
from databrowser.publication.layout import TYPED
from databrowser.reports import cells
from filing import storage
from tests.databrowser.publication.public_files import USUAL, sign
from tests.databrowser.reports import plain_reports
from tests.databrowser.reports.plain_reports import ETHNICITIES, RACES, SEXES, Record
from tests.databrowser.reports.years import TIMELY, YEAR, publish_vintage

pytestmark = pytest.mark.django_db
LEIS = [f"529900EXAMPLELEI00{number:02}" for number in range(1, 6)]
REPORTS = f"/v2/public/reports/{YEAR}"
PLACES = {
    "48085": "Collin County/Texas",
    "48113": "Dallas County/Texas",
    "35013": "Doña Ana County/New Mexico",
    "22071": "Orleans Parish/Louisiana",
    "51510": "Alexandria city/Virginia",
    "09110": "Capitol Planning Region/Connecticut",
}
COUNTIES = [*PLACES, "99001"]  # the last one is in no atlas


def make_records(rows: int, places: int, *, seed: int) -> list[Record]:
    """Return records of some MSA/MDs and institutions, with everything that may be filed."""
    draw = random.Random(seed)
    msa_mds = ["0", "99999", *(f"{10_000 + 20 * number}" for number in range(places))]
    ages = [-1, 0, 0, *(YEAR - year for year in (2010, 2011, 1999, 2000, 1969, 1970, 1940))]
    units = ["1", "2", "3", "4", "5-24", "25-49", "50-99", "100-149", ">149"]
    return [
        {
            "activity_year": YEAR,
            "lei": draw.choice(LEIS),
            "derived_msa_md": draw.choice(msa_mds),
            "census_tract": draw.choice(
                ["NA", *(f"{county}{draw.randrange(1, 4):06}" for county in COUNTIES * 2)]
            ),
            "action_taken": str(draw.randrange(1, 9)),
            "loan_type": str(draw.randrange(1, 5)),
            "loan_purpose": draw.choice(["1", "1", "2", "31", "32", "4", "5"]),
            "construction_method": str(draw.randrange(1, 3)),
            "occupancy_type": str(draw.randrange(1, 4)),
            "total_units": draw.choice(units),
            "loan_amount": 5_000.0 + 10_000 * draw.randrange(200),
            "derived_race": draw.choice([*RACES]),
            "derived_ethnicity": draw.choice([*ETHNICITIES]),
            "derived_sex": draw.choice([*SEXES]),
            "income": draw.choice(["NA", "0", "-3", "35", "49", "50", "56", "70", "84", "999999"]),
            "ffiec_msa_md_median_family_income": draw.choice(["0", "70000", "70001", "98500"]),
            "tract_median_age_of_housing_units": str(draw.choice(ages)),
            "tract_population": draw.choice(["0", "4321"]),
        }
        for _ in range(rows)
    ]


def publish(records: list[Record]) -> None:
    for lei in LEIS:
        own = [{name: value for name, value in each.items() if name in SCHEMA} for each in records
               if each["lei"] == lei]  # fmt: skip
        sign(lei, *own, year=YEAR, signed_at=TIMELY)
    publish_vintage()


def list_expected(records: list[Record]) -> Iterator[tuple[str, Record]]:
    """Yield the addresses of all reports, and the bodies that they should have."""
    names = {lei: f"Bank {lei[-1]}" for lei in LEIS}
    for msa_md in sorted({each["derived_msa_md"] for each in records} - {"0"}):
        for code in "123459i":
            body = plain_reports.make_body(records, code, msa_md, places=PLACES, names=names)
            yield f"{REPORTS}/aggregate/{msa_md}/{code}", body
        for lei in LEIS:
            for code in "12":
                body = plain_reports.make_body(
                    records, code, msa_md, lei=lei, places=PLACES, names=names
                )
                yield f"{REPORTS}/disclosure/{lei}/{msa_md}/{code}", body


def flatten(body: Record) -> list[list[str]]:
    """Return the rows that the CSV of a report should have, but for its first columns of places."""

    def pairs(values: list[Record]) -> list[str]:
        return [str(value[key]) for value in values for key in ("count", "value")]

    if tracts := body.get("tracts"):
        return [
            [tract["tract"], *([row["title"]] if "title" in row else []), *pairs(row["values"])]
            for tract in tracts
            for row in tract.get("dispositions", [tract])
        ]
    if "institutions" in body:
        return [[name] for name in body["institutions"]]
    if ages := body.get("medianAges"):
        return [
            [age["medianAge"], row["disposition"], *pairs(
                [category["dispositions"][at] for category in age["loanCategories"]]
            )]
            for age in ages
            for at, row in enumerate(age["loanCategories"][0]["dispositions"])
        ]  # fmt: skip
    if incomes := body.get("applicantIncomes"):
        return [
            [income["applicantIncome"], part["characteristic"], group[key],
             *pairs(group["dispositions"])]
            for income in incomes
            for name, groups, key in (
                ("race", "races", "race"), ("ethnicity", "ethnicities", "ethnicityName"),
            )
            for part in [income["borrowerCharacteristics"][name]]
            for group in part[groups]
        ]  # fmt: skip
    key = "race" if "races" in body else "ethnicityName"
    return [
        [group[key], each["gender"], *pairs(each["dispositions"])]
        for group in body.get("races") or body["ethnicities"]
        for each in [*group["gender"], {"gender": "Total", "dispositions": group["dispositions"]}]
    ]


HEAD = {
    "lei", "institutionName", "table", "type", "description", "year", "reportDate", "msa",
    "dataset", "version",
}  # fmt: skip


def compare(client: Client, records: list[Record]) -> int:
    """Hold each report against the plain loop, its CSV as well; return how many there are."""
    compared = 0
    for address, expected in list_expected(records):
        answer: Any = client.get(address)
        if expected.get("tracts") == []:
            assert answer.status_code == 404, address
            continue
        assert answer.status_code == 200, address
        body = {key: value for key, value in answer.json().items() if key not in HEAD}
        assert body == expected, address
        header, *rows = csv.reader(io.StringIO(client.get(f"{address}/csv").text))
        if "tracts" in body:
            assert header[:4] == ["tract", "county", "state", "census_tract"]
            for row in rows:
                assert row[0] == f"{row[1]}/{row[2]}/{row[3][5:]}"
            rows = [[row[0], *row[4:]] for row in rows]
        assert rows == flatten(body), address
        compared += 1
    return compared


def test_every_cell_is_that_of_a_plain_loop(client: Client) -> None:
    assert USUAL.keys() >= SCHEMA.keys()
    records = make_records(1_000, 2, seed=1)
    publish(records)
    assert compare(client, records) > 30


def test_records_are_counted_in_pieces(tmp_path: Path) -> None:
    """In many small ones as in a single one; a tract may lie in two."""
    publish(make_records(300, 2, seed=3))
    version = Version.objects.get()
    whole = storage.open_local_copy(f"{version.folder}/{TYPED}")
    pieces = tmp_path / "pieces.parquet"
    pq.write_table(pq.read_table(whole), pieces, row_group_size=10)
    counted = []
    for loans in (whole, pieces):
        target = tmp_path / f"cells-of-{loans.name}"
        cells.count_cells(loans, target, tmp_path, year=YEAR)
        (tmp_path / "cells.duckdb").unlink()
        rows = pl.read_parquet(target)
        keys = [name for name in rows.columns if name not in ("count", "amount")]
        assert rows.select(keys).equals(rows.select(keys).sort(keys, maintain_order=True))
        counted.append(rows.group_by(keys).agg(pl.all().sum()).sort(keys))
    assert counted[0].equals(counted[1])


@pytest.mark.slow
def test_every_cell_of_three_hundred_places_is_that_of_a_plain_loop(
    client: Client, settings: Any
) -> None:
    settings.LIMITS = dict.fromkeys(settings.LIMITS)
    records = make_records(12_000, 300, seed=2)
    publish(records)
    assert compare(client, records) > 3_000
