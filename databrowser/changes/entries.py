"""The list of changes: its entries, their order, and which of them a reader asks for."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, TypedDict

from django.db import transaction
from django.db.models import Case, F, Q, QuerySet, Value, When

from databrowser.models import Change, Publication, Version
from filing.day_hours import filing_zone
from filing.errors import BadInput
from filing.requests import read_day

PARAMETERS = ("type", "product", "keywords", "since")
_WORDS = re.compile(r"[a-z0-9]+")
_SLUG_WORDS = 10
_DONE = {
    Publication.What.PUBLISHED: "published",
    Publication.What.ROLLED_BACK: "published again",
    Publication.What.WITHDRAWN: "withdrawn",
}
_ORDER = Case(*(When(type=kind, then=Value(at)) for at, kind in enumerate(Change.Type)))


@dataclass(frozen=True)
class ChangesQuery:
    """Which changes a reader asks for: values are ORed, filters ANDed; every keyword must occur."""

    types: tuple[str, ...] = ()
    products: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    since: date | None = None

    @classmethod
    def of(cls, parameters: Mapping[str, str]) -> ChangesQuery:
        """Return the query of the parameters of a request. Raises: BadInput."""
        return cls(
            _chosen("type", parameters, Change.Type.values),
            _chosen("product", parameters, Change.Product.values),
            tuple(_list(parameters.get("keywords", ""))),
            read_day(parameters.get("since", "")),
        )

    def find(self) -> QuerySet[Change]:
        """Return the changes: newest day first, within a day by type, then the newest first."""
        found = Q()
        if self.types:
            found &= Q(type__in=self.types)
        if self.products:
            found &= Q(product__in=self.products)
        for word in self.keywords:
            found &= Q(title__icontains=word) | Q(description__icontains=word)
        if self.since:
            found &= Q(date__gte=self.since)
        changes = Change.objects.filter(found)
        return changes.select_related("wrong_version", "right_version").order_by(
            "-date", _ORDER, "-pk"
        )


class PublicTime(TypedDict):
    """From when to when a version was public; `end` is None while it is."""

    begin: datetime
    end: datetime | None


def save_change(change: Change) -> None:
    """Save a new or an amended change, with its slug."""
    with transaction.atomic():
        if not change.slug:
            change.slug = _make_slug(change)
        change.save()


def write_when_published(instance: Publication, **more: Any) -> None:
    """Write the change that tells of a publication, in its transaction. It is stored only once.

    A vintage that is built and published again is a correction of the version that was public.
    """
    version = instance.version
    wrong = _find_corrected(instance)
    change = Change(
        date=instance.at.astimezone(filing_zone()).date(),
        type=Change.Type.CORRECTION if wrong else Change.Type.RELEASE,
        wrong_version=wrong,
        right_version=version if wrong else None,
        product=Change.Product.DATASETS,
        title=name_publication(instance),
        description=_escape(instance.reason),
        href=version.page_address,
        publication=instance,
        written_at=instance.at,
    )
    save_change(change)


def _find_corrected(publication: Publication) -> Version | None:
    """Return the version of a vintage that a publication corrects: the last that was public."""
    version = publication.version
    if not version.is_vintage or publication.what != Publication.What.PUBLISHED:
        return None
    earlier = Publication.objects.filter(
        year=version.year, version__dataset=version.dataset, pk__lt=publication.pk
    )
    last = earlier.select_related("version").first()
    return last.version if last and last.version_id != version.pk else None


def name_publication(publication: Publication) -> str:
    """Return the title of an entry of the publication history."""
    version = publication.version
    made_up = ", made up" if version.is_demo else ""
    done = _DONE[Publication.What(publication.what)]
    return f"{version.dataset_name}, version {version.name} {done}{made_up}"


def find_public_times(versions: Collection[Version]) -> dict[int, list[PublicTime]]:
    """Return when each of some versions was public, the earliest time first, by its key."""
    times: dict[int, list[PublicTime]] = {version.pk: [] for version in versions}
    # Of each data set, what is public after the entries so far.
    last: dict[tuple[int, str], PublicTime] = {}
    years = {version.year for version in versions}
    history = Publication.objects.filter(year__in=years).annotate(dataset=F("version__dataset"))
    for publication in history.order_by("at", "pk"):
        data_set = publication.year, publication.dataset
        if before := last.pop(data_set, None):
            before["end"] = publication.at
        if publication.what != Publication.What.WITHDRAWN:
            last[data_set] = {"begin": publication.at, "end": None}
            times.setdefault(publication.version_id, []).append(last[data_set])
    return times


def _escape(text: str) -> str:
    """Return text that Markdown shows as it is."""
    return re.sub(r"([\\`*_\[\]<>#&])", r"\\\1", text)


def _make_slug(change: Change) -> str:
    words = _WORDS.findall(change.title.lower())[:_SLUG_WORDS]
    slug = "-".join([f"{change.date:%m-%d-%y}", change.type, *words])
    begun = Change.objects.filter(slug__startswith=slug).values_list("slug", flat=True)
    taken = set(begun)
    number = 1
    while (numbered := slug if number == 1 else f"{slug}-{number}") in taken:
        number += 1
    return numbered


def _list(text: str) -> list[str]:
    return [word for each in text.split(",") if (word := each.strip())]


def _chosen(name: str, parameters: Mapping[str, str], values: list[Any]) -> tuple[str, ...]:
    asked = _list(parameters.get(name, ""))
    for value in asked:
        if value not in values:
            raise BadInput(f"The {name} {value[:40]!r} is unknown; choose {', '.join(values)}.")
    return tuple(asked)
