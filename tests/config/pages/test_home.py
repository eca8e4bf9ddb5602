"""The home page leads each visitor to what they may open, and to nothing else."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from config.identity import tokens
from filing import day_hours
from filing.models import FilingPeriod, Institution
from filing.periods import due_dates
from tests import make
from tests.conftest import LEI

pytestmark = pytest.mark.django_db

STAFF = {"help desk", "operator", "administrator"}


@pytest.fixture(params=["anonymous", "operator"])
def role(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def visitor(role: str) -> Client:
    if role == "anonymous":
        return Client()
    user = make.staff(role, first_name="Ann")
    return make.browser(make.change(user, is_staff=role in STAFF))


def test_no_link_of_the_home_page_leads_to_a_refusal(role: str, visitor: Client) -> None:
    content = visitor.get("/").content.decode()
    addresses = {each.split("#")[0] for each in re.findall('<a[^>]* href="(/[^"]*)"', content)}
    for address in addresses:
        assert visitor.get(address).status_code in {200, 302}, address
    if role not in STAFF:
        assert not [each for each in addresses if each.startswith(reverse("admin:index"))]


def test_what_is_open_is_listed_by_deadline_and_what_is_late_apart() -> None:
    today = day_hours.today()
    for quarter, due in {"": 90, "Q1": -5, "Q2": 1, "Q3": 30}.items():
        days = {"opens": -200, "timely_until": due, "closes": 200}
        make.period(2024, quarter, **{name: today + timedelta(n) for name, n in days.items()})
    page = Client().get("/")
    listed = [str(each["period"]) for each in page.context["periods"]]
    assert listed == ["2024-Q2", "2024-Q3", "2024"]
    assert [str(period) for period in page.context["late"]] == ["2024-Q1"]
    assert due_dates.describe_due(FilingPeriod.objects.get(quarter="Q2")) in page.text


def test_a_filer_sees_what_is_due_next(institution: Institution, open_period: FilingPeriod) -> None:
    user = make.user("fay")
    tokens.known_identity(user)
    client = make.browser(user)
    assert client.get("/").context["card"] is None
    make.member(user)
    page = client.get("/")
    assert page.context["card"].due.institution == institution
    assert f'href="/filing/{LEI}/2024/upload/"' in page.text
