"""Signals of publication for the floors above, sent inside its transactions."""

from __future__ import annotations

from django.dispatch import Signal

# The public records and facts of a signed submission are ready. Sends `submission`.
disclosed = Signal()

# The published version of a year has changed: published, rolled back or withdrawn. Sends `year`.
published = Signal()
