"""The audit log in the examination: findings, a late verification, and none so far."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from config.doctor.parts import evidence
from filing.models import ChainCheck
from tests.config.doctor.parts.looking import bad, texts

pytestmark = pytest.mark.django_db


def verified(*findings: str, days: int = 0) -> None:
    at = timezone.now() - timedelta(days=days)
    ChainCheck.objects.create(
        began_at=at, ended_at=at, after=0, entries=8, head="ab" * 32,
        finding_count=len(findings), findings=findings,
    )  # fmt: skip


def test_it_was_not_verified_yet() -> None:
    assert bad(evidence.audit_log) == []
    assert "was not verified yet" in texts(evidence.audit_log)


def test_no_findings(settings: Any) -> None:
    settings.AUDIT_HEADS_EMAIL = ["audit@site.example"]
    verified()
    assert bad(evidence.audit_log) == []
    assert texts(evidence.audit_log).endswith("8 entries, no findings.")


def test_findings_are_an_error() -> None:
    verified("Entry 4 of the chain is missing.")
    (line,) = bad(evidence.audit_log)
    assert line.startswith("error: The verification of the audit log")
    assert "has 1 finding: Entry 4 of the chain is missing." in line


def test_a_late_verification_is_a_warning() -> None:
    verified(days=3)
    (line,) = bad(evidence.audit_log)
    assert line.startswith("warning: The audit log was verified")
