"""GLEIF's list of LEIs: loaded from its CSV file or ZIP, as a stream, and replaced by the next."""

from __future__ import annotations

import csv
import io
import tracemalloc
import zipfile
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from filing.models import AuditEvent, LeiEntry, LeiList, TrailEntry
from filing.panel import lei_lists
from tests.filing.panel.proposing import NEW_LEI

pytestmark = pytest.mark.django_db
HEADER = [
    "LEI",
    "Entity.LegalName",
    "Entity.LegalName.xmllang",
    "Entity.LegalAddress.Country",
    "Entity.EntityStatus",
    "Registration.RegistrationStatus",
]
MOST_BYTES = 30 * 1024**2  # of memory while many entries are loaded
Row = tuple[str, str, str, str, str, str]


def make_row(lei: str, name: str = "New Bank", country: str = "US", **more: str) -> Row:
    entity, registration = more.get("entity", "ACTIVE"), more.get("registration", "ISSUED")
    return (lei, name, "en", country, entity, registration)


@pytest.fixture
def write_list(tmp_path: Path) -> Callable[..., Path]:
    def write(*rows: Row, name: str = "list.csv", header: list[str] = HEADER) -> Path:
        text = io.StringIO()
        csv.writer(text, quoting=csv.QUOTE_ALL).writerows([header, *rows])
        path = tmp_path / name
        if name.endswith(".zip"):
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr("golden-copy.csv", text.getvalue())
        else:
            path.write_text(text.getvalue(), encoding="utf-8")
        return path

    return write


def load(path: Path, **options: object) -> str:
    out = StringIO()
    call_command("load_lei_list", str(path), stdout=out, **options)
    return out.getvalue()


@pytest.mark.parametrize("name", ["list.csv", "list.csv.zip"])
def test_a_list_is_loaded(write_list: Callable[..., Path], name: str) -> None:
    path = write_list(
        make_row(NEW_LEI, "Nueva “Bank”, S.A."), make_row("x"), make_row(NEW_LEI), name=name
    )
    assert "1 LEIs loaded, 2 rows left out" in load(path, by="olga")
    entry = LeiEntry.objects.get()
    assert (entry.lei, entry.name, entry.entity_status) == (NEW_LEI, "New Bank", "ACTIVE")
    lei_list = LeiList.objects.get()
    assert (lei_list.source, lei_list.entries, len(lei_list.sha256)) == (name, 1, 64)
    assert TrailEntry.objects.get(event=AuditEvent.LEI_LIST_LOADED).actor_username == "olga"


def test_the_next_list_replaces_it(write_list: Callable[..., Path]) -> None:
    load(write_list(make_row(NEW_LEI), make_row("5299000000000000AA11")))
    newer = write_list(make_row(NEW_LEI, "Renamed", registration="LAPSED"), name="new.csv")
    assert "1 earlier entries removed" in load(newer)
    assert LeiEntry.objects.get().name == "Renamed"
    assert LeiList.objects.get().source == "new.csv"
    assert lei_lists.describe_lei_standing(NEW_LEI).is_doubtful


def test_only_some_countries_are_loaded(write_list: Callable[..., Path]) -> None:
    path = write_list(make_row(NEW_LEI), make_row("5299000000000000AA11", country="CA"))
    load(path, country=["us"])
    assert LeiEntry.objects.get().lei == NEW_LEI
    assert "US" in lei_lists.describe_lei_standing("5299000000000000AA11").text


def test_what_is_no_list_is_refused(write_list: Callable[..., Path], tmp_path: Path) -> None:
    load(write_list(make_row(NEW_LEI)))
    wrong = [
        (write_list(make_row(NEW_LEI), name="a.csv", header=["LEI", *"abcde"]), "LegalName"),
        (write_list(name="b.csv"), "no LEI"),
        (write_list(make_row("x"), name="c.csv"), "no LEI"),
        (tmp_path / "missing.csv", "cannot be read"),
    ]
    latin = tmp_path / "latin.csv"
    latin.write_bytes(b"LEI,Entit\xe9\n")
    with zipfile.ZipFile(tmp_path / "two.zip", "w") as archive:
        archive.writestr("a.csv", "")
        archive.writestr("b.csv", "")
    wrong += [(latin, "UTF-8"), (tmp_path / "two.zip", "2 CSV files")]
    for path, part in wrong:
        with pytest.raises(CommandError, match=part):
            load(path)
    assert LeiEntry.objects.count() == LeiList.objects.count() == 1


@pytest.mark.parametrize("name", ["broken.csv", "broken.zip"])
def test_a_list_that_breaks_off_keeps_what_was_loaded(
    write_list: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    load(write_list(make_row("5299000000000000AA11")))
    monkeypatch.setattr(lei_lists, "CHUNK", 100)
    rows = [make_row(NEW_LEI), *(make_row(f"5299{number:016}") for number in range(20_000))]
    broken = write_list(*rows, name=name)
    content = broken.read_bytes()
    if name.endswith(".csv"):
        broken.write_bytes(content + b'"529900\xff')
    else:  # one bit of the packed data is wrong
        middle = len(content) // 2
        broken.write_bytes(
            content[:middle] + bytes([content[middle] ^ 255]) + content[middle + 1 :]
        )
    with pytest.raises(CommandError, match="cannot be read after"):
        load(broken)
    assert LeiEntry.objects.filter(lei__in=[NEW_LEI, "5299000000000000AA11"]).count() == 2
    complete = LeiList.objects.exclude(loaded_at=None)
    assert complete.get().source == "list.csv"


def test_without_a_list_nothing_is_said() -> None:
    assert lei_lists.describe_lei_standing(NEW_LEI) == lei_lists.LeiStanding("")


def test_a_long_list_needs_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    with path.open("w") as file:
        file.write(",".join(HEADER) + "\n")
        for number in range(20_000):
            file.write(f"5299{number:016},Bank {number},en,US,ACTIVE,ISSUED\n")
    tracemalloc.start()
    try:
        load(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert LeiEntry.objects.count() == 20_000
    assert peak < MOST_BYTES
