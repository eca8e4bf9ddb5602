"""Headings that staff add or take away while something is made of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from filing.models import column_headings
from filing.spreadsheets import aliases, names
from filing.spreadsheets.aliases import HeaderAlias

pytestmark = pytest.mark.unit

ONE = (HeaderAlias("loan_amount", "Sum We Lend", "Some Program"),)
OTHER = (HeaderAlias("income", "Yearly Pay", "Some Program"),)


@pytest.fixture
def answers() -> Iterator[list[tuple[HeaderAlias, ...]]]:
    """The headings as they are read now and later; the last of them stay."""
    listed = [()]
    aliases.use_source(lambda: listed.pop(0) if len(listed) > 1 else listed[0])
    yield listed
    aliases.use_source(column_headings.known_aliases)


def test_what_is_kept_for_some_headings_is_made_of_them(answers):
    answers[:] = [ONE, OTHER]  # changed between the two readings
    assert names.list_known_names().get("sumwelend") == "loan_amount"
    answers[:] = [OTHER]
    assert names.list_known_names().get("yearlypay") == "income"
    answers[:] = [ONE]  # put back
    assert "yearlypay" not in names.list_known_names()
    assert names.list_known_names().get("sumwelend") == "loan_amount"
