"""Heads in a place where they stay: each written once, and read again for comparison."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from config.audit import places
from filing.audit.chain.links import Head
from tests.buckets import a_bucket_with_object_lock

AT = datetime(2026, 11, 23, 6, 40, 12, 345678, tzinfo=UTC)
HEAD = Head(12, "ab" * 32)


@pytest.fixture(params=["folder", "bucket"])
def place(request: pytest.FixtureRequest, settings: Any, tmp_path: Path) -> Iterator[str]:
    if request.param == "folder":
        settings.AUDIT_HEADS_URL = f"file://{tmp_path}/once"
        yield request.param
        return
    with a_bucket_with_object_lock("once", "/of/hmda") as (url, _):
        settings.AUDIT_HEADS_URL = url
        yield request.param


def test_a_head_is_written_and_read(place: str) -> None:
    name = places.store_head(HEAD, AT)
    assert name == "heads/2026-11-23T064012.345678Z.json"
    (expectation,) = places.heads()
    assert expectation.head == HEAD
    assert expectation.source.startswith(f"{name} in ")


def test_the_daily_verification_reads_the_recent_ones(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "RECENT", 2)
    for day in range(3):
        places.store_head(Head(day, "ab" * 32), AT + timedelta(days=day))
    assert [each.head.entries for each in places.heads()] == [1, 2]
    assert [each.head.entries for each in places.heads(all_of_them=True)] == [0, 1, 2]


def test_a_file_is_never_written_again(settings: Any, tmp_path: Path) -> None:
    settings.AUDIT_HEADS_URL = f"file://{tmp_path}"
    file = tmp_path / places.store_head(HEAD, AT)
    assert file.stat().st_mode & 0o222 == 0
    another = tmp_path / places.store_head(Head(13, "cd" * 32), AT)
    assert another != file
    assert {each.head.entries for each in places.heads()} == {12, 13}


def test_an_object_is_locked_for_the_days_of_the_settings(settings: Any) -> None:
    settings.AUDIT_HEADS_DAYS = 400
    with a_bucket_with_object_lock("once") as (url, client):
        settings.AUDIT_HEADS_URL = url
        now = datetime.now(UTC)
        name = places.store_head(HEAD, now)
        found = client.head_object(Bucket="once", Key=name)
    assert found["ObjectLockMode"] == "COMPLIANCE"
    assert abs(found["ObjectLockRetainUntilDate"] - (now + timedelta(days=400))) < timedelta(
        seconds=2
    )


def test_without_a_place_nothing_is_written() -> None:
    assert places.store_head(HEAD, AT) == ""
    assert list(places.heads()) == []
