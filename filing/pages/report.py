"""All edits of a submission on one page, to be printed or saved as a PDF."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, QueryDict
from django.http.response import HttpResponseBase
from django.template.defaultfilters import pluralize
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from filing.edits import catalogue
from filing.edits.edit import Kind, Level
from filing.models import EditResult
from filing.pages import edit_records
from filing.pages.edit_list import EditList, KindOfEdits
from filing.pages.filer import SubmissionPage
from filing.submissions import findings, raw_files, results
from filing.submissions.findings import EditRow
from filing.submissions.results import EditItem

LISTED = 5  # records of each edit; the CSV has all


@dataclass(frozen=True, slots=True)
class _Entry:
    """An edit with its rule and its first records. more: how many there are beside these."""

    code: str
    heading: str
    texts: SafeString
    tables: SafeString
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
        if not kind.items:
            return []  # a file that was not read has no lines
        found = [parts[item.edit] for item in kind.items]
        rows = findings.first_rows(self.submission, found, LISTED)
        return [
            self._entry(kind, item, findings.total(parts_of_one), first)
            for item, parts_of_one, first in zip(kind.items, found, rows, strict=True)
        ]

    def _entry(self, kind: KindOfEdits, item: EditItem, total: int, rows: list[EditRow]) -> _Entry:
        forms = catalogue.forms(item.edit, self.period)
        rules = [(edit.rule,) for edit in forms]
        paragraphs = format_html("<p>{}</p>\n", item.description)
        if item.computed:
            paragraphs += format_html("<p><strong>{}</strong></p>\n", item.computed)
        paragraphs += format_html_join("\n", '<p class="site-quiet">Rule: {}</p>', rules)
        if forms[0].level is Level.FILE:
            # What a macro edit computed is a sentence of its own.
            shown = [] if kind.kind is Kind.MACRO else rows
            found = edit_records.of_file(item.edit, shown)
            return _Entry(item.edit, item.edit, paragraphs, found, 0)
        heading = f"{item.edit}: triggered by {item.total:,} record{pluralize(item.total)}"
        found = edit_records.tables(item.edit, rows)
        return _Entry(item.edit, heading, paragraphs, found, total - len(rows))
