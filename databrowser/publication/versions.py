"""Versions of data sets: asked for, published, rolled back, withdrawn, and in the end removed.

Readers get what `LiveVersion` says for a year. Every change of it is one transaction, with a row of
the history, an entry of the trail, and word to those above.
"""

from __future__ import annotations

import logging
from datetime import timedelta

from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from databrowser.models import LiveVersion, Publication, PublicImport, Version
from databrowser.publication import intake, signals, sources
from databrowser.publication.imports import FOLDER as IMPORTS
from databrowser.publication.wording import number_of
from filing import jobs, notify, storage, trail
from filing.access import SERVICE, Caller
from filing.errors import BadInput, NotFound, NotReady
from filing.lar.period import FIRST_YEAR, LAST_YEAR
from filing.models import Happening

log = logging.getLogger(__name__)

FOLDER = "publication/years"
KEPT = 3
KEPT_FOR = timedelta(days=1)
_ABANDONED_AFTER = timedelta(days=1)
_TOLD = {
    Publication.What.PUBLISHED: Happening.DATA_SET_PUBLISHED,
    Publication.What.ROLLED_BACK: Happening.DATA_SET_ROLLED_BACK,
    Publication.What.WITHDRAWN: Happening.DATA_SET_WITHDRAWN,
}


def plan_build(year: int) -> str:
    """Return what a build of a year would be made of.

    Raises: BadInput for a year that cannot be; NotReady when nothing is there, nothing is new, or
    the year is being built.
    """
    if not FIRST_YEAR <= year <= LAST_YEAR:
        raise BadInput(f"There is no data set of {year}: years are {FIRST_YEAR} to {LAST_YEAR}.")
    running = Version.objects.filter(
        year=year, state="asked", job__state__in=["queued", "running"]
    ).first()
    if running:
        raise NotReady(
            f"Version {running.name} is being built (job: {running.standing}). Wait until the "
            "job is done."
        )
    found = sources.of_year(year)
    if found.is_empty and not found.missing:
        raise NotReady(
            f"There is nothing to publish for {year}: no institution has signed, and no public "
            "file was imported."
        )
    if is_live(found):
        raise NotReady(nothing_new(year))
    now = intake.of_year(year)
    return " ".join([f"A build of {year} takes in {now.contents}.", *now.left_out])


def ask(
    year: int, *, by: Caller, reason: str, goes_live: bool = True, ring: bool = True
) -> Version:
    """Queue a build of a year and return its version. ring: tell the workers.

    Raises: what `plan_build` raises; BadInput without a reason.
    """
    _require_reason(reason)
    plan_build(year)
    with transaction.atomic():
        last = Version.objects.filter(year=year).aggregate(last=Max("number"))["last"] or 0
        version = Version.objects.create(
            year=year,
            number=last + 1,
            job=jobs.errand("publish", large=True),
            goes_live=goes_live,
            actor_id=by.id,
            actor_username=by.username,
            actor_email=by.email,
            reason=reason.strip(),
        )
        if ring:
            transaction.on_commit(lambda: notify.ring(version.job))
    log.info("Version %s was asked for by %s", version.name, by)
    return version


def nothing_new(year: int) -> str:
    """Return why a year is not built again."""
    return f"Nothing is new for {year}: the published version has everything."


def is_live(found: sources.Sources) -> bool:
    """Tell whether the live version of a year is made of just these sources."""
    live = LiveVersion.objects.filter(
        year=found.year, version__manifest__fingerprint=found.fingerprint
    )
    return live.exists()


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
    _require_reason(reason)
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
    found = versions.filter(state="built", number__lt=live.version.number).first()
    if found is None:
        raise NotReady(f"No version before {live.version.name} is kept.")
    return found


def plan_withdraw(version: Version) -> str:
    """Return what withdrawing a published version would do.

    Raises: NotReady when it is not published.
    """
    if not LiveVersion.objects.filter(version=version).exists():
        raise NotReady(f"Version {version.name} is not published.")
    return f"{version.year} is no longer public: nobody can read its {_records(version)}."


