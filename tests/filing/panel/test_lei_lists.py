"""GLEIF's list of LEIs: loaded from its CSV file or ZIP, whole or not at all."""

from __future__ import annotations

import zipfile
from io import StringIO
from pathlib import Path

import pytest
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command

from filing.models import AuditEvent, LeiList, PostponedRemoval, TrailEntry
from filing.panel import lei_lists
from tests.filing.panel.lei_files import make_row, write_lei_file
from tests.filing.panel.proposing import NEW_LEI

pytestmark = pytest.mark.django_db
OTHER_LEI = "5299000000000000AA11"


def load_list(path: Path, **options: object) -> str:
    out = StringIO()
    call_command("load_lei_list", str(path), stdout=out, **options)
    return out.getvalue()


def standing_of(lei: str) -> str:
    return lei_lists.describe_lei_standing(lei).text


@pytest.mark.parametrize("name", ["list.csv", "list.csv.zip"])
def test_a_list_is_loaded(tmp_path: Path, name: str) -> None:
    path = write_lei_file(
        tmp_path / name,
        make_row(OTHER_LEI.lower(), 'Nueva "Bank",\nS.A.\0', registration="PENDING_TRANSFER"),
        make_row("x"),
        make_row(NEW_LEI, "Former name"),
        make_row(f" {NEW_LEI}", "New Bank"),
    )
    assert "2 LEIs loaded, 2 rows left out" in load_list(path, by="olga")
    assert standing_of(NEW_LEI).endswith("New Bank, entity active, registration issued.")
    assert standing_of(OTHER_LEI).endswith(
        'Nueva "Bank",\nS.A., entity active, registration pending transfer.'
    )
    assert "does not have this LEI" in standing_of("5299000000000000AA12")
    lei_list = LeiList.objects.get()
    assert (lei_list.source, lei_list.entries, len(lei_list.sha256)) == (name, 2, 64)
    assert TrailEntry.objects.get(event=AuditEvent.LEI_LIST_LOADED).actor_username == "olga"


def test_the_next_list_replaces_it(tmp_path: Path) -> None:
    load_list(write_lei_file(tmp_path / "list.csv", make_row(NEW_LEI), make_row(OTHER_LEI)))
    former = LeiList.objects.get()
    newer = make_row(NEW_LEI, "Renamed", registration="LAPSED")
    load_list(write_lei_file(tmp_path / "new.csv", newer))
    assert "Renamed" in standing_of(NEW_LEI)
    assert "does not have this LEI" in standing_of(OTHER_LEI)
    assert LeiList.objects.get().source == "new.csv"
    assert lei_lists.describe_lei_standing(NEW_LEI).is_doubtful
    assert PostponedRemoval.objects.filter(folder=former.path).exists()
    assert default_storage.exists(former.path)  # until a backup has it


def test_only_some_countries_are_loaded(tmp_path: Path) -> None:
    rows = [make_row(NEW_LEI, country="us"), make_row(OTHER_LEI, country="CA")]
    load_list(write_lei_file(tmp_path / "list.csv", *rows), country=["us "])
    assert "New Bank" in standing_of(NEW_LEI)
    assert "of which US is loaded, does not have this LEI" in standing_of(OTHER_LEI)


def test_what_is_no_list_is_refused(tmp_path: Path) -> None:
    load_list(write_lei_file(tmp_path / "list.csv", make_row(NEW_LEI)))
    header = ["LEI", *"abcde"]
    (tmp_path / "empty.csv").touch()
    (tmp_path / "latin.csv").write_bytes(b"LEI,Entit\xe9\n")
    with zipfile.ZipFile(tmp_path / "two.zip", "w") as archive:
        archive.writestr("a.csv", "")
        archive.writestr("b.csv", "")
    wrong = [
        (write_lei_file(tmp_path / "a.csv", make_row(NEW_LEI), header=header), "LegalName"),
        (write_lei_file(tmp_path / "b.csv"), "no LEI"),
        (write_lei_file(tmp_path / "c.csv", make_row("x")), "no LEI"),
        (tmp_path / "missing.csv", "cannot be read"),
        (tmp_path / "empty.csv", "no column LEI"),
        (tmp_path / "latin.csv", "UTF-8"),
        (tmp_path / "two.zip", "2 CSV files"),
    ]
    for path, part in wrong:
        with pytest.raises(CommandError, match=part):
            load_list(path)
    assert LeiList.objects.get().source == "list.csv"
    assert "New Bank" in standing_of(NEW_LEI)


@pytest.mark.parametrize(
    ("name", "damage"),
    [("cut.csv", "cut"), ("latin.csv", "latin"), ("bit.zip", "bit")],
)
def test_of_a_list_that_breaks_off_nothing_is_loaded(
    tmp_path: Path, name: str, damage: str
) -> None:
    load_list(write_lei_file(tmp_path / "list.csv", make_row(OTHER_LEI)))
    rows = [make_row(NEW_LEI), *(make_row(f"5299{number:016}") for number in range(20_000))]
    broken = write_lei_file(tmp_path / name, *rows)
    content = broken.read_bytes()
    middle = len(content) // 2
    broken.write_bytes(
        {
            "cut": content[:-20],
            "latin": content + b'"529900\xff","","","","",""\r\n',
            "bit": content[:middle] + bytes([content[middle] ^ 255]) + content[middle + 1 :],
        }[damage]
    )
    with pytest.raises(CommandError, match=r"cannot be read after .* Nothing is loaded"):
        load_list(broken)
    assert LeiList.objects.get().source == "list.csv"
    assert "New Bank" in standing_of(OTHER_LEI)
