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
from config.errors.handlers import API_AREAS, find_api_area
from config.limits.policies import read_policy
from filing.models import TrailEntry
from tests.addresses import ROUTES
from tests.error_forms import FORMS, is_of_form
from tests.errors import error_of

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


def test_the_forms_of_all_areas_are_tested() -> None:
    assert [area.start for area in API_AREAS] == list(FORMS)


def test_every_call_lies_in_an_area_and_no_page_does() -> None:
    calls = set(api_addresses())
    assert len(calls) > 70
    assert not [address for address in calls if not find_api_area(address)]
    others = {name: address for name, address in ROUTES.items() if address not in calls}
    assert {name for name, address in others.items() if find_api_area(address)} == {
        "identity:discovery",
        "identity:device-authorization",
        "assistants",
    }


@pytest.mark.django_db
def test_an_unknown_address_under_every_beginning_of_a_call_answers_json(settings: Any) -> None:
    settings.LIMITS = dict.fromkeys(settings.LIMITS)
    begun = {begin for address in api_addresses() for begin in beginnings(address)}
    assert {"/v2", "/public", "/file", "/hmda-auth", "/quarterly-data", "/realms"} <= begun
    for begin in begun:
        for address in (f"{begin}/no/such/address.html", f"{begin}/no/such/address/"):
            for method in ("GET", "POST", "DELETE"):
                answer = Client().generic(method, address, headers={"accept": "text/html"})
                assert answer.status_code == 404, (method, address)
                assert is_of_form(answer, address) == NOWHERE


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/v2", "/v2/", "/v2/nowhere", "/v2/other/filers/2024"])
def test_what_is_in_no_area_of_a_version_yet_is_json_too(address: str) -> None:
    answer = Client().get(address)
    assert answer.status_code == 404
    assert is_of_form(answer, address) == NOWHERE


@pytest.mark.django_db
@pytest.mark.parametrize(
    "address",
    [
        "/nowhere",
        "/v2x",
        "/publicity",
        "/filing/nowhere",
        "/files",
        "/data/nowhere",
        "/docs/x.json",
    ],
)
def test_what_is_under_no_api_is_a_page(address: str) -> None:
    answer = Client().get(address)
    assert answer.status_code == 404
    assert answer["Content-Type"] == "text/html; charset=utf-8"
    assert answer["X-Request-ID"] in answer.content.decode()


@pytest.mark.django_db
def test_a_method_that_a_call_does_not_have_is_refused_in_the_form_of_its_area(
    settings: Any,
) -> None:
    settings.LIMITS = dict.fromkeys(settings.LIMITS)
    for address in api_addresses():
        answer = Client().generic("PATCH", address)
        if answer.status_code == 401:  # whoever calls is asked for first
            assert error_of(answer)["path"] == ""
            continue
        assert answer.status_code == 405, address
        assert is_of_form(answer, address) == 'Method "PATCH" not allowed.'
        assert answer["Allow"], address


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
    ["/filing/invitation/", "/filing/administrator/", "/sign-up/MQ/", "/forgotten/MQ/"],
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


@pytest.mark.django_db
@pytest.mark.parametrize("begins", AREAS)
def test_too_many_requests_have_the_form_of_the_area(settings: Any, here: str, begins: str) -> None:
    settings.LIMITS = settings.LIMITS | {"public": read_policy("public", "1/h:1")}
    client = Client(REMOTE_ADDR=here)
    client.get(f"{begins}/nowhere")
    answer = client.get(f"{begins}/nowhere")
    assert answer.status_code == 429
    assert is_of_form(answer, f"{begins}/nowhere").startswith("Too many requests. Try again in ")


# --- the embedded identity provider --------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("method", "call", "status", "name"),
    [
        ("POST", "token", 400, "unsupported_grant_type"),
        ("GET", "token", 405, "invalid_request"),
        ("GET", "userinfo", 401, "invalid_token"),
        ("POST", "certs", 405, "invalid_request"),
        ("GET", "nowhere", 404, "invalid_request"),
    ],
)
def test_a_refusal_of_the_provider_has_the_id_of_the_request(
    method: str, call: str, status: int, name: str
) -> None:
    answer = Client().generic(method, f"/realms/hmda2/protocol/openid-connect/{call}")
    assert answer.status_code == status
    assert error_of(answer)["error"] == name


@pytest.mark.django_db
@pytest.mark.parametrize("page", ["login", "protocol/openid-connect/logout?client_id=x"])
def test_the_pages_of_the_provider_stay_pages(page: str) -> None:
    answer = Client(enforce_csrf_checks=True).post(f"/realms/hmda2/{page}")
    assert answer.status_code == 403
    assert answer["Content-Type"] == "text/html; charset=utf-8"
