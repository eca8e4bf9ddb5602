import re
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.urls import reverse
from oauth2_provider.models import Application

from config.pages import browser_policy


@pytest.mark.parametrize(
    ("address", "named"),
    [
        ("https://id.example/realms/hmda2", "https://id.example"),
        ("https://id.example:8443/", "https://id.example:8443"),
        ("http://id.example/", "http://id.example"),
        ("http://localhost/back", "http://localhost:*"),
        ("http://127.0.0.1:4000/back", "http://127.0.0.1:*"),
        ("http://[::1]:4000/back", "http://[::1]:*"),
        ("https://localhost/back", "https://localhost"),
        ("org.example.app:/back", "org.example.app:"),
    ],
)
def test_origin_is_what_a_policy_must_name(address, named):
    assert browser_policy.origin(address) == named


@pytest.mark.parametrize("path", ["/help/", "/v2/filing/", "/nothing"])
@pytest.mark.django_db
def test_every_answer_has_the_policy(path):
    answer = Client().get(path)
    directives = dict(
        directive.split(" ", 1) for directive in answer["Content-Security-Policy"].split("; ")
    )
    assert directives["default-src"] == "'self'"
    assert (
        directives["frame-ancestors"]
        == directives["base-uri"]
        == directives["object-src"]
        == "'none'"
    )
    assert directives["form-action"].startswith("'self'")
    assert "unsafe" not in answer["Content-Security-Policy"]
    assert answer["Permissions-Policy"] == browser_policy.FEATURES
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Referrer-Policy"] == "same-origin"
    assert answer["Cross-Origin-Opener-Policy"] == "same-origin"


@pytest.mark.django_db
def test_the_sign_in_page_lets_its_form_lead_to_the_client_that_asks_and_no_other():
    Application.objects.create(
        client_id="program", redirect_uris="https://a.example/back", algorithm="RS256",
        client_type="public", authorization_grant_type="authorization-code",
    )  # fmt: skip
    assert "https://a.example" in _forms_of(redirect_uri="https://a.example/back")
    assert "https://b.example" not in _forms_of(redirect_uri="https://b.example/back")


def _forms_of(**parameters: str) -> str:
    onward = reverse("identity:auth") + "?" + urlencode({"client_id": "program", **parameters})
    answer = Client().get(reverse("identity:login") + "?" + urlencode({"next": onward}))
    return re.search("form-action [^;]*", answer["Content-Security-Policy"])[0]
