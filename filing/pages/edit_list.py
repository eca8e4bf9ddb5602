"""The edits that were triggered in a submission, and their records as HTML tables.

The list has a search and filters. A template would take ten times as long for the records, and the
report of a large submission has hundreds.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from django.http import QueryDict
from django.utils.safestring import SafeString, mark_safe

from filing.edits import catalogue
from filing.edits.edit import EditKind
from filing.models import Submission
from filing.statuses import Status
from filing.submissions import results
from filing.submissions.findings import EditRow
from filing.submissions.results import EditItem

_MEANINGS = {
    EditKind.SYNTACTICAL: (
        "The file has syntactical errors. Correct them and upload the file again."
    ),
    EditKind.VALIDITY: "A value is not valid. Correct it and upload the file again.",
    EditKind.QUALITY: "A value is unusual. Correct it, or verify that the data is accurate.",
    EditKind.MACRO: (
        "The file as a whole is unusual. Correct it, or verify that the data is accurate."
    ),
}
BLANK_VALUE = "(blank)"  # in place of an empty value
_FRAME = """\
<div class="usa-table-container--scrollable" tabindex="0" role="region" aria-label="{label}">
<table class="usa-table usa-table--borderless site-findings site-records">
<caption class="usa-sr-only">{caption}</caption>
<thead>{head}</thead>
<tbody>{body}</tbody>
</table>
</div>
"""


@dataclass(frozen=True, slots=True)
class EditsOfKind:
    """The edits of one kind.

    items: all of them; edits: those that match the filters. verified: None for a kind that cannot
    be verified. is_listed: false if these edits are not listed until others pass.
    """

    kind: EditKind
    items: list[EditItem]
    edits: list[EditItem]
    verified: bool | None
    is_listed: bool

    @property
    def name(self) -> str:
        return self.kind.value

    @property
    def meaning(self) -> str:
        return _MEANINGS[self.kind]

    @property
    def state(self) -> str:
        if not self.items:
            return (
                "None triggered" if self.is_listed else "Listed after the edits above are corrected"
            )
        if self.verified is None:
            return "Correct the file"
        return "Verified" if self.verified else "Not verified"

    @property
    def total(self) -> int:
        return len(self.items)

    @property
    def records(self) -> int | None:
        """Records that triggered these edits, once for each edit; macro edits have none."""
        return None if self.kind is EditKind.MACRO else sum(item.total for item in self.items)


class SubmissionEdits:
    """The edits of a submission. parameters: `q`, `kind` and `field`, all optional."""

    def __init__(self, submission: Submission, parameters: QueryDict) -> None:
        self._submission = submission
        self.search = parameters.get("q", "").strip()
        self.kind = parameters.get("kind", "")
        self.field = parameters.get("field", "")

    @property
    def is_filtered(self) -> bool:
        return bool(self.search or self.kind or self.field)

    @property
    def fields(self) -> list[str]:
        """The fields of these edits, by name."""
        return sorted({name for names in self._fields.values() for name in names})

    @cached_property
    def kinds(self) -> list[EditsOfKind]:
        """The edits by kind, all and those that match the filters."""
        is_stopped = self._submission.status == Status.SYNTACTICAL_OR_VALIDITY_ERRORS
        return [
            EditsOfKind(
                EditKind(kind),
                items,
                [item for item in items if self._matches(kind, item)],
                getattr(self._submission, f"{kind}_verified", None),
                is_listed=not (is_stopped and EditKind(kind) in {EditKind.QUALITY, EditKind.MACRO}),
            )
            for kind, items in self._items.items()
        ]

    @property
    def total(self) -> int:
        return sum(group.total for group in self.kinds)

    @property
    def count(self) -> int:
        """The number of edits that match the filters."""
        return sum(len(group.edits) for group in self.kinds)

    @cached_property
    def _items(self) -> dict[str, list[EditItem]]:
        return results.summarize_edits(self._submission)

    @cached_property
    def _fields(self) -> dict[str, set[str]]:
        """The labels of the fields of each edit, by code."""
        return {
            item.edit: {
                catalogue.label_field(edit, name)
                for edit in catalogue.find_edits_by_code(item.edit, self._submission.rules_period)
                for name in edit.fields
            }
            for items in self._items.values()
            for item in items
        }

    def _matches(self, kind: str, item: EditItem) -> bool:
        text = f"{item.edit} {item.description}".lower()
        return (
            (not self.kind or kind == self.kind)
            and (not self.field or self.field in self._fields[item.edit])
            and all(word in text for word in self.search.lower().split())
        )


def render_record_tables(code: str, rows: Iterable[EditRow]) -> SafeString:
    """Return the records that triggered an edit, in the order of the file.

    The transmittal sheet has a table of its own because its columns differ from a loan's.
    """
    parts = groupby(rows, lambda row: [label for label, _ in row.fields])
    return _joined(
        _FRAME.format(
            label=f"Records of edit {code}{', continued' if number else ''}",
            caption=f"Records that triggered {code}",
            head=_head(records := list(part), columns),
            body="".join(map(_record, records)),
        )
        for number, (columns, part) in enumerate(parts)
    )


def render_file_result(code: str, rows: Iterable[EditRow]) -> SafeString:
    """Return the result of an edit of the whole file, as fields and their values."""
    fields = [field for row in rows for field in row.fields]
    if not fields:
        return SafeString()
    title = f"Result of edit {code} for the file"
    head = '<tr><th scope="col">Field</th><th scope="col">Value</th></tr>'
    body = "".join(
        f'<tr><th scope="row">{_escaped(field, "</th><td>")}</td></tr>' for field in fields
    )
    return _joined([_FRAME.format(label=title, caption=title, head=head, body=body)])


def _head(records: Sequence[EditRow], columns: Iterable[str]) -> str:
    identifier = "LEI" if records[0].line == 1 else "ULI"
    labels = _escaped(["Line", identifier, *columns], '</th><th scope="col">')
    return f'<tr><th scope="col">{labels}</th></tr>'


def _record(record: EditRow) -> str:
    cells = _escaped([record.id, *[value for _, value in record.fields]], "</td><td>")
    return f'<tr><th scope="row">{record.line:,}</th><td class="site-id">{cells}</td></tr>'


def _escaped(texts: Iterable[str], separator: str) -> str:
    """Return texts as HTML, joined with a separator. No text contains the character U+0000."""
    return html.escape("\0".join([text or BLANK_VALUE for text in texts])).replace("\0", separator)


def _joined(parts: Iterable[str]) -> SafeString:
    """Return pieces of escaped HTML as one."""
    return mark_safe("".join(parts))  # noqa: S308 -- escaped
