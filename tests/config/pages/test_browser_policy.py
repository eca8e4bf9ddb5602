from __future__ import annotations

import re
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.urls import reverse
from oauth2_provider.models import Application

from config.pages import browser_policy
from tests import make


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
    assert browser_policy.policy_source(address) == named


@pytest.mark.parametrize("path", ["/help/", "/v2/filing/"])
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


ORIGIN = {"Origin": "https://pages.example"}
INSTITUTION = "/v2/filing/institutions/529900EXAMPLELEI0001/year/2024"
OPEN = [
    INSTITUTION,
    "/v2/public/edits",
    "/hmda-auth/users/",
    "/realms/hmda2/protocol/openid-connect/token",
]


@pytest.mark.parametrize("path", OPEN)
def test_a_preflight_is_answered_without_a_token(path: str) -> None:
    asking = ORIGIN | {
        "Access-Control-Request-Method": "PUT",
        "Access-Control-Request-Headers": "authorization, content-type",
    }
    answer = Client().options(path, headers=asking)
    assert answer.status_code == 200
    assert answer.content == b""
    assert answer["Access-Control-Allow-Origin"] == "*"
    methods = set(answer["Access-Control-Allow-Methods"].split(", "))
    assert methods == {"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"}
    assert {"authorization", "content-type"} <= set(
        answer["Access-Control-Allow-Headers"].split(", ")
    )


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("path", "has_token", "status"),
    [
        (INSTITUTION, False, 401),
        (INSTITUTION, True, 403),
        ("/v2/public/edits/V600", False, 200),
    ],
)
def test_errors_may_be_read_as_well(path: str, has_token: bool, status: int) -> None:
    caller = make.program() if has_token else Client()
    answer = caller.get(path, headers=ORIGIN)
    assert answer.status_code == status
    assert answer["Access-Control-Allow-Origin"] == "*"
    assert answer["Access-Control-Expose-Headers"] == (
        "etag, retry-after, content-disposition, content-range, repr-digest, link, ratelimit, "
        "ratelimit-policy, x-request-id, announcement, idempotency-replayed, "
        "x-unknown-parameters, location, tus-resumable, tus-version, tus-extension, "
        "tus-max-size, tus-checksum-algorithm, upload-length, upload-metadata, upload-offset"
    )


@pytest.mark.parametrize("path", ["/", "/admin/"])
def test_pages_with_a_session_are_for_this_site_alone(path: str) -> None:
    asking = ORIGIN | {"Access-Control-Request-Method": "POST"}
    assert "Access-Control-Allow-Origin" not in Client().options(path, headers=asking)
