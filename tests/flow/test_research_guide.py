"""The examples of the guide for research, run as they are printed against a running service.

DuckDB's extension for HTTP is no package for the release that we use. Its questions are asked of
the same files, read in ranges over HTTP by a file object.
"""

from __future__ import annotations

import csv
import gzip
import io
import os
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import httpx
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pytest

from tests.flow.conftest import Service

pytestmark = pytest.mark.slow
GUIDE = (Path(__file__).parents[2] / "docs" / "research.md").read_text()
SITE = "https://hmda.example"
YEAR, ROWS = "2023", 20_000
FILES = f"/v2/public/publications/{YEAR}"
CODE = {
    kind: re.findall(rf"^```{kind}\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
    for kind in ("sql", "python", "sh", "R", "julia", "m")
}
*QUESTIONS, LOCAL_QUESTION = CODE["sql"]
Loans = pl.DataFrame


class RangedFile(io.RawIOBase):
    """A file that is read over HTTP in ranges; it keeps the status of each answer."""

    def __init__(self, url: str) -> None:
        self._client, self._url, self._at = httpx.Client(timeout=60), url, 0
        self.size = int(self._client.head(url).headers["Content-Length"])
        self.statuses: Counter[int] = Counter()

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._at = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self.size}[whence]
        return self._at

    def read(self, size: int = -1) -> bytes:
        end = self.size if size < 0 else min(self.size, self._at + size)
        if end <= self._at:
            return b""
        answer = self._client.get(self._url, headers={"Range": f"bytes={self._at}-{end - 1}"})
        self.statuses[answer.status_code] += 1
        answer.raise_for_status()
        self._at = end
        return answer.content

    def close(self) -> None:
        self._client.close()
        super().close()


@pytest.fixture(scope="module")
def site(bucket: Service) -> str:
    """The address of a service with the limits that a site has by default, and a published year."""
    file = bucket.data_dir / "made-up.csv"
    made = ("make_public_lar", "--rows", str(ROWS), "--years", YEAR, "--out", str(file))
    bucket.manage(*made)
    names = bucket.data_dir / "names.csv"
    leis = pl.read_csv(file, infer_schema=False).select(pl.col("lei").unique().sort())
    leis.with_columns(name="Lender " + pl.col("lei").str.tail(6)).write_csv(names)
    bucket.manage("load_public_lar", str(file), "--panel", str(names))
    bucket.manage("publish", YEAR)
    return bucket.url


@pytest.fixture(scope="module")
def loans(site: str) -> Loans:
    """The records as texts, as the CSV has them."""
    content = gzip.decompress(httpx.get(f"{site}{FILES}/loans.csv.gz").content)
    return pl.read_csv(content, infer_schema=False)


@pytest.fixture(scope="module")
def ask(site: str) -> Iterator[Callable[[str], list[tuple[Any, ...]]]]:
    """A function that answers a query of the guide, by files that are read in ranges."""
    database, files = duckdb.connect(), []

    def query(sql: str) -> list[tuple[Any, ...]]:
        for number, address in enumerate(re.findall(rf"'{SITE}([^']+)'", sql)):
            file = RangedFile(site + address)
            files.append(file)
            fragment = ds.ParquetFileFormat().make_fragment(pa.PythonFile(file, "r"))
            data = ds.FileSystemDataset([fragment], fragment.physical_schema, fragment.format)
            database.register(f"file_{number}", data)
            sql = sql.replace(f"'{SITE}{address}'", f"file_{number}", 1)
        return database.execute(sql).fetchall()

    yield query
    statuses = sum((file.statuses for file in files), Counter())
    assert set(statuses) == {206}


def number(name: str) -> pl.Expr:
    return pl.col(name).cast(pl.Float64, strict=False)


def is_(name: str, *values: str) -> pl.Expr:
    return pl.col(name).is_in(values)


def by_state(loans: Loans) -> Loans:
    originated = is_("action_taken", "1").sum().alias("originated")
    return loans.group_by("state_code").agg(pl.len(), originated).sort("state_code")


def denials_by_race(loans: Loans) -> Loans:
    decided = loans.filter(is_("loan_purpose", "1"), is_("action_taken", "1", "2", "3"))
    denied = is_("action_taken", "3").mean().alias("denied")
    return decided.group_by("derived_race").agg(pl.len(), denied).sort("derived_race")


def rates(loans: Loans) -> Loans:
    some = loans.filter(
        is_("action_taken", "1"), is_("lien_status", "1"), is_("loan_term", "360")
    ).with_columns(pl.col("loan_type").cast(int))
    return some.group_by("loan_type").agg(number("interest_rate").median()).sort("loan_type")


def missing_rates(loans: Loans) -> Loans:
    missing = loans.filter(number("interest_rate").is_null())
    return missing.group_by("interest_rate").len().sort("interest_rate")


def lent_in_a_county(loans: Loans) -> Loans:
    some = loans.filter(is_("county_code", "06037"), is_("action_taken", "1"))
    return some.select(pl.len().alias("loans"), number("loan_amount").sum())


def median_incomes(loans: Loans) -> Loans:
    some = loans.filter(number("income").is_not_null())
    return some.group_by("applicant_age").agg(number("income").median()).sort("applicant_age")


def higher_priced(loans: Loans) -> Loans:
    some = loans.filter(
        is_("action_taken", "1"), is_("lien_status", "1"), number("rate_spread").is_not_null()
    )
    share = (number("rate_spread") >= 1.5).mean().alias("share")
    return some.group_by("state_code").agg(share).sort("state_code")


def reasons(loans: Loans) -> Loans:
    columns = [f"denial_reason_{number}" for number in range(1, 5)]
    every = loans.filter(is_("action_taken", "3")).unpivot(columns)["value"].drop_nulls()
    return every.cast(int).alias("reason").value_counts().sort("reason")


