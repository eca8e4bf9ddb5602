"""The last verification of the audit log: how long ago it was, and how much it found."""

from __future__ import annotations

from datetime import datetime

from prometheus_client.metrics_core import Metric

from config.metrics import catalogue
from filing.models import ChainCheck


def families(now: datetime) -> list[Metric]:
    """Return the metrics of the audit log; both are 0 before the first verification."""
    last = ChainCheck.objects.order_by("-pk").values_list("finding_count", "ended_at").first()
    findings, age = (last[0], (now - last[1]).total_seconds()) if last else (0, 0)
    return [catalogue.AUDIT_FINDINGS.family(findings), catalogue.AUDIT_AGE.family(age)]
