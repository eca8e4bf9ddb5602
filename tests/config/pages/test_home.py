"""The home page leads each visitor to what they may open, and to nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from django.urls import reverse

from config.settings import BASE_DIR

pytestmark = pytest.mark.django_db

OPERATIONS, DESK = "Run the filing season", "Help filers"
CARDS = {
    "anonymous": set(),
    "filer": set(),
    "help desk": {DESK},
    "operator": {OPERATIONS, DESK},
    "administrator": {OPERATIONS, DESK},
}


@pytest.fixture(params=CARDS)
def role(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def visitor(role: str) -> Client:
    client = Client()
    if role != "anonymous":
        is_staff = role != "filer"
        user = User.objects.create(username=role, first_name="Ann", is_staff=is_staff)
        user.groups.add(Group.objects.get(name=role))
        client.force_login(user)
    return client


def test_cards_of_staff_are_for_those_who_may_open_their_pages(role: str, visitor: Client) -> None:
    headings = re.findall(r'usa-card__heading">([^<]+)<', visitor.get("/").content.decode())
    assert set(headings) & {OPERATIONS, DESK} == CARDS[role]


def test_no_link_of_the_home_page_leads_to_a_refusal(role: str, visitor: Client) -> None:
    content = visitor.get("/").content.decode()
    addresses = {each.split("#")[0] for each in re.findall('<a[^>]* href="(/[^"]*)"', content)}
    for address in addresses:
        assert visitor.get(address).status_code in {200, 302}, address
    if not CARDS[role]:
        assert not [each for each in addresses if each.startswith(reverse("admin:index"))]


def test_only_administrators_are_led_to_users(role: str, visitor: Client) -> None:
    users = reverse("admin:auth_user_changelist")
    assert (users in visitor.get("/").content.decode()) is (role == "administrator")


def test_the_shared_parts_of_pages_use_the_words_of_the_field() -> None:
    parts = [
        "home.html",
        "help.html",
        *(f"components/{name}.html" for name in ("header", "footer")),
    ]
    texts = " ".join(Path(BASE_DIR, "templates", part).read_text() for part in parts).lower()
    for phrase in ("book of edits", "e-mail", "until it rests", "mended", "the edits found"):
        assert phrase not in " ".join(texts.split()), phrase
