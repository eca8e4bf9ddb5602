"""`python bench/people.py`: the pages of people and rights, with many of both.

Made-up institutions, people, and a vendor with hundreds of clients are written as rows. Each page
is asked by whoever uses it, and compared with counting all memberships in the same run.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

# Modules beside this file have the names of packages, which must be imported first.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import page_times

YEAR, PER_INSTITUTION = 2025, 4


def main() -> None:
    """Measure and print."""
    page_times.run_bench(
        __doc__ or "",
        {
            "institutions": (5_000, f"with {PER_INSTITUTION} people each"),
            "clients": (500, "of the vendor"),
        },
        make=lambda options: _make_people(options.institutions, options.clients),
        measure=_measure,
    )


def _make_people(institutions: int, clients: int) -> None:
    """Add a season, four people to each institution, and a vendor with twenty of its own."""
    from django.contrib.auth.models import User
    from django.utils import timezone

    from filing.demo import submissions as demo
    from filing.models import (
        Delegation,
        Institution,
        Membership,
        Organization,
        OrganizationMember,
    )

    if Membership.objects.exists():
        return
    demo.make_submissions(YEAR, institutions=institutions, submissions=institutions * 2)
    leis = list(Institution.objects.order_by("lei").values_list("lei", flat=True))
    names = [f"person-{number}" for number in range(len(leis) * PER_INSTITUTION)]
    people = User.objects.bulk_create(
        [User(username=name, email=f"{name}@bank.example") for name in names], batch_size=1_000
    )
    Membership.objects.bulk_create(
        [
            Membership(
                user=user,
                lei=leis[place // PER_INSTITUTION],
                source="invite",
                administrator_since=None if place % PER_INSTITUTION else timezone.now(),
            )
            for place, user in enumerate(people)
        ],
        batch_size=1_000,
    )
    vendor = Organization.objects.create(
        name="Vendor", code="ORG-222222", email_domain="vendor.example", made_by="bench"
    )
    staff = User.objects.bulk_create(
        [
            User(username=f"vendor-{number}", email=f"v{number}@vendor.example")
            for number in range(20)
        ]
    )
    OrganizationMember.objects.bulk_create(
        [
            OrganizationMember(
                organization=vendor,
                user=user,
                is_signer=True,
                administrator_since=None if place else timezone.now(),
            )
            for place, user in enumerate(staff)
        ]
    )
    Delegation.objects.bulk_create(
        [
            Delegation(organization=vendor, lei=lei, may_sign=True, agreed_by="bench")
            for lei in leis[:clients]
        ]
    )


def _measure(reads: int) -> dict[str, dict[str, float]]:
    from django.contrib.auth.models import User
    from django.test import Client

    from filing.models import Membership

    desk = User.objects.get_or_create(username="bench", is_superuser=True, is_staff=True)[0]
    callers = {
        "administrator": User.objects.get(username="person-0"),
        "vendor": User.objects.get(username="vendor-0"),
        "help desk": desk,
    }
    times = {
        "plain count": page_times.time_calls(
            lambda: len(Membership.objects.values_list("lei")), reads
        )
    }
    for caller, user in callers.items():
        client = Client()
        client.force_login(user)
        for name, address in _list_pages(caller).items():
            _check(client.get(address), name)
            times[f"{name}, {caller}"] = page_times.time_calls(
                lambda client=client, to=address: client.get(to),  # type: ignore[misc]
                reads,
            )
    return times


def _check(answer: Any, name: str) -> None:
    if answer.status_code != 200:
        raise SystemExit(f"{name} answered {answer.status_code}: {answer.get('Location', '')}")


def _list_pages(caller: str) -> dict[str, str]:
    """Return the addresses that a caller opens, by what they are."""
    from urllib.parse import urlencode

    from django.contrib.auth.models import User
    from django.urls import reverse

    from filing.models import Delegation, Institution, Organization

    lei = Institution.objects.order_by("lei").values_list("lei", flat=True)[0]
    code = Organization.objects.get().code
    delegation = Delegation.objects.get(lei=lei).pk
    of_institution = {
        "institutions": reverse("filing-pages"),
        "periods": reverse("filing-institution", args=[lei]),
    }
    if caller == "vendor":
        return {
            **of_institution,
            "institutions, found": f"{reverse('filing-pages')}?q=bank",
            "many files": reverse("filing-many"),
            "organizations": reverse("filing-organizations"),
            "organization": reverse("filing-organization", args=[code]),
            "client": reverse("filing-organization-client", args=[code, delegation]),
        }
    if caller == "administrator":
        return {
            **of_institution,
            "people": reverse("filing-people", args=[lei]),
            "list to confirm": reverse("filing-people-confirm", args=[lei]),
            "organizations": reverse("filing-delegations", args=[lei]),
            "organization": reverse("filing-delegation", args=[lei, delegation]),
            "record": reverse("filing-record", args=[lei]),
        }
    tables = (
        *("membership", "organization", "organizationmember", "delegation", "invitation"),
        *("recordproposal", "institutionevent", "accessrequest"),
    )
    lists = {name: reverse(f"admin:filing_{name}_changelist") for name in tables}
    person = User.objects.get(username="person-0")
    question = urlencode({"person": person.email, "lei": lei})
    return {
        **lists,
        "membership, found": f"{lists['membership']}?q=person-77",
        "why not sign": f"{reverse('admin:filing_membership_why_not_sign')}?{question}",
        "institution": reverse(
            "admin:filing_institution_change", args=[Institution.objects.get(lei=lei).pk]
        ),
        "user": reverse("admin:auth_user_change", args=[person.pk]),
    }


if __name__ == "__main__":
    main()
