"""Notes that staff add to any record; they are never changed."""

from __future__ import annotations

from django.contrib.contenttypes.models import ContentType
from django.db.models import Model, QuerySet

from filing.access import Caller
from filing.errors import BadInput
from filing.models import Note
from filing.models.storable import is_storable

MAX_LENGTH = 4000  # characters


def add(about: Model, *, by: Caller, text: str) -> Note:
    """Add a note to a record and return it.

    Raises: BadInput when it is empty or too long, or has a character that no database stores.
    """
    text = text.strip()
    if not text:
        raise BadInput("The note is empty. Enter its text.")
    if not is_storable(text):
        raise BadInput("The note has a NUL character. Remove it.")
    if len(text) > MAX_LENGTH:
        raise BadInput(f"The note has {len(text):,} characters. Enter at most {MAX_LENGTH:,}.")
    return Note.objects.create(
        content_type=ContentType.objects.get_for_model(about),
        object_id=about.pk,
        actor_id=by.id,
        actor_username=by.username,
        actor_email=by.email,
        reason=text,
    )


def of(about: Model) -> QuerySet[Note]:
    """Return the notes on a record, newest first."""
    return Note.objects.filter(
        content_type=ContentType.objects.get_for_model(about), object_id=about.pk
    )
