"""The same question about the same version gives the same bytes, also under load."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import polars as pl
import pytest
from django.http import QueryDict

from databrowser.downloads import CSV, PARQUET, PIPE, Download, DownloadFormat
from databrowser.publication import serving
from databrowser.query import questions
from databrowser.query.totals import Live
from tests.databrowser.conftest import csv_of, public_rows, publish, write

pytestmark = pytest.mark.django_db

# Lists of different lengths: the engine plans the longer ones in another way.
ALL_ACTIONS = "actions_taken=1,2,3,4,5,6,7,8"
QUESTIONS = (
    "years=2020&actions_taken=1,2,3,4,5,6",
    f"years=2020&states=CA,TX,FL,NY,MD,WA,OR,NV,IL&{ALL_ACTIONS}",
)
FORMATS = (CSV, PIPE, PARQUET)


@cache
def written_rows(rows: int) -> tuple[pl.DataFrame, str]:
    frame = public_rows(2020, rows, seed=3)
    return frame, write(frame)


def large_year(rows: int) -> tuple[pl.DataFrame, Live]:
    """Publish a year with many records, and return them with what is published."""
    frame, folder = written_rows(rows)
    publish(frame, folder)
    return frame, serving.live_data_sets()


def digest(query: str, form: DownloadFormat, live: Live) -> str:
    parameters = QueryDict(query)
    rules = questions.PLACED if "states" in parameters else questions.NATIONWIDE
    question = questions.read_question(parameters, rules, published=[2020])
    download = Download(question, live, form)
    try:
        return hashlib.sha256(b"".join(download)).hexdigest()
    finally:
        download.close()


def digests(query: str, form: DownloadFormat, live: Live, times: int) -> set[str]:
    """Return the hashes of a download that is repeated, four at a time."""
    with ThreadPoolExecutor(4) as pool:
        return set(pool.map(lambda _: digest(query, form, live), range(times)))


@pytest.mark.parametrize("rows", [10_000, 40_000])
@pytest.mark.parametrize("query", QUESTIONS)
def test_the_same_question_gives_the_same_bytes(query: str, rows: int) -> None:
    """In the order of the file: also where pieces of it have few records that are asked for."""
    frame, live = large_year(rows)
    parameters = QueryDict(query)
    chosen = frame.filter(pl.col("action_taken").is_in(parameters["actions_taken"].split(",")))
    if "states" in parameters:
        chosen = chosen.filter(pl.col("state_code").is_in(parameters["states"].split(",")))
    in_order = hashlib.sha256(csv_of(chosen).encode()).hexdigest()
    assert digests(query, CSV, live, 2) == {in_order}
    for form in (PIPE, PARQUET):
        assert len(digests(query, form, live, 2)) == 1


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.ending)
@pytest.mark.parametrize("query", QUESTIONS)
def test_twenty_downloads_under_load_have_one_hash(query: str, form: DownloadFormat) -> None:
    _, live = large_year(300_000)
    assert len(digests(query, form, live, 20)) == 1
