"""Logs and the audit log are kept for good unless a site sets a limit."""

from __future__ import annotations

import os
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from config.running import retention
from filing import audit
from filing.access import Caller
from filing.models import AuditEvent, Institution, Repetition, TrailEntry
from filing.periods import legal_holds
from tests.conftest import LEI

DAY = 24 * 3600
STAFF = Caller(id="9", username="olga")


def add(event: AuditEvent, days: int, lei: str = "") -> TrailEntry:
    entry = audit.make_entry(event, by=None, lei=lei)
    entry.at = timezone.now() - timedelta(days=days)
    entry.save(force_insert=True)
    return entry


def events() -> list[str]:
    return [*TrailEntry.objects.order_by("pk").values_list("event", flat=True)]


@pytest.mark.servers
@pytest.mark.django_db
def test_only_routine_entries_beyond_the_limit_go_and_their_removal_is_recorded(
    settings: Any,
) -> None:
    entry = add(AuditEvent.SIGN_IN_REFUSED, 400)
    Repetition.objects.create(
        entry=entry, key="k", minute=entry.at, network="a", times=3, last_at=entry.at
    )
    add(AuditEvent.SIGNED_IN, 398)
    kept = [add(event, 4000).event for event in AuditEvent if event not in retention.ROUTINE]
    add(AuditEvent.SIGNED_IN, 300)
    assert retention.clear_audit_log() == 0
    settings.AUDIT_LOG_DAYS = 365
    assert retention.clear_audit_log() == 2
    sealed_first = AuditEvent.RECEIPT_KEY_ADDED  # with the first key
    assert events() == [*kept, "signed in", sealed_first, "audit log entries removed"]
    last = TrailEntry.objects.order_by("pk").last()
    assert last is not None
    assert (last.about, "kept 365 days" in last.reason) == ("2 entries", True)
    assert retention.clear_audit_log() == 0


@pytest.mark.django_db
def test_a_legal_hold_keeps_entries_of_its_institution_and_those_that_name_none(
    institution: Institution, settings: Any
) -> None:
    settings.AUDIT_LOG_DAYS = 1
    for lei in (LEI, "", "ANOTHERBANK000000042"):
        add(AuditEvent.ACCESS_REFUSED, 100, lei)
    legal_holds.hold_institution(institution, by=STAFF, reason="Matter 12")
    assert retention.clear_audit_log() == 1
    refused = TrailEntry.objects.filter(event="access refused")
    assert {entry.lei for entry in refused} == {LEI, ""}


@pytest.fixture
def folder(settings: Any, tmp_path: Path) -> Path:
    settings.DATA_DIR = tmp_path
    settings.FILE_UPLOAD_TEMP_DIR = tmp_path / "incoming"
    settings.LOCAL_COPIES = tmp_path / "local-copies"
    settings.LOG_DAYS, settings.LOCAL_COPY_DAYS = 30, 7
    return tmp_path


def put(path: Path, days: int) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.touch()
    at = time.time() - days * DAY
    os.utime(path, (at, at))
    return path


def test_old_work_copies_and_logs_go_and_others_stay(folder: Path) -> None:
    old, new = (
        [
            put(folder / "incoming" / f"upload-{days}", days),
            put(folder / "local-copies" / f"raw-{days}.txt", days),
            put(folder / "log" / f"web.log.{days}", days),
        ]
        for days in (31, 0)
    )
    retention.clear_folder()
    assert not any(path.exists() for path in old)
    assert all(path.exists() for path in new)


def test_a_kind_that_fails_holds_up_no_other(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    copy = put(folder / "local-copies" / "raw.txt", 31)
    retention.clear_folder()  # without a folder of work
    assert "Could not remove uploads and work that were never finished" in caplog.messages
    assert not copy.exists()
