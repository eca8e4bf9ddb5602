"""Errors: JSON in the form of its area under every address of an API, a page everywhere else."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import BadRequest, PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import path as route
from django.urls import re_path, resolve
from django.views.decorators.http import require_POST
from rest_framework.views import APIView

from config import urls as site_urls
from config.errors import handlers
from filing.models import TrailEntry
from tests.addresses import ROUTES
from tests.error_forms import FORMS, is_of_form

NOWHERE = "There is nothing at this address."
# The buckets are the same for all areas.
AREAS = [
    pytest.param(begins, marks=pytest.mark.servers if begins == "/v2/public" else ())
    for begins in FORMS
]


def api_addresses() -> list[str]:
    """Return the addresses of all calls: those of the framework of the APIs, and the provider's."""
    found = []
    for name, address in ROUTES.items():
        view = resolve(address.format(key=1)).func
        is_call = issubclass(getattr(view, "cls", object), APIView) and name != "openapi"
        if is_call or name in {"identity:token", "identity:certs", "identity:userinfo"}:
            found.append(address)
    return found


def beginnings(address: str) -> list[str]:
    """Return what an address begins with, part by part, without the root."""
    parts = address.strip("/").split("/")
    return ["/" + "/".join(parts[: number + 1]) for number in range(len(parts))]


@pytest.mark.django_db
def test_an_unknown_address_under_every_beginning_of_a_call_answers_json(settings: Any) -> None:
    settings.LIMITS = dict.fromkeys(settings.LIMITS)
    begun = {begin for address in api_addresses() for begin in beginnings(address)}
    assert {"/v2", "/public", "/file", "/hmda-auth", "/quarterly-data", "/realms"} <= begun
    for begin in begun:
        address = f"{begin}/no/such/address.html"
        answer = Client().post(address, headers={"accept": "text/html"})
        assert answer.status_code == 404, address
        assert is_of_form(answer, address) == NOWHERE


# --- what the framework refuses, in each area ----------------------------------------------------


def refuse(request: HttpRequest, **parts: Any) -> HttpResponse:
    match request.GET.get("with"):
        case "400":
            raise BadRequest("The form has too many fields.")
        case "403":
            raise PermissionDenied
        case "416":
            return HttpResponse(status=416, headers={"Content-Range": "bytes */7"})
        case "forged":
            return handlers.answer_forged_form(request)
    raise RuntimeError("secret")


urlpatterns = [
    route("posts/<path:rest>", require_POST(refuse)),
    re_path("^(?P<begin>.*)/posts$", require_POST(refuse)),
    re_path("", refuse),
    *site_urls.urlpatterns,  # to which the pages of errors link
]
handler400, handler403 = handlers.answer_bad_request, handlers.answer_forbidden
handler404, handler500 = handlers.answer_not_found, handlers.answer_server_error


@pytest.fixture
def refusing(settings: Any) -> Client:
    settings.ROOT_URLCONF = __name__
    settings.LIMITS = dict.fromkeys(settings.LIMITS)
    return Client(raise_request_exception=False)


@pytest.mark.parametrize("begins", FORMS)
@pytest.mark.parametrize(
    ("asked", "status", "message"),
    [
        ("?with=400", 400, "The form has too many fields."),
        ("?with=403", 403, "This is not allowed."),
        ("?with=forged", 403, "This is not allowed."),
        ("/posts", 405, 'Method "GET" not allowed.'),
        ("?with=500", 500, "The service could not answer this request. It has been recorded."),
    ],
)
def test_what_the_framework_refuses_has_the_form_of_the_area(
    refusing: Client, begins: str, asked: str, status: int, message: str
) -> None:
    address = f"{begins}/x{asked}"
    answer = refusing.get(address)
    assert answer.status_code == status
    assert is_of_form(answer, address.partition("?")[0]) == message
    assert answer["Cache-Control"] == "no-cache" or status == 405


@pytest.mark.django_db
@pytest.mark.parametrize(
    "begins",
    ["/filing/invitation/", "/sign-up/MQ/"],
)
def test_the_audit_log_has_no_link_of_an_email_that_met_an_error(
    refusing: Client, begins: str
) -> None:
    assert refusing.get(f"{begins}live-secret/").status_code == 500
    assert TrailEntry.objects.get().about == f"GET {begins}[hidden]/"


def test_a_part_of_a_file_that_it_does_not_have_is_explained(refusing: Client) -> None:
    answer = refusing.get("/v2/public/publications/2024/x?with=416")
    assert (answer.status_code, answer["Content-Range"]) == (416, "bytes */7")
    wanted = "The file does not have the bytes that the header Range asks for."
    assert is_of_form(answer, "/v2/public/publications/2024/x") == wanted


# --- the embedded identity provider --------------------------------------------------------------
