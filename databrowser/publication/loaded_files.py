"""Files that staff loaded, of which they leave out some and take them in again."""

from __future__ import annotations

from django.db import transaction

from databrowser.models import BoundaryFile, PublicImport
from databrowser.publication.events import PublicationEvent
from filing import audit
from filing.access import Caller
from filing.errors import NotReady


def switch_loaded_file(
    file: PublicImport | BoundaryFile, event: PublicationEvent, *, by: Caller, reason: str
) -> None:
    """Leave out a file that is in use, or use one again that was left out.

    Raises: NotReady when somebody else did so in the meantime.
    """
    with transaction.atomic():
        same = type(file)._default_manager.filter(pk=file.pk, active=file.active)
        if not same.update(active=not file.active):
            raise NotReady("Another user changed it just now.")
        audit.record_event(event, by=by, about=str(file), reason=reason)
