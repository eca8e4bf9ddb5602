"""The formatting errors of a submission, by field and by line."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from filing.errors import NotFound
from filing.pages.filer import SubmissionPage
from filing.pages.parameters import in_format, wants
from filing.requests.pagination import page
from filing.submissions import downloads, error_groups, findings, raw_files
from filing.submissions.error_groups import ErrorGroup


class FormattingErrors(SubmissionPage):
    """The lines with formatting errors, in all fields or in one, with the accepted values."""

    def records(self, **where: Any) -> str:
        return in_format(self.request, "formatting errors")

    def get(self, request: HttpRequest, **where: Any) -> HttpResponseBase:
        if self.submission.format_errors:
            raw_files.path(self.submission)
        if wants(request, "csv"):
            return downloads.parse_errors(self.submission)
        groups = error_groups.of(self.submission)
        group = _selected(groups, request.GET.get("group", ""))
        total = group.listed if group else self.submission.format_errors
        current_page = page(request.GET.get("page"), total)
        if group:
            lines = error_groups.lines(self.submission, group, current_page)
        else:
            lines = findings.format_errors(self.submission, current_page)
        rows = [
            (line.line, line.estimated_uli, message.field, message.value, message.guidance)
            for line in lines
            for message in line.messages
        ]
        return self.show(
            "formatting_errors", groups=groups, group=group, rows=rows, current_page=current_page
        )


def _selected(groups: list[ErrorGroup], number: str) -> ErrorGroup | None:
    """Return the group with a number, counted from 1; None for a blank number.

    Raises: NotFound.
    """
    if not number:
        return None
    by_number = dict(zip(map(str, range(1, len(groups) + 1)), groups, strict=True))
    if number not in by_number:
        raise NotFound(f"There is no group {number} of formatting errors.")
    return by_number[number]
