"""The findings of a submission: its edits, the records of one, formatting errors, and the report.

The report has all edits on one page, to print or save as a PDF.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, QueryDict
from django.http.response import HttpResponseBase
from django.template.defaultfilters import pluralize
from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe

from filing import submissions
from filing.edits import catalogue
from filing.edits.edit import Edit, EditKind, EditLevel
from filing.edits.examples import pairs
from filing.edits.read_fields import cite_edit
from filing.errors import BadInput, NotFound
from filing.files.workbook_files import MOST_ROWS
from filing.lar.years import Period
from filing.models import EditResult
from filing.pages import comparisons, edit_list
from filing.pages.edit_list import EditsOfKind, SubmissionEdits
from filing.pages.filer import SubmissionPage, describe_download, wants_format
from filing.pages.repeated_forms import once_per_form
from filing.requests import select_page
from filing.submissions import comparison, downloads, findings, results, reviews
from filing.submissions.findings import EditRow, ErrorGroup
from filing.submissions.results import EditItem
from filing.submissions.reviews import FormerReasons

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
    """The triggered edits as one worklist: by kind, with their reviews, and the verification."""

    http_method_names = ["get", "head", "post"]

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
        changes = self._changes()
        is_any_verified = self.submission.quality_verified or self.submission.macro_verified
        edits = SubmissionEdits(self.submission, request.GET, changes.get("changes"))
        return self.show(
            "edits",
            edits=edits,
            is_cut=sum(group.records or group.total for group in edits.kinds) > MOST_ROWS - 2,
            is_verifiable=self.is_verifiable,
            verifications=results.find_verifications(self.submission) if is_any_verified else {},
            former=self._former_reasons(edits),
            longest=submissions.LONGEST_REASON,
            may_sign=settings.SIGNING_ENABLED,
            **changes,
        )

    @once_per_form
    def post(self, request: HttpRequest, **where: Any) -> HttpResponseBase:
        """Keep the reasons of a former submission for the edits whose records did not change.

        Raises: what `reviews.keep_reasons` raises.
        """
        kept = reviews.keep_reasons(self.submission, by=self.caller)
        edits = f"{len(kept)} edit{pluralize(len(kept))}"
        messages.success(request, f"{edits} reviewed with the reasons of the earlier submission.")
        return self.go("filing-edits", number=self.submission.sequence_number)

    def _former_reasons(self, edits: SubmissionEdits) -> FormerReasons | None:
        """Return the reasons that the filer can keep, if any edit waits for a review."""
        if not self.is_verifiable or not edits.find_next_to_review():
            return None
        return reviews.find_former_reasons(
            self.submission,
            is_requested=self.request.GET.get("records") == "all",
            retries=not self.is_part,
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
    """The records that triggered an edit, page by page, with its review and its rule."""

    http_method_names = ["get", "head", "post"]

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
            longest=submissions.LONGEST_REASON,
            **self._place(code),
        )

    @once_per_form
    def post(self, request: HttpRequest, code: str, **where: Any) -> HttpResponseBase:
        """Review the edit and go to the next one that needs it, or remove its review.

        Raises: BadInput; what `reviews.review_edit` raises.
        """
        answer = request.POST.get("reviewed")
        if answer not in ("true", "false"):
            raise BadInput(f"reviewed is {answer or 'missing'}; send true or false.")
        number = self.submission.sequence_number
        if answer == "false":
            reviews.remove_review(self.submission, code, by=self.caller)
            messages.success(request, f"{code} is no longer marked as reviewed.")
            return self.go("filing-edit", number=number, code=code)
        reason = request.POST.get("reason", "")
        reviews.review_edit(self.submission, code, by=self.caller, reason=reason)
        edits = SubmissionEdits(self.submission, QueryDict())
        if following := edits.find_next_to_review(code):
            messages.success(request, f"{code} is marked as reviewed. Next: {following}.")
            return self.go("filing-edit", number=number, code=following)
        messages.success(request, "All edits are reviewed. Next, verify them.")
        return self.go_to_edits("#verify")

    def _place(self, code: str) -> dict[str, Any]:
        """Return the place of the edit in the worklist, and its neighbors; blank at its ends."""
        edits = SubmissionEdits(self.submission, self.request.GET)
        listed = [(group, edit) for group in edits.kinds for edit in group.matching]
        codes = [edit.code for _, edit in listed]
        if code not in codes:
            return {"edits": edits}
        at = codes.index(code)
        group, edit = listed[at]
        return {
            "edits": edits,
            "group": group,
            "review": edit.review,
            "place": at + 1,
            "previous": codes[at - 1] if at else "",
            "next": codes[at + 1] if at + 1 < len(codes) else "",
            "is_reviewable": group.is_open and self.is_verifiable,
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
