"""The edits that were triggered in a submission, and the records of one edit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from filing.edits import catalogue
from filing.edits.citations import citation
from filing.edits.edit import Edit, Level
from filing.edits.examples import pairs
from filing.errors import NotFound
from filing.files.streamed_workbooks import MOST_ROWS
from filing.lar.period import Period
from filing.pages import changes, edit_records
from filing.pages.edit_list import EditList
from filing.pages.filer import SubmissionPage
from filing.pages.parameters import in_format, wants
from filing.requests.pagination import page
from filing.statuses import VERIFIABLE
from filing.submissions import comparison, downloads, findings, raw_files, results


class Edits(SubmissionPage):
    """The triggered edits by kind, with counts, and the changes since the previous submission."""

    def records(self, **where: Any) -> str:
        """Return which records a download has; the page itself has only counts."""
        is_download = wants(self.request, "csv") or wants(self.request, "xlsx")
        return in_format(self.request, "all edits") if is_download else ""

    def get(self, request: HttpRequest, **where: Any) -> HttpResponseBase:
        if wants(request, "csv"):
            raw_files.path(self.submission)
            return downloads.edits(self.submission, detailed=True)
        if wants(request, "xlsx"):
            raw_files.path(self.submission)
            return downloads.edits_workbook(self.submission)
        edits = EditList(self.submission, request.GET)
        return self.show(
            "edits",
            edits=edits,
            is_cut=sum(group.records or group.total for group in edits.kinds) > MOST_ROWS - 2,
            is_verifiable=self.submission.status in VERIFIABLE and not self.is_read_only,
            **self._changes(),
        )

    def _changes(self) -> dict[str, Any]:
        """Return the changes since the previous submission, if edits ran on both."""
        before = comparison.checked_before(self.submission)
        if before is None or not self.submission.edits_folder:
            return {}
        numbers = {
            "earlier": before.sequence_number,
            "number": self.submission.sequence_number,
        }
        return {
            "changes": changes.of_edits(before, self.submission),
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
        return citation(self.edit)

    @property
    def fields(self) -> str:
        return "; ".join(catalogue.label(self.edit, name) for name in self.edit.fields)

    @property
    def example(self) -> pairs.Example | None:
        return pairs.example(self.edit, self.period)


class OneEdit(SubmissionPage):
    """The records that triggered an edit, page by page, with its rule."""

    def records(self, **where: Any) -> str:
        return in_format(self.request, f"edit {where['code']}")

    def get(self, request: HttpRequest, code: str, **where: Any) -> HttpResponseBase:
        try:
            forms = catalogue.forms(code, self.submission.rules_period)
        except LookupError:
            raise NotFound(f"There is no edit {code} in {self.period}.") from None
        parts = findings.results_of(self.submission, code)
        if parts:
            raw_files.path(self.submission)
        if wants(request, "csv"):
            return downloads.edit(self.submission, code)
        if wants(request, "xlsx"):
            return downloads.edit_workbook(self.submission, code)
        total = findings.total(parts)
        current_page = page(request.GET.get("page"), total)
        is_of_file = forms[0].level is Level.FILE
        listed = edit_records.of_file if is_of_file else edit_records.tables
        return self.show(
            "edit",
            code=code,
            kind=forms[0].kind.value,
            forms=[_Form(edit, self.period) for edit in forms],
            computed=findings.detail(self.submission, parts) if parts else "",
            not_run="" if parts else findings.reason_not_run(self.submission, code),
            tables=listed(code, findings.edit_rows(self.submission, parts, current_page)),
            is_of_file=is_of_file,
            current_page=current_page,
            total=sum(part.total for part in parts),
            is_cut=total > MOST_ROWS - 2,
            near=self._near(code),
        )

    def _near(self, code: str) -> dict[str, str]:
        """Return the previous and the next edit in the list; blank at its ends."""
        summary = results.edit_summary(self.submission).values()
        codes = [item.edit for items in summary for item in items]
        if code not in codes:
            return {}
        index = codes.index(code)
        return {
            "previous": codes[index - 1] if index else "",
            "next": codes[index + 1] if index + 1 < len(codes) else "",
        }
