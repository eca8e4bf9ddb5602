"""`python bench/reports.py`: how long the yearly reports of a national year take.

Made-up records of a year are counted as a worker counts them, in a process of its own, and compared
with a plain scan of the same columns. Then reports are read over HTTP, one after the other: the
aggregate reports of some MSA/MDs, and the disclosure reports of some institutions. Tracts are drawn
alike for all institutions, so that almost every record is a cell of its own: no year is worse.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict
from importlib import import_module
from pathlib import Path

# `filing.py` beside this file has the name of a package, which must be imported instead.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
import polars as pl

from bench import report
from bench.processes import run_in_process
from bench.stages import Measure

YEAR = 2023
SECONDS, MEMORY_MB, ANSWER_MS = 240, 2_000, 100  # for 20 million records
_TRACTS = 85_000
_PIECE = 1_000_000
_FOLDER = f"publication/years/{YEAR}/1-bench"
_UNITS = ["1", "2", "3", "4", "5-24", ">149"]
_RACES = ["White", "Asian", "Black or African American", "Joint", "Race Not Available"]
_ETHNICITIES = ["Not Hispanic or Latino", "Hispanic or Latino", "Ethnicity Not Available"]
_SEXES = ["Male", "Female", "Joint", "Sex Not Available"]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--institutions", type=int, default=5_000)
    parser.add_argument("--places", type=int, default=500)
    parser.add_argument("--answers", type=int, default=300)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hmda-bench-") as folder:
        os.environ |= {
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "DATA_DIR": folder,
            "POLARS_MAX_THREADS": "2",
        }
        run_in_process(_write_year, options.rows, options.institutions, options.places)
        scan = run_in_process(_scan)
        cost, size = run_in_process(_count)
        milliseconds = run_in_process(_read_reports, options.answers)
    middle, high = (float(np.percentile(milliseconds, share)) for share in (50, 95))
    ratio = cost.wall / scan.wall
    checks = [
        report.at_most(f"seconds for {options.rows:,} records", cost.wall, SECONDS),
        report.at_most("MB at most", cost.memory, MEMORY_MB),
        report.at_most("ms for 95 of 100 answers", high, ANSWER_MS),
    ]
    if options.json:
        result = {
            "rows": options.rows,
            "cost": asdict(cost),
            "scan": asdict(scan),
            "ratio": ratio,
            "cells": size,
            "p50": middle,
            "p95": high,
        }
        print(json.dumps({**result, "checks": [asdict(check) for check in checks]}))
        return
    out = report.console()
    out.print(f"{report.machine()}. Clocks of a shared machine are rough.\n")
    out.print(
        f"Reports of {options.rows:,} records: {cost.wall:.1f} s, {ratio:.1f} times a plain scan "
        f"of the same columns ({scan.wall:.1f} s); {cost.memory:,.0f} MB; "
        f"cells {size / 1e6:,.0f} MB.\n"
        f"{len(milliseconds)} answers: p50 {middle:.0f} ms, p95 {high:.0f} ms, "
        f"slowest {max(milliseconds):.0f} ms."
    )
    report.show_checks(out, checks)


def _write_year(rows: int, institutions: int, places: int) -> None:
    """Write a published snapshot whose reports are requested."""
    from django.core.files.storage import default_storage
    from django.core.management import call_command
    from django.utils import timezone

    from databrowser.models import LiveVersion, Version
    from databrowser.publication.layout import TYPED
    from databrowser.reports import report_jobs
    from filing.jobs import queue

    call_command("migrate", verbosity=0)
    folder = Path(default_storage.path(_FOLDER))
    folder.mkdir(parents=True)
    target = folder / TYPED
    _write_records(target, _make_pieces(rows, institutions, places))
    leis = pl.Series("lei", _list_leis(institutions))
    sheets = pl.DataFrame({"lei": leis, "respondent_name": "Bank " + leis.str.tail(6)})
    sheets.write_parquet(folder / "sheets.parquet")
    version = Version.objects.create(
        year=YEAR,
        number=1,
        dataset="snapshot",
        frozen_on=timezone.now().date(),
        state=Version.State.BUILT,
        job=queue.add_job("publish", notifies=False),
        folder=_FOLDER,
        rows=rows,
        sha256="0" * 64,
        made_at=timezone.now(),
    )
    LiveVersion.objects.create(year=YEAR, dataset="snapshot", version=version)
    report_jobs.request_missing_reports()


def _list_leis(institutions: int) -> list[str]:
    return [f"5299000MADEUP{number:07}" for number in range(institutions)]


def _make_pieces(rows: int, institutions: int, places: int) -> Iterator[pl.DataFrame]:
    """Yield records in the order of a version: by county and institution."""
    draw = np.random.default_rng(0)
    leis = np.array(_list_leis(institutions))
    counties = np.array(sorted(_list_counties()))
    of_county = draw.integers(0, places, len(counties))
    msa_mds = np.array(["99999", *(f"{10_000 + 20 * number}" for number in range(1, places))])
    tracts = np.sort(draw.integers(0, len(counties), _TRACTS))
    # As lenders are: the largest has a twentieth of all records, the smallest a handful.
    weights = 1 / np.arange(10, institutions + 10)
    weights /= weights.sum()
    ages = draw.integers(0, 80, _TRACTS)
    for start in range(0, rows, _PIECE):
        height = min(_PIECE, rows - start)
        first, last = (_TRACTS * at // rows for at in (start, start + height))
        tract = draw.integers(first, max(last, first + 1), height)
        county = tracts[tract]
        frame = pl.DataFrame(
            {
                "lei": leis[draw.choice(institutions, height, p=weights)],
                "derived_msa_md": msa_mds[of_county[county]],
                "county": counties[county],
                "number": tract,
                "action_taken": draw.choice(
                    np.array([1, 2, 3, 4, 5, 6, 7, 8], "i1"),
                    height,
                    p=[0.5, 0.03, 0.15, 0.14, 0.05, 0.12, 0.005, 0.005],
                ),
                "loan_type": draw.choice(np.array([1, 2, 3, 4], "i1"), height),
                "loan_purpose": draw.choice(np.array([1, 2, 31, 32, 4, 5], "i1"), height),
                "construction_method": draw.choice(np.array([1, 1, 1, 2], "i1"), height),
                "occupancy_type": draw.choice(np.array([1, 1, 1, 2, 3], "i1"), height),
                "total_units": draw.choice(_UNITS, height, p=[0.93, 0.02, 0.01, 0.01, 0.02, 0.01]),
                "loan_amount": 5_000.0 + 10_000 * draw.integers(0, 100, height),
                "derived_race": draw.choice(_RACES, height),
                "derived_ethnicity": draw.choice(_ETHNICITIES, height),
                "derived_sex": draw.choice(_SEXES, height),
                "income": draw.integers(10, 300, height),
                "ffiec_msa_md_median_family_income": np.full(height, 90_000),
                "tract_median_age_of_housing_units": ages[tract],
                "tract_population": np.full(height, 4_000),
            }
        )
        number = (pl.col("number") + 1).cast(pl.String).str.zfill(6)
        yield frame.sort("county", "lei").with_columns(census_tract=pl.col("county") + number)


def _list_counties() -> list[str]:
    from databrowser.charts import atlas

    return atlas.counties_named("")


def _write_records(target: Path, pieces: Iterator[pl.DataFrame]) -> None:
    from databrowser.publication.scratch_database import GROUP_ROWS
    from databrowser.publication.typed_files import typed_schema

    pa, pq = (import_module(name) for name in ("pyarrow", "pyarrow.parquet"))
    names = [
        *("lei", "derived_msa_md", "census_tract", "action_taken", "loan_type", "loan_purpose"),
        *("construction_method", "occupancy_type", "total_units", "loan_amount", "derived_race"),
        *("derived_ethnicity", "derived_sex", "income", "ffiec_msa_md_median_family_income"),
        *("tract_median_age_of_housing_units", "tract_population"),
    ]
    typed = typed_schema(YEAR, {})
    schema = pa.schema([typed.field(name) for name in names])
    with pq.ParquetWriter(target, schema, compression="zstd") as file:
        for piece in pieces:
            columns = []
            for field in schema:
                values = piece[field.name].to_arrow(compat_level=pl.CompatLevel.oldest())
                if pa.types.is_dictionary(field.type):
                    texts = values.dictionary_encode()
                    values = pa.DictionaryArray.from_arrays(
                        texts.indices, texts.dictionary.cast(pa.string())
                    )
                columns.append(values.cast(field.type))
            file.write_table(pa.table(columns, schema), row_group_size=GROUP_ROWS)


def _scan() -> Measure:
    """Read all columns once, as the reports read them."""
    from django.core.files.storage import default_storage

    from databrowser.publication.layout import TYPED
    from databrowser.publication.scratch_database import connect_scratch, quote

    file = default_storage.path(f"{_FOLDER}/{TYPED}")
    names = pl.scan_parquet(file).collect_schema().names()
    with tempfile.TemporaryDirectory() as folder, connect_scratch(Path(folder)) as database:
        began = time.perf_counter()
        columns = ", ".join(f"SUM(hash({name}))" for name in names)
        database.execute(f"SELECT {columns} FROM read_parquet({quote(file)})").fetchall()
        return _measure(began)


def _count() -> tuple[Measure, int]:
    """Run the job of the reports, and return its cost and the size of the cells."""
    from django.core.files.storage import default_storage

    from databrowser.models import VersionReports
    from filing.jobs import loop

    began = time.perf_counter()
    loop.run_job(VersionReports.objects.get().job_id)
    cost = _measure(began)
    reports = VersionReports.objects.select_related("job").get()
    assert reports.made_at, reports.job.last_error
    return cost, default_storage.size(reports.file)


def _measure(began: float) -> Measure:
    seconds = time.perf_counter() - began
    used = resource.getrusage(resource.RUSAGE_SELF)
    unit = 1024**2 if sys.platform == "darwin" else 1024
    return Measure(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / unit)


def _read_reports(number: int) -> list[float]:
    """Read reports over HTTP, compressed as browsers ask; return the milliseconds of each."""
    from django.conf import settings
    from django.test import Client
    from django.test.utils import setup_test_environment

    from databrowser.reports import catalogue
    from databrowser.reports.definitions import AGGREGATE, list_definitions

    setup_test_environment()
    settings.LIMITS = dict.fromkeys(settings.LIMITS)
    draw, client = random.Random(0), Client(headers={"accept-encoding": "gzip"})
    codes = [each.code for each in list_definitions(AGGREGATE)]
    msa_mds = [each.id for each in catalogue.list_msa_mds(YEAR)]
    institutions = catalogue.list_institutions(YEAR)
    addresses = [f"aggregate/{draw.choice(msa_mds)}/{draw.choice(codes)}" for _ in range(number)]
    for _ in range(number):
        institution = draw.choice(institutions)
        msa_md = draw.choice(institution.list_msa_mds())
        addresses.append(f"disclosure/{institution.lei}/{msa_md.id}/{draw.choice('12')}")
    taken = []
    for address in addresses:
        began = time.perf_counter()
        answer = client.get(f"{catalogue.ADDRESS}/{YEAR}/{address}")
        taken.append(1000 * (time.perf_counter() - began))
        assert answer.status_code == 200, address
    return taken


if __name__ == "__main__":
    main()
