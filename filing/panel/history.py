"""The history of institutions in the panel: each change, by whom, when and why.

The log records changes of single institutions automatically. It does not see bulk statements, whose
callers write the entries here.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from copy import copy
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from auditlog.cid import get_cid
from auditlog.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db.models import JSONField, QuerySet
from django.db.models.signals import pre_save
from django.utils.text import capfirst

from filing import audit
from filing.access import Person, person_with_email
from filing.access.fields import Readers, may_read_field
from filing.audit.value_changes import describe_change, describe_value
from filing.models import Institution

_BATCH = 500
_ACTIONS = {
    LogEntry.Action.CREATE: "added",
    LogEntry.Action.UPDATE: "changed",
    LogEntry.Action.DELETE: "deleted",
}


@dataclass(frozen=True)
class Edition:
    """One change of an institution in one year, with a line for each field."""

    at: datetime
    year: int | None
    who: str
    what: str
    lines: list[str]
    why: str


@dataclass(frozen=True)
class PublicEdition:
    """One change as people outside staff read it: they do not learn who of the staff made it.

    is_proposed: by the institution, and accepted by staff.
    """

    at: datetime
    year: int | None
    is_proposed: bool
    what: str
    lines: list[str]

    @property
    def who(self) -> str:
        return "the institution" if self.is_proposed else "staff"


@dataclass(frozen=True)
class Snapshot:
    """An institution in one year after a change. fields: those that changed."""

    id: int
    at: datetime
    institution: Institution
    fields: frozenset[str]


def record_bulk_changes(
    changes: Iterable[tuple[Institution, bool, Mapping[str, tuple[Any, Any]]]], *, reason: str
) -> None:
    """Record the changes of bulk statements: institution, whether it is new, its differences.

    Call this in their transaction, after them.
    """
    about, request = ContentType.objects.get_for_model(Institution), get_cid()
    entries = [
        LogEntry(
            content_type=about,
            object_pk=str(institution.pk),
            object_id=institution.pk,
            object_repr=str(institution),
            action=LogEntry.Action.CREATE if is_new else LogEntry.Action.UPDATE,
            changes={
                name: [_text(None if is_new else before), _text(value)]
                for name, (before, value) in differences.items()
            },
            cid=request,
        )
        for institution, is_new, differences in changes
    ]
    with audit.set_reason(reason):
        for entry in entries:
            # The receiver adds the user and the origin; a bulk statement does not call it.
            pre_save.send(LogEntry, instance=entry, raw=False, using="default", update_fields=None)
    LogEntry.objects.bulk_create(entries, batch_size=_BATCH)


def list_entries(lei: str) -> QuerySet[LogEntry]:
    """Return the changes of an institution in all its years, newest first."""
    keys = Institution.objects.filter(lei=lei).values("pk")
    entries: QuerySet[LogEntry] = LogEntry.objects.filter(
        content_type=ContentType.objects.get_for_model(Institution), object_id__in=keys
    )
    return entries.select_related("actor").order_by("-timestamp", "-pk")


def list_editions(entries: Iterable[LogEntry], *, lei: str) -> list[Edition]:
    """Return entries of an institution in readable form."""
    years = dict(Institution.objects.filter(lei=lei).values_list("pk", "activity_year"))
    return [_edition(entry, years) for entry in entries]


def list_public_editions(
    entries: Iterable[LogEntry], *, lei: str, proposed: Collection[int]
) -> list[PublicEdition]:
    """Return entries of an institution as its own people read them, without fields of staff.

    proposed: the keys of the entries that the institution proposed.
    """
    years = dict(Institution.objects.filter(lei=lei).values_list("pk", "activity_year"))
    return [
        PublicEdition(
            at=entry.timestamp,
            year=years.get(entry.object_id),
            is_proposed=entry.pk in proposed,
            what=_ACTIONS.get(entry.action, ""),
            lines=_lines(entry, reader=Readers.FILERS),
        )
        for entry in entries
    ]


def list_snapshots(institution: Institution, *, most: int) -> list[Snapshot]:
    """Return an institution of a year as it was after each change, newest first, up to a maximum.

    The log has differences: the present state is the newest, and each change is undone in turn.
    """
    entries: QuerySet[LogEntry] = LogEntry.objects.filter(
        content_type=ContentType.objects.get_for_model(Institution), object_id=institution.pk
    )
    states, state = [], copy(institution)
    for entry in entries.order_by("-timestamp", "-pk")[:most]:
        changes = entry.changes or {}
        states.append(Snapshot(entry.pk, entry.timestamp, copy(state), frozenset(changes)))
        if entry.action == LogEntry.Action.UPDATE:
            for name, (before, _) in changes.items():
                setattr(state, name, _value(name, before))
    return states


def _edition(entry: LogEntry, years: Mapping[int, int]) -> Edition:
    further = entry.additional_data or {}
    return Edition(
        at=entry.timestamp,
        year=years.get(entry.object_id),
        who=find_author(entry),
        what=_ACTIONS.get(entry.action, ""),
        lines=_lines(entry),
        why=further.get("reason", ""),
    )


def _lines(entry: LogEntry, *, reader: Readers = Readers.STAFF) -> list[str]:
    return [
        _line(entry, name, before, after)
        for name, (before, after) in sorted((entry.changes or {}).items())
        if name != "id"
        and not {before, after} <= {"None", ""}
        and may_read_field(reader, Institution, name)
    ]


def find_author(entry: LogEntry) -> str:
    """Return who made a change, as pages name them."""
    further = entry.additional_data or {}
    actor = entry.actor
    person = Person(
        name=actor.get_full_name() if actor else "",
        username=actor.get_username() if actor else "",
        email=entry.actor_email or "",
        id=further.get("subject", ""),
    )
    return person_with_email(person) if any(person) else "the command line"


def _line(entry: LogEntry, name: str, before: str, after: str) -> str:
    """Return a field of an entry: both values of a change, else the only one there is."""
    label, field = label_field(name), Institution._meta.get_field(name)
    if entry.action == LogEntry.Action.UPDATE:
        return describe_change(label, before, after, field=field)
    only = before if entry.action == LogEntry.Action.DELETE else after
    return f"{label}: {describe_value(only, field=field)}"


def label_field(name: str) -> str:
    """Return the label of a column of the panel; for an unknown name that name."""
    known = {field.name: field for field in Institution._meta.concrete_fields}
    return capfirst(str(known[name].verbose_name)) if name in known else name


def _text(value: Any) -> str:
    """Return a value as the log stores it."""
    return json.dumps(value, sort_keys=True) if isinstance(value, list) else str(value)


def _value(field: str, text: str) -> Any:
    """Return the value of a field from the text in the log."""
    column: Any = Institution._meta.get_field(field)
    return json.loads(text) if isinstance(column, JSONField) else column.to_python(text)
