"""Published files are imported whole or not at all, and say what is wrong with them."""

from __future__ import annotations

import gzip
import shutil
import zipfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from django.core.management import CommandError, call_command
from polars.testing import assert_frame_equal

from databrowser.models import PublicImport
from databrowser.publication import layout
from databrowser.publication.columns import PUBLIC, SCHEMA
from databrowser.publication.imports import public_files
from filing import storage
from filing.access import Caller
from filing.errors import BadInput, NotReady
from filing.models import TrailEntry
from tests.databrowser.publication.public_files import public, published

pytestmark = pytest.mark.django_db

A, B = "549300AAAAAAAAAAAA01", "549300BBBBBBBBBBBB02"
INPUTS = Path(__file__).parents[3] / "official_files"
OLGA = Caller(id="1", username="olga")
LOANS = [
    {"lei": B, "state_code": "TX", "loan_amount": 125000.0},
    {"lei": A, "interest_rate": "4.25", "derived_sex": "Joint"},
    {"lei": A, "income": "NA", "debt_to_income_ratio": "30%-<36%"},
]


def kept(found: PublicImport) -> pl.DataFrame:
    return pl.read_parquet(storage.open_local_copy(f"{found.folder}/loans.parquet"))


def packed(file: Path, how: str) -> Path:
    target = file.with_name(f"{file.name}.{how}")
    if how == "gz":
        with file.open("rb") as plain, gzip.open(target, "wb") as made:
            shutil.copyfileobj(plain, made)
    else:
        with zipfile.ZipFile(target, "w") as archive:
            archive.write(file, "in/2023_public_lar.csv")
    return target


def test_a_file_is_imported_in_every_spelling_and_packing(tmp_path: Path) -> None:
    comma = published(tmp_path / "comma.csv", *LOANS)
    pipe = published(tmp_path / "pipe.txt", *LOANS, separator="|", browser=True)
    windows = tmp_path / "windows.csv"
    windows.write_bytes(b"\xef\xbb\xbf" + comma.read_bytes().replace(b"\n", b"\r\n"))
    turned = tmp_path / "turned.csv"
    turned.write_text(public(*LOANS).select(pl.all().reverse()).pipe(backwards).write_csv())
    for file in (comma, pipe, windows, turned, packed(pipe, "gz"), packed(comma, "zip")):
        report = public_files.import_public_file(file, by=OLGA)
        (found,) = report.imports
        told = (found.year, found.rows, found.institutions, found.loan_amount, found.active)
        assert told == (2023, 3, 2, 535000, True), file.name
        expected = public(*LOANS)[::-1] if file is turned else public(*LOANS)
        assert_frame_equal(kept(found), expected)
        assert public_files.import_public_file(file, by=OLGA).unchanged
    assert PublicImport.objects.filter(active=True).count() == 1
    assert TrailEntry.objects.filter(event="public file imported").count() == 6


