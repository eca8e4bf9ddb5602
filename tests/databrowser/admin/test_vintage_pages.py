"""Vintages in the admin: what a build would take in, their reconciliation, and its acceptance."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from databrowser.models import LiveVersion, Version
from databrowser.publication.builds import build_requests
from databrowser.publication.versions import live_versions
from filing.jobs import loop
from filing.models import Institution, Submission
from tests.databrowser.admin.test_publication_pages import BUILD, LIST, act, offers, text_of
from tests.databrowser.builds import OLGA
from tests.databrowser.publication.public_files import sign
from tests.filing.people.members import member, signed_in

pytestmark = pytest.mark.django_db
A, B, D = "549300AAAAAAAAAAAA01", "549300BBBBBBBBBBBB02", "549300DDDDDDDDDDDD04"
LAST = datetime(2024, 5, 2, 3, 59, tzinfo=UTC)  # a minute before the day ends in New York
SNAPSHOT = {"year": "2023", "dataset": "snapshot"}


@pytest.fixture
def operator(db: None) -> Client:
    return signed_in(member("operator", email="olga@service.example"))


@pytest.fixture(autouse=True)
def signed(db: None) -> None:
    """By the freeze day of 2023 one institution signed, later another, and a third never."""
    sign(A, {"income": "1"}, {"income": "2"}, signed_at=LAST)
    sign(B, {"income": "3"}, signed_at=LAST + timedelta(minutes=1))
    Institution.objects.create(activity_year=2023, lei=D, name="Bank D", agency=7)


def page_of(client: Client, version: Version) -> str:
    return text_of(client.get(reverse("admin:databrowser_version_change", args=[version.pk])))


def built_by(client: Client, **more: Any) -> Version:
    digest = client.get(BUILD, SNAPSHOT).context["digest"]
    sent = SNAPSHOT | {"reason": "The deadline is over.", "digest": digest}
    asked = client.post(BUILD, sent | more)
    assert asked.status_code == 302
    version = Version.objects.latest("pk")
    loop.run_job(version.job_id)
    version.refresh_from_db()
    return version


def test_a_build_says_first_what_it_takes_in_and_publishes_nothing_by_itself(
    operator: Client,
) -> None:
    choice = operator.get(BUILD)
    assert [year for year, _ in choice.context["choice"].fields["year"].choices] == ["", 2023]
    assert 'name="reason"' not in text_of(choice)
    preview = text_of(operator.get(BUILD, SNAPSHOT))
    assert "A build of the 2023 snapshot takes in 1 signed submission" in preview
    assert "1 signed submission is left out: signed after that day." in preview
    assert 'name="goes_live"' not in preview  # of a vintage the figures are reconciled first
    moving = text_of(operator.get(BUILD, {"year": "2023"}))
    assert 'name="goes_live"' in moving
    assert "checked" not in moving
    assert "It has what 2 of 3 institutions in the panel signed." in moving
    assert "No version of it is published." in moving
    unexplained = text_of(operator.post(BUILD, SNAPSHOT | {"reason": " "}))
    assert "Enter a reason" in unexplained
    assert "1 signed submission is left out: signed after that day." in unexplained
    early = text_of(operator.get(BUILD, SNAPSHOT | {"dataset": "three-year"}))
    assert ("frozen at the end of" in early) is ('name="reason"' not in early)
    for wrong in ({"year": "2019"}, {"year": "x"}, {"year": "2023", "dataset": "new"}):
        assert operator.get(BUILD, wrong).context["choice"].errors
        assert operator.post(BUILD, wrong | {"reason": "Try."}).status_code == 200
    assert not Version.objects.exists()


def test_the_page_of_a_vintage_shows_its_reconciliation(operator: Client) -> None:
    version = built_by(operator)
    page = page_of(operator, version)
    assert "All figures add up." in page
    assert '<th scope="row">Records in the data set</th><td class="number">2</td>' in page
    assert f'<th scope="row">{B}</th>' in page
    assert "Signed later, on May 2, 2024." in page
    assert f'<th scope="row">{D}</th><td>Bank D</td><td>Not signed.</td>' in page
    assert "There is no vintage before this one." in page
    assert not LiveVersion.objects.exists()
    act(operator, "version", "go_live", version, "It is right.")
    assert LiveVersion.objects.get().version == version
    assert "2023 snapshot" in text_of(operator.get(LIST))


@pytest.mark.servers
def test_what_does_not_add_up_is_published_once_staff_accept_it(operator: Client) -> None:
    submission = Submission.objects.get(modified_lar__rows=2)
    submission.transmittal_sheet["total_lines"] = 5
    submission.save()
    version = built_by(operator)
    page = page_of(operator, version)
    assert "1 figure does not add up." in page
    assert "5 on its transmittal sheet, 2 judged, 2 in the data set." in page
    assert offers(page) == ["Accept what does not add up"]
    act(operator, "version", "accept_disagreements", version, "They miscounted.")
    page = page_of(operator, version)
    assert "Accepted: They miscounted." in page
    assert offers(page) == ["Publish"]
    act(operator, "version", "go_live", version, "It is right.")
    assert LiveVersion.objects.get().version == version


def test_the_list_shows_each_vintage_of_the_years_that_are_open(operator: Client) -> None:
    again = f"{BUILD}?year=2023&amp;dataset=snapshot"

    def row() -> str:
        """Return the row of the snapshot of 2023, the last of the years that is open."""
        page = text_of(operator.get(LIST))
        assert "2019 snapshot" not in page
        return page.partition("2023 snapshot</th>")[2].partition("</tr>")[0]

    assert "<td>2024-05-01</td> <td>none</td>" in row()
    assert again in row()
    queued = build_requests.request_build(2023, by=OLGA, reason="It is over.", dataset="snapshot")
    assert f"{queued.name}</a>: queued" in row()
    assert again not in row()
    loop.run_job(queued.job_id)
    assert f"{queued.name}</a>: built" in row()
    queued.refresh_from_db()
    live_versions.publish_version(queued, by=OLGA, reason="It is right.")
    assert "by olga</td> <td>2</td><td>1</td> <td></td>" in row()
    preview = text_of(operator.get(BUILD, SNAPSHOT))
    assert "is published, with 2 records of 1 institution. It stays published" in preview
    desk = text_of(signed_in(member("help desk")).get(LIST))
    assert "2023 snapshot" in desk
    assert "Build" not in desk
