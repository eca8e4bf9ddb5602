"""What the audit log tells: its last verification, and the infected uploads of the day."""

from __future__ import annotations

from datetime import datetime

from prometheus_client.metrics_core import Metric

from config.metrics import catalogue
from filing.models import AuditEvent, ChainCheck, TrailEntry


def families(now: datetime, *, since: datetime) -> list[Metric]:
    """Return the metrics of the audit log; those of verifications are 0 before the first.

    since: from when uploads are counted.
    """
    last = ChainCheck.objects.order_by("-pk").values_list("finding_count", "ended_at").first()
    findings, age = (last[0], (now - last[1]).total_seconds()) if last else (0, 0)
    infected = TrailEntry.objects.filter(event=AuditEvent.FILE_INFECTED, at__gte=since)
    return [
        catalogue.AUDIT_FINDINGS.family(findings),
        catalogue.AUDIT_AGE.family(age),
        catalogue.INFECTED.family(infected.count()),
    ]
