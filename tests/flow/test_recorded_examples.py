"""The examples of the API document are what a whole service answers.

Record them again with `--record-examples config/openapi/recorded`, then run `make docs`.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from config.openapi import document
from tests.flow import (
    filing_examples,
    operator_examples,
    panel_examples,
    people_examples,
    period_examples,
    publication_examples,
    record_proposal_examples,
    tool_examples,
    webhook_examples,
)
from tests.flow.conftest import ALWAYS, Service
from tests.flow.recorder import Recorder
from tests.flow.recording import LEI, OTHER_LEI, UNKNOWN_LEI, Recording

pytestmark = pytest.mark.slow

PANEL = """\
activity_year,lei,name,tax_id,agency,email_domains,quarterly_filer,rssd,city,state,assets
2022,{lei},Example Bank,12-3456789,9,bank.example,true,1234567,Springfield,IL,310000
2023,{lei},Example Bank,12-3456789,9,bank.example,true,1234567,Springfield,IL,310000
2024,{lei},Example Bank,12-3456789,9,bank.example,true,1234567,Springfield,IL,310000
2026,{lei},Example Bank,12-3456789,9,bank.example,true,1234567,Springfield,IL,310000
2024,{other},Example Credit Union,98-7654321,9,union.example,false,7654321,Springfield,IL,5000
"""


@pytest.fixture(scope="module")
def recording(run_service: Callable[..., Service]) -> Recording:
    """A service whose institutions have filed for no period, and were expected to for none."""
    service = run_service(1, PROGRESS_LISTENERS="1")
    service.manage_all(
        *(["load_census", year, "--demo"] for year in ("2023", "2024")),
        *(["open_season", year, *ALWAYS, "--force"] for year in ("2022", "2023", "2024")),
    )
    panel = service.data_dir / "panel.csv"
    panel.write_text(PANEL.format(lei=LEI, other=OTHER_LEI))
    service.manage("load_institutions", str(panel))
    service.shell("from filing.models import Filing; Filing.objects.all().delete()")
    return Recording(service, Recorder())


def test_the_examples_are_what_the_service_answers(
    recording: Recording, request: pytest.FixtureRequest
) -> None:
    service = recording.service
    tokens = {
        **{lei: service.token(lei) for lei in (LEI, OTHER_LEI)},
        UNKNOWN_LEI: service.token_of_a_stranger(UNKNOWN_LEI),
    }
    tool_examples.record(recording)
    publication_examples.record(recording, tokens[LEI])
    filing_examples.close_periods(recording, tokens[LEI], "2022", "2022-Q1")
    for period in ("2024", "2024-Q1"):
        filing_examples.record(recording, tokens, period)
    period_examples.record(recording, tokens)
    panel_examples.record(recording)
    webhook_examples.record(recording, tokens[LEI])
    record_proposal_examples.record(recording, tokens[LEI], tokens[UNKNOWN_LEI])
    operator_examples.record(recording, tokens[LEI])
    people_examples.record(recording)
    filing_examples.follow_too_often(recording, tokens[LEI], "2024", "2024-Q1")

    if folder := request.config.getoption("--record-examples"):
        recording.recorder.write(folder)
        return
    stored = {path.name: path.read_text() for path in document.RECORDED.glob("*.json")}
    assert recording.recorder.texts == stored
