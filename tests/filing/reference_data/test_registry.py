"""Files are registered, stored and handed out, whole or not at all."""

from pathlib import Path

import polars as pl
import pytest
from django.core.files.storage import default_storage
from django.db import DatabaseError
from django.db.models.signals import pre_save

from filing.demo import census as demo_census
from filing.demo.loading import load_demo_census
from filing.models import ReferenceData
from filing.reference.census import NO_MSA_MD
from filing.reference_data import registry
from tests.filing.reference_data.storage import files  # noqa: F401 -- fixtures

pytestmark = pytest.mark.django_db


def stored(files: Path) -> list[str]:
    return sorted(str(path.relative_to(files)) for path in files.rglob("*.parquet"))


def tracts(year: int) -> list[str]:
    found = registry.find_census(year)
    assert found is not None
    return found.tracts.to_list()


def active(year: int) -> ReferenceData:
    found = registry.find_active_file("census", year)
    assert found is not None
    return found


def load_census(path: Path, *, by: str) -> registry.LoadReport:
    return registry.load_file("census", 2024, path.read_bytes(), source=path.name, by=by)


@pytest.fixture
def census_path(tmp_path) -> Path:
    path = tmp_path / "census_2024.txt"
    path.write_text(demo_census.write_census(2024))
    return path


@pytest.fixture
def changed_path(tmp_path) -> Path:
    path = tmp_path / "census_2024_corrected.txt"
    path.write_text("".join(demo_census.write_census(2024).splitlines(keepends=True)[:-1]))
    return path


def test_a_census_that_was_stored_with_0_for_a_blank_msa_md_lies_outside_of_any(files):
    stored_before = demo_census.make_census_rows(2023).with_columns(msa_md=pl.lit(0, pl.Int32))
    path = files / "reference" / "census" / "2023" / "before.parquet"
    path.parent.mkdir(parents=True)
    stored_before.write_parquet(path)
    row = ReferenceData.objects.create(
        kind="census", year=2023, rows=612, path=str(path.relative_to(files))
    )
    rows = registry.read_rows_of_file(row)
    assert rows["msa_md"].unique().to_list() == [NO_MSA_MD]


def test_the_same_file_again_changes_nothing(census_path):
    first = load_census(census_path, by="ann")
    again = load_census(census_path, by="ben")
    assert again.unchanged
    assert again.sha256 == first.sha256
    assert "unchanged: this file is already loaded" in str(again)
    assert ReferenceData.objects.count() == 1


def test_a_file_that_was_replaced_can_come_back(census_path, changed_path, files):
    load_census(census_path, by="ann")
    load_census(changed_path, by="ann")
    back = load_census(census_path, by="ann")
    assert "census_2024_corrected.txt" in back.replaced
    assert len(tracts(2024)) == 612
    assert len(stored(files)) == 2
    assert ReferenceData.objects.filter(active=True).count() == 1


def test_a_failure_of_the_database_leaves_no_file_and_the_old_facts(
    census_path, changed_path, files
):
    first = load_census(census_path, by="ann")

    def fail(**_):
        raise DatabaseError("disk full")

    pre_save.connect(fail, sender=ReferenceData)
    try:
        with pytest.raises(DatabaseError):
            load_census(changed_path, by="ann")
    finally:
        pre_save.disconnect(fail, sender=ReferenceData)
    assert active(2024).sha256 == first.sha256
    assert len(stored(files)) == 1


def test_what_a_killed_load_left_in_storage_is_written_anew(census_path, files):
    first = load_census(census_path, by="ann")
    path = ReferenceData.objects.get().path
    ReferenceData.objects.all().delete()
    Path(default_storage.path(path)).write_bytes(b"cut sh")
    again = load_census(census_path, by="ann")
    assert again.sha256 == first.sha256
    assert stored(files) == [path]
    assert Path(default_storage.path(path)).stat().st_size > 1000


def test_2026_uses_the_file_of_2025_until_it_has_its_own():
    load_demo_census(2025, by="ann")
    assert registry.find_census(2026) is registry.find_census(2025)
    load_demo_census(2026, by="ann")
    assert active(2026).year == 2026
    assert registry.find_census(2026) is not registry.find_census(2025)


def test_2025_does_not_use_the_file_of_2024():
    load_demo_census(2024, by="ann")
    assert registry.find_census(2025) is None
