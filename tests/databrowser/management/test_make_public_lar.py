"""`manage.py make_public_lar`: made-up rows, published or written."""

from __future__ import annotations

import re

import polars as pl
import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from databrowser.publication import serving
from databrowser.publication.columns import PUBLIC
from filing.demo.loading import load_demo_census
from filing.models import ReferenceData
from filing.reference_data import registry

VIEW = "/v2/data-browser-api/view"


def run(*words: str) -> str:
    from io import StringIO

    out = StringIO()
    call_command("make_public_lar", *words, stdout=out)
    return out.getvalue()


def test_made_up_rows_are_public_at_once(db):
    told = run("--rows", "40", "--years", "2019,2021")
    assert "Version 2019-1 is published: 20 made-up records." in told
    live = serving.live_data_sets()
    assert [(each.year, each.rows) for each in live] == [(2019, 20), (2021, 20)]
    sexes = "Male,Female,Joint,Sex%20Not%20Available"
    report = Client().get(f"{VIEW}/nationwide/aggregations?years=2019,2021&sexes={sexes}").json()
    assert sum(group["count"] for group in report["aggregations"]) == 40
    filers = Client().get(f"{VIEW}/filers?years=2019").json()["institutions"]
    assert all(filer["name"].startswith("Demo ") for filer in filers)
    assert sum(filer["count"] for filer in filers) == 20
    assert all(each.is_demo for each in live)
    for page in ("/data/browser/", "/data/downloads/"):
        assert "these loans are made up" in Client().get(page).content.decode()
    assert Client().get("/data/?years=2019").headers["Location"] == "/data/browser/?years=2019"


def test_made_up_records_keep_their_mark_through_a_file_and_a_download(db, tmp_path):
    file = tmp_path / "loans.csv"
    run("--rows", "10", "--years", "2019", "--out", str(file))
    call_command("load_public_lar", str(file))
    call_command("publish", "2019")
    assert [each.is_demo for each in serving.live_data_sets()] == [True]
    path = f"{VIEW}/nationwide/csv?years=2019&actions_taken=1"
    file.write_bytes(b"".join(Client().get(path).streaming_content))
    call_command("load_public_lar", str(file))
    call_command("publish", "2019")
    assert [(each.version, each.is_demo) for each in serving.live_data_sets()] == [(2, True)]


def test_made_up_msa_mds_have_made_up_names_where_a_year_has_none(db):
    names = b"code|name\n10120|Alabama's own\n"
    registry.load_file("msa-md-names", 2021, names, source="names.txt", by="test")
    load_demo_census(2020, by="test")
    run("--rows", "60", "--years", "2019-2021")
    loaded = ReferenceData.objects.filter(kind="msa-md-names", active=True)
    assert list(loaded.order_by("year").values_list("year", "source", "loaded_by")) == [
        (2019, "made-up names", "command line"),
        (2021, "names.txt", "test"),
    ]
    found = Client().get("/data/browser/places/?years=2019&find=demo+area+tx").content.decode()
    assert "MSA/MD" in found
    assert re.search(r"<span>Demo Area (1\d{4}), TX \(\1\)</span>", found)


def test_made_up_rows_are_written_as_a_published_file(tmp_path):
    assert "made-up records" in run(
        "--rows", "300", "--years", "2018-2020", "--out", f"{tmp_path}/a"
    )
    rows = pl.read_csv(tmp_path / "a", infer_schema=False)
    assert rows.columns == [each.name for each in PUBLIC]
    assert rows["activity_year"].value_counts().sort("activity_year").rows() == [
        ("2018", 100),
        ("2019", 100),
        ("2020", 100),
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--years", "then"), "'then' is not a list of years"),
        (("--years", "2022-2018"), "'2022-2018' is not a list of years"),
        (("--rows", "2"), "--rows is 2; enter at least 5, one for each year."),
    ],
)
def test_what_cannot_be_made_is_told(words, message):
    with pytest.raises(CommandError, match=message):
        run(*words)
