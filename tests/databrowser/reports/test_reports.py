"""The yearly reports: what is counted in them, and who is answered what."""

from __future__ import annotations

import pytest

from databrowser.reports import catalogue
from tests.databrowser.reports.years import E1, YEAR, publish_vintage, sign_input_a

pytestmark = pytest.mark.django_db


def test_institutions_have_reports_in_each_msa_md_of_their_records() -> None:
    sign_input_a()
    publish_vintage()
    first, second = catalogue.list_institutions(YEAR)
    assert (first.lei, [each.id for each in first.list_msa_mds()]) == (E1, ["19124", "99999"])
    assert [each.id for each in second.list_msa_mds()] == ["19124"]
