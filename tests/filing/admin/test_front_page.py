"""The front page of the admin leads to what staff come for, and to nothing they may not do."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from filing.models import Submission
from tests.filing.admin.test_pages import MOST_QUERIES, queries_of
from tests.filing.test_roles import member

pytestmark = pytest.mark.django_db
INDEX = reverse("admin:index")


def doors(user: User) -> str:
    client = Client()
    client.force_login(user)
    assert queries_of(client, INDEX) <= MOST_QUERIES
    page = client.get(INDEX).content.decode()
    return page[page.index('id="content-main"') : page.index('class="app-')]


def test_all_staff_find_submissions_and_see_the_season() -> None:
    shown = doors(member("help desk"))
    find = reverse("admin:filing_submission_find")
    assert f'role="search" action="{find}"' in shown
    for name in ("season", "season_not_filed"):
        assert f'href="{reverse(f"admin:{name}")}"' in shown


def test_what_operators_alone_may_do_is_shown_to_them_alone() -> None:
    announcements = f'href="{reverse("admin:filing_announcement_changelist")}"'
    assert announcements in doors(member("operator"))
    assert announcements not in doors(member("help desk"))
    assert "load, replace" not in doors(User.objects.get(username="help-desk"))


def test_staff_without_rights_get_an_empty_front_page() -> None:
    client = Client()
    client.force_login(User.objects.create(username="new", is_staff=True))
    page = client.get(INDEX).content.decode()
    assert 'role="search"' not in page
    assert reverse("admin:season") not in page


def test_the_search_box_leads_to_the_submission(client: Client, submission: Submission) -> None:
    client.force_login(member("help desk"))
    found = client.get(reverse("admin:filing_submission_changelist"), {"q": submission.lei})
    change = reverse("admin:filing_submission_change", args=[submission.pk])
    assert change in found.content.decode()
