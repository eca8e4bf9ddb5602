"""Loads made-up tables into a site without any."""

from __future__ import annotations

from dataclasses import replace

from ratespread import loading
from ratespread.demo import tables
from ratespread.models import AporLoad, Kind

SOURCE = "made-up demo table"


def load(*, by: str) -> None:
    """Load the made-up tables if nothing has ever been loaded."""
    if AporLoad.objects.exists():
        return
    for kind in Kind:
        file = loading.read(tables.text(kind).encode(), kind=kind, source=SOURCE)
        loading.load(replace(file, is_demo=True), by=by)
