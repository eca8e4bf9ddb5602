"""Each page of the admin leads to what belongs to it, and back; an LEI has its name beside it."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from filing import audit
from filing.access import SERVICE
from filing.models import AuditEvent, Case, Filing, Institution, Membership, TrailEntry
from tests.filing.admin.queries import add_filer, queries_of

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


LISTS = [
    *("membership", "trailentry", "legalhold", "webhook", "job", "statuschange", "signature"),
    *("editresult", "personaltoken"),
]


@pytest.mark.parametrize("name", LISTS)
def test_lists_name_the_institution_beside_its_lei_in_as_many_queries(
    staff: Client, filing: Filing, name: str
) -> None:
    add_filer(1)
    audit.record_event(AuditEvent.RECORD_CHANGED, by=SERVICE, lei="529900TESTBANK000001", about="x")
    address = page_of(f"filing_{name}_changelist")
    page = staff.get(address)
    if page.context["cl"].result_count:
        assert "Bank 1" in page.content.decode()
    before = queries_of(staff, address)
    for number in (2, 3, 4):
        add_filer(number)
    assert queries_of(staff, address) <= before


def test_an_lei_is_taken_in_any_case_with_spaces_around_it(
    staff: Client, institution: Institution
) -> None:
    typed = f"  {institution.lei.lower()} "
    user = User.objects.create(username="cara")
    form = {"user": user.pk, "lei": typed, "reason": "They asked."}
    assert staff.post(page_of("filing_membership_add"), form).status_code == 302
    assert Membership.objects.get(user=user).lei == institution.lei
    for name in ("institution", "membership", "submission", "filing", "trailentry", "case", "note"):
        address = page_of(f"filing_{name}_changelist")
        assert staff.get(address, {"q": typed}).status_code == 200
    found = staff.get(page_of("filing_membership_changelist"), {"q": typed})
    assert found.context["cl"].result_count == 1
    looked = staff.get(reverse("admin:filing_trailentry_who_looked"), {"lei": typed})
    assert looked.context["form"].cleaned_data["lei"] == institution.lei
