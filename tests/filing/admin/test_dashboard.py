"""The pages about a season: the figures, the charts, and who has not filed."""

from __future__ import annotations

import csv
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from filing.models import Filing, FilingPeriod, Submission
from tests import make
from tests.filing.admin.queries import MOST_QUERIES, add_filer, queries_of

pytestmark = pytest.mark.django_db
SEASON, FIGURES = reverse("admin:season"), reverse("admin:season_figures")
NOT_FILED, CSV = reverse("admin:season_not_filed"), reverse("admin:season_not_filed_csv")
CHARTS = [reverse("admin:season_chart", args=[name]) for name in ("signed", "standing", "hours")]


def owe(period: FilingPeriod, number: int, name: str = "Owing Bank") -> Filing:
    lei = f"529900OWINGBANK{number:05d}"
    facts = {"name": f"{name} {number:03d}", "email_domains": ["owing.example"]}
    make.institution(lei, year=period.year, **facts)
    return make.filing(lei, year=period.year)


def test_staff_without_the_right_to_see_filings_are_refused() -> None:
    client = make.browser(User.objects.create(username="new", is_staff=True))
    for page in [SEASON, FIGURES, NOT_FILED, CSV, *CHARTS]:
        assert client.get(page).status_code == 403


def test_before_the_first_season_the_pages_say_so(admin_client: Client) -> None:
    for page in [SEASON, FIGURES, NOT_FILED]:
        assert "There is no filing period yet" in admin_client.get(page).content.decode()


def test_an_unknown_period_is_not_found(admin_client: Client, open_period: FilingPeriod) -> None:
    for page in [SEASON, FIGURES, NOT_FILED, CSV, *CHARTS]:
        assert admin_client.get(page, {"period": "2024"}).status_code == 200
        assert admin_client.get(page, {"period": "1999"}).status_code == 404


def test_an_unknown_chart_is_not_found(admin_client: Client, open_period: FilingPeriod) -> None:
    assert admin_client.get(reverse("admin:season_chart", args=["x"])).status_code == 404


def test_a_page_takes_as_many_queries_for_many_filers_as_for_one(
    admin_client: Client, open_period: FilingPeriod
) -> None:
    add_filer(1)
    owe(open_period, 1)
    pages = (SEASON, NOT_FILED)
    before = {page: queries_of(admin_client, page) for page in pages}
    for number in range(2, 6):
        add_filer(number)
        Submission.objects.create(filing=owe(open_period, number), sequence_number=1)
    for page in pages:
        assert queries_of(admin_client, page) <= min(before[page], MOST_QUERIES)


def test_a_chart_is_an_image_of_its_own(admin_client: Client, open_period: FilingPeriod) -> None:
    add_filer(1)
    for chart in CHARTS:
        wide, narrow = admin_client.get(chart), admin_client.get(chart, {"narrow": ""})
        for answer in (wide, narrow):
            assert answer["Content-Type"] == "image/svg+xml; charset=utf-8"
            assert answer["Cache-Control"] == "private, max-age=300"
            assert answer.content.startswith(b"<svg role")
        assert wide.content != narrow.content


def test_the_csv_has_all_of_them_and_no_formula(
    admin_client: Client, open_period: FilingPeriod
) -> None:
    for number in range(9):
        owe(open_period, number, "=Bank, the")
    with CaptureQueriesContext(connection) as queries:
        answer: Any = admin_client.get(CSV)
        lines = b"".join(answer).decode().splitlines()
    assert len(queries) <= 6
    assert answer["Content-Disposition"] == 'attachment; filename="not-filed-2024.csv"'
    head, *rows = list(csv.reader(lines))
    assert head[:3] == ["lei", "name", "tax_id"]
    assert len(rows) == 9
    assert rows[7][:2] == ["529900OWINGBANK00007", "'=Bank, the 007"]
