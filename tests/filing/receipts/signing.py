"""A submission that may be signed, without the work of its checks."""

from __future__ import annotations

from django.utils import timezone

from filing.models import Submission
from filing.statuses import Status

SHA256 = "ab" * 32


def to_be_signed(submission: Submission, sha256: str = SHA256) -> Submission:
    Submission.objects.filter(pk=submission.pk).update(
        status=Status.VERIFIED,
        file_name="secret-name.txt",
        size=1234,
        lines=61,
        sha256=sha256,
        quality_exists=True,
        quality_verified=True,
        uploaded_at=timezone.now(),
        transmittal_sheet={"contact_email": "contact@bank.example"},
    )
    related = Submission.objects.select_related("filing__institution", "filing__period")
    return related.get(pk=submission.pk)
