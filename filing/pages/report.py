"""All edits of a submission on one page, to be printed or saved as a PDF."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, QueryDict
from django.http.response import HttpResponseBase
from django.utils import timezone

from filing.edits import catalogue
from filing.edits.edit import Kind, Level
from filing.models import EditResult
from filing.pages import edit_records
from filing.pages.edit_list import EditList, KindOfEdits
from filing.pages.edit_records import RecordTable
from filing.pages.filer import SubmissionPage
from filing.requests.pagination import Page
from filing.submissions import findings, raw_files, results
from filing.submissions.results import EditItem

LISTED = 10  # records of each edit; the CSV has all


@dataclass(frozen=True, slots=True)
class _Entry:
    """An edit with its rule and its first records. more: how many there are beside these."""

    item: EditItem
    rules: list[str]
    is_of_file: bool
    tables: list[RecordTable]
    more: int


class Report(SubmissionPage):
    """The institution, its file, and every edit with its rule, count and first records."""

    def get(self, request: HttpRequest, **where: Any) -> HttpResponseBase:
        parts: dict[str, list[EditResult]] = {}
        # In file order: the transmittal sheet ("ts") before the loans ("lar").
        for result in findings.every_result(self.submission).order_by("code", "-level"):
            parts.setdefault(result.code, []).append(result)
        if parts:
            raw_files.path(self.submission)
        edits = EditList(self.submission, QueryDict())
        return self.show(
            "report",
            edits=edits,
            kinds=[(kind, self._entries(kind, parts)) for kind in edits.kinds],
            not_run=results.not_run(self.submission),
            now=timezone.now(),
            listed=LISTED,
        )

    def _entries(self, kind: KindOfEdits, parts: dict[str, list[EditResult]]) -> list[_Entry]:
        return [self._entry(kind, item, parts[item.edit]) for item in kind.items]

    def _entry(self, kind: KindOfEdits, item: EditItem, parts: list[EditResult]) -> _Entry:
        forms = catalogue.forms(item.edit, self.period)
        total = findings.total(parts)
        rows = findings.edit_rows(self.submission, parts, Page(1, total, LISTED))
        is_of_file = forms[0].level is Level.FILE
        return _Entry(
            item,
            [edit.rule for edit in forms],
            is_of_file,
            # What a macro edit computed is a sentence of its own.
            [] if kind.kind is Kind.MACRO else edit_records.tables(rows),
            0 if is_of_file else total - len(rows),
        )
