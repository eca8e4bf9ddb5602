"""The home page leads each visitor to what they may open, and to nothing else."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse

from config.identity import tokens
from filing.models import FilingPeriod, Institution
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


def test_a_filer_sees_what_is_due_next(institution: Institution, open_period: FilingPeriod) -> None:
    user = make.user("fay")
    tokens.known_identity(user)
    client = make.browser(user)
    assert client.get("/").context["card"] is None
    make.member(user)
    page = client.get("/")
    assert page.context["card"].due.institution == institution
    assert f'href="/filing/{LEI}/2024/upload/"' in page.text
