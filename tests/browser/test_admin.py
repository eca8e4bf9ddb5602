"""Every page of the admin, as a superuser sees it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.contrib import admin
from django.urls import reverse
from playwright.sync_api import Browser

from tests.browser.conftest import Look
from tests.flow.conftest import ALWAYS, Service

MODELS = sorted(admin.site._registry, key=lambda model: model._meta.label)
LEI, YEAR = "FLOWTEST000000000002", "2025"


@pytest.fixture(scope="module")
def filled(site: Service, tmp_path_factory: pytest.TempPathFactory) -> Service:
    """The service after a filing: with rows in every table of the admin."""
    register: Path = tmp_path_factory.mktemp("register") / "lar.txt"
    site.manage("load_census", YEAR, "--demo")
    site.manage("open_season", YEAR, *ALWAYS)
    made = ("--year", YEAR, "--lei", LEI)
    site.manage("make_lar", *made, "--rows", "40", "--fail", "Q611", str(register))
    site.manage(
        "file_lar", str(register), *made, "--url", site.url, "--token", site.tokens[LEI],
        "--verify", "--sign",
    )  # fmt: skip
    return site


@pytest.fixture(scope="module")
def signed_in(filled: Service, browser: Browser) -> list[Any]:
    """The cookies of the superuser, who signs in once."""
    context = browser.new_context()
    Look(context.new_page(), filled.url).sign_in("root", "/admin/")
    cookies = context.cookies()
    context.close()
    return cookies


@pytest.fixture
def look(look: Look, signed_in: list[Any]) -> Look:
    look.page.context.add_cookies(signed_in)
    return look


@pytest.mark.parametrize("name", ["index", "password_change"])
def test_page_is_sound(look: Look, name):
    look.at(reverse(f"admin:{name}"))
    look.is_sound(after="load")


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.label_lower)
def test_pages_of_a_table_are_sound(look: Look, model):
    place = f"admin:{model._meta.app_label}_{model._meta.model_name}"
    page = look.at(reverse(f"{place}_changelist"))
    look.is_sound(after="load")
    adding = page.locator(".object-tools .addlink").count()
    first = page.locator("#result_list tbody th a, #result_list tbody td a").first
    change = first.get_attribute("href", timeout=2000)
    page = look.at(change)
    look.is_sound(after="load")
    page.locator(".historylink").click()
    look.is_sound(after="load")
    if adding:
        look.at(reverse(f"{place}_add"))
        look.is_sound(after="load")


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.label_lower)
def test_no_lei_is_broken_over_lines(look: Look, model):
    place = f"admin:{model._meta.app_label}_{model._meta.model_name}"
    page = look.at(reverse(f"{place}_changelist"))
    look.keeps_leis_whole()
    first = page.locator("#result_list tbody th a, #result_list tbody td a").first
    page = look.at(first.get_attribute("href", timeout=2000))
    look.keeps_leis_whole()
    page.locator(".historylink").click()
    look.keeps_leis_whole()
