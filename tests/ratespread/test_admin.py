"""A table is loaded in the admin after a look at what it would change."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.contrib.auth.models import Group, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from ratespread.models import AporKind, AporLoad, AporWeek
from tests.ratespread.conftest import FIRST, SECOND, level, text

pytestmark = pytest.mark.django_db
ADD = "/admin/ratespread/aporload/add/"
TABLE = text(AporKind.FIXED, {FIRST: level("3.75"), SECOND: level("3.25")})


@pytest.fixture
def operator() -> Client:
    user = User.objects.create(username="otto", is_staff=True)
    user.groups.add(Group.objects.get(name="operator"))
    client = Client()
    client.force_login(user)
    return client


def previewed(
    client: Client, content: bytes = TABLE, name: str = "fixed.txt", kind: str = ""
) -> str:
    answer = client.post(ADD, {"file": SimpleUploadedFile(name, content), "kind": kind})
    assert answer.status_code == 200
    return unescape(answer.content.decode())


def confirmation(page: str, reason: str) -> dict[str, str]:
    """Return the form below a preview."""
    fields = dict(re.findall(r'name="(signed|digest)" value="([^"]+)"', page))
    assert len(fields) == 2
    return {**fields, "reason": reason}


def test_preview_then_reason_then_load(operator, tables):
    page = previewed(operator)
    assert "2017-01-02, 2017-01-09" in page
    assert AporLoad.objects.count() == 2
    again = operator.post(ADD, confirmation(page, " "))
    assert "This field is required." in again.content.decode()
    done = operator.post(ADD, confirmation(page, "Mistake of last week"))
    made = AporLoad.objects.latest("pk")
    assert done["Location"] == reverse("admin:ratespread_aporload_change", args=[made.pk])
    assert (made.loaded_by, made.reason, made.source) == (
        "otto", "Mistake of last week", "fixed.txt",
    )  # fmt: skip
    assert (made.added, made.changed) == (0, 2)
    assert AporWeek.objects.filter(load=made, replaced_by=None).count() == 2
    assert "Mistake of last week" in operator.get(done["Location"]).content.decode()


def test_what_differs_nowhere_is_not_loaded(operator, tables):
    for _ in range(2):
        page = previewed(operator)
        operator.post(ADD, confirmation(page, "again"))
    assert AporLoad.objects.count() == 3


@pytest.mark.parametrize(
    ("content", "name", "told"),
    [
        (b"x\n1/2/2017|3\n", "fixed.txt", "line 2: the line has 2 columns"),
        (TABLE, "apor.txt", "does not say whether its rates are fixed or variable"),
        (TABLE, "variable.txt", "the file is an APOR table of fixed rates"),
        (b"x" * (3 << 20), "fixed.txt", "larger than 2097152 bytes"),
    ],
)
def test_a_bad_file_is_told_and_nothing_is_loaded(operator, db, content, name, told):
    assert told in previewed(operator, content, name)
    assert AporLoad.objects.count() == 0


def test_a_preview_cannot_be_made_up(operator, db):
    answer = operator.post(ADD, {"signed": "e30:x:y", "reason": "x"}, follow=True)
    assert "choose the file again" in answer.content.decode()
    assert AporLoad.objects.count() == 0


def test_the_help_desk_looks_and_does_not_load(operator, tables):
    user = User.objects.create(username="desk", is_staff=True)
    user.groups.add(Group.objects.get(name="help desk"))
    client = Client()
    client.force_login(user)
    assert client.get(ADD).status_code == 403
    assert client.post(ADD, confirmation(previewed(operator), "x")).status_code == 403
    week = AporWeek.objects.get(kind=AporKind.FIXED, week=SECOND)
    shown = client.get(reverse("admin:ratespread_aporweek_change", args=[week.pk])).content.decode()
    assert "<li>30: 4.24</li>" in shown
