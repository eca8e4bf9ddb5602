"""What the tests of filings share."""

from __future__ import annotations

import pytest

from filing.demo.loading import load_demo_census


@pytest.fixture
def census(db: None) -> None:
    load_demo_census(2024, by="test")
