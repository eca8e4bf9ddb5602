"""The findings of a submission: its edits, the records of one, formatting errors, and the report.

The report has all edits on one page, to print or save as a PDF.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

from django.http import HttpRequest, QueryDict
from django.http.response import HttpResponseBase
from django.template.defaultfilters import pluralize
from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe

from filing.edits import catalogue
from filing.edits.edit import Edit, EditKind, EditLevel
from filing.edits.examples import pairs
from filing.edits.read_fields import cite_edit
from filing.errors import NotFound
from filing.files.workbook_files import MOST_ROWS
from filing.lar.years import Period
from filing.models import EditResult
from filing.pages import comparisons, edit_list
from filing.pages.edit_list import EditsOfKind, SubmissionEdits
from filing.pages.filer import SubmissionPage, describe_download, wants_format
from filing.requests import select_page
from filing.statuses import VERIFIABLE
from filing.submissions import comparison, downloads, findings, results
from filing.submissions.findings import EditRow, ErrorGroup
from filing.submissions.results import EditItem

# Records listed for each edit; fewer if many edits were triggered. The CSV has all records.
MOST_LISTED, LEAST_LISTED = 10, 2
MOST_RECORDS = 600  # for all edits together, but never fewer than LEAST_LISTED for each
_SECTION = """\
<section aria-labelledby="{code}">
<h3 id="{code}">{heading}</h3>
{texts}
{tables}
{more}
</section>
"""


class TriggeredEditsPage(SubmissionPage):
    """The triggered edits by kind, with counts, and the changes since the previous submission."""

    def records(self, **where: Any) -> str:
        """Return which records a download has; the page itself has only counts."""
        is_download = wants_format(self.request, "csv") or wants_format(self.request, "xlsx")
        return describe_download(self.request, "all edits") if is_download else ""

    def get(self, request: HttpRequest, **where: Any) -> HttpResponseBase:
        if wants_format(request, "csv"):
            downloads.find_raw_file(self.submission)
            return downloads.download_findings(self.submission)
        if wants_format(request, "xlsx"):
            downloads.find_raw_file(self.submission)
            return downloads.download_findings_workbook(self.submission)
        edits = SubmissionEdits(self.submission, request.GET)
        return self.show(
            "edits",
            edits=edits,
            is_cut=sum(group.records or group.total for group in edits.kinds) > MOST_ROWS - 2,
            is_verifiable=self.submission.status in VERIFIABLE and not self.is_read_only,
            **self._changes(),
        )

    def _changes(self) -> dict[str, Any]:
        """Return the changes since the previous submission, if edits ran on both."""
        before = comparison.find_checked_before(self.submission)
        if before is None or not self.submission.edits_folder:
            return {}
        numbers = {
            "earlier": before.sequence_number,
            "number": self.submission.sequence_number,
        }
        return {
            "changes": comparisons.compare_edits(before, self.submission),
            "compare_url": self.address("filing-compare", **numbers),
        }


@dataclass(frozen=True, slots=True)
class _Form:
    """An edit for one level (sheet, loan or file), as it reads in the submission's period."""

    edit: Edit
    period: Period

    @property
    def looks_at(self) -> str:
        return catalogue.LOOKS_AT[self.edit.level]

    @property
    def citation(self) -> str:
        """The paragraphs of Regulation C that ask for the fields of the rule."""
        return cite_edit(self.edit)

    @property
    def fields(self) -> str:
        return "; ".join(catalogue.label_field(self.edit, name) for name in self.edit.fields)

    @property
    def example(self) -> pairs.EditExample | None:
        return pairs.find_example(self.edit, self.period)


class TriggeredEditPage(SubmissionPage):
    """The records that triggered an edit, page by page, with its rule."""

    def records(self, **where: Any) -> str:
        return describe_download(self.request, f"edit {where['code']}")

    def get(self, request: HttpRequest, code: str, **where: Any) -> HttpResponseBase:
        try:
            forms = catalogue.find_edits_by_code(code, self.submission.rules_period)
        except LookupError:
            raise NotFound(f"There is no edit {code} in {self.period}.") from None
        parts = findings.find_results_of_edit(self.submission, code)
        if parts:
            downloads.find_raw_file(self.submission)
        if wants_format(request, "csv"):
            return downloads.download_findings(self.submission, code=code)
        if wants_format(request, "xlsx"):
            return downloads.download_findings_workbook(self.submission, code=code)
        total = findings.count_records(parts)
        current_page = select_page(request.GET.get("page"), total)
        is_of_file = forms[0].level is EditLevel.FILE
        render = edit_list.render_file_result if is_of_file else edit_list.render_record_tables
        return self.show(
            "edit",
            code=code,
            kind=forms[0].kind.value,
            forms=[_Form(edit, self.period) for edit in forms],
            computed=findings.describe_macro_result(self.submission, parts) if parts else "",
            not_run="" if parts else findings.find_reason_not_run(self.submission, code),
            tables=render(code, findings.read_edit_rows(self.submission, parts, current_page)),
            is_of_file=is_of_file,
            current_page=current_page,
            total=sum(part.total for part in parts),
            is_cut=total > MOST_ROWS - 2,
            near=self._near(code),
        )

    def _near(self, code: str) -> dict[str, str]:
        """Return the previous and the next edit in the list; blank at its ends."""
        summary = results.summarize_edits(self.submission).values()
        codes = [item.edit for items in summary for item in items]
        if code not in codes:
            return {}
        index = codes.index(code)
        return {
            "previous": codes[index - 1] if index else "",
            "next": codes[index + 1] if index + 1 < len(codes) else "",
        }


