"""A made-up season has everything that a real one has, and every list of the admin shows it."""

from __future__ import annotations

from io import StringIO

import pytest
from django.contrib import admin
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.db.models import F
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from filing.demo import submissions
from filing.models import (
    EditResult,
    Filing,
    FilingPeriod,
    Institution,
    Job,
    Mail,
    Signature,
    StatusChange,
    Submission,
)
from filing.people.institutions import is_lei
from filing.statuses import FilingStatus, Status

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
MOST_QUERIES = 15


def make(**options: object) -> str:
    out = StringIO()
    call_command("make_submissions", year=2024, stdout=out, **options)
    return out.getvalue()


def test_a_season_is_whole():
    told = make(institutions=150, submissions=1_000)
    assert "1,000 submissions" in told
    assert Submission.objects.count() == 1_000
    assert Institution.objects.count() == 150
    assert all(is_lei(lei) for lei in Institution.objects.values_list("lei", flat=True))
    assert FilingPeriod.objects.count() == 4
    assert set(Submission.objects.values_list("status", flat=True)) >= {
        status for status in Status if status.is_settled
    }
    assert Job.objects.exclude(state="done").exists()
    signed = Submission.objects.filter(status=Status.SIGNED)
    assert Signature.objects.count() == signed.count() == signed.exclude(signature=None).count()
    assert not Filing.objects.filter(
        submissions__signature__isnull=False, status=FilingStatus.IN_PROGRESS
    ).exists()
    assert Filing.objects.filter(status=FilingStatus.NOT_STARTED).exists()
    assert EditResult.objects.filter(kind="macro").exists()
    assert Mail.objects.filter(kind="failure").exists()


def test_the_history_of_a_submission_ends_where_it_stands():
    make(institutions=40, submissions=200)
    last = {
        change.submission_id: change for change in StatusChange.objects.order_by("submission", "id")
    }
    for submission in Submission.objects.all():
        assert last[submission.pk].after == submission.status
        assert last[submission.pk].at == submission.changed_at <= timezone.now()
    assert not Submission.objects.filter(created_at__gt=F("changed_at")).exists()


def test_a_seed_names_a_season():
    def season(seed: int) -> list[tuple[str, int, int]]:
        names = ("filing__institution__name", "sequence_number", "status")
        with transaction.atomic():
            make(institutions=20, submissions=100, seed=seed)
            found = list(Submission.objects.order_by("pk").values_list(*names))
            transaction.set_rollback(True)
        return found

    assert season(1) == season(1) != season(2)


def test_a_site_with_real_institutions_is_left_alone(institution):
    with pytest.raises(CommandError, match="not made up"):
        make()
    assert Submission.objects.count() == 0
    make(institutions=5, submissions=10, force=True)
    assert Submission.objects.count() == 10


def test_a_season_is_made_once():
    make(institutions=5, submissions=10)
    with pytest.raises(CommandError, match="There is already made-up data for 2024"):
        make(institutions=5, submissions=10)


@pytest.mark.parametrize("sizes", [{"institutions": 0}, {"submissions": -1}])
def test_sizes_must_make_sense(sizes):
    with pytest.raises(CommandError, match="Give at least 1 institution"):
        make(**sizes)


def test_no_list_takes_more_queries_over_a_season(admin_client):
    make(institutions=100, submissions=1_000)
    for model in admin.site._registry:
        page = reverse(f"admin:{model._meta.label_lower.replace('.', '_')}_changelist")
        shown = admin_client.get(page).context["cl"]
        sortable = [
            f"?o={number}"
            for number, name in enumerate(shown.list_display)
            if shown.get_ordering_field(name)
        ]
        for asked in ("", "?p=2", "?q=bank", "?q=@first.example", *sortable):
            with CaptureQueriesContext(connection) as queries:
                status = admin_client.get(page + asked).status_code
            assert status in {200, 302}, page + asked
            assert len(queries) <= MOST_QUERIES, page + asked


def test_only_made_up_institutions_are_a_demo(institution):
    assert not submissions.is_only_demo()
    institution.delete()
    assert submissions.is_only_demo()
