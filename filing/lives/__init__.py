"""The life of an institution: new name or LEI, merger, closing, extension, quarterly duty.

Staff work each as one event: a preview, a reason, one transaction, a report, emails to the people
of the institution. An event can be taken back while nothing was filed since.
"""

from filing.lives.events import find_events, summarize_events
from filing.lives.recording import record_event
from filing.lives.reports import EventDraft, EventReport, ReportLine
from filing.lives.undoing import plan_undo, undo_event

__all__ = [
    "EventDraft",
    "EventReport",
    "ReportLine",
    "find_events",
    "plan_undo",
    "record_event",
    "summarize_events",
    "undo_event",
]