def backwards(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.select(rows.columns[::-1])


def test_a_file_of_several_years_becomes_an_import_for_each(tmp_path: Path) -> None:
    loans = [{"lei": A, "activity_year": year} for year in (2022, 2023, 2022)]
    file = published(tmp_path / "two.csv", *loans)
    with pytest.raises(BadInput, match=r"activity_year on line 3 of two.csv is 2023; enter 2022"):
        public_files.import_public_file(file, by=OLGA, year=2022)
    assert not PublicImport.objects.exists()
    made = public_files.import_public_file(file, by=OLGA).imports
    assert [(each.year, each.rows) for each in made] == [(2022, 2), (2023, 1)]
    assert kept(made[0])["activity_year"].to_list() == [2022, 2022]


def stored() -> set[Path]:
    """Return all files of imports that lie in storage, also those of other tests."""
    return set(storage.open_local_copy(layout.IMPORTS).rglob("*.parquet"))


def changed(text: str, line: int, before: str, after: str) -> str:
    lines = text.splitlines()
    lines[line - 1] = lines[line - 1].replace(before, after, 1)
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("line", "before", "after", "message"),
    [
        (1, "loan_amount,", "amount,", "Missing: loan_amount; unknown: amount"),
        (1, ",aus_5", "", "Missing: aus_5"),
        (1, "aus_5", "aus_4", "Missing: aus_5; repeated: aus_4"),
        (1, "activity_year", "ÄÖ|Ü", r"Missing: activity_year; unknown: äö\|ü"),
        (1, "activity_year", "y" * 70_000, rf"Missing: .* and {len(PUBLIC) - 10} more"),
        (3, "205000.0", "205,000", f"{len(PUBLIC) + 1} values, but .* names {len(PUBLIC)} columns"),
        (4, "205000.0", "much", r"loan_amount on line 4 of bad.csv is 'much'; enter an amount"),
        (4, "205000.0", "", r"loan_amount on line 4 of bad.csv is ''; enter an amount"),
        (4, "205000.0", "NaN", r"loan_amount on line 4 of bad.csv is 'NaN'; enter an amount"),
        (2, "2023", "23", r"activity_year on line 2 of bad.csv is '23'; enter a year from 2018"),
        (2, B, "", r"lei on line 2 of bad.csv is ''; enter an LEI"),
        (2, "24031,", "101,", "county_code on line 2 of bad.csv is '101'; enter 5 digits"),
        (3, "24031700101", "2.4E+10", r"census_tract on line 3 of bad.csv is '2.4E\+10'"),
        (4, "Male", "Man", "derived_sex on line 4 of bad.csv is 'Man'; enter Male, Female, Joint"),
        (2, ",25-34,", ",24-May,", "applicant_age on line 2 .* '24-May'; enter 8888, <25, 25-34"),
        (2, ",36,", ",high,", "debt_to_income_ratio on line 2"),
        (4, ",MD,24031", ",XX,XY031", r"state_code on line 4 .*\ncounty_code on line 4 .*'XY031'"),
        (3, "4.25", '"4.25', r"Line 3 of bad.csv .*quotation mark"),
    ],
)  # fmt: skip
def test_a_bad_file_is_refused_with_line_and_column(
    tmp_path: Path, line: int, before: str, after: str, message: str
) -> None:
    good = published(tmp_path / "good.csv", *LOANS).read_text()
    bad = tmp_path / "bad.csv"
    bad.write_text(changed(good, line, before, after))
    there = stored()
    with pytest.raises(CommandError, match=message):
        call_command("load_public_lar", str(bad))
    assert not PublicImport.objects.exists()
    assert stored() == there


def test_a_line_without_its_last_cells_is_refused(tmp_path: Path) -> None:
    """Their columns accept blanks: only the number of cells tells."""
    lines = published(tmp_path / "good.csv", *LOANS).read_text().splitlines()
    lines[2] = lines[2].rpartition(",")[0]
    for place, end in ((2, "\n"), (3, "\n"), (3, "")):
        bad = tmp_path / f"short{place}{len(end)}.csv"
        reordered = [line for line in lines if line is not lines[2]]
        reordered.insert(place, lines[2])
        bad.write_text("\n".join(reordered) + end)
        few = f"Line {place + 1} of {bad.name} has {len(PUBLIC) - 1} values, but"
        with pytest.raises(BadInput, match=few):
            public_files.import_public_file(bad, by=OLGA)


def test_blank_lines_and_blank_last_cells_are_read(tmp_path: Path) -> None:
    rows = public(*LOANS).with_columns(pl.lit("").alias([*SCHEMA][-1]))
    first, *records = rows.write_csv(quote_style="never").splitlines()
    file = tmp_path / "blanks.csv"
    file.write_text("\n".join([first, records[0], "", *records[1:], "", ""]))
    (made,) = public_files.import_public_file(file, by=OLGA).imports
    assert_frame_equal(kept(made), rows)


def test_a_quotation_mark_within_a_value_is_refused(tmp_path: Path) -> None:
    file = published(tmp_path / "quotes.csv", *LOANS)
    file.write_text(file.read_text().replace("Joint", 'Jo"int'))
    with pytest.raises(BadInput, match=r"quotes.csv cannot be read"):
        public_files.import_public_file(file, by=OLGA)


