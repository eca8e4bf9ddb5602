"""The questions in the guide for research are answered by the page and by one call, alike."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client

GUIDE = (Path(__file__).parents[3] / "docs" / "research.md").read_text()
QUERIES = re.findall(r"^\| [^|]+ \| `(years=[^`]+)` \|$", GUIDE, re.MULTILINE)
# The years of the published records of these tests.
YEARS = {"2020": "2019"}


@pytest.mark.parametrize("query", QUERIES)
def test_a_question_is_answered_by_the_page_and_by_one_call(frames, query):
    query = re.sub("2020", YEARS["2020"], query)
    report = Client().get(f"/v2/data-browser-api/view/figures?{query}")
    assert report.status_code == 200
    page = Client().get(f"/data/browser/?{query}")
    assert page.status_code == 200
    total = next((each for each in report.json()["totals"] if each["value"] is not None), None)
    if total and not total["leftOut"] and report.json()["measure"] == "count":
        assert f"{total['value']:,.0f}" in page.content.decode()
