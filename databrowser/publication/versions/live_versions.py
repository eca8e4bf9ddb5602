"""Versions of data sets that readers get: published, rolled back to, withdrawn.

Readers get what `LiveVersion` says for a year. Every change of it is one transaction, with a row of
the history, an entry of the trail, and word to those above.
"""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from databrowser.models import LiveVersion, Publication, Version
from databrowser.publication import signals
from databrowser.publication.events import PublicationEvent
from databrowser.publication.quantities import number_of
from filing import audit
from filing.access import Caller
from filing.errors import BadInput, NotFound, NotReady

_TOLD = {
    Publication.What.PUBLISHED: PublicationEvent.DATA_SET_PUBLISHED,
    Publication.What.ROLLED_BACK: PublicationEvent.DATA_SET_ROLLED_BACK,
    Publication.What.WITHDRAWN: PublicationEvent.DATA_SET_WITHDRAWN,
}


def live_of(year: int) -> LiveVersion | None:
    """Return what is live of a year."""
    return LiveVersion.objects.select_related("version").filter(year=year).first()


def plan_publish(version: Version) -> str:
    """Return what publishing a version would do.

    Raises: NotReady when its files are not there, it is published, or a later one is.
    """
    plan = plan_go_live(version)
    if _is_earlier(version, live_of(version.year)):
        raise NotReady(f"A later version than {version.name} is published: roll back to this one.")
    return plan


def plan_roll_back(version: Version) -> str:
    """Return what rolling back to a version would do.

    Raises: NotReady when its files are not there, or it is not earlier than the published one.
    """
    plan = plan_go_live(version)
    if not _is_earlier(version, live_of(version.year)):
        raise NotReady(f"No later version than {version.name} is published: publish this one.")
    return plan


def plan_go_live(version: Version) -> str:
    """Return what would be done to let readers get a version: publish it, or roll back to it.

    Raises: NotReady when its files are not there, or it is published.
    """
    _require_built(version)
    live = live_of(version.year)
    if live is None:
        return f"{version.year} becomes public, with {_records(version)}."
    if live.version_id == version.pk:
        raise NotReady(f"Version {version.name} is published.")
    verb = "is rolled back" if _is_earlier(version, live) else "moves on"
    return (
        f"{version.year} {verb} from version {live.version.name} ({_records(live.version)}) to "
        f"{version.name} ({_records(version)})."
    )


def go_live(version: Version, *, by: Caller, reason: str) -> str:
    """Publish a version, or roll back to it where a later one is published.

    Raises: what `plan_go_live` raises; BadInput without a reason.
    """
    require_reason(reason)
    with transaction.atomic():
        held = Version.objects.select_for_update().get(pk=version.pk)
        told = plan_go_live(held)
        before = LiveVersion.objects.select_for_update().filter(year=held.year).first()
        is_back = _is_earlier(held, before)
        what = Publication.What.ROLLED_BACK if is_back else Publication.What.PUBLISHED
        switch(held, what, by=by, reason=reason.strip())
    return told


def switch(version: Version, what: Publication.What, *, by: Caller, reason: str) -> None:
    """Make a version the live one of its year, and say so. Inside a transaction that holds it."""
    LiveVersion.objects.update_or_create(
        year=version.year,
        defaults={"version": version, "since": timezone.now(), "by": by.username},
    )
    _say(version, what, by=by, reason=reason)


def earlier(year: int, number: int | None = None) -> Version:
    """Return the version that a year would be rolled back to: this one, or the one before.

    Raises: NotReady when none is published, or none was before; NotFound for an unknown number.
    """
    live = live_of(year)
    if live is None:
        raise NotReady(f"No version of {year} is published.")
    versions = Version.objects.filter(year=year)
    if number is not None:
        found = versions.filter(number=number).first()
        if found is None:
            raise NotFound(f"There is no version {year}-{number}.")
        return found
    found = versions.filter(state=Version.State.BUILT, number__lt=live.version.number).first()
    if found is None:
        raise NotReady(f"No version before {live.version.name} is kept.")
    return found


def plan_withdraw(version: Version) -> str:
    """Return what withdrawing a published version would do.

    Raises: NotReady when it is not published.
    """
    if not LiveVersion.objects.filter(version=version).exists():
        raise NotReady(f"Version {version.name} is not published.")
    return f"{version.year} is no longer public: no one can read its {_records(version)}."


def withdraw(version: Version, *, by: Caller, reason: str) -> str:
    """Take a year from the public; returns what was done.

    Raises: NotReady when the version is not published; BadInput without a reason.
    """
    require_reason(reason)
    with transaction.atomic():
        live = LiveVersion.objects.select_for_update().filter(version=version).first()
        told = plan_withdraw(version)
        if live:
            live.delete()
        _say(version, Publication.What.WITHDRAWN, by=by, reason=reason.strip())
    return told


def require_reason(reason: str) -> None:
    """Return if a reason is given.

    Raises: BadInput.
    """
    if not reason.strip():
        raise BadInput("Say why: one sentence for the history will do.")


def _is_earlier(version: Version, live: LiveVersion | None) -> bool:
    return live is not None and version.number < live.version.number


def _records(version: Version) -> str:
    return number_of(version.rows, "record")


def _require_built(version: Version) -> None:
    if version.state == Version.State.REMOVED:
        raise NotReady(f"The files of version {version.name} are removed: build the year again.")
    if version.state != Version.State.BUILT:
        raise NotReady(f"Version {version.name} is not built. Its state: {version.standing}.")


def _say(version: Version, what: Publication.What, *, by: Caller, reason: str) -> None:
    Publication.objects.create(
        year=version.year,
        version=version,
        what=what,
        actor_id=by.id,
        actor_username=by.username,
        actor_email=by.email,
        reason=reason,
    )
    audit.record(_TOLD[what], by=by, about=version.name, reason=reason)
    signals.published.send(sender=Version, year=version.year)
