"""Signed receipts: whether there is a key to sign them with, and whether any are missing."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from config.doctor.findings import Finding, Options, error, fine, left_out, warning
from filing.receipts import issuing, keys

_PATIENCE = timedelta(hours=1)  # six turns of the task that issues them


def receipts(options: Options) -> Iterator[Finding]:
    """Look at the key that signs receipts, and for signatures whose receipt is not signed."""
    if not settings.SIGNING_ENABLED:
        yield left_out("This site takes no signatures.")
        return
    try:
        key = keys.examine()
    except keys.NoUsableKey as problem:
        yield error(
            f"Receipts cannot be signed: {problem}",
            "Filings can be signed meanwhile. Their receipts are signed within 10 minutes after "
            "the key is usable.",
        )
    else:
        yield fine(
            f"Key {key.kid} signs receipts; it is from {key.origin}."
            if key
            else "The key that signs receipts is made with the first receipt."
        )
    late = issuing.missing().filter(signed_at__lt=timezone.now() - _PATIENCE).count()
    if late:
        yield warning(
            f"Signatures without a signed receipt: {late}.",
            "Workers issue 1,000 every 10 minutes, or run `manage.py issue_receipts`.",
        )
