"""What answered a query earlier: the data sets that were shown, after each publication."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from databrowser.models import Dataset, Publication, Version
from databrowser.publication.serving import LiveYear
from databrowser.publication.versions import live_versions
from databrowser.query.totals import Live

_RANKS = {dataset: rank for rank, dataset in enumerate(Dataset)}


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The data sets that were shown of some years, from a publication on."""

    publication: Publication
    data_sets: Live


def list_snapshots(years: Sequence[int], *, dataset: str, most: int) -> list[Snapshot]:
    """Return the last snapshots of some years, oldest first, without versions not public now.

    dataset: the only one that counts; if blank, the last one that is frozen does, as it does now in
    `live_versions.published_versions`.
    """
    found: list[Snapshot] = []
    for snapshot in _replay(years, dataset):
        if snapshot.data_sets and (not found or found[-1].data_sets != snapshot.data_sets):
            found.append(snapshot)
    return found[-most:]


def _replay(years: Sequence[int], dataset: str) -> Iterator[Snapshot]:
    public = {version.pk for version in live_versions.public_versions(*years)}
    history = Publication.objects.filter(year__in=years).select_related("version")
    if dataset:
        history = history.filter(version__dataset=dataset)
    published: dict[tuple[int, str], Version] = {}
    for entry in history.defer("version__manifest").order_by("pk"):
        data_set = entry.year, entry.version.dataset
        published.pop(data_set, None)
        if entry.what != Publication.What.WITHDRAWN and entry.version_id in public:
            published[data_set] = entry.version
        shown = {
            year: published[year, of]
            for year, of in sorted(published, key=lambda each: (each[0], _RANKS[Dataset(each[1])]))
        }
        yield Snapshot(entry, tuple(LiveYear.of(version) for version in shown.values()))
