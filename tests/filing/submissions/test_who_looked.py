"""Who looked: the report for privacy officers, as a page, as CSV and by command."""

from __future__ import annotations

import csv
import io
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.core.management import CommandError, call_command
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from filing import audit, day_hours
from filing.access import Caller
from filing.models import AuditEvent, Submission, TrailEntry
from filing.submissions import who_looked
from tests.conftest import LEI
from tests.filing.admin.unmarked import unmarked
from tests.filing.pages.steps import OTHER_LEI

pytestmark = pytest.mark.django_db
PAGE = "/admin/filing/trailentry/who-looked/"
WHY = {"reason": "The yearly review of access."}
HAL = Caller(id="hal", username="hal", email="hal@service.example")
OLA = Caller(id="ola", username="ola", email="ola@service.example")
ANN = Caller(id="ann", username="ann", email="ann@bank.example")


def happened(event: AuditEvent, by: Caller, about: str, *, lei=LEI, ago=0, reason="") -> None:
    entry = audit.make_entry(event, by=by, lei=lei, about=about, reason=reason)
    entry.at -= timedelta(days=ago)
    entry.save()


@pytest.fixture
def looks(db: None) -> None:
    """Six looks of three people, the last one first, and an entry of another kind."""
    one, two = f"{LEI}-2024-1", f"{OTHER_LEI}-2024-Q1-2"
    happened(AuditEvent.FILE_DOWNLOADED, HAL, one, ago=45, reason="Long ago.")
    with audit.set_origin(address="198.51.100.7", request_id="7F3K-9QXM-2BTD"):
        happened(AuditEvent.FILE_DOWNLOADED, ANN, one, ago=5, reason="Downloaded by it.")
        happened(AuditEvent.RECORDS_VIEWED, HAL, f"{one} edit V617", ago=4, reason='=cmd("x")')
    happened(AuditEvent.RECORDS_VIEWED, HAL, f"{two} edits as CSV", lei=OTHER_LEI, ago=3)
    happened(AuditEvent.VIEWED_AS_FILER, OLA, one, ago=2, reason=f"/filing/{LEI}/2024/1/")
    happened(AuditEvent.RECEIPT_SENT_AGAIN, OLA, f"{one}0", ago=1, reason="She lost it.")
    happened(AuditEvent.TOKEN_ISSUED, HAL, "password")


@pytest.fixture
def desk(looks: None) -> Client:
    return staff("help desk")


def staff(group: str = "") -> Client:
    user = User.objects.create_user(f"the-{group}", f"{group[:4]}@service.example", is_staff=True)
    user.groups.set(Group.objects.filter(name=group))
    browser = Client()
    browser.force_login(user)
    return browser


def rows(answer: HttpResponse) -> list[list[str]]:
    content = b"".join(answer.streaming_content)
    assert content.startswith(b"\xef\xbb\xbf")
    return list(csv.reader(io.StringIO(content.decode("utf-8-sig"))))


def downloads() -> Any:
    return TrailEntry.objects.filter(event=AuditEvent.PRIVACY_REPORT_DOWNLOADED)


SELECTIONS = {
    "": "receipt viewed records records file",
    f"lei={LEI}": "receipt viewed records file",
    f"lei={LEI.lower()}&event=file+downloaded": "file",
    "person=hal": "records records",
    "person=Ann@Bank.example": "file",
    f"submission={LEI}-2024-1": "viewed records file",
    "person=nobody": "",
}


@pytest.mark.servers
def test_the_page_and_the_csv_have_the_same_entries(desk):
    kinds = {
        "receipt sent again": "receipt",
        "submission viewed as the filer sees it": "viewed",
        "records viewed": "records",
        "file downloaded": "file",
    }
    for query, events in SELECTIONS.items():
        page = desk.get(f"{PAGE}?{query}")
        assert page.status_code == 200
        assert [kinds[look.entry.event] for look in page.context["looks"]] == events.split()
        table = rows(desk.post(f"{PAGE}?{query}", WHY))
        assert table[0] == who_looked.name_csv_columns()
        assert [kinds[row[1]] for row in table[1:]] == events.split()


def test_a_row_says_who_what_why_and_from_where(desk):
    row = dict(
        zip(
            who_looked.name_csv_columns(), rows(desk.post(f"{PAGE}?lei={LEI}", WHY))[3], strict=True
        )
    )
    at = TrailEntry.objects.get(about__endswith="edit V617").at
    assert row == {
        "Time (America/New_York)": f"{day_hours.to_filing_zone(at):%Y-%m-%d %H:%M:%S}",
        "Event": "records viewed",
        "User name": "hal",
        "Email": "hal@service.example",
        "Address": "198.51.100.7",
        "LEI": LEI,
        "Submission": f"{LEI}-2024-1",
        "What": "edit V617",
        "Reason": '\'=cmd("x")',  # no spreadsheet runs it
        "Request id": "7F3K-9QXM-2BTD",
    }


def test_a_download_of_the_report_is_recorded_with_its_reason(desk):
    assert desk.get(PAGE).status_code == 200
    for reason in ("", "  "):
        refused = desk.post(PAGE, {"reason": reason})
        assert refused.status_code == 400
        assert "Enter a reason" in unmarked(refused.content.decode())
    assert not downloads().exists()
    rows(desk.post(f"{PAGE}?lei={LEI}&since=2026-01-01&until=2026-12-31&person=hal", WHY))
    entry = downloads().get()
    assert (entry.lei, entry.reason, entry.actor_username) == (LEI, WHY["reason"], "the-help desk")
    assert entry.about == f"2026-01-01 to 2026-12-31, lei {LEI}, person hal"


def test_what_cannot_be_selected_is_refused(desk):
    days = "since=2026-02-02&until=2026-02-01"
    for query in ("since=x", "until=2026-02-30", days, "event=x", "lei=" + "A" * 21):
        assert desk.get(f"{PAGE}?{query}").status_code == 400, query
        assert desk.post(f"{PAGE}?{query}", WHY).status_code == 400, query
    assert not downloads().exists()


def test_nobody_else_does(looks, submission: Submission):
    looker = staff()
    for right in ("view_submission", "view_institution"):
        User.objects.get().user_permissions.add(Permission.objects.get(codename=right))
    assert looker.get(PAGE).status_code == 403
    assert looker.post(PAGE, WHY).status_code == 403
    for page in (
        f"/admin/filing/submission/{submission.pk}/change/",
        f"/admin/filing/institution/{submission.filing.institution_id}/change/",
    ):
        answer = looker.get(page)
        assert (answer.status_code, PAGE in answer.content.decode()) == (200, False)
    assert Client().get(PAGE).status_code == 302
    assert not downloads().exists()


@pytest.mark.servers
def test_the_command_writes_the_same(desk, capsys):
    today = timezone.localdate()
    days = ("--from", f"{today - timedelta(days=10)}", "--to", f"{today + timedelta(days=1)}")
    output = io.StringIO()
    call_command("who_looked", *days, "--lei", LEI.lower(), "--person", "hal", stdout=output)
    [header, row] = csv.reader(io.StringIO(output.getvalue().removeprefix("\ufeff")))
    assert (header, row[6:8]) == (who_looked.name_csv_columns(), [f"{LEI}-2024-1", "edit V617"])
    entry = downloads().get()
    assert (entry.reason, entry.actor_username) == ("By manage.py who_looked.", "")
    with pytest.raises(CommandError, match="--to is before --from"):
        call_command("who_looked", "--from", "2026-02-02", "--to", "2026-02-01")
    assert downloads().count() == 1
