"""The report of a submission: all its edits on one page, to print or save as a PDF."""

from __future__ import annotations

from html import escape
from typing import Any

from django.http import HttpRequest, QueryDict
from django.http.response import HttpResponseBase
from django.template.defaultfilters import pluralize
from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe

from filing.edits import catalogue
from filing.edits.edit import Kind, Level
from filing.models import EditResult
from filing.pages import edit_records
from filing.pages.edit_list import EditList, KindOfEdits
from filing.pages.filer import SubmissionPage
from filing.submissions import findings, raw_files
from filing.submissions.findings import EditRow
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


class Report(SubmissionPage):
    """The institution, its file, and every edit with its rule, count and first records."""

    def records(self, **where: Any) -> str:
        return "report of all edits"

    def get(self, request: HttpRequest, **where: Any) -> HttpResponseBase:
        parts: dict[str, list[EditResult]] = {}
        # In file order: the transmittal sheet ("ts") before the loans ("lar").
        for result in findings.every_result(self.submission).order_by("code", "-level"):
            parts.setdefault(result.code, []).append(result)
        if parts:
            raw_files.path(self.submission)
        edits = EditList(self.submission, QueryDict())
        listed = min(MOST_LISTED, max(LEAST_LISTED, MOST_RECORDS // max(1, edits.total)))
        return self.show(
            "report",
            edits=edits,
            kinds=[(kind, self._sections(kind, parts, listed)) for kind in edits.kinds],
            now=timezone.now(),
        )

    # In Python: a template takes several times as long for hundreds of edits.
    def _sections(
        self, kind: KindOfEdits, parts: dict[str, list[EditResult]], most: int
    ) -> SafeString:
        """Return the edits of a kind as HTML, each with its first records."""
        if not kind.items:
            return SafeString()  # a file that was not read has no lines
        parts_of_edits = [parts[item.edit] for item in kind.items]
        first_rows = findings.first_rows(self.submission, parts_of_edits, most)
        return mark_safe(  # noqa: S308 -- escaped
            "".join(
                self._section(kind, item, findings.total(parts_of_edit), rows)
                for item, parts_of_edit, rows in zip(
                    kind.items, parts_of_edits, first_rows, strict=True
                )
            )
        )

    def _section(self, kind: KindOfEdits, item: EditItem, total: int, rows: list[EditRow]) -> str:
        """Return an edit with its rule and its first records as HTML."""
        forms = catalogue.forms(item.edit, self.submission.rules_period)
        texts = [f"<p>{escape(item.description)}</p>"]
        if item.computed:
            texts.append(f"<p><strong>{escape(item.computed)}</strong></p>")
        texts += [f'<p class="site-quiet">Rule: {escape(edit.rule)}</p>' for edit in forms]
        heading, more = item.edit, ""
        if forms[0].level is Level.FILE:
            # The result of a macro edit is in the sentence above.
            tables = edit_records.of_file(item.edit, [] if kind.kind is Kind.MACRO else rows)
        else:
            tables = edit_records.tables(item.edit, rows)
            heading += f": triggered by {total:,} record{pluralize(total)}"
            if total > len(rows):
                more = f"<p>{_more(len(rows), total - len(rows))}</p>"
        return _SECTION.format(
            code=item.edit, heading=heading, texts="\n".join(texts), tables=tables, more=more
        )


def _more(listed: int, more: int) -> str:
    first = "The first record" if listed == 1 else f"The first {listed} records"
    return f"{first}. The CSV also has the other {more:,}."
