"""No one gives themselves a right to file: not by a membership, a domain, a file or an address."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from config.identity import tokens
from filing import access
from filing.models import AuditEvent, Institution, Membership, TrailEntry
from filing.panel import panel_imports
from filing.people import memberships, users
from tests import make
from tests.conftest import LEI
from tests.filing.admin.change_forms import loaded
from tests.filing.admin.institution_form import typed
from tests.filing.admin.lists import LISTS
from tests.filing.admin.previewing import confirm

pytestmark = pytest.mark.django_db
OWN, OTHER = "agency.example", "bank.example"
REASON = "The institution told us by phone."
HEADER = "activity_year,lei,name,tax_id,agency,email_domains,quarterly_filer"
CARRY = reverse("admin:filing_institution_carry")
UPLOAD = reverse("admin:filing_institution_import")


def make_staff(name: str, *, role: str = "operator", email: str = "") -> User:
    """Return someone of the staff with a verified address."""
    return make.verify(make.staff(role, username=name, email=email or f"{name}@{OWN}"))


@pytest.fixture
def oscar() -> User:
    return make_staff("oscar")


@pytest.fixture
def institution() -> Institution:
    return make.institution(year=2025, email_domains=[OTHER])


def change_domains(user: User, institution: Institution, domains: str) -> Any:
    client = make.browser(user)
    page = reverse("admin:filing_institution_change", args=[institution.pk])
    sent = typed(institution, email_domains=domains, reason=REASON)
    return client.post(page, sent | loaded(client, page))


def add_year(user: User, institution: Institution) -> None:
    sent = typed(institution, activity_year="2026", lei=institution.lei, email_domains=OWN)
    make.browser(user).post(reverse("admin:filing_institution_add"), sent)


def import_file(user: User, institution: Institution) -> None:
    row = f"2025,{institution.lei},Bank,12-3456789,9,{OTHER};{OWN},true"
    client = make.browser(user)
    file = SimpleUploadedFile("panel.csv", f"{HEADER}\n{row}\n".encode())
    confirm(client, client.post(UPLOAD, {"file": file}), reason=REASON)


def import_directly(user: User, institution: Institution) -> None:
    path = Path("panel.csv")
    path.write_text(f"{HEADER}\n2025,{institution.lei},Bank,12-3456789,9,{OWN},true\n")
    with pytest.raises(memberships.own_rights.OwnRight):
        panel_imports.load_panel(path, by=access.caller_of(user))


def delete_newest(user: User, institution: Institution) -> None:
    make.institution(email_domains=[OWN])
    page = reverse("admin:filing_institution_delete", args=[institution.pk])
    client = make.browser(user)
    confirm(client, client.get(page), reason=REASON)


def carry_over(user: User, institution: Institution) -> None:
    make.institution(email_domains=[OWN])
    client = make.browser(user)
    chosen = {"from_year": "2024", "to_year": "2026"}
    confirm(client, client.post(CARRY, chosen), reason=REASON)


def tick(user: User, lei: str = LEI) -> bool:
    """Tick the institution on the profile and by the API; return whether the user may file."""
    client = make.browser(user)
    client.post("/filing/profile/institutions/", {"leis": [lei]})
    record = {"firstName": "O", "lastName": "O", "leis": [lei]}
    make.program(user).put("/hmda-auth/users/", record, content_type="application/json")
    return access.may_file(access.caller_of(user), lei)


def refusals() -> list[tuple[str, str]]:
    entries = TrailEntry.objects.filter(event=AuditEvent.ACCESS_REFUSED)
    return list(entries.values_list("actor_username", "lei"))


@pytest.mark.parametrize(
    "give",
    [
        lambda user, bank: change_domains(user, bank, f"{OTHER}, {OWN}"),
        add_year,
        import_file,
        import_directly,
        delete_newest,
        carry_over,
    ],
    ids=["change", "add", "import", "load", "delete", "carry"],
)
def test_no_one_adds_the_domain_of_their_own_address(
    oscar: User,
    institution: Institution,
    give: Callable[[User, Institution], Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    give(oscar, institution)
    assert Institution.objects.filter(lei=LEI).order_by("-activity_year")[0].email_domains == [
        OTHER
    ]
    assert ("oscar", LEI) in refusals()
    assert not tick(oscar)


def test_a_domain_that_one_added_gives_no_right_with_an_address_that_one_gets_later(
    oscar: User, institution: Institution
) -> None:
    assert change_domains(oscar, institution, f"{OTHER}, later.example").status_code == 302
    oscar.email = "oscar@later.example"
    oscar.save()
    make.verify(oscar)
    assert users.find_matching_institutions(oscar) == []
    assert not tick(oscar)
    assert ("oscar", LEI) in refusals()
    make.member(oscar, LEI, source="domain", email=oscar.email)
    assert memberships.check_memberships() == 1
    assert not access.may_file(access.caller_of(oscar), LEI)
    # Others with that domain are not concerned, but for another account with the same address.
    assert tick(make.user("ann", email="ann@later.example", is_verified=True))
    assert not tick(make.user("twin", email="Oscar@later.example", is_verified=True))


def test_a_right_that_others_gave_ends_with_a_change_of_ones_own(
    oscar: User, institution: Institution
) -> None:
    olga = make_staff("olga", email="olga@elsewhere.example")
    change_domains(olga, institution, f"{OTHER}, {OWN}")
    assert tick(oscar)
    change_domains(oscar, institution, f"{OTHER}, {OWN}, later.example")
    assert access.may_file(access.caller_of(oscar), LEI)
    oscar.email = "oscar@later.example"
    oscar.save()
    make.verify(oscar)
    users.record_sign_in(tokens.known_identity(oscar))
    assert not access.may_file(access.caller_of(oscar), LEI)


@pytest.mark.parametrize("email", [f"oscar@{OWN}", f"Oscar@{OWN.upper()}"])
def test_no_one_adds_a_membership_for_another_account_of_theirs(
    oscar: User, institution: Institution, email: str
) -> None:
    twin = User.objects.create_user("twin", email)
    sent = {"user": twin.pk, "lei": LEI, "reason": REASON}
    page = make.browser(oscar).post(reverse("admin:filing_membership_add"), sent)
    assert page.status_code == 200
    assert not Membership.objects.exists()
    assert ("oscar", "") in refusals()
    added = make.browser(make_staff("olga")).post(reverse("admin:filing_membership_add"), sent)
    assert added.status_code == 302
    assert access.may_file(access.caller_of(twin), LEI)


def test_no_one_gives_another_account_their_own_address(institution: Institution) -> None:
    administrator = make_staff("ada", role="administrator")
    ann = make.user("ann", lei=LEI)
    client = make.browser(administrator)
    page = reverse("admin:auth_user_change", args=[ann.pk])
    sent = {"username": "ann", "is_active": "on", **LISTS, "reason": REASON}
    for email, status in ((f"Ada@{OWN}", 200), (f"ann.new@{OTHER}", 302)):
        assert client.post(page, {**sent, "email": email, **loaded(client, page)}).status_code == (
            status
        )
    ann.refresh_from_db()
    assert ann.email == f"ann.new@{OTHER}"
    assert ("ada", "") in refusals()


def test_the_nightly_check_takes_the_same_statements_for_many(
    oscar: User, institution: Institution, django_assert_max_num_queries: Any
) -> None:
    for number in range(20):
        name = f"u{number}"
        make.user(name, lei=LEI, is_verified=True, source="domain", email=f"{name}@{OTHER}")
    with django_assert_max_num_queries(4):
        assert memberships.check_memberships() == 0
