"""Real filing files, written by others, with what they must give; they are used where they lie.

Where they are not there, a small file of our own goes the same way.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from config.running.supervisor import ROOT
from filing.demo.census import write_census
from filing.edits import catalogue
from filing.lar.years import Period
from tests.flow.conftest import Service
from tests.flow.filer import Filer, lar

FOLDER = ROOT.parent / "shared" / "samples"
FRONTEND, MEISSA = "FRONTENDTESTBANK9999", "MEISSADIATESTBANK001"
BANK1, BANK0 = "BANK1LEIFORTEST12345", "B90YWS6AFX2LGWOXJ1LD"
TAX_IDS = {FRONTEND: "53-1111111", MEISSA: "53-0000001", BANK1: "02-1234567", BANK0: "01-0123456"}
OF_2018 = {
    "Q605-2": 1, "Q607": 1, "Q613": 1, "Q614": 1, "Q618": 8, "Q619": 7, "Q620": 4, "Q627": 4,
    "Q630": 1, "Q631": 5, "Q632": 3, "Q633": 3, "Q635": 1, "Q637": 1, "Q638": 1,
}  # fmt: skip


@dataclass(frozen=True)
class Sample:
    """A file, whose it is, where it rests, its edits with their rows, its format errors."""

    name: str
    period: str
    lei: str
    rests: int
    edits: dict[str, int] = field(default_factory=dict)
    errors: tuple[tuple[int, str], ...] = ()
    behind: dict[str, int] = field(default_factory=dict)  # seen once nothing stops it before

    @property
    def path(self) -> Path:
        return FOLDER / self.name

    def __str__(self) -> str:
        return self.name


CLEAN = {"Q637": 1, "Q638": 1}
SAMPLES = [
    Sample("2018-FRONTENDTESTBANK9999.txt", "2018", FRONTEND, 13, OF_2018),
    Sample("2022-FRONTENDTESTBANK9999.txt", "2022", FRONTEND, 13, CLEAN),
    Sample("2022-Q1-FRONTENDTESTBANK9999.txt", "2022-Q1", FRONTEND, 13, CLEAN),
    Sample("2024-FRONTENDTESTBANK9999.txt", "2024", FRONTEND, 13, CLEAN),
    Sample("2024-Q2-FRONTENDTESTBANK9999.txt", "2024-Q2", FRONTEND, 13, CLEAN),
    Sample("FFVT-2018-clean-w-bom.txt", "2018", MEISSA, 13, OF_2018),
    Sample(
        "FFVT-2018-error.txt",
        "2018",
        MEISSA,
        5,
        errors=((1, "Federal Agency"), (11, "Incorrect Number of LAR Fields")),
    ),
    Sample(
        "Bank_1_2024_V662-1.txt",
        "2024",
        BANK1,
        9,
        {"V662-1": 1, "V662-2": 1, "V663": 1},
        behind={"Q638": 1, "Q646": 1},
    ),
    Sample("Bank.1_2024.Q660-1.txt", "2024", BANK1, 13, {"Q660-1": 1, "Q638": 1, "Q646": 1}),
    Sample(
        "Bank.1_2024.V660-Blank.field.test.txt",
        "2024",
        BANK1,
        5,
        errors=((2, "Applicant or Borrower, Name and Version of Credit Scoring Model"),),
    ),
    Sample(
        "Bank0_clean_100_rows_2025_annual.txt",
        "2025",
        BANK0,
        13,
        {"Q646": 30, "Q637": 1, "Q638": 1},
    ),
    # Its transmittal sheet announces 100 of its 1,000 rows; quality edits come after that.
    Sample("clean_file_1000_rows_Bank0_syntax_validity.txt", "2018", BANK0, 9, {"S304": 1}),
]
PRESENT = [sample for sample in SAMPLES if sample.path.exists()]
STOPS = ("S", "V")


def expected(sample: Sample) -> tuple[int, dict[str, int]]:
    """Return where the sample rests and its edits, as far as the catalogue has them by now."""
    period = Period.parse(sample.period)
    held = {edit.code for edit in catalogue.list_edits(period)}
    edits = {code: rows for code, rows in sample.edits.items() if code in held}
    if sample.rests == 9 and not any(code.startswith(STOPS) for code in edits):
        return 13, edits | sample.behind
    return sample.rests, edits


def write_census_with_samples(path: Path, year: str) -> Path:
    """Write the demo census of a year with the tracts of all samples of that year."""
    demo = write_census(int(year))
    known = {"".join(line.split("|")[2:5]) for line in demo.splitlines()}
    tracts = {
        cells[17]
        for sample in PRESENT
        if sample.period.startswith(year)
        for cells in (line.split("|") for line in sample.path.read_text().splitlines())
        if len(cells) == 110 and cells[17].isdecimal()
    }
    lines = [
        f"{year}|99999|{t[:2]}|{t[2:5]}|{t[5:]}|70000|4000|10.0|900|1200|70000|100|40|T|Area\n"
        for t in sorted(tracts - known)
    ]
    path.write_text(demo + "".join(lines))
    return path


@pytest.fixture(scope="module", autouse=True)
def years_of_samples(bucket: Service) -> None:
    """The seasons of the samples' years are open, and their institutions may file."""
    years = sorted({sample.period[:4] for sample in PRESENT} | {"2025"})
    panel = bucket.data_dir / "samples.csv"
    panel.write_text(
        "activity_year,lei,name,tax_id,agency,email_domains,quarterly_filer\n"
        + "".join(
            f"{year},{lei},Sample Bank,{tax_id},9,bank.example,true\n"
            for year in years
            for lei, tax_id in TAX_IDS.items()
        )
    )
    bucket.manage("load_institutions", str(panel))
    for year in years:
        census = write_census_with_samples(bucket.data_dir / f"census-{year}.txt", year)
        bucket.manage_all(["load_census", year, str(census)], ["open_season", year, *bucket.always])
    bucket.make_tokens([*TAX_IDS])


