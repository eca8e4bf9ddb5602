"""The page that checks receipts, in a browser: files are hashed there and never sent."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page, Request, expect

from tests.browser.conftest import Look, lei_of
from tests.flow.conftest import ALWAYS, Service
from tests.flow.filer import Filer, lar

YEAR = "2024"
GENUINE, NOT_GENUINE = "The receipt is genuine", "The receipt is not genuine"


@dataclass(frozen=True)
class Filed:
    """A filed file and its receipt file."""

    number: str
    receipt: Path
    file: Path


@pytest.fixture(scope="module")
def filed(site: Service, tmp_path_factory: pytest.TempPathFactory) -> Filed:
    folder = tmp_path_factory.mktemp("receipt")
    site.manage_all(["load_census", YEAR, "--demo"], ["open_season", YEAR, *ALWAYS])
    with Filer.of(site, YEAR, lei_of("receipt")) as filer:
        content = lar(filer, rows=20_000)  # more than one piece
        filer.file(content)
        filer.verify("quality")
        filer.verify("macro")
        assert filer.sign().status_code == 200
        answer = filer.call("GET", "/submissions/1/receipt")
    receipt, file = folder / "receipt.json", folder / "filed.txt"
    receipt.write_bytes(answer.content)
    file.write_bytes(content)
    return Filed(answer.json()["receipt"], receipt, file)


def answered(page: Page, heading: str = GENUINE) -> None:
    page.get_by_role("heading", name=heading).wait_for()
    assert page.evaluate("document.activeElement.id") == "answer-heading"


def test_a_filed_file_is_hashed_in_the_browser_and_not_sent(look: Look, filed: Filed):
    requests: list[Request] = []
    page = look.at(reverse("check-receipt"))
    page.on("request", lambda request: requests.append(request))
    expect(page.get_by_text("stays on your computer").first).to_be_visible()
    page.locator("#filed-file").set_input_files(filed.file)
    page.get_by_role("button", name="Check file").click()
    answered(page)
    expect(page.get_by_text(filed.number).first).to_be_visible()
    (request,) = [each for each in requests if each.method == "POST"]
    assert filed.file.stat().st_size > 4 << 20
    assert (request.post_data or "").startswith("sha256=")
    assert len(request.post_data or "") == len("sha256=") + 64
