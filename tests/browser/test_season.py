"""A season opened from its form: days, preview, reason, progress, report; and once more."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Look
from tests.flow.conftest import Service

pytestmark = pytest.mark.slow

YEAR = "2023"
FILERS = 60


@pytest.fixture(scope="module")
def service(run_service: Callable[..., Service]) -> Iterator[Service]:
    """A service of this module's own, in which no season is open, with a superuser."""
    service = run_service(FILERS)
    people = (
        "from django.contrib.auth.models import Group, User; "
        "olga = User.objects.create_user('olga', 'olga@service.example', "
        "'correct horse 9 battery', is_staff=True); "
        "olga.groups.add(Group.objects.get(name='operator')); "
        "from filing.models import Membership; "
        "ann = User.objects.create_user('ann', 'ann@bank1.example'); "
        "Membership.objects.create(user=ann, lei='FLOWTEST000000000001')"
    )
    service.manage("shell", "-v", "0", "-c", people)
    yield service
    service.end()


@pytest.fixture
def look(service: Service, open_page: Callable[[str], Look]) -> Look:
    look = open_page(service.url)
    look.sign_in("olga", "/admin/")
    return look


def opened(page: Page, reason: str) -> None:
    """Confirm the preview, and wait for the report."""
    page.get_by_label("Reason").fill(reason)
    page.get_by_role("button", name=f"Open season {YEAR}").click()
    expect(page.get_by_role("heading", name="Report")).to_be_visible()


def test_a_season_is_opened_from_the_form_and_once_more(look: Look) -> None:
    page = look.page
    page.get_by_text("All tables").click()
    page.get_by_role("link", name="Season openings").first.click()
    page.get_by_role("link", name="Open a season").click()
    look.picture("season-form")
    page.get_by_label("Data year").select_option(YEAR)
    page.get_by_label("Fill in").select_option("usual")
    page.get_by_role("button", name="Fill in").click()
    expect(page.get_by_role("heading", name=f"Periods of {YEAR}")).to_be_visible()
    page.get_by_label("Announce by email").check()

    page.get_by_label(f"{YEAR}: First day").fill("2029-01-01")
    page.get_by_role("button", name="Preview").click()
    errors = page.locator(".errorlist", has_text="these days must follow each other")
    expect(errors.first).to_be_visible()

    page.get_by_label(f"{YEAR}: First day").fill("2024-01-02")
    page.get_by_role("button", name="Preview").click()
    look.picture("season-preview")
    expect(page.get_by_text(f"No census is loaded for {YEAR}.")).to_be_visible()
    expect(page.get_by_text("1 user will get one email")).to_be_visible()
    page.get_by_role("button", name=f"Open season {YEAR}").click()
    expect(page.get_by_text("Enter a reason").first).to_be_visible()
    page.get_by_label(f"Open the season without a census for {YEAR}").check()
    opened(page, "The season begins.")
    look.picture("season-report")
    expect(page.get_by_text(f"{4 * FILERS} filings created; 0 already existed.")).to_be_visible()
    expect(page.get_by_text("1 email queued.")).to_be_visible()

    look.at(f"/admin/filing/seasonopening/open/?year={YEAR}")
    page.get_by_label("Announce by email").check()
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text("This season is already open")).to_be_visible()
    page.get_by_label(f"Open the season without a census for {YEAR}").check()
    opened(page, "Once more.")
    expect(page.get_by_text("Nothing changed: all filings existed")).to_be_visible()


def test_the_progress_moves_by_itself_until_the_report_is_there(
    look: Look, service: Service
) -> None:
    # A worker that is away leaves the job waiting; what is seen then needs to be sound, too.
    stopped = (
        "from filing.access import SERVICE; from filing import seasons; "
        "from filing.models import Job, SeasonOpening; from django.utils import timezone; "
        "from datetime import timedelta; "
        "asked = seasons.open_season(2022, by=SERVICE, force=True); "
        "opening = SeasonOpening.objects.latest('pk'); "
        "SeasonOpening.objects.update(report=None); "
        "Job.objects.filter(pk=opening.job_id).update(state='running', owner='worker', "
        "rows_done=100, rows_total=240, lease_until=timezone.now() + timedelta(seconds=6)); "
        "print(opening.pk)"
    )
    key = service.manage("shell", "-v", "0", "-c", stopped).split()[-1]
    page = look.at(f"/admin/filing/seasonopening/{key}/change/")
    bar = page.get_by_role("progressbar")
    expect(bar).to_be_visible()
    expect(page.get_by_text("100 of 240 filings.")).to_be_visible()
    # Its lease runs out, and another worker goes on.
    expect(page.get_by_role("heading", name="Report")).to_be_visible()
    expect(page.get_by_text("in attempt 2")).to_be_visible()


def test_a_window_is_extended_with_a_reason(look: Look, service: Service) -> None:
    service.manage("open_season", "2024", "--force")
    page = look.at("/admin/filing/filingperiod/?year=2024")
    page.locator("#result_list tbody th a").first.click()
    page.get_by_label("Closes").fill("2028-01-31")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#id_reason_error")).to_contain_text(
        "Enter a reason; one sentence for the audit log is enough."
    )
    page.get_by_label("Reason").fill("The storm of December.")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("was changed successfully")).to_be_visible()
