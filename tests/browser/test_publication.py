"""A data set is built and followed to its end, compared with the one before, and called made up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser import barriers
from tests.browser.conftest import Look
from tests.flow.conftest import Service

pytestmark = pytest.mark.slow

VERSIONS = "/admin/databrowser/version/"


@pytest.fixture(scope="module")
def service(
    run_service: Callable[..., Service], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Service]:
    """A service of this module's own: 2021 is published and made up, of 2022 a file is imported."""
    service = run_service(1)
    people = (
        "from django.contrib.auth.models import Group, User; "
        "olga = User.objects.create_user('olga', 'olga@service.example', "
        "'correct horse 9 battery', is_staff=True); "
        "olga.groups.add(Group.objects.get(name='operator'))"
    )
    service.manage("shell", "-v", "0", "-c", people)
    service.manage("make_public_lar", "--rows", "40", "--years", "2021")
    file: Path = tmp_path_factory.mktemp("public") / "2022.csv"
    service.manage("make_public_lar", "--rows", "60", "--years", "2022", "--out", str(file))
    file.write_text(file.read_text().replace("DEMO", "5493"))  # as if the loans were real
    service.manage("load_public_lar", str(file))
    yield service
    service.end()


@pytest.fixture
def look(service: Service, open_page: Callable[[str], Look]) -> Look:
    return open_page(service.url)


def test_a_build_is_followed_to_its_end_and_made_up_years_are_marked(look: Look) -> None:
    page = look.sign_in("olga", VERSIONS)
    row = page.get_by_role("row", name="2022")
    expect(row.first).to_contain_text("1 imported file.")
    page.get_by_role("link", name="Build 2022").click()
    expect(page.get_by_text("takes in 0 signed submissions and 1 imported file.")).to_be_visible()
    page.get_by_label("Publish it as soon as it is built").check()
    page.get_by_label("Reason").fill("The year is complete.")
    barriers.judge(look)
    page.get_by_role("button", name="Build").click()
    page.get_by_label("Add a note").fill("half a note")
    fields = page.locator("#content-main fieldset")
    expect(fields).to_contain_text("0 signed submissions and 1 imported file")
    expect(fields).to_contain_text("built")
    expect(page.locator("#outcome")).to_have_text("Version 2022-1: built.")
    expect(page.get_by_role("link", name="Withdraw")).to_be_visible()
    expect(page.get_by_role("link", name="Publish", exact=True)).to_have_count(0)
    expect(page.get_by_role("heading", name="Progress")).to_have_count(0)
    expect(page.get_by_label("Add a note")).to_have_value("half a note")
    barriers.judge(look)

    page = look.at("/data/browser/")
    banner = page.get_by_text("Demo: these loans are made up")
    expect(banner).to_have_count(0)
    page.locator("label[for=years-2021]").click()
    expect(banner).to_be_visible()
    expect(page.get_by_text("Made up: 2021.")).to_be_visible()
    barriers.judge(look)
    page.locator("label[for=years-2021]").click()
    expect(banner).to_have_count(0)


def test_what_changed_between_two_versions_comes_once_they_are_compared(
    service: Service, look: Look, tmp_path: Path
) -> None:
    page = look.at("/data/changes/2021/", 404)  # there is one version
    expect(page.get_by_role("status")).to_contain_text("2021-1")
    barriers.judge(look)
    file = tmp_path / "more.csv"
    service.manage("make_public_lar", "--rows", "90", "--years", "2021", "--out", str(file))
    service.manage("load_public_lar", str(file))
    service.manage("publish", "2021")
    page = look.at("/data/downloads/")
    page.get_by_role("link", name="What changed since the version before (2021)").click()
    totals = page.get_by_role("region", name="Records in the two versions")
    expect(totals).to_contain_text("In version 2021-2")
    expect(page.get_by_role("region", name="Institutions")).to_be_visible()
    barriers.judge(look)
    page.get_by_label("Earlier version").select_option("2021-2")
    page.get_by_role("button", name="Compare").click()
    page.wait_for_url("**from=2021-2&to=2021-2")
    expect(page.get_by_role("status")).to_contain_text("not earlier")
    barriers.judge(look)
    page = look.at("/data/downloads/")
    page.get_by_text("All versions of 2021 (2)").click()
    barriers.judge(look)
    page.get_by_role("link", name="2021-1", exact=True).click()
    expect(page.get_by_text("it was replaced by version 2021-2")).to_be_visible()
    page.get_by_text("BibTeX").click()
    barriers.judge(look)
