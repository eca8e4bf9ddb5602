"""Pauses of removals: one at a time, with an end, and what waits for it is removed afterward."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone

from filing import removals, storage
from filing.models import PostponedRemoval, RemovalPause

pytestmark = pytest.mark.django_db


def stored(folder: str) -> str:
    default_storage.save(f"{folder}/a", ContentFile(b"x"))
    return folder


def test_a_folder_goes_at_once_and_during_a_pause_afterward() -> None:
    storage.discard(stored("of-tests/at-once"))
    assert not storage.has_files("of-tests/at-once")
    with removals.paused():
        storage.discard(stored("of-tests/later"))
        storage.discard("of-tests/later")
        assert storage.has_files("of-tests/later")
        assert storage.discard_postponed() == 0
    assert storage.discard_postponed() == 1
    assert not storage.has_files("of-tests/later")
    assert not PostponedRemoval.objects.exists()


def test_a_second_pause_is_refused_until_the_first_has_ended() -> None:
    another = pytest.raises(removals.AlreadyPaused, match="Another backup is running")
    with removals.paused(), another, removals.paused():
        pass
    with removals.paused():
        assert removals.are_paused()
    assert not removals.are_paused()


def test_a_pause_of_a_killed_process_ends_by_the_clock() -> None:
    now = timezone.now()
    RemovalPause.objects.create(purpose="backup", owner="x", until=now - timedelta(seconds=1))
    assert not removals.are_paused()
    with removals.paused():
        assert RemovalPause.objects.get().until > now + timedelta(minutes=9)


@pytest.mark.django_db(transaction=True)
def test_a_long_pause_is_extended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(removals, "_EXTENDED_EVERY", 0.02)
    with removals.paused():
        first, until = RemovalPause.objects.get().until, time.monotonic() + 20
        while RemovalPause.objects.get().until == first:
            assert time.monotonic() < until
            time.sleep(0.02)


def test_after_a_restore_no_pause_is_left() -> None:
    until = timezone.now() + timedelta(minutes=5)
    RemovalPause.objects.create(purpose="backup", owner="x", until=until)
    removals.forget_pauses()
    assert not removals.are_paused()
