"""The published version of each year: publishing, rolling back, withdrawing.

`LiveVersion` names the published version of a year. Each change of it is one transaction, with an
entry of the public history, an entry of the audit log, and a signal. A year that staff withdrew or
rolled back stays so until staff publish it again: `decision_against` says what may not be
published automatically.
"""

from __future__ import annotations

from datetime import datetime
from itertools import zip_longest

from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.timezone import localtime

from databrowser.models import LiveVersion, Publication, Version
from databrowser.publication import events
from databrowser.publication.events import PublicationEvent
from databrowser.publication.quantities import number_of
from filing import audit
from filing.access import SERVICE, Caller
from filing.errors import BadInput, NotFound, NotReady

_EVENTS = {
    Publication.What.PUBLISHED: PublicationEvent.DATA_SET_PUBLISHED,
    Publication.What.ROLLED_BACK: PublicationEvent.DATA_SET_ROLLED_BACK,
    Publication.What.WITHDRAWN: PublicationEvent.DATA_SET_WITHDRAWN,
}


def published_versions() -> QuerySet[LiveVersion]:
    """Return the published version of each year, by year; no other year is public."""
    return LiveVersion.objects.select_related("version").order_by("year")


def live_version(year: int) -> LiveVersion | None:
    """Return the published version of a year, or None."""
    return published_versions().filter(year=year).first()


def public_versions(*years: int) -> list[Version]:
    """Return the versions of years whose files the public may have, newest year and version first.

    Those are the published one, and each that a later one followed. A version that staff withdrew
    or rolled back from is not public, nor is one whose files were removed, nor any of a year that
    is withdrawn.
    """
    change = Publication.What
    published = published_versions().filter(year__in=years).values("year")
    history = list(Publication.objects.filter(year__in=published).order_by("year", "pk"))
    is_public: dict[int, bool] = {}  # the last entry of a version decides
    for entry, following in zip_longest(history, history[1:]):
        if entry.what != change.WITHDRAWN:
            is_last = following is None or following.year != entry.year
            is_public[entry.version_id] = is_last or following.what == change.PUBLISHED
    keys = [key for key, is_so in is_public.items() if is_so]
    return list(Version.objects.filter(pk__in=keys, state=Version.State.BUILT))


def public_version(year: int, name: str) -> Version | None:
    """Return a version by its name, such as `2022-1`, if the public may have its files, or None."""
    return next((each for each in public_versions(year) if each.name == name), None)


def withdrawn_years() -> frozenset[int]:
    """Return the years that were public once and are not now."""
    published = published_versions().values("year")
    withdrawn = Publication.objects.exclude(year__in=published)
    return frozenset(withdrawn.order_by().values_list("year", flat=True).distinct())


def decisions_against() -> dict[int, Publication]:
    """Return, by year, why a year is not published automatically: staff took its version away.

    That is the last entry of its history, those of the service left aside, if it is a withdrawal
    or a roll back.
    """
    change = Publication.What
    by_staff = Publication.objects.exclude(
        what=change.PUBLISHED, actor_id=SERVICE.id, actor_username=SERVICE.username
    )
    last = by_staff.order_by().values("year").annotate(last=Max("pk")).values("last")
    decisions = Publication.objects.select_related("version").filter(pk__in=last)
    return {each.year: each for each in decisions.exclude(what=change.PUBLISHED)}


def decision_against(version: Version) -> Publication | None:
    """Return the decision of staff because of which a built version is not published, or None.

    What staff requested after that decision is published.
    """
    decision = decisions_against().get(version.year)
    is_newer = bool(version.actor_id or version.actor_username)
    if decision and is_newer and version.at > decision.at:
        return None
    return decision


def describe_decision(decision: Publication) -> str:
    """Return in words why a year is not published automatically."""
    verb = "withdrew" if decision.what == Publication.What.WITHDRAWN else "rolled back"
    day = date_format(localtime(decision.at), "Y-m-d")
    return f"staff {verb} {decision.year} on {day}. Reason: {decision.reason}"


def plan_publish(version: Version) -> str:
    """Return what publishing a version would do.

    Raises: NotReady when it has no files, or it or a later version is published.
    """
    plan = plan_go_live(version)
    if _is_earlier(version, live_version(version.year)):
        raise NotReady(
            f"A later version than {version.name} is published; roll back to this one instead."
        )
    return plan


