"""Each page of a filing: narrow, enlarged, read aloud, light to load, and without script."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Response, expect

from tests.browser.conftest import MOST_BYTES, Look, lei_of, on_the_wire
from tests.browser.filers import YEAR, employ, is_whole, make_proof_old
from tests.flow.conftest import Service
from tests.flow.filer import Filer, lar

SIGNED, BROKEN, WRONG, UNUSUAL, EMPTY = 1, 2, 3, 4, 5
ENLARGED = {"width": 320, "height": 256}  # 1280 by 1024 at 400 percent
PAGES = (
    *("", f"{EMPTY}/", f"{EMPTY}/upload/", f"{BROKEN}/", f"{BROKEN}/formatting-errors/"),
    *(f"{BROKEN}/formatting-errors/?group=1", f"{WRONG}/", f"{WRONG}/edits/"),
    f"{WRONG}/edits/rules/2025/",
    *(f"{WRONG}/edits/V617/", f"{WRONG}/edits/report/", f"compare/{WRONG}/{UNUSUAL}/"),
    *(f"{UNUSUAL}/", f"{UNUSUAL}/edits/", f"{UNUSUAL}/verify/quality/"),
    *(f"{UNUSUAL}/verify/macro/", f"{UNUSUAL}/edits/report/", f"{SIGNED}/"),
    *(f"{SIGNED}/receipt/", f"{SIGNED}/verify/quality/", f"{EMPTY}/discard/"),
)


@pytest.fixture(scope="module")
def lei(site: Service) -> str:
    """An institution with a submission in each state that waits for a person."""
    lei = lei_of("steps")
    employ(site, lei, "sky")
    with Filer.of(site, YEAR, lei) as filer:
        filer.file(lar(filer, rows=120, fail=("Q611:2",)), number=SIGNED)
        filer.verify("quality", number=SIGNED)
        assert filer.sign(SIGNED).status_code in {200, 201}
        good = lar(filer, rows=120)
        filer.file(good.replace(b"|250000|", b"|much|") + b"2|three|fields\n", number=BROKEN)
        filer.file(lar(filer, rows=120, fail=("V617:3", "V625-2:12")), number=WRONG)
        unusual = lar(filer, rows=120, fail=("Q611:2", "Q631:3", "Q637"))
        filer.file(unusual, number=UNUSUAL)
        filer.begin()
    return lei


@pytest.fixture(scope="module")
def cookies(site: Service, lei: str, browser: Browser) -> list[dict[str, object]]:
    """Those of a person who has signed in."""
    context = browser.new_context()
    Look(context.new_page(), site.url).sign_in("sky", "/filing/")
    kept = [dict(each) for each in context.cookies()]
    context.close()
    return kept


@pytest.fixture
def look(site: Service, cookies: list[dict[str, object]], browser: Browser) -> Iterator[Look]:
    """A window at 400 percent, of a browser that has seen nothing of the site."""
    context = browser.new_context(viewport=ENLARGED, device_scale_factor=4)
    context.add_cookies(cookies)
    yield Look(context.new_page(), site.url)
    context.close()


@pytest.mark.parametrize("rest", ["filing", "periods", *PAGES])
def test_page_is_whole_sound_and_light(site: Service, look: Look, lei: str, rest: str):
    home = f"/filing/{lei}/"
    path = {"filing": "/filing/", "periods": home}.get(rest, f"{home}{YEAR}/{rest}")
    responses: list[Response] = []
    look.page.on("response", lambda response: responses.append(response))
    page = look.at(path)
    page.wait_for_load_state("networkidle")
    assert {urlsplit(each.url).netloc for each in responses} == {urlsplit(site.url).netloc}
    sizes = {urlsplit(each.url).path: on_the_wire(each) for each in responses}
    assert sum(sizes.values()) <= MOST_BYTES, f"{path}: {sizes}"

    is_whole(page)
    expect(page.locator("h1")).to_have_count(1)
    levels = page.locator("h1, h2, h3, h4").evaluate_all(
        "all => all.filter(each => each.checkVisibility()).map(each => Number(each.tagName[1]))"
    )
    deeper = [after for before, after in pairwise(levels) if after > before + 1]
    assert levels[0] == 1
    assert not deeper, f"{path}: headings of the levels {levels}"
    names = page.locator("main :is(a, button)").evaluate_all(
        "all => all.map(each => (each.ariaLabel ?? each.textContent).trim())"
    )
    assert all(names), f"{path}: a link or a button without a name, of {names}"
    look.is_sound(after="load")
    look.is_sound_in_the_dark()
    look.stays_still()
    look.keeps_texts_whole()


def test_the_sign_page_is_whole_whether_or_not_one_signed_in_just_now(
    site: Service, look: Look, lei: str
):
    with Filer.of(site, YEAR, lei) as filer:
        filer.verify("quality", number=UNUSUAL)
        filer.verify("macro", number=UNUSUAL)
    look.page.context.clear_cookies()
    address = f"/filing/{lei}/{YEAR}/{UNUSUAL}/sign/"
    page = look.sign_in("sky", address, anew=True)
    expect(page.get_by_role("checkbox")).to_have_count(1)
    is_whole(page)
    look.is_sound()
    make_proof_old(site, page)
    look.at(address)
    expect(page.get_by_role("checkbox")).to_have_count(0)
    expect(page.get_by_role("status").first).to_contain_text("To sign, sign in again.")
    is_whole(page)
    look.is_sound()
    look.at(f"/filing/{lei}/{YEAR}/{BROKEN}/sign/", status=400)
    expect(page.locator("main")).to_contain_text(f"State of submission {BROKEN}: Formatting errors")
    is_whole(page)
    look.is_sound()


def test_the_whole_way_is_there_without_script(site: Service, browser: Browser, lei: str):
    with Filer.of(site, YEAR, lei) as filer:
        good = lar(filer, rows=60, fail=("Q611:2", "Q637"))
        wrong = lar(filer, rows=60, fail=("V617:2",))
    context = browser.new_context(java_script_enabled=False)
    page = Look(context.new_page(), site.url).sign_in("sky", "/filing/")
    page.get_by_role("link", name=YEAR, exact=True).click()

    def send(content: bytes, then: str) -> str:
        file = {"name": "lar.txt", "mimeType": "text/plain", "buffer": content}
        page.locator("#file").set_input_files(file)
        page.get_by_role("button", name="Upload", exact=True).click()
        page.wait_for_url(re.compile(r"/\d+/$"))
        address, following = page.url, page.get_by_role("link", name=then).first
        for _ in range(120):
            if following.count():
                break
            page.wait_for_timeout(500)
            page.goto(address)
        following.click()
        return address

    def correct() -> None:
        page.locator("main .usa-button", has_text="Upload a corrected file").first.click()

    page.get_by_role("link", name="Upload a file").click()  # of the submission without one
    send(good + b"2|three|fields\n", "Review formatting errors")
    expect(page.locator("main")).to_contain_text("1 line has formatting errors")
    correct()
    send(wrong, "Review edits")
    page.get_by_role("link", name="V617", exact=True).click()
    expect(page.locator("main")).to_contain_text("Triggered by 2 records")
    page.get_by_role("link", name="All edits").click()
    correct()
    send(good, "Review and verify quality edits")
    for kind in ("quality edits only", "macro edits"):
        page.get_by_label("Reason").fill("The loan files were checked.")
        page.get_by_role("button", name=f"Verify {kind}", exact=True).click()
    page.wait_for_url("**/sign/")
    page.get_by_label("Reason for filing again").fill("The loan files were checked.")
    page.get_by_text("I am an authorized representative").click()
    page.get_by_role("button", name="Sign", exact=True).click()
    expect(page.locator("h1")).to_have_text("Filed")
    is_receipt = re.compile(rf"{lei}-{YEAR}-\d+-\d{{13}}")
    expect(page.locator("main")).to_contain_text(is_receipt)
    context.close()