def withdraw(version: Version, *, by: Caller, reason: str) -> str:
    """Take a year from the public; returns what was done.

    Raises: NotReady when the version is not published; BadInput without a reason.
    """
    _require_reason(reason)
    with transaction.atomic():
        live = LiveVersion.objects.select_for_update().filter(version=version).first()
        told = plan_withdraw(version)
        if live:
            live.delete()
        _say(version, Publication.What.WITHDRAWN, by=by, reason=reason.strip())
    return told


def publish_what_is_new() -> list[Version]:
    """Ask for a build of each year in which somebody has signed since it was built last."""
    asked = []
    for year in waiting_years():
        try:
            reason = "Submissions were signed since the last build."
            asked.append(ask(year, by=SERVICE, reason=reason))
        except NotReady as refusal:
            log.info("%s is not built: %s", year, refusal.message)
    return asked


def waiting_years() -> list[int]:
    """Return the years in which a submission was disclosed after the last build began."""
    disclosed = sources.last_disclosed()
    begun = dict(
        Version.objects.filter(state__in=["built", "removed", "unchanged"])
        .order_by()
        .values_list("year")
        .annotate(Max("gathered_at"))
    )
    return [
        year for year, at in sorted(disclosed.items()) if not begun.get(year) or at > begun[year]
    ]


def sweep() -> int:
    """Remove the files of versions that nobody goes back to, and what killed builds left behind.

    Of each year the newest three stay, those of the last day, and always what is live. Returns how
    many versions were removed.
    """
    removed = 0
    for year in Version.objects.order_by().values_list("year", flat=True).distinct():
        built = Version.objects.filter(year=year, state="built").order_by("-number")
        for version in built[KEPT:]:
            removed += _remove(version)
    _discard_unknown()
    return removed


def _remove(version: Version) -> bool:
    with transaction.atomic():
        held = Version.objects.select_for_update().get(pk=version.pk)
        if held.state != "built" or _is_kept(held):
            return False
        Version.objects.filter(pk=held.pk).update(state="removed")
    storage.discard(version.folder)
    log.info("The files of version %s were removed", version.name)
    return True


def _is_kept(version: Version) -> bool:
    """Tell whether a version is live, or was made or live less than a day ago."""
    recently = timezone.now() - KEPT_FOR
    if LiveVersion.objects.filter(version=version).exists():
        return True
    if version.made_at is None or version.made_at > recently:
        return True
    last = Publication.objects.filter(version=version).first()
    if last is None:
        return False
    after = Publication.objects.filter(year=version.year, pk__gt=last.pk).last()
    return (after or last).at > recently


def _discard_unknown() -> None:
    """Delete folders that no row points at: of builds and imports that were killed."""
    kept = set(Version.objects.filter(state="built").values_list("folder", flat=True))
    building = set(
        Version.objects.filter(
            state="asked", job__state__in=["queued", "running"]
        ).values_list("year", "number")
    )  # fmt: skip
    for year, folder in _folders(FOLDER):
        number = folder.rpartition("/")[2].partition("-")[0]
        if folder not in kept and (int(year), int(number)) not in building:
            storage.discard(folder)
    imported = set(PublicImport.objects.values_list("folder", flat=True))
    young = f"{timezone.now() - _ABANDONED_AFTER:%Y%m%dT%H%M%S}"
    for _, folder in _folders(IMPORTS):
        if folder not in imported and folder.rpartition("/")[2] < young:
            storage.discard(folder)


def _folders(top: str) -> list[tuple[str, str]]:
    """Return the year and the name of each folder two floors below another one."""
    found = []
    for year in _inside(top):
        found += [(year, f"{top}/{year}/{name}") for name in _inside(f"{top}/{year}")]
    return found


def _inside(folder: str) -> list[str]:
    try:
        return default_storage.listdir(folder)[0]
    except FileNotFoundError:
        return []


def _is_earlier(version: Version, live: LiveVersion | None) -> bool:
    return live is not None and version.number < live.version.number


def _records(version: Version) -> str:
    return number_of(version.rows, "record")


def _require_reason(reason: str) -> None:
    if not reason.strip():
        raise BadInput("Say why: one sentence for the history will do.")


def _require_built(version: Version) -> None:
    if version.state == "removed":
        raise NotReady(f"The files of version {version.name} are removed: build the year again.")
    if version.state != "built":
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
    trail.record(_TOLD[what], by=by, about=version.name, reason=reason)
    signals.published.send(sender=Version, year=version.year)
