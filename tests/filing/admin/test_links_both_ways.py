"""Each page of the admin leads to what belongs to it, and back."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from filing import audit
from filing.access import SERVICE
from filing.models import AuditEvent, Case, Filing, Membership, TrailEntry
from tests.filing.admin.queries import add_filer

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("boss"))
    return client


def page_of(name: str, *keys: Any, query: str = "") -> str:
    return reverse(f"admin:{name}", args=keys) + (f"?q={query}" if query else "")


def test_pages_lead_to_each_other(staff: Client, filing: Filing) -> None:
    submission = add_filer(1)
    institution, job = submission.filing.institution, submission.jobs.get()
    lei, user = institution.lei, User.objects.get(username="user-1")
    user.email = "ann@bank.example"
    user.save()
    case = Case.objects.create(email=user.email, lei=lei, text="Please help.")
    audit.record_event(AuditEvent.RECORD_CHANGED, by=SERVICE, lei=lei, about="institution")
    entry, membership = TrailEntry.objects.get(lei=lei), Membership.objects.get(lei=lei)
    of_lei = {
        page_of(f"filing_{name}_changelist", query=lei)
        for name in ("filing", "submission", "job", "membership", "case", "mail", "trailentry")
    }
    pairs = {
        page_of("filing_institution_change", institution.pk): of_lei,
        page_of("filing_filing_change", submission.filing_id): {
            page_of("filing_institution_change", institution.pk),
            page_of("filing_submission_change", submission.pk),
        },
        page_of("filing_submission_change", submission.pk): {
            page_of("filing_institution_change", institution.pk),
            page_of("filing_filing_change", submission.filing_id),
            page_of("filing_job_changelist", query=str(submission)),
            page_of("filing_trailentry_changelist", query=lei),
        },
        page_of("filing_job_change", job.pk): {
            page_of("filing_submission_change", submission.pk),
            page_of("filing_institution_change", institution.pk),
        },
        page_of("filing_case_change", case.pk): {
            *of_lei,
            page_of("auth_user_changelist", query=user.email.replace("@", "%40")),
        },
        page_of("filing_trailentry_change", entry.pk): of_lei,
        page_of("filing_membership_change", membership.pk): {
            *of_lei,
            page_of("auth_user_change", user.pk),
        },
        page_of("auth_user_change", user.pk): {
            page_of("filing_membership_changelist", query=user.username),
            page_of("filing_trailentry_changelist", query=user.username),
            page_of("filing_case_changelist", query=user.email.replace("@", "%40")),
        },
    }
    for address, targets in pairs.items():
        page = staff.get(address).content.decode()
        missing = {target for target in targets if f'href="{target}"' not in page}
        assert not missing, address
