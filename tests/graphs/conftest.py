"""A site that has loaded the loans that were counted by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from filing.models import Institution
from graphs import computing, importing
from graphs.models import Computation
from tests.graphs.loans import ANNUAL, FILER, OTHER, QUARTERLY


@pytest.fixture
def files(settings: Any, tmp_path: Path) -> Path:
    """An empty place for stored files, and one for work."""
    settings.FILE_UPLOAD_TEMP_DIR = tmp_path / "incoming"
    settings.FILE_UPLOAD_TEMP_DIR.mkdir()
    return tmp_path


@pytest.fixture
def panel(db: None) -> None:
    """A panel of 2023 with one quarterly filer."""
    for lei, flag in ((FILER, True), (OTHER, False)):
        Institution.objects.create(
            activity_year=2023, lei=lei, name=lei, agency=9, quarterly_filer=flag
        )


@pytest.fixture
def loaded(files: Path, panel: None) -> None:
    """The facts of 2023, and of 2024 from quarterly filings."""
    ANNUAL.write_parquet(files / "2023.parquet")
    QUARTERLY.write_csv(files / "2024.csv")
    importing.import_facts(files / "2023.parquet", by="tests")
    importing.import_facts(files / "2024.csv", by="tests", annual=False)


@pytest.fixture
def computed(loaded: None) -> Computation:
    """And the graphs of them, which are shown."""
    return computing.compute_graphs_now(reason="For tests.")
