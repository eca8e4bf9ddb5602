"""The style page of developers: each part of a page once."""

from __future__ import annotations

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db


def test_only_developers_have_the_style_page(client: Client, settings) -> None:
    assert client.get("/design/").status_code == 404
    settings.DEBUG = True
    assert client.get("/design/").status_code == 200
