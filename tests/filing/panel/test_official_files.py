"""Official files become institutions of the panel: the public panel and the transmittal sheets."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from django.core.management import call_command

from filing.errors import TooLarge
from filing.models import Institution
from filing.panel import sheets

pytestmark = pytest.mark.django_db

FILES = Path(__file__).parents[2] / "official_files"
LEI = "DEMO00PUBLIC00000273"
SECOND = "DEMO00PUBLIC00003959"


def load(path: Path) -> str:
    out = io.StringIO()
    call_command("load_institutions", str(path), stdout=out)
    return out.getvalue()


def test_a_public_panel_is_loaded() -> None:
    Institution.objects.create(
        activity_year=2022,
        lei=LEI,
        name="Old",
        agency=9,
        email_domains=["bank.example"],
        quarterly_filer=True,
    )
    assert "2 rows read: 1 added, 1 changed" in load(FILES / "public_panel.csv")
    old, new = Institution.objects.filter(activity_year=2022).order_by("lei")
    assert (old.name, old.email_domains, old.quarterly_filer, old.rssd, old.parent_rssd) == (
        "First Invented Bank, N.A.",
        ["bank.example"],
        True,
        1,
        0,
    )
    assert (new.lei, new.agency, new.assets, new.other_lender_code) == (SECOND, 7, 0, 3)
    assert (new.state, new.city, new.institution_id_2017) == ("FL", "TOWN", "")
    assert "0 added, 0 changed, 2 unchanged" in load(FILES / "public_panel.csv")


@pytest.mark.parametrize(
    ("separator", "line_end", "has_header"),
    [(",", "\n", True), ("|", "\r\n", False), (";", "\r", True), ("\t", "\n", False)],
)
def test_every_layout_of_transmittal_sheets_is_loaded(
    tmp_path: Path, separator: str, line_end: str, has_header: bool
) -> None:
    header, row = (FILES / "public_transmittal_sheet.csv").read_text().splitlines()
    cells = row.replace('"First Invented Bank, N.A."', "First").split(",")
    rows = [header.split(","), cells] if has_header else [cells]
    text = "".join(separator.join(row) + line_end for row in rows)
    path = tmp_path / "sheets.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("2022_public_ts.txt", f"\ufeff{text}")
        archive.writestr("__MACOSX/._2022_public_ts.txt", b"\0\x05\x16\x07")
        archive.writestr(".DS_Store", b"\0")
    assert "1 rows read: 1 added" in load(path)
    assert Institution.objects.get(lei=LEI).name == "First"


def test_a_packed_file_does_not_unpack_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheets, "MOST_BYTES", 3_000)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("panel.csv", "x" * 1_000_000)
    with pytest.raises(TooLarge, match="unpacks to more than"):
        sheets.read_panel_file("panel.zip", file.getvalue())
