"""The command loads a loan limit list and says what it found."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from filing.models import ReferenceData

pytestmark = pytest.mark.django_db
HEADER = "FIPSStateCode|FIPSCountyCode|CountyName|State|CBSANumber|1|2|3|4"
AUTAUGA = "01|001|AUTAUGACOUNTY|AL|33860|806500|1032650|1248150|1551250"


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("load_county_limits", *arguments, stdout=out)
    return out.getvalue()


def test_a_list_is_loaded(tmp_path):
    path = tmp_path / "limits.txt"
    path.write_text(f"{HEADER}\n{AUTAUGA}\n")
    said = run("2025", str(path), "--by", "ann").splitlines()
    found = ReferenceData.objects.get()
    assert said == [
        "county-limits 2025 from limits.txt: 1 rows, 1 counties, 1 states.",
        f"SHA-256 {found.sha256}",
        "loaded; the first file of this kind and year.",
    ]
    assert (found.kind, found.loaded_by) == ("county-limits", "ann")


def test_a_file_that_is_not_there_is_explained():
    with pytest.raises(CommandError, match="The file cannot be read"):
        run("2025", "no-such-file.txt")
