"""Freeze days in the admin: the usual ones, and other days that staff set with a reason."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from databrowser.models import FreezeDay, Version
from databrowser.publication.versions import live_versions
from filing.errors import NotReady
from filing.models import FilingPeriod
from tests.databrowser.builds import OLGA, WHY, built
from tests.databrowser.publication.public_files import sign
from tests.filing.admin.change_forms import fields_of
from tests.filing.people.members import member, signed_in

pytestmark = pytest.mark.django_db
A = "549300AAAAAAAAAAAA01"
LIST = reverse("admin:databrowser_freezeday_changelist")
ADD = reverse("admin:databrowser_freezeday_add")
OTHER = {"year": "2023", "dataset": "snapshot", "frozen_on": "2024-05-20", "reason": "A holiday."}


@pytest.fixture
def operator(db: None) -> Client:
    return signed_in(member("operator", email="olga@service.example"))


@pytest.fixture
def deadline(db: None) -> None:
    """The filing deadline of 2023, before which the tests sign nothing."""
    FilingPeriod.objects.create(
        year=2023, quarter="", opens="2024-01-01", timely_until="2024-03-01", closes="2040-01-01"
    )


def rows_of(client: Client) -> dict[tuple[str, str], list[str]]:
    """Return the table: by year and vintage, the other cells as they are read."""
    page = client.get(LIST).content.decode()
    table = page[page.index("<tbody>") : page.index("</tbody>")]
    rows = [
        [" ".join(re.sub("<[^>]*>", " ", cell).split()) for cell in re.split("</t[hd]>", row)[:-1]]
        for row in table.split("</tr>")[:-1]
    ]
    return {(row[0], row[1]): row[2:] for row in rows}


def change_page(row: FreezeDay) -> str:
    return reverse("admin:databrowser_freezeday_change", args=[row.pk])


def errors_of(answer: Any) -> list[str]:
    errors = answer.context["adminform"].form.errors
    return [str(text) for texts in errors.values() for text in texts]


@pytest.mark.usefixtures("deadline")
@pytest.mark.parametrize("day", ["2024-03-01", "2023-12-31"])
def test_a_day_is_after_the_filing_deadline(operator: Client, day: str) -> None:
    refused = operator.post(ADD, OTHER | {"frozen_on": day})
    text = "Enter a day after the filing deadline of 2023, March 1, 2024."
    assert errors_of(refused) == [text]
    assert not FreezeDay.objects.exists()


def test_without_a_period_the_computed_deadline_counts(operator: Client) -> None:
    # 1 March 2026 is a Sunday.
    sent = OTHER | {"year": "2025", "frozen_on": "2026-03-02"}
    assert "March 2, 2026" in errors_of(operator.post(ADD, sent))[0]
    assert operator.post(ADD, sent | {"frozen_on": "2026-03-03"}).status_code == 302
    for wrong in ({"year": "1990"}, {"year": "x"}, {"dataset": "dynamic"}, {"frozen_on": "soon"}):
        assert errors_of(operator.post(ADD, sent | wrong)), wrong


def test_the_day_of_a_vintage_that_was_published_is_settled(operator: Client) -> None:
    sign(A, {"income": "1"}, signed_at=datetime(2024, 4, 1, tzinfo=UTC))
    FilingPeriod.objects.update(timely_until="2024-03-01")
    assert operator.post(ADD, OTHER).status_code == 302
    row = FreezeDay.objects.get()
    opened = fields_of(operator, change_page(row))
    version = built(dataset="snapshot")
    live_versions.publish_version(version, by=OLGA, reason=WHY)
    live_versions.withdraw_version(version, by=OLGA, reason="By order.")
    sent = opened | {"frozen_on": "2024-06-03", "reason": "Later."}
    assert operator.post(change_page(row), sent).status_code == 403
    assert operator.get(change_page(row)).status_code == 200
    remove = reverse("admin:databrowser_freezeday_delete", args=[row.pk])
    assert operator.post(remove, {"post": "yes", "reason": "As usual."}).status_code == 403
    assert FreezeDay.objects.get().frozen_on == date(2024, 5, 20)
    assert rows_of(operator)[("2023", "snapshot")][3:] == ["published; the day is settled", ""]


def test_a_usual_day_is_settled_by_publishing_too(operator: Client) -> None:
    sign(A, {"income": "1"}, signed_at=datetime(2024, 4, 1, tzinfo=UTC))
    FilingPeriod.objects.update(timely_until="2024-03-01")
    live_versions.publish_version(built(dataset="snapshot"), by=OLGA, reason=WHY)
    text = "The 2023 snapshot was published; its freeze day no longer changes."
    assert errors_of(operator.post(ADD, OTHER)) == [text]


def test_what_was_frozen_on_another_day_is_not_published(operator: Client) -> None:
    sign(A, {"income": "1"}, signed_at=datetime(2024, 4, 1, tzinfo=UTC))
    FilingPeriod.objects.update(timely_until="2024-03-01")
    version = built(dataset="snapshot")
    operator.post(ADD, OTHER)
    with pytest.raises(NotReady, match="is now May 20, 2024"):
        live_versions.publish_version(version, by=OLGA, reason=WHY)
    live_versions.publish_version(built(dataset="snapshot"), by=OLGA, reason=WHY)
    assert Version.objects.get(live__isnull=False).frozen_on == date(2024, 5, 20)
    with pytest.raises(NotReady, match="is now May 20, 2024"):
        live_versions.plan_roll_back(version)


def test_the_help_desk_reads_the_days_and_sets_none(operator: Client) -> None:
    operator.post(ADD, OTHER | {"frozen_on": "2035-05-20"})
    desk = signed_in(member("help desk"))
    assert rows_of(desk)[("2023", "snapshot")][3:] == ["not over"]
    row = FreezeDay.objects.get()
    assert desk.get(change_page(row)).status_code == 200
    for address in (ADD, change_page(row)):
        assert desk.post(address, OTHER).status_code == 403
