"""A body that stops arriving is its sender's: 408, no traceback; one announced too long is 413."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from filing.models import TrailEntry
from tests.error_forms import is_of_form

pytestmark = pytest.mark.django_db
MULTIPART = "multipart/form-data; boundary=x"
FORM = "application/x-www-form-urlencoded"


class Stalled:
    """The input of a request whose sender says no more: the web server waits, and gives up."""

    def read(self, size: int = -1) -> bytes:
        """Time out as the socket does."""
        raise TimeoutError("timed out")

    readline = read


def send(client: Client, path: str, kind: str, length: int) -> Any:
    environ = {"CONTENT_LENGTH": str(length), "CONTENT_TYPE": kind}
    stalled: dict[str, Any] = {"wsgi.input": Stalled()}
    return client.generic("POST", path, b"", **environ, **stalled)


CASES = [
    ("/v2/public/lar/validate/2025", "application/json"),
    ("/v2/public/uli/validate", "application/json"),
    ("/public/rateSpread", "application/json"),
    ("/v2/public/disclosure/validate/2025", MULTIPART),
    ("/v2/public/uli/validate/csv", MULTIPART),
    ("/v2/public/lar/convert?year=2025", MULTIPART),
    ("/realms/hmda2/protocol/openid-connect/token", FORM),
    ("/tools/check-file/", MULTIPART),
    ("/sign-up/", FORM),
    ("/admin/auth/user/add/", FORM),
]


@pytest.mark.parametrize(("path", "kind"), CASES)
def test_a_body_that_stops_is_408_and_wakes_no_one(
    admin_user: User, caplog: Any, path: str, kind: str
) -> None:
    client = Client(raise_request_exception=False, enforce_csrf_checks=True)
    client.cookies["csrftoken"] = "a" * 32  # without it a form is refused before it is read
    if path.startswith("/admin/"):
        client.force_login(admin_user)
    caplog.set_level(logging.WARNING)
    answer = send(client, path, kind, 1000)
    assert answer.status_code == 408
    if path.startswith(("/v2", "/public", "/realms")):
        assert is_of_form(answer, path.partition("?")[0])
    assert not [record for record in caplog.records if record.exc_info]
    assert not TrailEntry.objects.filter(event="unexpected error").exists()


@pytest.mark.parametrize(("path", "kind"), CASES[:7])
def test_a_body_that_says_it_is_too_long_is_413_before_it_is_read(path: str, kind: str) -> None:
    answer = send(Client(raise_request_exception=False), path, kind, 3_000_000_000)
    assert answer.status_code == 413
    assert is_of_form(answer, path.partition("?")[0])
