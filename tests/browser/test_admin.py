"""Every page of the admin, as a superuser sees it."""

from __future__ import annotations

import pytest
from django.contrib import admin
from django.urls import reverse

from tests.browser.conftest import Look
from tests.browser.staff_pages import filled, look, signed_in  # noqa: F401 -- fixtures

pytestmark = pytest.mark.slow

MODELS = sorted(admin.site._registry, key=lambda model: model._meta.label)


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
