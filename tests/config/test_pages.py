import re

import pytest
from django.test import Client, RequestFactory
from django.urls import reverse

from config import errors, pages


@pytest.mark.parametrize("name", ["home", "help", "swagger", "redoc"])
@pytest.mark.django_db
def test_pages_open_without_an_account(name):
    answer = Client().get(reverse(name))
    assert answer.status_code == 200
    assert answer.content.decode().count("<h1") == 1


@pytest.mark.parametrize("name", ["home", "help"])
@pytest.mark.django_db
def test_every_link_of_a_page_leads_somewhere(name):
    content = Client().get(reverse(name)).content.decode()
    for address in {each.split("#")[0] for each in re.findall('<a[^>]* href="(/[^"]*)"', content)}:
        answer = Client().get(address)
        assert answer.status_code in {200, 302}, address


def test_the_page_of_a_failure_needs_no_database():
    request = RequestFactory().get("/")
    request.request_id = "abc-123"
    answer = pages.failure(request)
    assert answer.status_code == 500
    assert "abc-123" in answer.content.decode()


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (lambda request: errors.bad_request(request, ValueError()), 400),
        (lambda request: errors.forbidden(request, PermissionError()), 403),
        (errors.forged, 403),
        (lambda request: errors.not_found(request, ValueError()), 404),
        (lambda request: errors.too_many_requests(request, 7), 429),
        (errors.server_error, 500),
    ],
)
def test_errors_are_pages_on_the_site_and_json_in_an_api(answer, status):
    page, data = (answer(RequestFactory().get(path)) for path in ("/x", "/v2/filing/x"))
    assert page.status_code == data.status_code == status
    assert page["Content-Type"].startswith("text/html")
    assert data["Content-Type"] == "application/json"


@pytest.mark.parametrize("signing", [True, False])
@pytest.mark.django_db
def test_the_test_environment_says_so_on_every_page(settings, signing):
    settings.SIGNING_ENABLED = signing
    said = "no evidence of compliance" in " ".join(Client().get("/").content.decode().split())
    assert said is not signing
