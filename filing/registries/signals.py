"""What happens here that floors above want to know of, told inside its transaction."""

from __future__ import annotations

from django.dispatch import Signal

# A submission was signed. Sends `submission` and its `signature`.
signed = Signal()
