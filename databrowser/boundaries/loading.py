"""Loads files of boundaries for some years, leaves them out of maps, and takes them in again.

boundaries/<UUID>/<state>.json    the topologies of its maps, by state or by county
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from databrowser.boundaries.boundary_files import read_boundaries
from databrowser.boundaries.map_shapes import build_topologies
from databrowser.models import BoundaryFile, BoundaryKind
from databrowser.publication.events import PublicationEvent
from databrowser.publication.loaded_files import switch_loaded_file
from filing import audit, storage
from filing.access import Caller
from filing.errors import BadInput, NotReady
from filing.lar.fields import STATES
from filing.requests import read_year

FOLDER = "boundaries"
_LETTERS = {code: state for state, code in STATES.items()}


@dataclass(frozen=True)
class BoundaryReport:
    """The result of loading a file. unchanged: this file is in use for these years already."""

    file: BoundaryFile
    unchanged: bool = False

    def __str__(self) -> str:
        file = self.file
        if self.unchanged:
            return f"This file is already loaded: {file}."
        states = ", ".join(file.states)
        return f"Loaded {file.places:,} {file.get_kind_display()} of {file.years} in {states}."


def read_years(text: str) -> tuple[int, int]:
    """Return the first and the last of some data years, such as `2024` or `2022-2023`.

    Raises: BadInput.
    """
    first, is_range, last = text.partition("-")
    years = read_year(first), read_year(last if is_range else first)
    if not all(years) or years[0] > years[1]:
        accepted = "enter a year of four digits, or the first and the last one with a hyphen"
        raise BadInput(f'The data years are "{text[:40]}"; {accepted}.')
    return years


def load_boundaries(
    kind: BoundaryKind,
    years: tuple[int, int],
    data: bytes,
    *,
    source: str,
    by: Caller,
    reason: str = "",
) -> BoundaryReport:
    """Load all boundaries of a file or nothing. They are in use at once.

    Raises: BadInput.
    """
    sha256 = hashlib.sha256(data).hexdigest()
    same = BoundaryFile.objects.filter(
        kind=kind, first_year=years[0], last_year=years[1], sha256=sha256, active=True
    ).first()
    if same:
        return BoundaryReport(same, unchanged=True)
    boundaries = read_boundaries(kind, data, name=source)
    by_state: dict[str, dict[str, Any]] = defaultdict(dict)
    for code, topology in build_topologies(kind, boundaries).items():
        by_state[_LETTERS[code[:2]]][code] = topology
    file = BoundaryFile(
        kind=kind,
        first_year=years[0],
        last_year=years[1],
        states=sorted(by_state),
        places=len(boundaries),
        source=source[:500],
        sha256=sha256,
        folder=f"{FOLDER}/{uuid.uuid4()}",
        loaded_by=str(by),
    )
    try:
        with storage.make_work_folder() as workshop:
            for state, topologies in by_state.items():
                path = workshop / _name_file(state)
                path.write_text(json.dumps(topologies, separators=(",", ":")))
                storage.store_file(path, f"{file.folder}/{path.name}")
        with transaction.atomic():
            file.save(force_insert=True)
            audit.record_event(
                PublicationEvent.BOUNDARIES_LOADED, by=by, about=str(file), reason=reason
            )
    except BaseException:
        storage.remove_folder(file.folder)
        raise
    return BoundaryReport(file)


def plan_leaving_out(file: BoundaryFile) -> str:
    """Return what leaving out a file would do. Raises: NotReady when it is already left out."""
    if not file.active:
        raise NotReady("It is already left out.")
    return f"Maps of {file.years} will not use its {file.places:,} {file.get_kind_display()}."


def leave_boundaries_out(file: BoundaryFile, *, by: Caller, reason: str) -> str:
    """Leave a file out of maps at once; return what was done."""
    summary = plan_leaving_out(file)
    switch_loaded_file(file, PublicationEvent.BOUNDARIES_LEFT_OUT, by=by, reason=reason)
    return summary


def plan_taking_in(file: BoundaryFile) -> str:
    """Return what using a file again would do. Raises: NotReady when it is in use."""
    if file.active:
        raise NotReady("It is already in use.")
    return f"Maps of {file.years} will use its {file.places:,} {file.get_kind_display()} again."


def take_boundaries_in(file: BoundaryFile, *, by: Caller, reason: str) -> str:
    """Use a file on maps again, at once; return what was done."""
    summary = plan_taking_in(file)
    switch_loaded_file(file, PublicationEvent.BOUNDARIES_TAKEN_IN, by=by, reason=reason)
    return summary


def list_keys_in_use() -> list[int]:
    """Return the keys of the files that maps use, by which a map knows whether they changed."""
    return list(BoundaryFile.objects.filter(active=True).values_list("pk", flat=True))


def find_file(kind: BoundaryKind, state: str, year: int) -> BoundaryFile | None:
    """Return the newest file in use with a state in a data year; none if there is none."""
    files = BoundaryFile.objects.filter(
        kind=kind, active=True, first_year__lte=year, last_year__gte=year
    )
    return next((file for file in files if state in file.states), None)


def read_topology(folder: str, state: str, code: str) -> dict[str, Any] | None:
    """Return the topology of the map of a state or county; none if the file has no such map."""
    path = storage.open_local_copy(f"{folder}/{_name_file(state)}")
    topologies: dict[str, dict[str, Any]] = json.loads(path.read_text())
    return topologies.get(code)


def _name_file(state: str) -> str:
    return f"{state}.json"
