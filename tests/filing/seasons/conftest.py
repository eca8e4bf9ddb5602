"""What the tests of seasons begin with: a census, without which none is opened."""

import pytest

from filing.models import ReferenceData


@pytest.fixture
def census(db: None) -> ReferenceData:
    return ReferenceData.objects.create(
        kind="census", year=2024, source="test", rows=1, sha256="0" * 64, path="test"
    )
