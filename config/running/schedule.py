"""The schedule of beat: which tasks it queues, and how often."""

from __future__ import annotations

from typing import Any

from django.utils.functional import SimpleLazyObject

HOURLY = 3600  # seconds
OUTDATED = 60  # seconds between two looks for files checked with rules no longer in force
COUNTS = 600  # seconds between two turns at signed files whose records are not counted
RECEIPTS = 600  # seconds between two turns at receipts that could not be signed

EVENTS = 120  # seconds between two looks for jobs that failed and queues that wait
LISTS = 300  # seconds between two looks for lists whose hour has come

SHORT_TASKS = (
    *("filing.sweep", "filing.issue_receipts", "filing.run_outdated_edits", "filing.queue_lists"),
    *("filing.find_events", "limits.sweep"),
)


def beat_schedule(
    *, sweep_seconds: int, publish_seconds: int, clear_seconds: int, apor_seconds: int
) -> dict[str, dict[str, Any]]:
    """Return the schedule. 0 leaves out publishing, clearing or the fetching of APOR tables.

    A queued sweep or clearing expires when the next one is due. What runs every few minutes and is
    short goes to the workers of small files (`SHORT_TASKS`), all else to those that check no files.
    """
    schedule: dict[str, dict[str, Any]] = {
        "sweep": _expiring("filing.sweep", sweep_seconds),  # workers sweep between jobs as well
        "sweep-staged": {"task": "filing.sweep_staged", "schedule": HOURLY},
        "sweep-emails": {"task": "filing.sweep_emails", "schedule": HOURLY},
        "issue-receipts": _expiring("filing.issue_receipts", RECEIPTS),
        "run-outdated-edits": _expiring("filing.run_outdated_edits", OUTDATED),
        "queue-lists": _expiring("filing.queue_lists", LISTS),
        "find-events": _expiring("filing.find_events", EVENTS),
        "count-records": _expiring("filing.count_records", COUNTS),
        "compute-peer-shares": _expiring("filing.compute_peer_shares", 6 * HOURLY),
        "sweep-limits": {"task": "limits.sweep", "schedule": 600},
        "sweep-versions": {"task": "databrowser.sweep", "schedule": HOURLY},
        # Hours are in UTC.
        "verify-audit-log": _daily("config.verify_audit_log", hour=6, minute=40),
        "send-digests": _daily("filing.send_digests", hour=11, minute=10),
        "remind-administrators": _daily("filing.remind_administrators", hour=12, minute=30),
        "check-rights": _daily("filing.check_rights", hour=7, minute=20),
    }
    if publish_seconds:
        schedule["publish"] = {"task": "databrowser.publish", "schedule": publish_seconds}
    if clear_seconds:
        schedule["clear-expired"] = _expiring("config.clear_expired", clear_seconds)
    if apor_seconds:
        schedule["refresh-apor"] = {"task": "ratespread.refresh", "schedule": apor_seconds}
    return schedule


def _expiring(task: str, seconds: int) -> dict[str, Any]:
    return {"task": task, "schedule": seconds, "options": {"expires": seconds}}


def _daily(task: str, *, hour: int, minute: int) -> dict[str, Any]:
    def at_that_time() -> Any:
        from celery.schedules import crontab  # every process reads the settings, and few send tasks

        return crontab(hour=hour, minute=minute)

    return {"task": task, "schedule": SimpleLazyObject(at_that_time)}
