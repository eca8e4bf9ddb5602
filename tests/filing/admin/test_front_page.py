"""The front page of the admin leads to what staff come for, and to nothing they may not do."""

from __future__ import annotations

import html
import re

import pytest
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from filing.models import Submission
from tests import make
from tests.filing.admin.queries import queries_of

pytestmark = pytest.mark.django_db
INDEX = reverse("admin:index")
MOST_QUERIES = 25  # one for each row of the work list, of which thirteen are counted


def doors(user: User) -> str:
    client = make.browser(user)
    assert queries_of(client, INDEX) <= MOST_QUERIES
    page = client.get(INDEX).content.decode()
    return page[page.index('id="content-main"') : page.index('class="app-')]


def test_all_staff_find_submissions_and_see_the_season() -> None:
    shown = doors(make.staff("help desk"))
    find = reverse("admin:filing_submission_find")
    assert f'role="search" action="{find}"' in shown
    for name in ("season", "season_not_filed"):
        assert f'href="{reverse(f"admin:{name}")}"' in shown


DOING = {
    "Prepare a filing year": "admin:filing_filingyear_add",
    "Open a season": "admin:filing_seasonopening_open",
    "Import institutions": "admin:filing_institution_import",
    "Load reference data": "admin:filing_referencedata_load",
    "Load an APOR table": "admin:ratespread_aporload_add",
    "Publish a data set": "admin:databrowser_version_build",
    "Compute the graphs": "admin:graphs_computation_add",
    "Write an announcement": "admin:filing_announcement_add",
}
LOOKING = {
    "Filing years": "admin:filing_filingyear_changelist",
    "Reference data by year": "admin:filing_referencedata_changelist",
    "APOR tables": "admin:ratespread_aportable_changelist",
    "Data set versions": "admin:databrowser_version_changelist",
    "Graph versions": "admin:graphs_computation_changelist",
    "Operators' guide": "admin:guide",
}


@pytest.mark.parametrize(
    ("role", "labels"),
    [("help desk", LOOKING), ("operator", DOING | LOOKING), ("administrator", DOING | LOOKING)],
)
def test_each_role_has_the_doors_to_what_it_may_do(role: str, labels: dict[str, str]) -> None:
    shown = html.unescape(doors(make.staff(role)))
    for label, name in (DOING | LOOKING).items():
        door = f'href="{reverse(name)}">{label}</a>'
        assert (door in shown) is (label in labels), label


@pytest.mark.parametrize("role", ["help desk", "operator", "administrator"])
def test_every_link_of_the_front_page_answers_who_sees_it(role: str) -> None:
    client = make.browser(make.staff(role))
    page = client.get(INDEX).content.decode()
    main = page[page.index('id="content-main"') :].partition("<dialog")[0]
    addresses = set(re.findall(r'(?:href|action)="([^"#]+)"', main))
    assert len(addresses) > 30
    for address in addresses:
        assert client.get(html.unescape(address)).status_code == 200, address


def test_the_list_of_tables_has_verbs_that_fit() -> None:
    def verbs(role: str) -> dict[str, str]:
        client = make.browser(make.staff(role))
        page = client.get(INDEX).content.decode()
        rows = re.findall(
            r'<tr class="model-(\w+)">(.*?)</tr>', page[page.index('class="app-') :], re.S
        )
        return {
            name: (re.findall(r'class="addlink"[^>]*>([^<]+)<', row) or [""])[0]
            for name, row in rows
        }

    assert verbs("operator").items() >= {
        ("filingyear", "Prepare"),
        ("seasonopening", "Open a season"),
        ("panelimport", "Import"),
        ("institution", "Add"),
        ("referencedata", "Load"),
        ("aporload", "Load"),
        ("version", "Publish"),
        ("computation", "Compute"),
        ("submission", ""),
        ("trailentry", ""),
    }
    assert set(verbs("help desk").values()) <= {"", "Add"}
    assert "View" not in verbs("administrator").values()


def test_staff_without_rights_get_an_empty_front_page() -> None:
    client = make.browser(User.objects.create(username="new", is_staff=True))
    page = client.get(INDEX).content.decode()
    assert 'role="search"' not in page
    assert reverse("admin:season") not in page


def test_the_search_box_leads_to_the_submission(client: Client, submission: Submission) -> None:
    client.force_login(make.staff("help desk"))
    found = client.get(reverse("admin:filing_submission_changelist"), {"q": submission.lei})
    change = reverse("admin:filing_submission_change", args=[submission.pk])
    assert change in found.content.decode()


@pytest.mark.parametrize(
    "page", [INDEX, reverse("admin:password_change"), reverse("admin:auth_user_changelist")]
)
def test_staff_sign_out(client: Client, page: str) -> None:
    user = make.staff("administrator")
    user.password = make_password("a long enough pass phrase")
    user.save()
    client.force_login(user)
    text = client.get(page).content.decode()
    assert "Sign out</button>" in text
    assert not re.search(r">[^<]*(log(ged)? ?(in|out)|last login)\b", text, re.IGNORECASE)


def test_the_page_of_a_user_names_the_last_sign_in(client: Client) -> None:
    user = make.staff("administrator")
    client.force_login(user)
    text = client.get(reverse("admin:auth_user_change", args=[user.pk])).content.decode()
    assert "Last sign-in:" in text
    assert "Account created:" in text
    assert "log into" not in text
