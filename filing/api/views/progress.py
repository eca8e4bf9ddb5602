"""The progress of a submission as server-sent events, for programs that would rather not poll."""

from __future__ import annotations

import json
from typing import Any

from django.http import HttpResponseBase
from rest_framework.request import Request

from filing.api.negotiation import AnyAccept
from filing.api.openapi import filings as openapi
from filing.api.views import answers
from filing.api.views.base import FilingView
from filing.submissions import event_stream
from filing.submissions.watching import Change


class ProgressEvents(FilingView):
    """The state of a submission now, and after each change, until processing has finished."""

    content_negotiation_class = AnyAccept

    @openapi.progress
    def get(self, request: Request, sequence_number: str, **where: Any) -> HttpResponseBase:
        submission = self.find_or_404(sequence_number)
        return event_stream.answer(submission, _data, last_id=request.headers.get("Last-Event-ID"))


def _data(change: Change) -> str:
    progress = None if change.is_last else change.progress
    return json.dumps(answers.state_with(change.submission, progress))
