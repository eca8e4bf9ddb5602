"""The audit log: whether it is verified every day, and what was found."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from config.doctor.findings import Finding, Options, error, fine, left_out, warning
from config.doctor.parts.ages import in_words, seconds_since
from databrowser.publication.quantities import number_of
from filing.models import ChainCheck

_LATE = timedelta(days=2)


def audit_log(options: Options) -> Iterator[Finding]:
    """Look at the last verification of the audit log, and where its heads go."""
    last = ChainCheck.objects.order_by("-pk").first()
    if last is None:
        yield left_out("The audit log was not verified yet: beat does so every day.")
    else:
        yield _verification(last)
    if not (settings.AUDIT_HEADS_URL or settings.AUDIT_HEADS_EMAIL):
        yield left_out(
            "AUDIT_HEADS_URL and AUDIT_HEADS_EMAIL are not set: heads of the audit log are in "
            "receipts and in the log of the service alone."
        )


def _verification(last: ChainCheck) -> Finding:
    age = in_words(seconds_since(last.ended_at))
    if last.finding_count:
        return error(
            f"The verification of the audit log {age} ago has "
            f"{number_of(last.finding_count, 'finding')}: {last.findings[0]}",
            "Read them under Audit log verifications in the admin, and follow docs/evidence.md.",
        )
    text = f"The audit log was verified {age} ago: {last.entries:,} entries, no findings."
    if last.ended_at < timezone.now() - _LATE:
        return warning(text, "Look at beat, which verifies it every day.")
    return fine(text)
