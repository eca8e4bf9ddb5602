"""The front page of the admin leads to what staff come for, and to nothing they may not do."""

from __future__ import annotations

import html
import re

import pytest
from django.test import Client
from django.urls import reverse

from tests import make
from tests.filing.admin.queries import queries_of

pytestmark = pytest.mark.django_db
INDEX = reverse("admin:index")


def test_every_link_of_the_front_page_answers_who_sees_it() -> None:
    client = make.browser(make.staff("help desk"))
    assert queries_of(client, INDEX) <= 25  # one for each row of the work list
    page = client.get(INDEX).content.decode()
    main = page[page.index('id="content-main"') :].partition("<dialog")[0]
    addresses = set(re.findall(r'(?:href|action)="([^"#]+)"', main))
    assert len(addresses) > 30
    for address in addresses:
        assert client.get(html.unescape(address)).status_code == 200, address


def test_staff_sign_out(admin_client: Client) -> None:
    text = admin_client.get(INDEX).content.decode()
    assert "Sign out</button>" in text
    assert not re.search(r">[^<]*(log(ged)? ?(in|out)|last login)\b", text, re.IGNORECASE)
