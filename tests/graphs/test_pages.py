"""The pages of the graphs: what is chosen, what is saved, what is said."""

from __future__ import annotations

import html
import io
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from django.test import Client

from filing.charts import drawing
from filing.charts.drawing import Axis, ColoredSeries, TrendChart
from graphs import answers, computing, importing
from graphs.catalogue import BY_ENDPOINT
from graphs.models import Computation
from tests.graphs.disclosed import disclosed
from tests.graphs.figures import file_figures, page_figures, picture_figures
from tests.graphs.loans import frame, loans

pytestmark = pytest.mark.django_db
PAGE = "/data/graphs/applications/"


def test_time_and_lines_are_chosen_for_page_and_files_alike(
    client: Client, computed: Computation
) -> None:
    part = "first=2023-Q3&last=2023-Q4&series=FHA&series=VA"
    from_its_end = "first=2023-Q4&last=2023-Q3&series=FHA&series=VA"
    for asked in (part, from_its_end):
        page = client.get(f"{PAGE}?{asked}").content.decode()
        assert page_figures(page) == {"FHA": {"2023-Q4": "210"}, "VA": {}}
        permanent = f"version={computed.pk}&first=2023-Q3&last=2023-Q4&series=FHA&series=VA"
        assert f"{PAGE}?{permanent}" in html.unescape(page)
        assert "RHS/FSA, 2023-Q1" not in page
    files = "/data/graphs/applications"
    assert file_figures(client.get(f"{files}.csv?{part}").content.decode()) == {
        "FHA": {"2023-Q4": "210"},
        "VA": {},
    }
    drawn = client.get(f"{files}.svg?{part}&narrow").content.decode()
    assert picture_figures(drawn) == {"FHA": {"2023-Q4": "210"}}
    assert "FHA: 210 in 2023-Q4." in drawn


def test_files_are_saved_under_the_name_of_the_graph(client: Client, computed: Computation) -> None:
    begin = {"csv": b"quarter,", "xlsx": b"PK", "svg": b"<svg", "png": b"\x89PNG"}
    for form, first in begin.items():
        address = f"/data/graphs/loans.{form}?version={computed.pk}"
        saved = client.get(f"{address}&save")
        assert saved["Content-Disposition"] == f'attachment; filename="loans.{form}"'
        assert saved.content.startswith(first)
        assert saved["Cache-Control"] == "public, max-age=3600"
    assert (
        b"How has the number of loans changed?" in client.get("/data/graphs/loans.svg?save").content
    )


def test_a_workbook_has_the_figures_as_numbers_and_what_they_are(
    client: Client, computed: Computation, settings: Any
) -> None:
    settings.PUBLIC_URL = "https://hmda.example"
    part = "first=2023-Q3&last=2023-Q4&series=FHA&series=VA"
    content = client.get(f"/data/graphs/applications.xlsx?{part}").content
    book = openpyxl.load_workbook(io.BytesIO(content))
    assert book.sheetnames == ["Figures", "About"]
    assert [*book["Figures"].values] == [
        ("Quarter", "FHA", "VA"),
        ("2023-Q3", None, None),
        ("2023-Q4", 210, None),
    ]
    facts = [*book["About"].values]
    graph = BY_ENDPOINT["applications"]
    assert facts[0] == ("Title", graph.title)
    assert [text for name, text in facts if name == "Definition"] == [*graph.explanation]
    assert {"FHA", "VA"} < {name for name, _ in facts}
    assert "HELOC" not in {name for name, _ in facts}
    assert any(name == "Note" and text.startswith("VA, 2023-Q3") for name, text in facts)
    assert facts[-3:] == [
        ("Version", computed.pk),
        ("Computed", f"{computed.made_at:%Y-%m-%d}"),
        ("Address", f"https://hmda.example{PAGE}?version={computed.pk}&{part}"),
    ]


def test_made_up_figures_are_marked_everywhere(client: Client, computed: Computation) -> None:
    marks = {
        "/data/graphs/": "Demo:",
        PAGE: "Demo:",
        "/quarterly-data/graphs/loans": answers.DEMO_NOTE,
    }
    for address, mark in marks.items():
        assert mark not in client.get(address).content.decode()
    Computation.objects.update(is_demo=True)
    for address, mark in marks.items():
        assert mark in client.get(address).content.decode()
    assert "made up" in client.get("/data/graphs/loans.svg?save").content.decode()


def test_figures_are_called_made_up_only_where_a_chosen_quarter_has_such(
    client: Client, files: Path, panel: None
) -> None:
    frame(loans(100), loans(100, activity_year=2022)).write_parquet(files / "made-up.parquet")
    importing.import_facts(files / "made-up.parquet", by="tests", is_demo=True)
    disclosed("2024-Q1", frame(loans(100, activity_year=2024)))
    computed = computing.compute_graphs_now()
    assert [each.get("demo", False) for each in computed.sources] == [True, True, False]
    for part, years in (
        ("", "2022, 2023"),
        ("first=2022-Q1&last=2024-Q1", "2022, 2023"),
        ("first=2023-Q1&last=2024-Q1", "2023"),
        ("first=2024-Q1&last=2024-Q1", ""),
    ):
        page = client.get(f"{PAGE}?{part}").content.decode()
        followed = page.split('<div id="graph">')[1]  # what the script puts in place
        assert (f"the figures of {years} are made up." in followed) == bool(years), part
        assert ("made up" in page.lower()) == bool(years), part
        drawn = client.get(f"/data/graphs/applications.svg?{part}&save").content.decode()
        assert ("made up" in drawn) == bool(years), part
    notes = client.get("/quarterly-data/graphs/applications").json()["notes"]
    assert notes[0] == (
        "The figures of 2022, 2023 are made up: they only show what the graphs look like."
    )
    assert "the figures of 2022, 2023 are made up." in client.get("/data/graphs/").content.decode()


def test_a_page_says_how_every_line_comes_about(client: Client) -> None:
    for endpoint in ("credit-scores", "denials-fha-re", "all-applications"):
        page = html.unescape(client.get(f"/data/graphs/{endpoint}/").content.decode())
        graph = BY_ENDPOINT[endpoint]
        for said in (*graph.explanation, *(each.name for each in graph.series)):
            assert said in page


def test_a_line_is_broken_where_a_quarter_is_left_out() -> None:
    rows = [
        {"x": f"2023-Q{n}", "y": y, "s": "FHA", "said": f"FHA, 2023-Q{n}: {y}"}
        for n, y in ((1, 5), (2, 6), (3, None), (4, 7))
    ]
    trends = TrendChart(
        rows,
        x=Axis("x"),
        y=Axis("y", kind="quantitative", from_zero=False),
        series=ColoredSeries("s"),
        label="said",
        description="Up.",
    )
    drawn = trends.svg()
    assert picture_figures(drawn) == {"FHA": {"2023-Q1": "5", "2023-Q2": "6", "2023-Q4": "7"}}
    line = next(part for part in drawn.split("<path") if 'stroke-width="2"' in part)
    path = line.split(' d="', 1)[1].split('"')[0]
    assert path.count("M") == 2
    assert trends.png(drawing.TREND_NARROW).startswith(b"\x89PNG")
