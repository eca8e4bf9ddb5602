"""The pages of the catalogue of figures."""

from __future__ import annotations

import csv

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from filing.figures import list_figures
from filing.models import FilingPeriod
from tests import make
from tests.filing.admin.queries import MOST_QUERIES
from tests.filing.figures.conftest import LEIS, now, season  # noqa: F401 -- fixtures
from tests.filing.figures.season import Season

pytestmark = pytest.mark.django_db
LIST = reverse("admin:season_catalogue")
NAMES = [figure.name for figure in list_figures()]


def page(name: str) -> str:
    return reverse("admin:season_figure", args=[name])


def file_of(name: str, form: str) -> str:
    return reverse("admin:season_figure_file", args=[name, form])


def test_staff_read_the_figures(desk: Client, season: Season) -> None:
    listed = desk.get(LIST, {"period": "2024"}).content.decode()
    assert all(f'href="{page(name)}?period=2024"' in listed for name in NAMES)
    for name in NAMES:
        values = {"period": "2024"} | ({"lei": LEIS[0]} if name == "filer_all_periods" else {})
        with CaptureQueriesContext(connection) as queries:
            shown = desk.get(page(name), values)
        assert (shown.status_code, "<table>" in shown.content.decode()) == (200, True), name
        assert len(queries) <= MOST_QUERIES, name
        answer = desk.get(file_of(name, "json"), values).json()
        saved = desk.get(file_of(name, "csv"), values).getvalue().decode()
        head, *_ = csv.reader(saved.splitlines())
        assert (answer["figure"], answer["columns"]) == (name, head)


def test_pictures_are_drawn_upright_by_time_and_lying_by_name(
    season: Season,
    admin_client: Client,
) -> None:
    for name in ("filers_by_agency", "signatures_by_day", "filers_by_week_by_agency"):
        for width in ({}, {"narrow": ""}):
            picture = admin_client.get(file_of(name, "svg"), {"period": "2024", **width})
            assert picture.content.startswith(b"<svg")
    assert admin_client.get(file_of("total_filers", "svg")).status_code == 404


def test_a_figure_is_asked_as_of_a_day_and_with_tests(
    season: Season,
    admin_client: Client,
) -> None:
    address = file_of("total_filers", "json")

    def ask(**values: str) -> list[list[int]]:
        return admin_client.get(address, {"period": "2024", **values}).json()["rows"]

    assert ask() == [[7]]
    assert ask(test="on") == [[8]]
    assert ask(day="2025-02-10") == [[3]]  # 12:30 UTC and 3:30 UTC are two days in Washington
    assert ask(day="2025-02-11") == [[4]]


def test_a_wrong_value_is_answered_with_what_is_right(
    admin_client: Client, open_period: FilingPeriod
) -> None:
    for name, values in [
        ("signatures_by_day", {"n": "0"}),
        ("signatures_by_day", {"n": "many"}),
        ("filer_all_periods", {"lei": "X"}),
        ("total_filers", {"day": "yesterday"}),
        ("total_filers", {"day": "2045-01-01"}),
        ("open_filings", {"day": "2020-01-01"}),
    ]:
        answer = admin_client.get(page(name), values)
        assert answer.status_code == 400
        assert 'role="alert"' in answer.content.decode()
        assert admin_client.get(file_of(name, "json"), values).status_code == 400


def test_a_figure_that_needs_a_value_asks_for_it(
    admin_client: Client, open_period: FilingPeriod
) -> None:
    answer = admin_client.get(page("filer_all_periods"))
    assert answer.status_code == 200
    assert "LEI (lei) is missing" in answer.content.decode()


def test_unknown_figures_forms_and_periods_are_not_found(
    admin_client: Client, open_period: FilingPeriod
) -> None:
    for address in (
        page("nothing"),
        file_of("nothing", "csv"),
        file_of("total_filers", "xml"),
        f"{page('total_filers')}?period=1999",
        f"{file_of('total_filers', 'csv')}?period=1999",
    ):
        assert admin_client.get(address).status_code == 404, address


def test_staff_without_the_right_to_see_filings_are_refused(open_period: FilingPeriod) -> None:
    client = make.browser(User.objects.create(username="new", is_staff=True))
    for address in (LIST, page("total_filers"), file_of("total_filers", "csv")):
        assert client.get(address).status_code == 403


def test_before_the_first_season_the_pages_say_so(admin_client: Client) -> None:
    for address in (LIST, page("total_filers")):
        assert "There is no filing period yet" in admin_client.get(address).content.decode()
    assert admin_client.get(file_of("total_filers", "csv")).status_code == 404
