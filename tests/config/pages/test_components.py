"""Parts that pages include: tables, page numbers, and the script of pages that move."""

import json
import re

import pytest
from django.core.paginator import Paginator
from django.template.loader import render_to_string
from django.test import RequestFactory


def test_a_table_names_its_columns_and_rows():
    html = render_to_string(
        "components/table.html",
        {"caption": "Loans", "columns": ["LEI", "Loans"], "rows": [["A<B", 3], ["C", 0]]},
    )
    assert html.count('scope="col"') == html.count('scope="row"') == 2
    assert "A&lt;B" in html
    assert "No entries yet." in render_to_string(
        "components/table.html", {"columns": [1], "rows": []}
    )


def test_a_tag_says_its_state_in_a_word_and_a_color():
    html = render_to_string("components/tag.html", {"kind": "good", "text": "Filed <1>"})
    assert html.strip() == '<span class="site-tag site-tag--good">Filed &lt;1&gt;</span>'
    assert "site-tag--quiet" in render_to_string("components/tag.html", {"text": "Not filed"})


def test_an_empty_place_says_what_comes_and_how():
    said = {"what": "No receipts yet", "how": "Each filing has one."}
    html = render_to_string("components/empty.html", said)
    assert all(text in html for text in said.values())
    assert "<a" not in html
    html = render_to_string("components/empty.html", said | {"href": "/x/", "action": "File"})
    assert '<a href="/x/">File</a>' in html


@pytest.mark.parametrize(
    ("number", "numbers"),
    [
        (1, ["1", "2", "…", "9"]),
        (5, ["1", "…", "4", "5", "6", "…", "9"]),
        (9, ["1", "…", "8", "9"]),
    ],
)
def test_page_numbers_keep_the_other_parameters(number, numbers):
    page = Paginator(range(90), 10).page(number)
    request = RequestFactory().get("/x", {"year": "2025", "page": str(number)})
    html = render_to_string("components/pagination.html", {"page": page}, request)
    assert re.findall(r">(\d+|…)<", html) == numbers
    assert html.count("year=2025") == html.count("<a ")
    assert f'aria-label="Page {number}" aria-current="page"' in html


def test_a_single_page_has_no_numbers():
    page = Paginator([1], 10).page(1)
    assert not render_to_string("components/pagination.html", {"page": page}).strip()


def test_htmx_runs_nothing_that_the_policy_refuses():
    html = render_to_string("components/htmx.html")
    config = json.loads(re.search("content='([^']+)'", html)[1])
    assert (
        config["allowEval"]
        is config["allowScriptTags"]
        is config["includeIndicatorStyles"]
        is False
    )
    assert config["selfRequestsOnly"] is True


@pytest.mark.parametrize(
    ("cell", "name"),
    [
        *((text, "site-number") for text in (3, "1,204", "-0.25", "12.5%", "$1,200", "4.0 %")),
        *((text, "site-unbroken") for text in ("a@b.example", "2025-03-01", "Mar 1, 2025")),
        *((text, "site-unbroken") for text in ("BANK0000000000000012", "B" * 18 + "12" + "7" * 25)),
        *((text, "") for text in ("", "2025-1", "NA", "may be 3", "Bank of Maine")),
    ],
)
def test_a_cell_stands_as_its_text_asks(cell, name):
    rows = [["Row", cell], ["Other", ""]]
    html = render_to_string("components/table.html", {"columns": ["A", "B"], "rows": rows})
    assert re.search(r"<td([^>]*)>", html)[1] == (f' class="{name}"' if name else "")
    assert (f'class="{name}">B' in html) == bool(name)
