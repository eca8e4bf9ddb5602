"""A client of the embedded provider, as an application in a browser is one."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from django.conf import settings as configured
from django.test import Client
from django.urls import path
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from config import urls

LEI, OTHER_LEI = "529900EXAMPLELEI0001", "529900EXAMPLELEI0002"
PASSWORD = "a long enough pass phrase"
SITE = configured.PUBLIC_URL
REALM = f"/realms/{configured.OIDC_REALM}"
CONNECT = f"{REALM}/protocol/openid-connect"
BACK = "http://localhost:4173/"
VERIFIER = "v" * 64
CHALLENGE = (
    base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
)


class Who(APIView):
    def get(self, request: Request) -> Response:
        caller: Any = request.user
        return Response({"email": caller.email, "leis": sorted(caller.leis), "id": caller.id})


urlpatterns = [path("who", Who.as_view()), *urls.urlpatterns]


def authorize(**changes: str | None) -> str:
    parameters = {
        "client_id": "hmda2-api",
        "redirect_uri": BACK,
        "state": "s-1",
        "response_mode": "fragment",
        "response_type": "code",
        "scope": "openid",
        "nonce": "n-1",
        "code_challenge": CHALLENGE,
        "code_challenge_method": "S256",
        **changes,
    }
    return f"{CONNECT}/auth?{urlencode({k: v for k, v in parameters.items() if v is not None})}"


def new_browser() -> Client:
    """Return a browser that must send the token of a form, as each does."""
    return Client(headers={"host": "localhost:8000"}, enforce_csrf_checks=True)


def read_hidden_fields(page: Any) -> dict[str, str]:
    """Return what a form sends beside what is typed."""
    fields = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page.text)
    return {name: html.unescape(value) for name, value in fields}


def sign_in(browser: Client, address: str, username: str = "ann", password: str = PASSWORD) -> Any:
    """Go to the address, fill in the sign-in form that it leads to, and return what comes next."""
    to_form = browser.get(address)
    assert to_form.status_code == 302
    form = browser.get(to_form["Location"])
    assert form.status_code == 200
    hidden = read_hidden_fields(form)
    assert set(hidden) == {"csrfmiddlewaretoken", "next"}
    address = urlsplit(to_form["Location"]).path
    return browser.post(address, {**hidden, "username": username, "password": password})


def fragment(answer: Any) -> dict[str, str]:
    assert answer.status_code == 302
    parts = urlsplit(answer["Location"])
    assert f"{parts.scheme}://{parts.netloc}{parts.path}" == BACK
    assert not parts.query
    return {name: values[0] for name, values in parse_qs(parts.fragment).items()}


def allow(browser: Client, address: str, **changes: str) -> Any:
    """Press the button of the page that asks whether a program may have a code."""
    page = browser.get(address)
    assert page.status_code == 200
    return browser.post(address, {**read_hidden_fields(page), "allow": "Authorize", **changes})


def code_at(browser: Client, address: str) -> str:
    """Return the code that a program gets once its user, who is signed in, allows it."""
    return fragment(allow(browser, address))["code"]


def code_for(browser: Client, **changes: str | None) -> str:
    return code_at(browser, sign_in(browser, authorize(**changes))["Location"])


def exchange(code: str, **changes: str) -> Any:
    parameters = {
        "grant_type": "authorization_code",
        "client_id": "hmda2-api",
        "redirect_uri": BACK,
        "code": code,
        "code_verifier": VERIFIER,
        **changes,
    }
    return Client().post(
        f"{CONNECT}/token", parameters, headers={"origin": "http://localhost:4173"}
    )


def refresh(token: str) -> Any:
    parameters = {"grant_type": "refresh_token", "client_id": "hmda2-api", "refresh_token": token}
    return Client().post(f"{CONNECT}/token", parameters)


def claims_of(token: str) -> dict[str, Any]:
    """Return what a token says, whoever signed it."""
    return jwt.decode(token, options={"verify_signature": False})


def who(token: str) -> Any:
    return Client().get("/who", headers={"authorization": f"Bearer {token}"})
