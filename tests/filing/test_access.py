"""Who may act for an institution."""

from __future__ import annotations

from typing import Any

import pytest
from rest_framework.permissions import IsAuthenticated
from rest_framework.test import APIRequestFactory
from rest_framework.views import APIView

from filing.access import (
    SERVICE,
    AccessDenied,
    Caller,
    may_file,
    may_read,
    require_filer,
    require_reader,
)

LEI = "529900EXAMPLELEI0001"
OTHER = "529900EXAMPLELEI0002"


def caller(*leis: str, roles: tuple[str, ...] = ()) -> Caller:
    return Caller(id="1", leis=frozenset(leis), roles=frozenset(roles))


CASES = [
    # who, may file, may read
    (caller(LEI), True, True),
    (caller(OTHER, LEI), True, True),
    (caller(OTHER), False, False),
    (caller(), False, False),
    (caller(LEI.lower()), False, False),
    (caller(LEI + " "), False, False),
    (caller(LEI[:-1]), False, False),
    (caller(f"{LEI},{OTHER}"), False, False),
    (caller(roles=("hmda-admin",)), False, True),
    (caller(LEI, roles=("hmda-admin",)), True, True),
    (caller(roles=("hmda-operator",)), False, True),
    (caller(roles=("hmda-helpdesk",)), False, True),
    (caller(roles=("hmda-filer",)), False, False),
    (caller(roles=("HMDA-ADMIN",)), False, False),
    (caller(roles=("admin",)), False, False),
    (SERVICE, False, False),
]


@pytest.mark.parametrize(("who", "files", "reads"), CASES)
def test_rights_follow_from_the_leis_and_the_admin_role(
    who: Caller, files: bool, reads: bool
) -> None:
    assert may_file(who, LEI) is files
    assert may_read(who, LEI) is reads


@pytest.mark.parametrize(("who", "files", "reads"), CASES)
def test_who_may_not_is_refused_with_403(who: Caller, files: bool, reads: bool) -> None:
    for require, allowed in ((require_filer, files), (require_reader, reads)):
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
            require_filer(caller(), lei)
        messages.add(refusal.value.message)
    assert messages == {"Authorization Token does not carry the LEI of this request"}


def test_nobody_may_act_for_a_blank_lei() -> None:
    assert not may_file(caller(LEI), "")
    assert not may_file(SERVICE, "")


def test_a_caller_is_a_user_to_the_framework() -> None:
    request: Any = APIView().initialize_request(APIRequestFactory().get("/"))
    request.user = caller(LEI)
    assert IsAuthenticated().has_permission(request, APIView())
    assert request.user.pk == "1"
    assert not request.user.is_anonymous


def test_a_caller_is_named_by_the_username_where_there_is_one() -> None:
    assert str(Caller(id="8f1c", username="ann")) == "ann"
    assert str(Caller(id="8f1c")) == "8f1c"


def test_the_service_has_a_blank_id() -> None:
    assert SERVICE.id == SERVICE.username == SERVICE.email == ""
