"""How long ago the person of a session proved who they are."""

from __future__ import annotations

import time

import pytest
from django.contrib.sessions.backends.base import SessionBase

from filing.people import sign_ins


@pytest.mark.parametrize(("ago", "is_fresh"), [(14 * 60, True), (16 * 60, False)])
def test_a_proof_is_fresh_for_fifteen_minutes(ago: int, is_fresh: bool) -> None:
    session = SessionBase()
    sign_ins.record_authentication(session, time.time() - ago)
    assert sign_ins.is_recently_authenticated(session) is is_fresh
