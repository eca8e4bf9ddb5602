"""The form for a file: what it says before anything is sent, and what a script may ask of it."""

from __future__ import annotations

import json
import re
from html import unescape

import pytest

from filing.lar import foreign_files
from tests.conftest import LEI
from tests.filing.pages.steps import FILING, begin, text, upload
from tests.filing.submissions.uploading import register

pytestmark = pytest.mark.django_db


def refusals(page: str) -> dict:
    found = re.search(r'data-refusals="([^"]*)"', page)
    assert found
    return json.loads(unescape(found[1]))


def test_the_limits_are_said_before_anything_is_sent(browser, settings):
    settings.UPLOAD_LIMIT = 40 * 1024**2
    page = text(browser.get(begin(browser)))
    assert "up to 40.0\xa0MB" in page or "up to 40.0 MB" in page
    assert "One file for each submission." in page
    assert f"for LEI {LEI} , calendar year 2024, calendar quarter 4." in page


def test_the_script_refuses_in_the_words_of_the_service(browser):
    form = begin(browser)
    words = refusals(browser.get(form).content.decode())
    for begins, fault in words["kinds"]:
        refused = text(upload(browser, form, bytes.fromhex(begins) + b" more"), 400)
        assert (fault[0].upper() + fault[1:]) in refused
    assert words["empty"] == foreign_files.EMPTY
    refused = text(upload(browser, form, b"1|x\n2|\0"), 400)
    assert words["nul"].format(line=2)[1:] in refused
    refused = text(upload(browser, form, b"1|x\n", "lar.csv"), 400)
    assert words["name"].replace("{name}", "lar.csv")[1:] in refused


def test_a_script_is_told_that_there_is_a_file_already(browser):
    form = begin(browser)
    asked = {"HX-Request": "true"}
    assert browser.head(form, headers=asked).status_code == 200
    upload(browser, form, register())
    assert browser.head(form, headers=asked).status_code == 409
    assert browser.get(form)["Location"] == f"{FILING}1/"


def test_the_file_is_a_download_that_is_never_a_page(browser):
    upload(browser, begin(browser), content := register())
    answer = browser.get(f"{FILING}1/file/")
    assert b"".join(answer.streaming_content) == content
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Type"] == "text/plain; charset=UTF-8"
    assert answer["Content-Disposition"].startswith("attachment;")