def test_codes_are_those_of_their_year(tmp_path: Path) -> None:
    """Model 11 came with 2022, models 12 to 15 with 2024, and system 7 with 2021."""
    loans = [{"lei": A, "activity_year": 2024, "applicant_credit_score_type": "15"}] * 2
    public_files.import_public_file(published(tmp_path / "new.csv", *loans), by=OLGA)
    loans[1] = {**loans[1], "activity_year": 2022}
    old = published(tmp_path / "old.csv", *loans)
    with pytest.raises(BadInput, match=r"applicant_credit_score_type on line 3 of old.csv is '15'"):
        public_files.import_public_file(old, by=OLGA)


def test_lost_zeros_are_restored(tmp_path: Path) -> None:
    report = public_files.import_public_file(INPUTS / "public_lar_lost_zeros.csv", by=OLGA)
    rows = kept(report.imports[0])
    assert set(rows["county_code"]) == {"01001"}
    assert set(rows["census_tract"]) == {"01001020100"}
    assert rows["state_code"].to_list() == ["AL"] * 3
    assert rows["derived_msa_md"].to_list() == ["33860", "33860", "14140"]
    assert rows["action_taken"].to_list() == ["1", "4", "1"]
    assert "county_code: made right '01001.0' to '01001', '1001' to '01001'." in str(report)
    assert not storage.open_local_copy(report.imports[0].folder).joinpath("x.restored").exists()


LINE_ENDS = {"lf": b"\n", "crlf": b"\r\n", "cr": b"\r"}


@pytest.mark.parametrize(
    ("line_end", "separator", "has_header"),
    [("lf", ",", False), ("crlf", "|", True), ("cr", ";", True), ("cr", "|", False)],
)
def test_official_layouts_are_read(
    tmp_path: Path, line_end: str, separator: str, has_header: bool
) -> None:
    file = published(tmp_path / "lar.txt", *LOANS, separator=separator)
    data = file.read_bytes() if has_header else file.read_bytes().partition(b"\n")[2]
    quoted = data.replace(b"Joint", b'"Joint"')
    file.write_bytes(quoted.replace(b"\n", LINE_ENDS[line_end]))
    (made,) = public_files.import_public_file(file, by=OLGA).imports
    assert_frame_equal(kept(made), public(*LOANS))
    file.write_bytes(file.read_bytes().replace(b"TX", b"TEXAS"))
    line = 2 if has_header else 1
    with pytest.raises(BadInput, match=f"state_code on line {line} of lar.txt is 'TEXAS'"):
        public_files.import_public_file(file, by=OLGA)


def test_an_archive_made_on_a_mac_is_read(tmp_path: Path) -> None:
    made = public_files.import_public_file(INPUTS / "public_lar_made_on_a_mac.zip", by=OLGA)
    assert made.imports[0].rows == 3
    two = tmp_path / "two.zip"
    with zipfile.ZipFile(two, "w") as archive:
        for name in ("a.csv", "b.TXT", ".DS_Store", "__MACOSX/._a.csv", "read.me"):
            archive.writestr(name, "x")
    with pytest.raises(
        BadInput, match=r"two.zip must contain one .csv or .txt file; it contains 2"
    ):
        public_files.import_public_file(two, by=OLGA)


def test_names_come_from_a_panel_and_from_transmittal_sheets(tmp_path: Path) -> None:
    for file in (INPUTS / "public_panel.csv", INPUTS / "public_transmittal_sheet.csv"):
        lines = file.read_text()
        other = tmp_path / file.name
        # The same without its header, with the line ends of old Macs.
        other.write_bytes(lines.partition("\n")[2].replace("\n", "\r").encode())
        copy = tmp_path / f"copy_{file.name}"
        copy.write_text(lines)
        for panel in (file, other, packed(copy, "zip")):
            names = dict(public_files.read_names(panel).rows())
            assert names["DEMO00PUBLIC00000273"] == "First Invented Bank, N.A."