class FormattingErrorsPage(SubmissionPage):
    """The lines with formatting errors, in all fields or in one, with the accepted values."""

    def records(self, **where: Any) -> str:
        return describe_download(self.request, "formatting errors")

    def get(self, request: HttpRequest, **where: Any) -> HttpResponseBase:
        if self.submission.format_errors:
            downloads.find_raw_file(self.submission)
        if wants_format(request, "csv"):
            return downloads.download_format_errors(self.submission)
        groups = findings.read_error_groups(self.submission)
        group = _selected(groups, request.GET.get("group", ""))
        total = group.listed if group else self.submission.format_errors
        current_page = select_page(request.GET.get("page"), total)
        if group:
            lines = findings.read_lines_of_group(self.submission, group, current_page)
        else:
            lines = findings.read_format_errors(self.submission, current_page)
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


class EditsReportPage(SubmissionPage):
    """The institution, its file, and every edit with its rule, count and first records."""

    def records(self, **where: Any) -> str:
        return "report of all edits"

    def get(self, request: HttpRequest, **where: Any) -> HttpResponseBase:
        parts: dict[str, list[EditResult]] = {}
        # In file order: the transmittal sheet ("ts") before the loans ("lar").
        for result in findings.find_all_results(self.submission).order_by("code", "-level"):
            parts.setdefault(result.code, []).append(result)
        if parts:
            downloads.find_raw_file(self.submission)
        edits = SubmissionEdits(self.submission, QueryDict())
        most = min(MOST_LISTED, max(LEAST_LISTED, MOST_RECORDS // max(1, edits.total)))
        return self.show(
            "report",
            edits=edits,
            kinds=[(kind, self._sections(kind, parts, most)) for kind in edits.kinds],
            now=timezone.now(),
        )

    # In Python: a template takes several times as long for hundreds of edits.
    def _sections(
        self, kind: EditsOfKind, parts: dict[str, list[EditResult]], most: int
    ) -> SafeString:
        """Return the edits of a kind as HTML, each with its first records."""
        if not kind.items:
            return SafeString()  # a file that was not read has no lines
        parts_of_edits = [parts[item.edit] for item in kind.items]
        first_rows = findings.read_first_rows(self.submission, parts_of_edits, most)
        return mark_safe(  # noqa: S308 -- escaped
            "".join(
                self._section(kind, item, findings.count_records(parts_of_edit), rows)
                for item, parts_of_edit, rows in zip(
                    kind.items, parts_of_edits, first_rows, strict=True
                )
            )
        )

    def _section(self, kind: EditsOfKind, item: EditItem, total: int, rows: list[EditRow]) -> str:
        """Return an edit with its rule and its first records as HTML."""
        forms = catalogue.find_edits_by_code(item.edit, self.submission.rules_period)
        texts = [f"<p>{escape(item.description)}</p>"]
        if item.computed:
            texts.append(f"<p><strong>{escape(item.computed)}</strong></p>")
        texts += [f'<p class="site-quiet">Rule: {escape(edit.rule)}</p>' for edit in forms]
        heading, more = item.edit, ""
        if forms[0].level is EditLevel.FILE:
            # The result of a macro edit is in the sentence above.
            tables = edit_list.render_file_result(
                item.edit, [] if kind.kind is EditKind.MACRO else rows
            )
        else:
            tables = edit_list.render_record_tables(item.edit, rows)
            heading += f": triggered by {total:,} record{pluralize(total)}"
            if total > len(rows):
                more = f"<p>{_more(len(rows), total - len(rows))}</p>"
        return _SECTION.format(
            code=item.edit, heading=heading, texts="\n".join(texts), tables=tables, more=more
        )


def _more(listed: int, more: int) -> str:
    first = "The first record" if listed == 1 else f"The first {listed} records"
    return f"{first}. The CSV also has the other {more:,}."
