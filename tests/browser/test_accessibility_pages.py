"""Every page by the rules of WCAG 2.2 AA that axe does not look for; see docs/accessibility.md."""

from __future__ import annotations

from itertools import pairwise

import pytest
from django.urls import reverse

from tests.browser import barriers
from tests.browser.conftest import WIDE, Look
from tests.browser.staff_pages import staff_tab  # noqa: F401 -- a fixture
from tests.browser.test_pages import PAGES

pytestmark = pytest.mark.slow

FOUR_TIMES = {"width": 320, "height": 256}  # 1280 by 1024 pixels at 400 percent
OF_OTHERS = {"swagger", "redoc"}  # made by others; the first is named as a limit on our own page
OF_FILERS = ("filing-pages", "filing-deadlines", "profile", "session")
OF_STAFF = (
    *("index", "season", "season_catalogue", "season_not_filed", "guide", "password_change"),
    *("filing_institution_changelist", "filing_institution_add", "filing_institution_import"),
    *("filing_submission_changelist", "filing_seasonopening_open", "filing_referencedata_load"),
    *("filing_announcement_add", "auth_user_changelist", "databrowser_version_changelist"),
    *("databrowser_freezeday_changelist", "databrowser_version_build"),
    *("ratespread_aporload_add", "auditlog_logentry_changelist"),
    *("evidence", "backups", "freshness", "findings", "request_rotation"),
)


def has_no_barriers(look: Look) -> None:
    """Fail for what is too small, cut off, covered or without a ring, in colors of the reader too.

    At 400 percent as well, where a window of 1280 by 1024 pixels has room for 320 by 256.
    """
    page = look.page
    wrong: list[str] = []
    page.emulate_media(reduced_motion="reduce")
    for size in (WIDE, FOUR_TIMES):
        page.set_viewport_size(size)  # type: ignore[arg-type]
        found = [
            *barriers.small_targets(page),
            *barriers.clipped_text(page),
            *barriers.unnamed_regions(page),
            *barriers.lost_focus(page),
        ]
        wrong += [f"at {size['width']} pixels: {each}" for each in found]
    page.set_viewport_size(WIDE)  # type: ignore[arg-type]
    page.emulate_media(forced_colors="active", reduced_motion="reduce")
    wrong += [f"in forced colors: {each}" for each in barriers.lost_focus(page)]
    wrong += [f"in forced colors: {each}" for each in barriers.unseen_pictures(page)]
    wrong += [f"moves: {each}" for each in barriers.moving(page)]
    page.emulate_media(forced_colors="none", reduced_motion="no-preference")
    assert not wrong, f"{page.url}:\n" + "\n".join(wrong)


@pytest.mark.parametrize("name", [name for name in PAGES if name not in OF_OTHERS])
def test_page_has_no_barriers(tab: Look, name: str):
    tab.at(reverse(name))
    tab.wait_until_idle()
    has_no_barriers(tab)


def test_graph_has_no_barriers(tab: Look):
    tab.at(reverse("graph", args=["credit-scores"]))
    tab.wait_until_idle()
    has_no_barriers(tab)


@pytest.mark.parametrize("name", OF_FILERS)
def test_page_of_filers_has_no_barriers(tab: Look, name: str):
    tab.sign_in("ann", reverse(name))
    has_no_barriers(tab)


@pytest.mark.parametrize("name", OF_STAFF)
def test_page_of_staff_has_no_barriers(staff_tab: Look, name: str):
    staff_tab.at(reverse(f"admin:{name}"))
    has_no_barriers(staff_tab)
    staff_tab.fits()


def test_titles_are_unique(look: Look):
    titles: dict[str, list[str]] = {}
    for name in set(PAGES) - {"forgotten-sent"}:  # which says the same as that of the sign-up
        titles.setdefault(look.at(reverse(name)).title(), []).append(name)
    look.complaints.clear()  # of pages that were left before all of them had come
    assert not {title: names for title, names in titles.items() if len(names) > 1}


def test_help_stands_in_the_same_place_on_each_page(look: Look):
    places = set()
    for name in ("home", "help", "identity:login", "check-file", "data-browser", "edit-book"):
        page = look.at(reverse(name))
        links = page.locator("footer nav a").all_inner_texts()
        header = page.locator("header nav a").all_inner_texts()
        places.add((tuple(links), "How to file" in header))
    look.complaints.clear()
    assert len(places) == 1


@pytest.mark.parametrize(
    ("name", "field", "token"),
    [
        ("identity:login", "username", "username"),
        ("identity:login", "password", "current-password"),
        ("sign-up", "email", "email"),
        ("sign-up", "first_name", "given-name"),
        ("sign-up", "last_name", "family-name"),
        ("sign-up", "password", "new-password"),
        ("forgotten", "email", "email"),
    ],
)
def test_fields_about_oneself_are_filled_in_by_the_browser(
    tab: Look, name: str, field: str, token: str
):
    page = tab.at(reverse(name))
    assert page.locator(f"[name={field}]").get_attribute("autocomplete") == token


def test_a_password_may_be_pasted(look: Look):
    page = look.at(reverse("identity:login"))
    for event in ("paste", "drop"):
        kept = page.locator("[name=password]").evaluate(
            "(field, name) => field.dispatchEvent(new Event(name, { cancelable: true }))", event
        )
        assert kept


def test_steps_of_the_headings_are_not_skipped(look: Look):
    wrong = {}
    for name in PAGES:
        if name in OF_OTHERS:
            continue
        page = look.at(reverse(name))
        levels = page.locator("main :is(h1, h2, h3, h4, h5, h6)").evaluate_all(
            "all => all.filter((each) => each.checkVisibility()).map((each) => +each.tagName[1])"
        )
        if any(now - before > 1 for before, now in pairwise(levels)):
            wrong[name] = levels
    look.complaints.clear()
    assert not wrong
