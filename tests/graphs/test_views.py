"""The API of the graphs, and that pages, files and pictures show the same figures."""

from __future__ import annotations

import html
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from filing.models import Institution
from graphs import computing, importing
from graphs.catalogue import BY_ENDPOINT, GRAPHS
from graphs.models import Computation
from tests.graphs.figures import figures, file_figures, page_figures, picture_figures
from tests.graphs.loans import EXPECTED, FILER, OTHER, frame, loans

pytestmark = pytest.mark.django_db
LIST = "/quarterly-data/graphs"
PLAIN = [graph.endpoint for graph in GRAPHS if not graph.purpose.suffix]


LOANS = ["Conventional Conforming", "Conventional Non-Conforming", "FHA", "HELOC", "RHS/FSA", "VA"]
GROUPS = ["Asian", "Black", "Hispanic", "White"]
COUNTS = "Loan & Application Counts"
LABELS = [
    ("applications", COUNTS, "Application Count", 0, LOANS),
    ("all-applications", COUNTS, "Application Count", 0, ["Quarterly Filers", "All HMDA Filers"]),
    ("loans", COUNTS, "Loan Count", 0, LOANS),
    ("credit-scores", "Credit Score", "Median Credit Score", 2, LOANS),
    ("ltv", "Combined Loan-to-Value Ratio", "Median CLTV", 2, LOANS),
    ("dti", "Debt-to-Income Ratio", "Median DTI", 2, LOANS),
    ("denials", "Denial Rates", "Denial Rate Percentage", 2, LOANS),
    ("interest-rates", "Interest Rates", "Median Interest Rates", 3, LOANS),
    ("tlc", "Total Loan Costs", "Median Total Loan Costs", 2, [n for n in LOANS if n != "HELOC"]),
]


@pytest.mark.parametrize(("endpoint", "category", "label", "decimals", "names"), LABELS)
def test_the_labels_of_each_graph(
    client: Client, endpoint: str, category: str, label: str, decimals: int, names: list[str]
) -> None:
    listed = {each["endpoint"]: each for each in client.get(LIST).json()["graphs"]}
    by_group = [f"{endpoint}{suffix}" for suffix in ("-cc-re", "-fha-re") if category != COUNTS]
    for name in (endpoint, *by_group):
        graph = client.get(f"{LIST}/{name}").json()
        assert (graph["yLabel"], graph["decimalPrecision"]) == (label, decimals)
        assert (listed[name]["category"], listed[name]["title"]) == (category, graph["title"])
        lines = GROUPS if name in by_group else names
        assert [each.name for each in BY_ENDPOINT[name].series] == lines
        for suffix, purpose in (("home", "Home Purchase"), ("refinance", "Refinance")):
            of_purpose = listed[f"{name}-loan-purpose-{suffix}"]
            assert of_purpose["title"] == f"{graph['title']} - {purpose}"
            assert of_purpose["category"] == category


def test_before_anything_is_published_graphs_are_empty_and_say_so(client: Client) -> None:
    answer = client.get(f"{LIST}/credit-scores")
    assert answer.status_code == 200
    assert answer.json() == {
        "title": "How has the median credit score changed?",
        "subtitle": "Median Credit Score by quarter. By loan type.",
        "series": [],
        "xLabel": "Year Quarter",
        "yLabel": "Median Credit Score",
        "decimalPrecision": 2,
        "version": None,
        "notes": ["Nothing has been published yet, so there are no figures."],
    }
    page = client.get("/data/graphs/credit-scores/").content.decode()
    assert "There are no figures yet" in page
    assert "<table" not in page
    assert client.get("/data/graphs/credit-scores.svg").content.startswith(b"<svg")


def test_a_graph_has_the_shape_of_the_contract(client: Client, computed: Computation) -> None:
    answer = client.get(f"{LIST}/interest-rates/")
    assert answer["Content-Type"] == "application/json"
    found = answer.json()
    assert (found["decimalPrecision"], found["version"]) == (3, computed.pk)
    assert found["series"][1] == {
        "name": "Conventional Non-Conforming",
        "updated": f"{computed.made_at:%Y-%m-%d}",
        "coordinates": [{"x": "2023-Q1", "y": 6.0}],
    }
    assert found["notes"] == [
        "RHS/FSA, VA: fewer than 100 records in each quarter, so no figure is shown.",
        "2023-Q2: there are no filings for this period.",
        "Conventional Conforming, 2023-Q4: fewer than 100 records in a quarter, so no figure is "
        "shown.",
        "Conventional Non-Conforming, 2023-Q3 to 2024-Q1: fewer than 100 records in a quarter, so "
        "no figure is shown.",
        "FHA, 2023-Q1: fewer than 100 records in a quarter, so no figure is shown.",
        "FHA, 2023-Q3: fewer than 100 records in a quarter, so no figure is shown.",
        "FHA, 2024-Q1: fewer than 100 records in a quarter, so no figure is shown.",
        "HELOC, 2023-Q3 to 2024-Q1: fewer than 100 records in a quarter, so no figure is shown.",
    ]
    notes = client.get(f"{LIST}/all-applications").json()["notes"]
    assert notes[1:] == ["All HMDA Filers, 2024-Q1: known from annual filings only."]


def shown(client: Client, endpoint: str) -> tuple[list[str], str]:
    """Return the notes of a graph, and its page as it is read."""
    page = html.unescape(client.get(f"/data/graphs/{endpoint}/").content.decode())
    return client.get(f"{LIST}/{endpoint}").json()["notes"], page


