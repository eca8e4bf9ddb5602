"""The command that gives the embedded provider a new signing key."""

from __future__ import annotations

import os
import time
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from config.identity import bearer, keyfiles, tokens
from config.identity.bearer import TokenError
from filing.models import AuditEvent, TrailEntry

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
DAY = 24 * 3600


def rotate(*words: str) -> str:
    out = StringIO()
    call_command("rotate_key", *words, stdout=out)
    return out.getvalue()


def token() -> str:
    return tokens.issue_token(tokens.identity_claims("s-1", username="ann"), seconds=60)


def test_the_new_key_signs_and_the_old_one_is_still_trusted(key_folder: Path) -> None:
    old, before = keyfiles.signing_key().kid, token()
    rotate()
    assert keyfiles.signing_key().kid != old
    for each in (before, token()):
        assert bearer.verify_access_token(each)["sub"] == "s-1"
    entry = TrailEntry.objects.get()
    assert (entry.event, entry.about) == (AuditEvent.KEY_MADE, keyfiles.signing_key().kid)


def test_a_key_goes_once_its_tokens_have_expired(key_folder: Path) -> None:
    first = keyfiles.signing_key().kid
    rotate()
    second = keyfiles.signing_key().kid
    # A day and more since the second key took over from the first.
    os.utime(key_folder / "0002.pem", times=(time.time() - DAY - 60,) * 2)
    said = rotate()
    assert f"Deleted, since its tokens have expired: {first}" in said
    assert second not in said
    assert [key.kid for key in keyfiles.list_keys()][1:] == [second]


def test_a_leaked_key_goes_at_once(key_folder: Path) -> None:
    leaked, before = keyfiles.signing_key().kid, token()
    assert f"Deleted at once: {leaked}" in rotate("--drop", leaked)
    with pytest.raises(TokenError):
        bearer.verify_access_token(before)
    assert bearer.verify_access_token(token())


def test_an_unknown_key_is_told_before_anything_is_done(key_folder: Path) -> None:
    there = keyfiles.signing_key().kid
    with pytest.raises(CommandError, match=f"There is no key nobody. Keys: {there}."):
        rotate("--drop", "nobody")
    assert [key.kid for key in keyfiles.list_keys()] == [there]


def test_the_last_key_stays(key_folder: Path) -> None:
    with pytest.raises(ValueError, match="only key"):
        keyfiles.drop_key(keyfiles.signing_key().kid)
    with pytest.raises(LookupError, match="no key x"):
        keyfiles.drop_key("x")


def test_keys_of_another_provider_are_rotated_there(settings: Any) -> None:
    settings.EMBEDDED_PROVIDER = False
    with pytest.raises(CommandError, match="Rotate its keys there"):
        rotate()