def plan_roll_back(version: Version) -> str:
    """Return what rolling back to a version would do.

    Raises: NotReady when it has no files, or is not earlier than the published version.
    """
    plan = plan_go_live(version)
    if not _is_earlier(version, live_version(version.year)):
        raise NotReady(
            f"No later version than {version.name} is published; publish this one instead."
        )
    return plan


def plan_go_live(version: Version) -> str:
    """Return what making a version the published one would do: publish it, or roll back to it.

    Raises: NotReady when its files are removed or not built, or it is published.
    """
    _require_built(version)
    live = live_version(version.year)
    if live is None:
        return f"{version.year} becomes public, with {_records(version)}."
    if live.version_id == version.pk:
        raise NotReady(f"Version {version.name} is already published.")
    verb = "is rolled back" if _is_earlier(version, live) else "moves on"
    return (
        f"{version.year} {verb} from version {live.version.name} ({_records(live.version)}) to "
        f"{version.name} ({_records(version)})."
    )


def publish_version(version: Version, *, by: Caller, reason: str) -> str:
    """Publish a version, or roll back to it if a later one is published.

    Raises: what `plan_go_live` raises; BadInput without a reason.
    """
    require_reason(reason)
    with transaction.atomic():
        locked = Version.objects.select_for_update().get(pk=version.pk)
        summary = plan_go_live(locked)
        before = LiveVersion.objects.select_for_update().filter(year=locked.year).first()
        is_back = _is_earlier(locked, before)
        change = Publication.What.ROLLED_BACK if is_back else Publication.What.PUBLISHED
        switch_live_version(locked, change, by=by, reason=reason.strip())
    return summary


def switch_live_version(
    version: Version, change: Publication.What, *, by: Caller, reason: str
) -> None:
    """Make a version the published one of its year. Call it inside a transaction that locks it."""
    now = timezone.now()
    LiveVersion.objects.update_or_create(
        year=version.year,
        defaults={"version": version, "since": now, "by": by.username},
    )
    _record(version, change, by=by, reason=reason, at=now)


def roll_back_target(year: int, number: int | None = None) -> Version:
    """Return the version to roll a year back to: the one of a number, or the one before.

    Raises: NotReady when none is published, or none before is kept; NotFound for an unknown number.
    """
    live = live_version(year)
    if live is None:
        raise NotReady(f"No version of {year} is published.")
    versions = Version.objects.filter(year=year)
    if number is not None:
        version = versions.filter(number=number).first()
        if version is None:
            raise NotFound(f"There is no version {year}-{number}.")
        return version
    version = versions.filter(state=Version.State.BUILT, number__lt=live.version.number).first()
    if version is None:
        raise NotReady(f"No version before {live.version.name} is kept.")
    return version


def plan_withdraw(version: Version) -> str:
    """Return what withdrawing a published version would do.

    Raises: NotReady when it is not published.
    """
    if not LiveVersion.objects.filter(version=version).exists():
        raise NotReady(f"Version {version.name} is not published.")
    return f"{version.year} is no longer public: no one can read its {_records(version)}."


def withdraw_version(version: Version, *, by: Caller, reason: str) -> str:
    """Withdraw the published version of a year; return what was done.

    Raises: NotReady when the version is not published; BadInput without a reason.
    """
    require_reason(reason)
    with transaction.atomic():
        live = LiveVersion.objects.select_for_update().filter(version=version).first()
        summary = plan_withdraw(version)
        if live:
            live.delete()
        _record(
            version, Publication.What.WITHDRAWN, by=by, reason=reason.strip(), at=timezone.now()
        )
    return summary


def require_reason(reason: str) -> None:
    """Require a reason. Raises: BadInput."""
    if not reason.strip():
        raise BadInput("Say why: one sentence for the history will do.")


def _is_earlier(version: Version, live: LiveVersion | None) -> bool:
    return live is not None and version.number < live.version.number


def _records(version: Version) -> str:
    return number_of(version.rows, "record")


def _require_built(version: Version) -> None:
    if version.state == Version.State.REMOVED:
        raise NotReady(f"The files of version {version.name} were removed; build the year again.")
    if version.state != Version.State.BUILT:
        raise NotReady(f"Version {version.name} is not built; its state is: {version.standing}.")


def _record(
    version: Version, change: Publication.What, *, by: Caller, reason: str, at: datetime
) -> None:
    Publication.objects.create(
        at=at,
        year=version.year,
        version=version,
        what=change,
        actor_id=by.id,
        actor_username=by.username,
        actor_email=by.email,
        reason=reason,
    )
    audit.record_event(_EVENTS[change], by=by, about=version.name, reason=reason)
    events.version_published.send(sender=Version, year=version.year)