@pytest.mark.parametrize(
    ("panel", "reason"),
    [
        (
            {2023: False, 2022: False},
            "no institution is a quarterly filer in the panel of 2023 or before.",
        ),
        ({}, "no panel with quarterly filers is loaded."),
        ({2024: True}, "no panel with quarterly filers is loaded."),  # too new
        ({2022: True}, "the 1 quarterly filer has no records to count (panel of 2022)."),
    ],
)
def test_without_records_of_quarterly_filers_all_lines_are_left_out_with_the_reason(
    client: Client, files: Path, capsys: Any, panel: dict[int, bool], reason: str
) -> None:
    for year, flag in panel.items():
        Institution.objects.create(activity_year=year, lei=FILER, agency=9, quarterly_filer=flag)
    frame(loans(100, lei=OTHER)).write_parquet(files / "2023.parquet")
    importing.import_facts(files / "2023.parquet", by="tests")
    call_command("compute_graphs")
    out = capsys.readouterr().out
    assert "Graphs without figures: 62 of 63." in out
    lines = sum(len(graph.series) for graph in GRAPHS) - 3  # all but those of all filers
    assert f"Lines without figures: {lines}, {reason}" in out
    assert "Lines without figures: 2, fewer than 100 records in each quarter" in out
    for graph in GRAPHS[:24:3] + GRAPHS[1:2]:
        notes, page = shown(client, graph.endpoint)
        is_of_all = graph.measure.endpoint == "all-applications"
        names = "Quarterly Filers" if is_of_all else ", ".join(each.name for each in graph.series)
        if not (is_of_all and graph.purpose.suffix):
            assert notes == [f"{names}: {reason}"], graph.endpoint
        assert f"{names}: {reason}" in page
        assert ("This graph has no figures" in page) == ("<table" not in page)
    call_command("compute_graphs")
    out = capsys.readouterr().out
    assert "Nothing is new" in out
    assert reason in out


def test_quarterly_filings_alone_say_nothing_of_all_filers(
    client: Client, files: Path, panel: None
) -> None:
    frame(loans(100)).write_parquet(files / "2023.parquet")
    importing.import_facts(files / "2023.parquet", by="tests", annual=False)
    computing.compute_graphs_now()
    notes, page = shown(client, "all-applications")
    assert notes == ["All HMDA Filers: there are no records of annual filings to count."]
    assert notes[0] in page


def test_a_version_from_before_filers_were_kept_still_answers(client: Client, files: Path) -> None:
    frame(loans(100, lei=OTHER)).write_parquet(files / "2023.parquet")
    importing.import_facts(files / "2023.parquet", by="tests")
    computing.compute_graphs_now()
    Computation.objects.update(filers=None, panel_year=None)
    notes, page = shown(client, "credit-scores-cc-re")
    assert notes == ["Asian, Black, Hispanic, White: there are no records of quarterly filers."]
    assert notes[0] in page


def test_json_page_csv_and_picture_show_the_figures_that_were_counted(
    client: Client, computed: Computation
) -> None:
    for endpoint in (*PLAIN[::2], "credit-scores-loan-purpose-home"):
        shown = f"/data/graphs/{endpoint}"
        places = BY_ENDPOINT[endpoint].measure.decimals
        expected = EXPECTED[endpoint]
        assert figures(client.get(f"{LIST}/{endpoint}")) == expected, endpoint
        written = {
            name: {quarter: f"{value:,.{places}f}" for quarter, value in line.items()}
            for name, line in expected.items()
        }
        page = client.get(f"{shown}/").content.decode()
        assert page_figures(page) == written, endpoint
        assert picture_figures(client.get(f"{shown}.svg").content.decode()) == written, endpoint
        plain = {
            name: {q: v.replace(",", "") for q, v in line.items()} for name, line in written.items()
        }
        assert file_figures(client.get(f"{shown}.csv").content.decode()) == plain, endpoint


def test_an_unknown_graph_and_version_are_refused(client: Client, computed: Computation) -> None:
    answer = client.get(f"{LIST}/xyz")
    assert answer.status_code == 404
    assert answer.json()["httpStatus"] == 404
    assert answer.json()["path"] == f"{LIST}/xyz"
    assert "'xyz' is an unknown graph" in answer.json()["message"]
    for address in (LIST, f"{LIST}/loans"):
        assert client.get(f"{address}?version={computed.pk + 1}").status_code == 404
        wrong = client.get(f"{address}?version=new")
        assert (wrong.status_code, wrong.json()["message"]) == (
            400,
            "version is 'new'; enter the number of a version, such as 12.",
        )
        assert client.get(f"{address}?version=").status_code == 400
    for page in ("xyz/", "loans/?version=new", "loans.pdf", "xyz.csv"):
        assert client.get(f"/data/graphs/{page}").status_code == 404, page


def test_an_answer_is_not_sent_twice_until_there_is_another_version(
    client: Client, computed: Computation
) -> None:
    for address in (LIST, f"{LIST}/loans"):
        etag = client.get(address)["ETag"]
        again = client.get(address, headers={"if-none-match": f"W/{etag}"})
        assert (again.status_code, again.content, again["ETag"]) == (304, b"", etag)
        assert client.get(address, headers={"if-none-match": '"x"'}).status_code == 200
    of_another = client.get(f"{LIST}/dti", headers={"if-none-match": etag})
    assert of_another.status_code == 200
    newer = computing.compute_graphs_now(force=True)
    now = client.get(f"{LIST}/loans", headers={"if-none-match": etag})
    assert (now.status_code, now.json()["version"]) == (200, newer.pk)
    old = client.get(f"{LIST}/loans?version={computed.pk}", headers={"if-none-match": etag})
    assert old.status_code == 304
