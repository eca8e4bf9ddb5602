"""The command loads the names of MSA/MDs and says what it found."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from filing.models import AuditEvent, ReferenceData, TrailEntry

pytestmark = pytest.mark.django_db


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("load_msa_md_names", *arguments, stdout=out)
    return out.getvalue()


def test_a_list_is_loaded_and_recorded(tmp_path):
    path = tmp_path / "names.csv"
    path.write_text('msa_md,name\n19124,"Dallas-Plano-Irving, TX"\n')
    said = run("2024", str(path), "--by", "ann")
    loaded = ReferenceData.objects.get()
    assert said.splitlines() == [
        "msa-md-names 2024 from names.csv: 1 rows, 1 MSA/MDs.",
        f"SHA-256 {loaded.sha256}",
        "loaded; the first file of this kind and year.",
    ]
    assert (loaded.kind, loaded.get_kind_display()) == ("msa-md-names", "MSA/MD names")
    assert loaded.loaded_by == "ann"
    assert TrailEntry.objects.get().event == AuditEvent.REFERENCE_DATA_LOADED


def test_a_bad_list_is_not_loaded(tmp_path):
    path = tmp_path / "names.csv"
    path.write_text("msa_md,name\n1912,Dallas\n")
    with pytest.raises(CommandError) as refused:
        run("2024", str(path))
    assert str(refused.value).splitlines() == [
        "line 2: MSA/MD is '1912'; expected five digits, such as 31080",
        "Nothing was loaded: 1 line has errors.",
    ]
    with pytest.raises(CommandError, match="The file cannot be read"):
        run("2024", str(tmp_path / "none.csv"))
    assert not ReferenceData.objects.exists()
