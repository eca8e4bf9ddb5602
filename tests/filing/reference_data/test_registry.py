"""Files are registered, stored and handed out, whole or not at all."""

from pathlib import Path

import polars as pl
import pytest
from django.core.files.storage import default_storage
from django.db import DatabaseError, connection
from django.db.models.signals import pre_save
from django.test.utils import CaptureQueriesContext

from filing.demo import census as demo_census
from filing.demo.loading import load_demo_census
from filing.models import ReferenceData
from filing.reference.census import NO_MSA_MD, build_census
from filing.reference.limits import build_loan_limits
from filing.reference.listing import BadLines
from filing.reference_data import registry
from tests.filing.reference_data.storage import files  # noqa: F401 -- fixtures

pytestmark = pytest.mark.django_db
LIMITS = (
    "FIPS|County|Name|State|CBSA|1|2|3|4\n01|001|AUTAUGA|AL|33860|453100|580150|701250|871450\n"
)


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


def test_a_loaded_census_is_registered_and_handed_out(census_path, files):
    report = load_census(census_path, by="ann")
    row = ReferenceData.objects.get()
    assert (row.kind, row.year, row.rows, row.active) == ("census", 2024, 612, True)
    assert (row.source, row.loaded_by) == ("census_2024.txt", "ann")
    assert row.path == f"reference/census/2024/{row.sha256}.parquet"
    assert stored(files) == [row.path]
    assert report.counts == {"tracts": 612, "counties": 153, "small counties": 51}
    assert (report.rows, report.replaced, report.unchanged) == (612, "", False)
    rows = registry.read_rows_of_file(active(2024))
    assert rows.equals(demo_census.make_census_rows(2024))
    assert tracts(2024) == build_census(demo_census.make_census_rows(2024)).tracts.to_list()


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


def test_a_corrected_file_replaces_the_old_one_and_its_history_stays(
    census_path, changed_path, files
):
    first = load_census(census_path, by="ann")
    second = load_census(changed_path, by="ben")
    assert "census_2024.txt" in second.replaced
    assert first.sha256[:12] in second.replaced
    assert list(ReferenceData.objects.order_by("id").values_list("sha256", "active")) == [
        (first.sha256, False),
        (second.sha256, True),
    ]
    assert len(stored(files)) == 2
    assert len(tracts(2024)) == 611


def test_a_file_that_was_replaced_can_come_back(census_path, changed_path, files):
    load_census(census_path, by="ann")
    load_census(changed_path, by="ann")
    back = load_census(census_path, by="ann")
    assert "census_2024_corrected.txt" in back.replaced
    assert len(tracts(2024)) == 612
    assert len(stored(files)) == 2
    assert ReferenceData.objects.filter(active=True).count() == 1


def test_a_file_with_a_bad_line_loads_nothing(census_path, files):
    census_path.write_text(census_path.read_text() + "2024|x\n")
    with pytest.raises(BadLines, match="line 614: the line has 2 columns"):
        load_census(census_path, by="ann")
    assert not ReferenceData.objects.exists()
    assert stored(files) == []


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


def test_facts_are_asked_for_with_one_query_and_read_once(census_path):
    load_census(census_path, by="ann")
    first = registry.find_census(2024)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert registry.find_census(2024) is first
    assert len(queries) == 1


def test_a_year_without_a_file_has_no_facts():
    assert registry.find_census(2024) is None
    assert registry.find_active_file("county-limits", 2024) is None


def test_2026_uses_the_file_of_2025_until_it_has_its_own():
    load_demo_census(2025, by="ann")
    assert registry.find_census(2026) is registry.find_census(2025)
    load_demo_census(2026, by="ann")
    assert active(2026).year == 2026
    assert registry.find_census(2026) is not registry.find_census(2025)


def test_2025_does_not_use_the_file_of_2024():
    load_demo_census(2024, by="ann")
    assert registry.find_census(2025) is None


def test_limits_are_registered_beside_the_census(tmp_path):
    path = tmp_path / "FullCountyLoanLimitList2025.txt"
    path.write_text(LIMITS)
    load_demo_census(2025, by="ann")
    data = path.read_bytes()
    report = registry.load_file("county-limits", 2025, data, source=path.name, by="ann")
    assert report.counts == {"counties": 1, "states": 1}
    file = registry.find_active_file("county-limits", 2026)
    assert file is not None
    limits = build_loan_limits(registry.read_rows_of_file(file))
    assert limits.overall.rows()[0] == (1, 453100, 453100)
    assert ReferenceData.objects.filter(active=True).count() == 2
