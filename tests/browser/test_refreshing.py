"""Pages of operators that come again by themselves: the season, and its opening."""

from __future__ import annotations

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests.browser.conftest import FILLED_YEAR, Look
from tests.flow.conftest import Service

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("filled")]


def test_the_charts_are_shown_and_come_again_by_themselves(look: Look) -> None:
    look.begin_session("root")
    look.page.clock.install()
    page = look.at(f"{reverse('admin:season')}?period={FILLED_YEAR}")
    pictures = page.locator(".season-charts img")
    assert pictures.count() == 3
    drawn = "each => each.complete && each.naturalWidth > 300"
    assert all(pictures.nth(number).evaluate(drawn) for number in range(3))
    asked = f"**{reverse('admin:season_figures')}*"
    with page.expect_response(asked) as again:
        page.clock.run_for(16_000)
    assert again.value.status == 200
    page.locator("summary").first.click()
    expect(page.get_by_role("region", name="Signed and expected filings: numbers")).to_be_visible()
    came: list[str] = []
    page.on("request", lambda request: came.append(request.url))
    page.clock.run_for(16_000)
    page.wait_for_timeout(500)
    assert not came, "The figures must stay while a person reads a table."
    page.locator("summary").first.click()


def test_the_progress_moves_by_itself_until_the_report_is_there(look: Look, site: Service) -> None:
    # A worker that is away leaves the job waiting.
    stopped = (
        "from filing.access import SERVICE; from filing import seasons; "
        "from filing.models import Job, SeasonOpening; from django.utils import timezone; "
        "from datetime import timedelta; "
        "asked = seasons.open_season(2022, by=SERVICE, force=True); "
        "opening = SeasonOpening.objects.latest('pk'); "
        "SeasonOpening.objects.filter(pk=opening.pk).update(report=None); "
        "Job.objects.filter(pk=opening.job_id).update(state='running', owner='worker', "
        "rows_done=100, rows_total=240, lease_until=timezone.now() + timedelta(seconds=6)); "
        "print(opening.pk)"
    )
    key = site.manage("shell", "-v", "0", "-c", stopped).split()[-1]
    look.begin_session("root")
    page = look.at(f"/admin/filing/seasonopening/{key}/change/")
    bar = page.get_by_role("progressbar")
    expect(bar).to_be_visible()
    expect(page.get_by_text("100 of 240 filings.")).to_be_visible()
    # Its lease runs out, and another worker goes on.
    expect(page.get_by_role("heading", name="Report")).to_be_visible()
    expect(page.get_by_text("in attempt 2")).to_be_visible()
