"""What no address takes: a path, a query, a header or a cookie that holds what is no text."""

from __future__ import annotations

import pytest
from django.test import Client

from tests import make
from tests.errors import error_of

pytestmark = pytest.mark.django_db

PATH, QUERY = (
    f"The {place} holds a NUL character or bytes that are not UTF-8; "
    "send UTF-8 text, percent-encoded, without NUL characters."
    for place in ("path", "query")
)
NO_TEXT = ("a%00b", "%u0000", "%udc00", "%ED%A0%80", "%FF")


@pytest.mark.parametrize("text", NO_TEXT)
def test_an_api_says_where_it_is(text: str) -> None:
    for address in (f"/v2/public/modifiedLAR/2022/{text}", f"/v2/nowhere/{text}/"):
        answer = Client().get(address)
        assert (answer.status_code, error_of(answer)["message"]) == (400, PATH)
    for query in (f"x={text}", f"{text}=1", f"a=1&{text}"):
        answer = Client().get(f"/v2/public/institutions?{query}")
        assert (answer.status_code, error_of(answer)["message"]) == (400, QUERY)


@pytest.mark.parametrize("text", NO_TEXT)
def test_a_page_says_that_it_cannot_be_read(text: str) -> None:
    for address in (f"/help/{text}", f"/help/?q={text}", f"/static/{text}"):
        answer = Client().get(address)
        assert answer.status_code == 400
        assert "This request could not be read" in answer.text
        assert answer["X-Request-ID"] in answer.text
        assert "default-src 'self'" in answer["Content-Security-Policy"]


def test_each_area_answers_in_its_form() -> None:
    provider = Client().get("/realms/hmda2/protocol/openid-connect/userinfo?x=%u0000")
    assert error_of(provider) == {"error": "invalid_request", "error_description": QUERY}
    browser = Client().get("/v2/data-browser-api/view/nationwide/csv?years=%00")
    assert error_of(browser) == {"errorType": "bad-request", "message": QUERY}
    filing = Client().get("/v2/filing/institutions/X%00/filings/2024")
    path = "/institutions/X\0/filings/2024"
    assert error_of(filing) == {"httpStatus": 400, "message": PATH, "path": path}


@pytest.mark.parametrize(
    ("name", "header"),
    [("user-agent", "User-Agent"), ("authorization", "Authorization"), ("x-own", "X-Own")],
)
def test_a_header_is_named(name: str, header: str) -> None:
    answer = Client().get("/v2/filing/", headers={name: "a\0"})
    message = f"The header {header} holds a NUL character; send it without."
    assert (answer.status_code, error_of(answer)["message"]) == (400, message)


@pytest.mark.parametrize("cookie", ['sessionid="\\000"', 'other="a\\000b"'])
def test_a_cookie_is_read_before_it_is_looked_at(cookie: str) -> None:
    answer = Client().get("/help/", HTTP_COOKIE=cookie)
    assert answer.status_code == 400


def test_what_is_stored_of_a_body_holds_text_only() -> None:
    for text in (r"\u0000", r"\ud800"):
        answer = make.program().put("/hmda-auth/users/", f'{{"firstName": "{text}"}}'.encode())
        assert answer.status_code == 400
        assert error_of(answer)["message"] == (
            r"The JSON holds a NUL character or half a surrogate pair (\u0000, \ud800 to \udfff); "
            "send text without them."
        )


@pytest.mark.parametrize("field", ["client_id", "code", "grant_type", "refresh_token", "\0"])
def test_a_form_of_the_protocol_holds_text_only(field: str) -> None:
    form = {"grant_type": "authorization_code", "client_id": "hmda2-api", field: "a\0"}
    answer = Client().post("/realms/hmda2/protocol/openid-connect/token", form)
    assert answer.status_code == 400
    message = "The form holds a NUL character; send text without it."
    assert error_of(answer) == {"error": "invalid_request", "error_description": message}


WITHOUT_LENGTH = [
    ("POST", "/v2/public/disclosure/parse"),
    ("POST", "/v2/public/lar/convert"),
    ("POST", "/v2/public/lar/parse"),
    ("POST", "/public/rateSpread"),
    ("POST", "/v2/filing/institutions/X/filings/2024/submissions/1"),
    ("PATCH", "/v2/filing/institutions/X/filings/2024/submissions/1/uploads/a"),
    ("PUT", "/hmda-auth/users/"),
    ("POST", "/tools/check-file/"),
    ("POST", "/tools/lar/columns/"),
    ("POST", "/filing/X/2024/1/upload/"),
]


@pytest.mark.parametrize(("method", "address"), WITHOUT_LENGTH)
def test_a_body_in_chunks_is_refused_with_the_reason(method: str, address: str) -> None:
    chunked = {"Transfer-Encoding": "chunked", "Content-Type": "application/json"}
    answer = Client().generic(method, address, headers=chunked)
    assert answer.status_code == 411
    assert "Content-Length" in answer.text
