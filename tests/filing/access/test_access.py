"""Who may act for an institution."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import Group, User

from filing.access import (
    SERVICE,
    AccessDenied,
    Caller,
    Right,
    caller_of,
    find_leis,
    may_file,
    may_read,
    require_reader,
    require_right,
)
from filing.models import Identity, Membership

LEI = "529900EXAMPLELEI0001"
OTHER = "529900EXAMPLELEI0002"


def caller(*leis: str, roles: tuple[str, ...] = ()) -> Caller:
    return Caller(id="1", leis=frozenset(leis), roles=frozenset(roles))


CASES = [
    # who, may file, may read
    (caller(LEI), True, True),
    (caller(OTHER), False, False),
    (caller(), False, False),
    (caller(LEI.lower()), False, False),
    (caller(LEI + " "), False, False),
    (caller(roles=("hmda-admin",)), False, True),
    (caller(roles=("hmda-operator",)), False, True),
    (caller(roles=("hmda-helpdesk",)), False, True),
    (caller(roles=("hmda-filer",)), False, False),
    (caller(roles=("HMDA-ADMIN",)), False, False),
    (SERVICE, False, False),
]


def require_to_read(who: Caller, lei: str) -> None:
    require_right(who, Right.READ, lei)


@pytest.mark.parametrize(("who", "files", "reads"), CASES)
def test_who_may_not_is_refused_with_403(who: Caller, files: bool, reads: bool) -> None:
    assert may_file(who, LEI) is files
    assert may_read(who, LEI) is reads
    for require, allowed in ((require_to_read, files), (require_reader, reads)):
        if allowed:
            require(who, LEI)
        else:
            with pytest.raises(AccessDenied) as refusal:
                require(who, LEI)
            assert refusal.value.status == 403


def test_the_refusal_does_not_tell_one_institution_from_another() -> None:
    messages = set()
    for lei in (LEI, OTHER, "NOSUCHINSTITUTION"):
        with pytest.raises(AccessDenied) as refusal:
            require_to_read(caller(), lei)
        messages.add(refusal.value.message)
    assert messages == {"Authorization Token does not carry the LEI of this request"}


def test_nobody_may_act_for_a_blank_lei() -> None:
    assert not may_file(caller(LEI), "")
    assert not may_file(SERVICE, "")


ISSUER = "https://id.example/realms/hmda2"


@pytest.fixture
def ann(db: None) -> User:
    """A user whom one issuer knows, and who acts for one institution by membership."""
    user = User.objects.create(username="ann", email="ann@bank.example", first_name="Ann")
    Identity.objects.create(user=user, issuer=ISSUER, subject="8f1c")
    Membership.objects.create(user=user, lei=LEI)
    return user


MEMBERS = [
    # whose token it is, and whether the membership counts for it
    (Caller(id="8f1c", issuer=ISSUER), True),
    (Caller(id="8f1c", issuer=ISSUER, leis=frozenset({OTHER})), True),
    (Caller(id="8f1c", issuer="https://evil.example"), False),
    (Caller(id="8f1c", issuer=""), False),
    (Caller(id="8F1C", issuer=ISSUER), False),
    (Caller(id="other", issuer=ISSUER, username="ann", email="ann@bank.example"), False),
    (Caller(id="8f1c", issuer=ISSUER, leis=frozenset({OTHER}), only_these_leis=True), False),
    (SERVICE, False),
]


@pytest.mark.parametrize(("who", "counts"), MEMBERS)
def test_a_membership_counts_for_the_issuer_and_subject_of_its_user(
    ann: User, who: Caller, counts: bool
) -> None:
    assert may_file(who, LEI) is may_read(who, LEI) is counts
    named = frozenset() if who.only_these_leis else who.leis
    assert find_leis(who) == named | ({LEI} if counts else set())
    assert not may_file(who, LEI.lower())


def test_a_membership_of_a_user_who_is_locked_out_does_not_count(ann: User) -> None:
    who = Caller(id="8f1c", issuer=ISSUER)
    assert may_file(who, LEI)
    User.objects.update(is_active=False)
    assert not may_file(who, LEI)
    assert find_leis(who) == frozenset()


def test_a_user_of_a_browser_is_the_caller_of_their_token(ann: User) -> None:
    ann.groups.add(Group.objects.get(name="operator"), Group.objects.create(name="bowling"))
    assert caller_of(ann) == Caller(
        id="8f1c",
        issuer=ISSUER,
        username="ann",
        email="ann@bank.example",
        name="Ann",
        roles=frozenset({"hmda-operator"}),
        user_key=ann.pk,
    )
    assert find_leis(caller_of(ann)) == {LEI}


def test_of_several_identities_the_one_that_signed_in_last_speaks(ann: User) -> None:
    Identity.objects.create(
        user=ann, issuer=ISSUER, subject="newer", signed_in_at=datetime(2025, 3, 1, tzinfo=UTC)
    )
    Identity.objects.create(user=ann, issuer=ISSUER, subject="never")
    Identity.objects.filter(subject="8f1c").update(signed_in_at=datetime(2024, 3, 1, tzinfo=UTC))
    assert caller_of(ann).id == "newer"
