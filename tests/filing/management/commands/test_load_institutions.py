"""The command loads a panel and says what became of every row."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from filing.models import Institution

pytestmark = pytest.mark.django_db
PANEL = """\
activity_year,lei,name,tax_id,agency,email_domains,quarterly_filer,city,colour
2024,529900TESTBANK000042,Test Bank,12-3456789,9,"bank.example,loans.example",yes,Springfield,blue
2024,short,Bad Bank,12-3456789,9,,no,Springfield,red
2024,529900TESTBANK000042,Twice,12-3456789,9,,no,Springfield,red
"""
SKIPPED = [
    "Unknown columns, ignored: colour.",
    "skipped row 3: lei: 'short' is not an LEI; enter 20 letters and digits",
    "skipped row 4: the same LEI and year are in row 2",
    "3 rows read: 1 added, 0 changed, 0 unchanged, 2 skipped.",
]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "panel.csv"
    path.write_text(PANEL)
    return path


def run(*arguments: str, out: StringIO | None = None) -> list[str]:
    out = out or StringIO()
    call_command("load_institutions", *arguments, stdout=out)
    return out.getvalue().splitlines()


def test_good_rows_are_loaded_and_bad_ones_reported(path):
    assert run(str(path)) == SKIPPED
    assert Institution.objects.get().city == "Springfield"


def test_a_dry_run_shows_the_differences_and_loads_nothing(path):
    run(str(path))
    path.write_text(PANEL.replace("Test Bank", "New Bank"))
    said = run(str(path), "--dry-run")
    assert "row 2, 529900TESTBANK000042: name 'Test Bank' to 'New Bank'" in said
    assert "3 rows read: 0 added, 1 changed, 0 unchanged, 2 skipped." in said
    assert said[-1] == "Nothing was loaded: this was a dry run."
    assert Institution.objects.get().name == "Test Bank"


def test_a_strict_run_fails_and_loads_nothing_when_a_row_is_bad(path):
    out = StringIO()
    with pytest.raises(CommandError, match="Nothing was loaded: some rows have errors") as refused:
        run(str(path), "--strict", out=out)
    assert refused.value.returncode == 1
    assert out.getvalue().splitlines() == SKIPPED
    assert not Institution.objects.exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("lei,name\n", "The header row has no column activity_year, tax_id, agency"),
        (None, "The file cannot be read"),
    ],
)
def test_a_file_that_cannot_be_read_is_explained(path, content, message):
    if content is None:
        path.unlink()
    else:
        path.write_text(content)
    with pytest.raises(CommandError, match=message):
        run(str(path))
