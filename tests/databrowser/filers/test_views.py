"""The filers of a year and the MSA/MDs of their published records, over HTTP."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from databrowser.publication.builds import builder
from databrowser.publication.imports import public_files
from filing.access import Caller
from filing.models import Institution
from tests.databrowser.made_once import make_once
from tests.databrowser.publication.public_files import published, sign
from tests.errors import error_of

pytestmark = pytest.mark.django_db
A, B, TEST = "549300AAAAAAAAAAAA01", "549300BBBBBBBBBBBB02", "549300TTTTTTTTTTTT03"
FILERS = "/v2/reporting/filers"
OLGA = Caller(id="1", username="olga", email="olga@agency.example")


@pytest.fixture(autouse=True)
def filed() -> None:
    make_once(build)


def build() -> None:
    elsewhere = {"state_code": "TX", "county_code": "48201", "derived_msa_md": "26420"}
    sign(A, {"income": "1"}, elsewhere, {"derived_msa_md": "99999", "census_tract": "NA"})
    sign(B, {"derived_msa_md": "0"})
    sign(TEST, {"income": "7"})
    panel = Institution.objects.filter(activity_year=2023)
    panel.update(hmda_filer=True)
    panel.filter(lei=A).update(name="Second Bank")
    panel.filter(lei=B).update(name="First Bank")
    panel.filter(lei=TEST).update(is_test=True)
    Institution.objects.create(activity_year=2023, lei="549300NOTFILED000004", name="C", agency=9)
    builder.build_year(2023, by=OLGA, reason="The year is complete.")


def filer(lei: str, name: str) -> dict[str, str]:
    return {"lei": lei, "name": name, "period": "2023"}


def test_the_filers_of_a_year_are_those_of_its_panel_that_filed_by_name(client: Client) -> None:
    answer = client.get(f"{FILERS}/2023/")
    assert answer.json() == {"institutions": [filer(B, "First Bank"), filer(A, "Second Bank")]}
    assert client.options(f"{FILERS}/2023").status_code == 200


def test_the_msa_mds_of_a_filer_are_those_of_its_published_records(client: Client) -> None:
    answer = client.get(f"{FILERS}/2023/{A.lower()}/msaMds")
    assert answer.json() == {
        "institution": filer(A, "Second Bank"),
        "msaMds": [
            {"id": "26420", "name": ""},
            {"id": "47894", "name": ""},
            {"id": "99999", "name": "NA"},
        ],
    }
    assert client.get(f"{FILERS}/2023/{B}/msaMds").json()["msaMds"] == []


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("2017", "There is no panel of 2017."),
        ("2023-Q1", "There is no panel of 2023-Q1."),
        (f"2017/{A}/msaMds", "There is no panel of 2017."),
        ("2023/nobody/msaMds", "There is no institution nobody in the panel of 2023."),
        (f"2023/{TEST}/msaMds", f"There is no institution {TEST} in the panel of 2023."),
    ],
)
def test_what_is_in_no_panel_is_not_found(client: Client, path: str, message: str) -> None:
    answer = client.get(f"{FILERS}/{path}")
    assert answer.status_code == 404
    assert error_of(answer)["message"] == message


def test_test_institutions_are_in_nothing_public(client: Client) -> None:
    def count(lei: str) -> Any:
        address = "/v2/data-browser-api/view/aggregations?years=2023&actions_taken=1"
        return client.get(f"{address}&leis={lei}").json()["aggregations"][0]["count"]

    published = client.get("/v2/public/publications/2023").json()
    assert (published["rows"], published["institutions"]) == (4, 2)
    assert (count(A), count(TEST)) == (3, 0)
    modified = f"/v2/public/modifiedLAR/2023/{TEST}/csv"
    assert client.get(modified).status_code == 404
    by_year = client.get("/v2/public/institutions/quarterly/2024/lars/past/1").json()["yearly"]
    assert by_year == [{"year": "2023", "count": 4}]


def test_the_filers_of_an_imported_year_are_those_of_its_public_data(
    client: Client, tmp_path: Path
) -> None:
    """A year without a panel, and one with a panel in which they are not."""
    loans = ({"lei": A, "activity_year": 2021}, {"lei": TEST, "activity_year": 2021})
    panel = tmp_path / "panel.csv"
    panel.write_text(f"lei,name\n{A},Old Bank\n{TEST},Another\n")
    file = published(tmp_path / "2021.csv", *loans)
    public_files.import_public_file(file, by=OLGA, panel=panel)
    assert client.get(f"{FILERS}/2021").status_code == 404  # nothing is public yet
    builder.build_year(2021, by=OLGA, reason="Imported.")
    old = {"lei": A, "name": "Old Bank", "period": "2021"}
    another = {"lei": TEST, "name": "Another", "period": "2021"}
    assert client.get(f"{FILERS}/2021").json()["institutions"] == [another, old]
    msa_mds = client.get(f"{FILERS}/2021/{A}/msaMds").json()
    assert msa_mds["institution"] == old
    assert [each["id"] for each in msa_mds["msaMds"]] == ["47894"]
    Institution.objects.create(activity_year=2021, lei=TEST, name="T", agency=9, is_test=True)
    assert client.get(f"{FILERS}/2021").json()["institutions"] == [old]
