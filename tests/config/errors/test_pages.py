import pytest
from django.test import RequestFactory

from config.errors import handlers, pages


def test_the_page_of_a_failure_needs_no_database():
    request = RequestFactory().get("/")
    request.request_id = "abc-123"
    answer = pages.failure(request)
    assert answer.status_code == 500
    assert "abc-123" in answer.content.decode()


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (lambda request: handlers.bad_request(request, ValueError()), 400),
        (lambda request: handlers.forbidden(request, PermissionError()), 403),
        (handlers.forged, 403),
        (lambda request: handlers.not_found(request, ValueError()), 404),
        (lambda request: handlers.too_many_requests(request, 7), 429),
        (handlers.server_error, 500),
    ],
)
def test_errors_are_pages_on_the_site_and_json_in_an_api(answer, status):
    page, data = (answer(RequestFactory().get(path)) for path in ("/x", "/v2/filing/x"))
    assert page.status_code == data.status_code == status
    assert page["Content-Type"].startswith("text/html")
    assert data["Content-Type"] == "application/json"
