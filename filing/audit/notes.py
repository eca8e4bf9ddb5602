"""Notes of staff about anything: added, never changed."""

from __future__ import annotations

from django.contrib.contenttypes.models import ContentType
from django.db.models import Model, QuerySet

from filing.access import Caller
from filing.errors import BadInput
from filing.models import Note
from filing.models.storable import is_storable

LONGEST = 4000  # characters


def add(about: Model, *, by: Caller, text: str) -> Note:
    """Add a note about something and return it.

    Raises: BadInput when it says nothing, is too long, or holds what no database stores.
    """
    text = text.strip()
    if not text:
        raise BadInput("Write what the note says: it is empty.")
    if not is_storable(text):
        raise BadInput("The note holds a NUL character; write it without.")
    if len(text) > LONGEST:
        raise BadInput(f"A note has at most {LONGEST:,} characters; this one has {len(text):,}.")
    return Note.objects.create(
        content_type=ContentType.objects.get_for_model(about),
        object_id=about.pk,
        actor_id=by.id,
        actor_username=by.username,
        actor_email=by.email,
        reason=text,
    )


def of(about: Model) -> QuerySet[Note]:
    """Return the notes about something, newest first."""
    return Note.objects.filter(
        content_type=ContentType.objects.get_for_model(about), object_id=about.pk
    )
