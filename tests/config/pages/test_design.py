"""The style page of developers: each part of a page once."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from config.pages import design

pytestmark = pytest.mark.django_db


def test_only_developers_have_the_style_page(client: Client, settings) -> None:
    assert client.get("/design/").status_code == 404
    settings.DEBUG = True
    assert client.get("/design/").status_code == 200


def test_the_style_page_has_each_part_once(client: Client, settings) -> None:
    settings.DEBUG = True
    page = client.get("/design/").text
    parts = re.findall(r'<section aria-labelledby="([\w-]+)">', page)
    assert parts == [
        *("type", "colors", "tags", "buttons", "tables", "forms"),
        *("alerts", "empty", "steps", "charts"),
    ]
    for name in design.list_colors():
        assert f"<code>{name}</code>" in page
    for kind, text in design.TAGS:
        assert f'site-tag--{kind}">{text}' in page
    for part in ("site-empty", "site-table", "usa-pagination", "usa-form-group--error"):
        assert part in page
    for part in ("usa-alert--warning", "usa-step-indicator__segment--current", "<chart-values"):
        assert part in page
    assert page.count("usa-alert__text") == 4
