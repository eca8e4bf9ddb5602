"""The front page's doors are registered by the apps that have the pages."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from filing.registries import doors
from filing.registries.doors import Door

WEIGH = Door("Weigh a file", "admin:auth_group_add", ("auth.add_group",), "On the scales.")


@pytest.fixture(autouse=True)
def as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers is gone afterwards."""
    monkeypatch.setattr(doors, "DOORS", list(doors.DOORS))


@pytest.mark.django_db
def test_a_door_of_another_app_stands_in_its_place(client: Client) -> None:
    doors.register(replace(WEIGH, place=35, table="auth.Group", verb="Weigh"))
    client.force_login(User.objects.create_superuser("boss"))
    page = client.get(reverse("admin:index")).content.decode()
    order = ["What needs attention", "Weigh a file", "Failed jobs", "Operators&#x27; guide"]
    assert sorted(order, key=page.index) == order
    assert ">Weigh<" in page


def test_no_two_doors_have_the_same_label_or_do_something_with_the_same_table() -> None:
    doors.register(WEIGH)
    doors.register(WEIGH)  # the same once more is no other
    assert doors.DOORS.count(WEIGH) == 1
    with pytest.raises(ValueError, match="another door named 'Weigh a file'"):
        doors.register(replace(WEIGH, about="Elsewhere."))
    with pytest.raises(ValueError, match=r"done with graphs\.Computation already"):
        doors.register(replace(WEIGH, label="Weigh graphs", table="graphs.Computation"))
