"""The list of edits that were triggered in a submission, with its search and filters."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from django.http import QueryDict

from filing.edits import catalogue
from filing.edits.edit import Kind
from filing.models import Submission
from filing.statuses import Status
from filing.submissions import results
from filing.submissions.results import EditItem

_MEANINGS = {
    Kind.SYNTACTICAL: "The file has syntactical errors. Correct them and upload the file again.",
    Kind.VALIDITY: "A value is not valid. Correct it and upload the file again.",
    Kind.QUALITY: "A value is unusual. Correct it, or verify that the data is accurate.",
    Kind.MACRO: "The file as a whole is unusual. Correct it, or verify that the data is accurate.",
}


@dataclass(frozen=True, slots=True)
class KindOfEdits:
    """The edits of one kind.

    items: all of them; edits: those that match the filters. verified: None for a kind that cannot
    be verified. is_listed: false if these edits are not listed until others pass.
    """

    kind: Kind
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
        return None if self.kind is Kind.MACRO else sum(item.total for item in self.items)


class EditList:
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
    def kinds(self) -> list[KindOfEdits]:
        """The edits by kind, all and those that match the filters."""
        is_stopped = self._submission.status == Status.SYNTACTICAL_OR_VALIDITY_ERRORS
        return [
            KindOfEdits(
                Kind(kind),
                items,
                [item for item in items if self._matches(kind, item)],
                getattr(self._submission, f"{kind}_verified", None),
                is_listed=not (is_stopped and Kind(kind) in {Kind.QUALITY, Kind.MACRO}),
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
        return results.edit_summary(self._submission)

    @cached_property
    def _fields(self) -> dict[str, set[str]]:
        """The labels of the fields of each edit, by code."""
        return {
            item.edit: {
                catalogue.label(edit, name)
                for edit in catalogue.forms(item.edit, self._submission.rules_period)
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
