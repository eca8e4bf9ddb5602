"""A correction after the deadline does not make a filing late, wherever one asks."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from filing import day_hours
from filing.models import Filing, FilingPeriod, Submission
from filing.periods.timeliness import Timeliness
from filing.submissions import status_report
from tests.conftest import LEI
from tests.filing.pages.steps import FILING, member, prepare, sign, signed_in, text
from tests.filing.submissions.uploading import register

pytestmark = pytest.mark.django_db
LISTS = {Filing: "filing_filing", Submission: "filing_submission"}


@pytest.fixture
def browser(institution, open_period, census, monkeypatch) -> Client:
    """The browser of a filer who filed three days ago, and now filed a correction."""
    browser = signed_in(member("ann", LEI))
    first, at = prepare(browser, register()), timezone.now() - timedelta(days=3)
    with monkeypatch.context() as clock:
        clock.setattr(timezone, "now", lambda: at)
        assert sign(browser, first).status_code == 303
    second = prepare(browser, register(rows=70))
    assert sign(browser, second, reason="Ten loans were missing.").status_code == 303
    return browser


def set_deadline(*, days_ago: int) -> None:
    day = day_hours.today() - timedelta(days=days_ago)
    FilingPeriod.objects.update(timely_until=day)


def exported(client: Client, table: type[Filing | Submission], **filters: str) -> str:
    answer = client.get(reverse(f"admin:{LISTS[table]}_export_csv"), filters)
    return b"".join(answer.streaming_content).decode()  # type: ignore[attr-defined]


def listed(client: Client, table: type[Filing | Submission], state: Timeliness) -> list[int]:
    answer = client.get(
        reverse(f"admin:{LISTS[table]}_changelist"), {"timeliness": state.name.lower()}
    )
    return [getattr(row, "sequence_number", 0) for row in answer.context["cl"].result_list]


def test_all_say_of_a_corrected_filing_what_its_first_signature_says(browser, admin_client):
    for days_ago, state, other in [
        (1, Timeliness.TIMELY, Timeliness.LATE),
        (4, Timeliness.LATE, Timeliness.TIMELY),
    ]:
        set_deadline(days_ago=days_ago)
        late = int(state is Timeliness.LATE)
        words = f"correction of a {state} filing"
        for page in ("/filing/", f"/filing/{LEI}/", FILING, f"{FILING}2/", f"{FILING}2/receipt/"):
            assert words in text(browser.get(page)), page
        assert listed(admin_client, Filing, state) == [0]
        assert listed(admin_client, Filing, other) == []
        changelist = admin_client.get(reverse("admin:filing_filing_changelist"))
        assert f'class="field-timeliness">{state}<' in changelist.content.decode()
        assert f",{state}," in exported(admin_client, Filing)
        assert f",{state}," in exported(admin_client, Filing, timeliness=state.name.lower())
        assert LEI not in exported(admin_client, Filing, timeliness=other.name.lower())
        (period,) = (
            admin_client.get(reverse("admin:filing_filingperiod_changelist"))
            .context["cl"]
            .result_list
        )
        assert (period.owed, period.signed, period.late) == (1, 1, late)
        figures = admin_client.get(reverse("admin:season_figures")).context
        assert (figures["filings"].signed, figures["curve"].late) == (1, late)
        assert LEI not in text(admin_client.get(reverse("admin:season_not_filed")))
        correction = Submission.objects.get(sequence_number=2)
        report = status_report.describe_timeliness(correction)
        assert report.startswith("Correction")
        assert f"is {state}: it was first signed" in report
        page = admin_client.get(reverse("admin:filing_submission_change", args=[correction.pk]))
        assert report in text(page)


def test_a_submission_is_late_by_its_own_signature_and_says_that_it_is_a_correction(
    browser, admin_client
):
    set_deadline(days_ago=1)
    assert listed(admin_client, Submission, Timeliness.TIMELY) == [1]
    assert listed(admin_client, Submission, Timeliness.LATE) == [2]
    changelist = admin_client.get(reverse("admin:filing_submission_changelist"))
    assert 'class="field-timeliness">late (correction)<' in changelist.content.decode()
    assert ",late (correction)," in exported(admin_client, Submission)
    assert ",timely," in exported(admin_client, Submission)
