"""Monitoring sees the last verification of the audit log."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from config.metrics import evidence
from filing.models import ChainCheck

pytestmark = pytest.mark.django_db


NOW = datetime(2026, 11, 3, tzinfo=UTC)


def values() -> dict[str, float]:
    return {
        sample.name: sample.value
        for family in evidence.families(NOW, since=NOW - timedelta(hours=1))
        for sample in family.samples
    }


def test_nothing_before_the_first_verification() -> None:
    assert set(values().values()) == {0}


def test_the_last_verification_counts() -> None:
    for day, findings in ((1, 7), (2, 3)):
        at = datetime(2026, 11, day, tzinfo=UTC)
        ChainCheck.objects.create(
            began_at=at, ended_at=at, after=0, entries=9, head="0" * 64, finding_count=findings
        )
    assert values() == {
        "hmda_audit_log_findings": 3,
        "hmda_audit_log_age_seconds": 24 * 3600,
        "hmda_infected_uploads_total": 0,
    }