def all_edits(filer: Filer, number: int) -> dict[str, int]:
    body = filer.call("GET", f"/submissions/{number}/edits").json()
    return {
        item["edit"]: item["total"]
        for kind in ("syntactical", "validity", "quality", "macro")
        for item in body[kind]["edits"]
    }


def filed(filer: Filer, content: bytes, name: str) -> tuple[int, int]:
    """File a content and return its sequence number and the code it rests at."""
    number = filer.begin()["id"]["sequenceNumber"]
    assert filer.upload(content, name=name, number=number).status_code == 202
    return number, filer.rest(number)["status"]["code"]


@pytest.mark.parametrize("sample", PRESENT or [None], ids=str)
def test_a_real_file_ends_as_it_must(bucket, sample):
    if sample is None:
        with Filer.of(bucket, "2024") as filer:
            assert filed(filer, lar(filer, rows=30, fail=("Q611:2",)), "own.txt") == (1, 11)
            assert all_edits(filer, 1) == {"Q611": 2}
        return
    with Filer.of(bucket, sample.period, sample.lei) as filer:
        number, code = filed(filer, sample.path.read_bytes(), sample.name)
        assert (code, all_edits(filer, number)) == expected(sample)
        errors = filer.call("GET", f"/submissions/{number}/parseErrors").json()
        found = [
            (line["rowNumber"], message["fieldName"])
            for part in ("transmittalSheetErrors", "larErrors")
            for line in errors[part]
            for message in line["errorMessages"]
        ]
        assert found == list(sample.errors)


def test_a_real_file_is_filed_to_its_receipt(bucket):
    name = "Bank0_clean_100_rows_2025_annual.txt"
    path, period, lei = FOLDER / name, "2025", BANK0
    if not path.exists():
        lei = bucket.lei()
    with Filer.of(bucket, period, lei) as filer:
        content = path.read_bytes() if path.exists() else lar(filer, rows=30, fail=("Q611",))
        number, _ = filed(filer, content, name)
        for kind in ("quality", "macro"):
            assert filer.verify(kind, number=number).status_code == 200
        receipt = filer.sign(number).json()["receipt"]
        assert receipt.startswith(f"{lei}-{period}-{number}-")
