"""The edits that were triggered in a submission as one worklist, and their records as HTML tables.

The list has a search and filters. A template would take ten times as long for the records, and the
report of a large submission has hundreds.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils.safestring import SafeString, mark_safe

from filing.edits import catalogue
from filing.edits.edit import EditKind
from filing.figures.peers import PeerShares, find_peer_shares
from filing.models import EditReview, Submission
from filing.pages.comparisons import EditChanges
from filing.statuses import Status
from filing.submissions import results, reviews
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
<table class="usa-table site-table site-findings site-records">
<caption class="usa-sr-only">{caption}</caption>
<thead>{head}</thead>
<tbody>{body}</tbody>
</table>
</div>
"""


@dataclass(frozen=True, slots=True)
class ListedEdit:
    """An edit on the worklist, with its review, if it has one.

    change: how its count differs from that of the submission before, in words; blank if unknown.
    share: of the records of the file, and of those of institutions of its size, in words.
    """

    item: EditItem
    review: EditReview | None
    change: str = ""
    share: str = ""

    @property
    def code(self) -> str:
        return self.item.edit


@dataclass(frozen=True, slots=True)
class EditsOfKind:
    """The edits of one kind, those of most records first.

    edits: all of them; matching: those that match the filters. verified: None for a kind that
    cannot be verified. is_listed: false if these edits are not listed until others pass.
    """

    kind: EditKind
    edits: list[ListedEdit]
    matching: list[ListedEdit]
    verified: bool | None
    is_listed: bool

    @property
    def items(self) -> list[EditItem]:
        return [edit.item for edit in self.edits]

    @property
    def is_open(self) -> bool:
        """Whether these edits wait to be verified."""
        return bool(self.edits) and self.verified is False

    @property
    def reviewed(self) -> int:
        return sum(edit.review is not None for edit in self.edits)

    @property
    def name(self) -> str:
        return self.kind.value

    @property
    def meaning(self) -> str:
        return _MEANINGS[self.kind]

    @property
    def state(self) -> str:
        if not self.edits:
            return (
                "None triggered" if self.is_listed else "Listed after the edits above are corrected"
            )
        if self.verified is None:
            return "Correct the file"
        return "Verified" if self.verified else "Not verified"

    @property
    def total(self) -> int:
        return len(self.edits)

    @property
    def records(self) -> int | None:
        """Records that triggered these edits, once for each edit; macro edits have none."""
        return None if self.kind is EditKind.MACRO else sum(item.total for item in self.items)


class SubmissionEdits:
    """The edits of a submission.

    parameters: `q`, `kind` and `field`, all optional. changes: since the submission before, if any.
    """

    def __init__(
        self, submission: Submission, parameters: QueryDict, changes: EditChanges | None = None
    ) -> None:
        self._submission = submission
        self._changes = changes
        self.search = parameters.get("q", "").strip()
        self.kind = parameters.get("kind", "")
        self.field = parameters.get("field", "")

    @property
    def is_filtered(self) -> bool:
        return bool(self.search or self.kind or self.field)

    @property
    def query(self) -> str:
        """The filters as the query of an address; blank without any."""
        filters = {"q": self.search, "kind": self.kind, "field": self.field}
        query = urlencode({name: value for name, value in filters.items() if value})
        return f"?{query}" if query else ""

    @property
    def fields(self) -> list[str]:
        """The fields of these edits, by name."""
        return sorted({name for names in self._fields.values() for name in names})

    @cached_property
    def kinds(self) -> list[EditsOfKind]:
        """The edits by kind, all and those that match the filters."""
        is_stopped = self._submission.status == Status.SYNTACTICAL_OR_VALIDITY_ERRORS
        has_reviewable = any(self._items[kind] for kind in reviews.REVIEWABLE)
        by_code = reviews.find_reviews(self._submission) if has_reviewable else {}
        listed = {
            kind: [
                ListedEdit(
                    item,
                    by_code.get(item.edit),
                    self._describe_change(item),
                    self._describe_share(kind, item),
                )
                for item in items
            ]
            for kind, items in self._items.items()
        }
        return [
            EditsOfKind(
                EditKind(kind),
                edits,
                [edit for edit in edits if self._matches(kind, edit.item)],
                getattr(self._submission, f"{kind}_verified", None),
                is_listed=not (is_stopped and EditKind(kind) in {EditKind.QUALITY, EditKind.MACRO}),
            )
            for kind, edits in listed.items()
        ]

    @property
    def total(self) -> int:
        return sum(group.total for group in self.kinds)

    @property
    def count(self) -> int:
        """The number of edits that match the filters."""
        return sum(len(group.matching) for group in self.kinds)

    @property
    def open_kinds(self) -> list[EditsOfKind]:
        """The kinds that wait to be verified."""
        return [group for group in self.kinds if group.is_open]

    @property
    def to_review(self) -> int:
        """The number of edits that wait to be verified."""
        return sum(group.total for group in self.open_kinds)

    @property
    def reviewed(self) -> int:
        """How many of them are reviewed."""
        return sum(group.reviewed for group in self.open_kinds)

    def find_next_to_review(self, code: str = "") -> str:
        """Return the next edit without a review, after one of the list; blank if all have one."""
        edits = [edit for group in self.open_kinds for edit in group.edits]
        place = next((at for at, edit in enumerate(edits, 1) if edit.code == code), 0)
        in_turn = edits[place:] + edits[:place]
        return next((edit.code for edit in in_turn if edit.review is None), "")

    def _describe_change(self, item: EditItem) -> str:
        return self._changes.describe(item.edit) if self._changes else ""

    @cached_property
    def peers(self) -> PeerShares | None:
        """The institutions of the size of the filer, if there are enough."""
        return find_peer_shares(self._submission)

    def _describe_share(self, kind: str, item: EditItem) -> str:
        is_of_records = EditKind(kind) is EditKind.QUALITY and not item.transmittal_sheet
        return self.peers.describe(item.edit, item.total) if is_of_records and self.peers else ""

    @cached_property
    def _items(self) -> dict[str, list[EditItem]]:
        return {
            kind: sorted(items, key=lambda item: (-item.total, item.edit))
            for kind, items in results.summarize_edits(self._submission).items()
        }

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