def test_a_file_of_another_kind_is_named(tmp_path: Path) -> None:
    panel = INPUTS / "public_panel.csv"
    lar = published(tmp_path / "lar.csv", {"lei": A})
    with pytest.raises(CommandError, match=r"public_panel.csv is a panel file, not a file of publ"):
        call_command("load_public_lar", str(panel))
    with pytest.raises(
        CommandError, match=r"lar.csv is a file of public loan records \(public LAR"
    ):
        call_command("load_public_lar", str(lar), "--panel", str(lar))


def test_what_is_no_such_file_is_refused(tmp_path: Path) -> None:
    empty, header, cut, wrong, latin = (
        tmp_path / name for name in ("empty.csv", "header.csv", "cut.csv.gz", "no.zip", "latin.csv")
    )
    empty.write_bytes(b"")
    header.write_text(published(tmp_path / "good.csv").read_text())
    whole = packed(published(tmp_path / "good.csv", *LOANS * 500), "gz").read_bytes()
    cut.write_bytes(whole[: len(whole) // 2])
    wrong.write_bytes(b"PK no zip")
    latin.write_bytes((tmp_path / "good.csv").read_bytes().replace(b"Joint", b"J\xf6int"))
    for file, message in {
        empty: f"must name the {len(PUBLIC)} columns",
        header: "has no records below its first line",
        cut: "cannot be unpacked",
        wrong: "cannot be unpacked",
        latin: "Line 3 of latin.csv is not UTF-8 text",
        tmp_path / "none.csv": "cannot be read: .*No such file",
    }.items():
        with pytest.raises(CommandError, match=message):
            call_command("load_public_lar", str(file))
    assert not PublicImport.objects.exists()


def test_another_file_of_a_year_replaces_the_first_unless_it_is_put_beside(tmp_path: Path) -> None:
    files = [published(tmp_path / f"{lei}.csv", {"lei": lei}) for lei in (A, B)]
    first = public_files.import_public_file(files[0], by=OLGA).imports[0]
    second = public_files.import_public_file(files[1], by=OLGA).imports[0]
    assert active() == [second.pk]
    first.refresh_from_db()
    assert public_files.take_import_in(first, by=OLGA, reason="Both count.") == (
        "Its 1 record will join the 2023 data set with the next build."
    )
    first.refresh_from_db()
    with pytest.raises(NotReady, match="It is already included"):
        public_files.take_import_in(first, by=OLGA, reason="Again.")
    public_files.leave_import_out(first, by=OLGA, reason="It was wrong.")
    assert active() == [second.pk]
    third = public_files.import_public_file(files[0], by=OLGA, beside=True).imports[0]
    assert active() == [second.pk, third.pk]
    first.refresh_from_db()
    with pytest.raises(NotReady, match="A later import of the same file is already included"):
        public_files.take_import_in(first, by=OLGA, reason="Again.")


def active() -> list[int]:
    counting = PublicImport.objects.filter(active=True).order_by("pk")
    return list(counting.values_list("pk", flat=True))


def test_names_of_institutions_come_with_a_list(tmp_path: Path) -> None:
    file = published(tmp_path / "rows.csv", *LOANS)
    panel = tmp_path / "panel.txt"
    panel.write_text(f'LEI|Name|city\n{A}|First, "and" Last|X\n{B}||Y\n{A}|Second|X\n')
    found = public_files.import_public_file(file, by=OLGA, panel=panel).imports[0]
    names = pl.read_parquet(storage.open_local_copy(f"{found.folder}/{layout.NAMES}"))
    assert names.rows() == [(A, "Second")]
    panel.write_text("lei,called\n")
    with pytest.raises(BadInput, match=r"must name the columns lei and name. Missing: name"):
        public_files.import_public_file(file, by=OLGA, panel=panel)


def test_an_import_that_breaks_off_leaves_nothing(tmp_path: Path, monkeypatch: Any) -> None:
    file = published(tmp_path / "rows.csv", *LOANS)

    there = stored()

    def stop(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(public_files.audit, "record_event", stop)
    with pytest.raises(KeyboardInterrupt):
        public_files.import_public_file(file, by=OLGA)
    assert not PublicImport.objects.exists()
    assert stored() == there
