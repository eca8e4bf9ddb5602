"""What operators do with the embedded provider in the admin."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from oauth2_provider.models import Application, RefreshToken

from tests import make
from tests.config.identity.client import SITE, code_for, exchange, refresh

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("provider_site"),
]


def test_operators_manage_redirect_addresses_in_the_admin(ann: User, browser: Client) -> None:
    browser.force_login(User.objects.create_superuser("op"))
    client = Application.objects.get(client_id="hmda2-api")
    listed = browser.get("/admin/oauth2_provider/application/")
    assert f"{SITE}/docs/" in listed.content.decode()
    address = f"/admin/oauth2_provider/application/{client.pk}/change/"
    form = browser.get(address).context["adminform"].form
    values = {name: form[name].value() for name in form.fields}
    sent = {name: value for name, value in values.items() if value not in (None, False)}
    saved = browser.post(
        address,
        {
            **sent,
            "redirect_uris": "https://filer.example/back",
            "reason": "They moved.",
            "csrfmiddlewaretoken": browser.cookies["csrftoken"].value,
        },
    )
    assert saved.status_code == 302
    client.refresh_from_db()
    assert client.redirect_uris == "https://filer.example/back"
    added = browser.get("/admin/oauth2_provider/application/add/").context["adminform"].form
    assert added["client_type"].value() == "public"


@pytest.mark.servers
def test_operators_sign_users_out_in_the_admin(ann: User, browser: Client) -> None:
    given = exchange(code_for(browser)).json()
    operator = make.browser(User.objects.create_superuser("op"))
    token = RefreshToken.objects.get()
    pages = "/admin/oauth2_provider/refreshtoken/"
    assert operator.get(f"{pages}{token.pk}/change/").status_code == 200
    asked = {"action": "revoke_tokens", "_selected_action": [token.pk]}
    assert operator.post(pages, asked).status_code == 302
    assert refresh(given["refresh_token"]).status_code == 400
