"""The data sets that answer a query: the published ones, or others that the request names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from databrowser import errors
from databrowser.models import Dataset
from databrowser.publication import serving
from databrowser.publication.serving import LiveYear
from databrowser.publication.versions import live_versions
from databrowser.query.questions import Parameters, read_values
from databrowser.query.totals import Live
from filing.errors import Gone, NotFound

PARAMETERS = ("version", "dataset")


class OfYears(Protocol):
    """What is of some years, such as a query."""

    @property
    def years(self) -> tuple[int, ...]: ...


Read = TypeVar("Read", bound=OfYears, covariant=True)


class Reader(Protocol[Read]):
    """A function that reads the query of a request. Raises: QueryRefused."""

    def __call__(
        self, parameters: Parameters, *, published: Sequence[int], withdrawn: Sequence[int]
    ) -> Read: ...


def read_with_data_sets(parameters: Parameters, read: Reader[Read]) -> tuple[Read, Live]:
    """Return the query of a request, and the data sets that answer it, of one moment.

    Raises: QueryRefused.
    """
    live: Live = serving.live_data_sets()
    query = read(
        parameters,
        published=[data_set.year for data_set in live],
        withdrawn=tuple(live_versions.withdrawn_years()),
    )
    chosen = choose_data_sets(
        live,
        query.years,
        versions=read_values(parameters, "version"),
        datasets=read_values(parameters, "dataset"),
    )
    return query, chosen


def choose_data_sets(
    live: Live, years: Sequence[int], *, versions: Sequence[str], datasets: Sequence[str]
) -> Live:
    """Return the published data sets, with others in the place of those of some years.

    years: of the query. versions: their names, one for a year at most. datasets: one at most, which
    all other years of the query are answered from.
    Raises: QueryRefused.
    """
    if not versions and not datasets:
        return live
    chosen = {data_set.year: data_set for data_set in live}
    named = _find_versions(versions, years)
    if datasets:
        others = [year for year in years if year not in named]
        chosen |= _find_data_sets(datasets, others)
    chosen |= named
    return tuple(chosen[year] for year in sorted(chosen))


def _find_versions(names: Sequence[str], years: Sequence[int]) -> dict[int, LiveYear]:
    found: dict[int, LiveYear] = {}
    wrong = []
    for name in names:
        try:
            version = live_versions.require_public_version(name).version
        except NotFound:
            wrong.append(name)
            continue
        except Gone as gone:
            raise errors.withdrawn_version(name, gone.message) from gone
        if version.year not in years or version.year in found:
            wrong.append(name)
        found[version.year] = LiveYear.of(version)
    if wrong:
        raise errors.invalid_versions(wrong, _name_public_versions(years))
    return found


def _find_data_sets(names: Sequence[str], years: Sequence[int]) -> dict[int, LiveYear]:
    if len(names) > 1 or names[0] not in Dataset.values:
        raise errors.invalid_data_set(names, Dataset.values)
    dataset = Dataset(names[0])
    published = live_versions.published_data_sets().filter(year__in=years, dataset=dataset)
    found = {live.year: LiveYear.of(live.version) for live in published.defer("version__manifest")}
    if missing := [year for year in years if year not in found]:
        raise errors.data_set_not_published(missing, dataset.label, _name_public_versions(missing))
    return found


def _name_public_versions(years: Sequence[int]) -> list[str]:
    return [version.name for version in live_versions.public_versions(*years)]