def purposes(loans: Loans) -> Loans:
    keys = (
        (number("tract_minority_population_percent") >= 50).alias("mostly"),
        pl.col("loan_purpose").cast(int),
    )
    some = loans.filter(is_("action_taken", "1"))
    return some.group_by(*keys).len().sort("mostly", "loan_purpose")


def largest(loans: Loans) -> Loans:
    some = loans.filter(is_("action_taken", "1")).group_by("lei").len()
    return some.sort(["len", "lei"], descending=[True, False]).head(10)


EXPECTED: list[Callable[[Loans], Loans]] = [
    *(by_state, denials_by_race, rates, missing_rates, lent_in_a_county, largest),
    *(median_incomes, higher_priced, reasons, purposes),
]


def test_the_guide_asks_ten_questions() -> None:
    assert len(QUESTIONS) == len(EXPECTED) == 10


@pytest.mark.parametrize(
    ("sql", "expected"),
    list(zip(QUESTIONS, EXPECTED, strict=True)),
    ids=[function.__name__ for function in EXPECTED],
)
def test_a_question_has_the_answer_of_the_csv(
    sql: str, expected: Callable[[Loans], Loans], site: str, loans: Loans, ask: Any
) -> None:
    right = expected(loans).rows()
    if expected is largest:
        text = httpx.get(f"{site}/v2/public/datasets/{YEAR}/dynamic/institutions.csv").text
        names = {row["lei"]: row["name"] for row in csv.DictReader(io.StringIO(text))}
        right = [(names[lei], count) for lei, count in right]
    assert right
    assert ask(sql) == [
        tuple(pytest.approx(value) if isinstance(value, float) else value for value in row)
        for row in right
    ]


def run(code: str, site: str) -> Any:
    names: dict[str, Any] = {}
    exec(code.replace(SITE, site), names)
    return names["answer"]


def test_hundreds_of_ranges_meet_no_limit(site: str) -> None:
    file = RangedFile(f"{site}{FILES}/loans.parquet")
    for start in range(0, 300_000, 1_000):
        file.seek(start)
        file.read(1_000)
    assert file.statuses == {206: 300}


def test_polars_reads_over_http(site: str, loans: Loans) -> None:
    right = (
        loans.filter(is_("state_code", "CA"), is_("action_taken", "1", "2", "3"))
        .group_by(pl.col("action_taken").cast(int))
        .agg(pl.len(), number("loan_amount").sum())
        .sort("action_taken")
    )
    assert run(CODE["python"][0], site).rows() == right.rows()


def test_pyarrow_names_the_codes(
    site: str, loans: Loans, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    counts = Counter(loans.filter(is_("state_code", "CA"))["action_taken"].to_list())
    assert run(CODE["python"][1], site) == {
        "Loan originated": counts["1"],
        "Application denied": counts["3"],
    }


def of_california(loans: Loans) -> Loans:
    """Return records, median and sum of amounts by action taken, where there is an amount."""
    amount = number("loan_amount")
    return (
        loans.filter(is_("state_code", "CA"), amount.is_not_null())
        .group_by(pl.col("action_taken").cast(int))
        .agg(pl.len().alias("records"), amount.median().alias("median"), amount.sum().alias("sum"))
        .sort("action_taken")
    )


def test_duckdb_reads_the_file_of_a_state(
    site: str, loans: Loans, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    subprocess.run(["sh", "-ec", CODE["sh"][0].replace(SITE, site)], check=True)
    right = of_california(loans).select("action_taken", "records", "median")
    assert duckdb.connect().execute(LOCAL_QUESTION).fetchall() == right.rows()


def test_pandas_reads_the_file_of_a_state(
    site: str, loans: Loans, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    right = of_california(loans).select("action_taken", "records", "median")
    assert list(run(CODE["python"][2], site).itertuples(name=None)) == right.rows()


def require_program(name: str, *check: str) -> str:
    """Return the path of a program with its packages, or skip the test."""
    program = shutil.which(name)
    if program is None or subprocess.run([program, *check], check=False).returncode:
        pytest.skip(f"{name} with its packages is not installed.")
    return program


def test_r_reads_the_file_of_a_state(site: str, loans: Loans, tmp_path: Path) -> None:
    program = require_program("Rscript", "-e", "library(arrow); library(dplyr)")
    code = CODE["R"][0].replace(SITE, site)
    subprocess.run([program, "-e", code], cwd=tmp_path, check=True)
    right = of_california(loans).select("action_taken", "records", dollars="sum")
    assert pl.read_csv(tmp_path / "answer.csv").rows() == right.rows()


def test_julia_reads_the_file_of_a_state(site: str, loans: Loans, tmp_path: Path) -> None:
    program = require_program("julia", "-e", "using DataFrames, DuckDB")
    code = CODE["julia"][0].replace(SITE, site)
    subprocess.run([program, "-e", code], cwd=tmp_path, check=True)
    counts = of_california(loans)["records"].to_list()
    assert (tmp_path / "answer.txt").read_text() == ",".join(map(str, counts))


def test_the_address_for_excel_has_the_columns_that_its_query_names(
    site: str, loans: Loans
) -> None:
    address, *columns = re.findall(r'"(https://[^"]+)"|\{"(\w+)", type', CODE["m"][0])
    answer = httpx.get(address[0].replace(SITE, site)).raise_for_status()
    table = pl.read_csv(answer.content, infer_schema=False)
    assert {name for _, name in columns} == {"loan_amount"} <= {*table.columns}
    assert table.height == loans.filter(is_("state_code", "CA"), is_("action_taken", "1")).height
