"""Pages that ask before something is done: one button that names the act, and a way back."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from filing.admin.actions import WithActions
from filing.models import Announcement, Filing
from tests import make

pytestmark = pytest.mark.django_db
ACTIONS = [
    pytest.param(action, id=f"{model._meta.model_name}-{action.name}")
    for model, page in admin.site._registry.items()
    if isinstance(page, WithActions)
    for action in page.staff_actions
]


def read_buttons(page: str) -> list[str]:
    """Return the words of the buttons in the content of a page."""
    content = page[page.index('id="content"') :].partition("<dialog")[0]
    return re.findall(r'<input type="submit"[^>]*value="([^"]+)"', content)


@pytest.mark.parametrize("action", ACTIONS)
def test_every_action_names_its_act_with_the_number_of_objects(action: Any) -> None:
    assert action.act.count("{}") == 1


@pytest.mark.parametrize(("number", "act"), [(1, "Cancel 1 filing"), (2, "Cancel 2 filings")])
def test_the_button_says_what_is_done_and_the_link_goes_back(
    client: Client, filing: Filing, number: int, act: str
) -> None:
    first = filing
    second = Filing.objects.create(institution=first.institution, period=other_period(first))
    client.force_login(make.staff("operator"))
    keys = [first.pk, second.pk][:number]
    page = client.get(reverse("admin:filing_filing_cancel"), {"pk": keys}).content.decode()
    assert read_buttons(page) == [act]
    back = reverse("admin:filing_filing_change", args=keys) if number == 1 else None
    back = back or reverse("admin:filing_filing_changelist")
    assert f'class="desk-back" href="{back}"' in page
    assert page.index('name="reason"') < page.index('value="Cancel')


def other_period(filing: Filing) -> Any:
    """Return a copy of the period of a filing, a year later."""
    period = filing.period
    period.pk, period.year = None, period.year + 1
    period.save(force_insert=True)
    return period


def test_a_deletion_names_its_act_too(client: Client) -> None:
    client.force_login(User.objects.create_superuser("boss"))
    row = Announcement.objects.create(text="Soon.")
    page = client.get(reverse("admin:filing_announcement_delete", args=[row.pk]))
    assert read_buttons(page.content.decode()) == ["Delete 1 announcement"]
