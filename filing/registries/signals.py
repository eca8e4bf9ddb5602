"""Signals to upper floors, sent in the transaction of the event."""

from __future__ import annotations

from django.dispatch import Signal

# A submission was signed. Sends `submission` and its `signature`.
signed = Signal()
# Reference data of a year were loaded, or an earlier file is used again.
reference_data_changed = Signal()
