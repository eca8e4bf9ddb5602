"""A new receipt key: one administrator requests it, another one approves in time."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from config.upkeep import key_rotations
from filing.access import caller_of
from filing.audit import keys
from filing.errors import Conflict, NotReady
from filing.models import AuditEvent, KeyRotation, ReceiptKey, TrailEntry
from tests.filing.people.members import member, signed_in

pytestmark = pytest.mark.django_db
REQUEST, EVIDENCE = reverse("admin:request_rotation"), reverse("admin:evidence")
WHY = {"reason": "The key is a year old."}


@pytest.fixture(autouse=True)
def key(tmp_path: Path, settings: Any) -> ReceiptKey:
    """The key in use, in a folder of the test."""
    settings.RECEIPT_KEY_DIR = tmp_path / "keys" / "receipts"
    return keys.record_key(keys.require_signing_key())


@pytest.fixture
def requester() -> User:
    return member("administrator", email="ann@service.example")


@pytest.fixture
def approver() -> User:
    user = member("operator", email="bea@service.example")
    user.groups.clear()
    user.groups.add(*User.objects.get(username="administrator").groups.all())
    return user


def act(user: User, name: str, rotation: KeyRotation) -> Any:
    """Preview an action on a request, run it, and return its line of the report."""
    client: Any = signed_in(user)
    address = reverse(f"admin:filing_keyrotation_{name}")
    preview = client.get(address, {"pk": rotation.pk})
    [line] = preview.context["outcomes"]
    if not line.done:
        return line
    form = {"chosen": preview.context["chosen"], **WHY}
    answer = client.post(address, form)
    return answer.context["outcomes"][0]


def request_rotation(user: User) -> KeyRotation:
    client: Any = signed_in(user)
    assert client.get(REQUEST).status_code == 200
    assert client.post(REQUEST, WHY).status_code == 302
    return KeyRotation.objects.latest("pk")


def events() -> list[tuple[str, str]]:
    found = TrailEntry.objects.filter(event__contains="rotation").order_by("pk")
    return [(entry.event, entry.actor_username) for entry in found]


def test_another_administrator_approves_and_a_new_key_signs(
    requester: User, approver: User, key: ReceiptKey
) -> None:
    rotation = request_rotation(requester)
    assert keys.require_signing_key().kid == key.kid
    assert act(approver, "approve", rotation).done
    rotation.refresh_from_db()
    assert (rotation.decision, rotation.decided_by) == ("approved", approver.username)
    assert rotation.kid == keys.require_signing_key().kid != key.kid
    assert events() == [
        (AuditEvent.KEY_ROTATION_REQUESTED, requester.username),
        (AuditEvent.KEY_ROTATION_APPROVED, approver.username),
    ]
    rows = signed_in(approver).get(EVIDENCE).context["keys"]  # type: ignore[index]
    assert [(row.key.kid, row.is_in_use, row.is_known) for row in rows] == [
        (rotation.kid, True, True),
        (key.kid, False, True),
    ]
    assert not act(approver, "approve", rotation).done


def test_nobody_approves_a_request_of_their_own(requester: User, key: ReceiptKey) -> None:
    rotation = request_rotation(requester)
    assert not act(requester, "approve", rotation).done
    twin = User.objects.create(username="ann2", email="ANN@service.example", is_staff=True)
    twin.groups.set(requester.groups.all())
    assert not act(twin, "approve", rotation).done
    rotation.refresh_from_db()
    assert rotation.decision == ""
    assert keys.require_signing_key().kid == key.kid
    assert act(requester, "reject", rotation).done


def test_a_request_expires(requester: User, approver: User, key: ReceiptKey) -> None:
    rotation = request_rotation(requester)
    late = timezone.now() - key_rotations.VALID_FOR - timedelta(minutes=1)
    KeyRotation.objects.update(at=late)
    rotation.refresh_from_db()
    assert not act(approver, "approve", rotation).done
    assert keys.require_signing_key().kid == key.kid
    newer = request_rotation(requester)
    rotation.refresh_from_db()
    assert (rotation.decision, newer.decision) == ("expired", "")


@pytest.mark.servers
def test_one_request_waits_at_a_time_and_is_decided_once(requester: User, approver: User) -> None:
    rotation = request_rotation(requester)
    with pytest.raises(Conflict):
        key_rotations.request_rotation(by=caller_of(requester), reason="Again.")
    assert act(approver, "reject", rotation).done
    with pytest.raises(Conflict):  # read before the decision
        key_rotations.approve_rotation(rotation, by=caller_of(approver), reason="Yes.")
    rotation.refresh_from_db()
    with pytest.raises(NotReady):
        key_rotations.approve_rotation(rotation, by=caller_of(approver), reason="Yes.")


def test_a_key_from_the_environment_is_set_by_operators(
    requester: User, approver: User, settings: Any
) -> None:
    settings.RECEIPT_SIGNING_KEY = keys.generate_private_key().decode()
    rotation = request_rotation(requester)
    assert act(approver, "approve", rotation).done
    rotation.refresh_from_db()
    assert (rotation.decision, rotation.kid, bool(rotation.problem)) == ("approved", "", True)
    assert key_rotations.find_new_key(rotation) == ""
    settings.RECEIPT_SIGNING_KEY = keys.generate_private_key().decode()
    signing = keys.record_key(keys.require_signing_key())
    assert key_rotations.find_new_key(rotation) == signing.kid


def test_operators_request_and_decide_nothing(requester: User) -> None:
    rotation = request_rotation(requester)
    other: Any = signed_in(member("operator"))
    assert other.post(REQUEST, WHY).status_code == 403
    for name in ("approve", "reject"):
        address = reverse(f"admin:filing_keyrotation_{name}")
        assert other.get(address, {"pk": rotation.pk}).status_code == 403
        assert other.post(address, {"chosen": f'{{"{rotation.pk}": ""}}', **WHY}).status_code == 403
    rotation.refresh_from_db()
    assert rotation.decision == ""
