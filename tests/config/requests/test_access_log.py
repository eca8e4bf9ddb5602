"""Request ids and the line each request leaves: on every answer, and with no secret in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import ip_network
from typing import Any

import pytest
import structlog
from django.conf import settings as configured
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.test import Client
from django.urls import path
from structlog.testing import LogCapture

from filing.audit import Origin, current_origin
from tests import make

CHECK = "/v2/public/disclosure/validate/2024"
EDITS = "/v2/public/edits/V600"
MADE = re.compile(r"[2-9B-Z]{4}(-[2-9B-Z]{4}){2}")

origins: list[Origin] = []


def look(request: HttpRequest) -> HttpResponse:
    origins.append(current_origin())
    structlog.contextvars.bind_contextvars(left_behind="by this view")
    return HttpResponse(request.request_id)  # type: ignore[attr-defined]


def fall(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("Nobody has thought of this.")


def stream(request: HttpRequest) -> StreamingHttpResponse:
    return StreamingHttpResponse(iter([b"one ", b"two"]))


urlpatterns = [path("look", look), path("v2/filing/fall", fall), path("stream", stream)]
handler500 = "config.errors.handlers.answer_server_error"


@pytest.fixture
def here(settings: Any) -> None:
    settings.ROOT_URLCONF = __name__
    origins.clear()


@pytest.fixture
def lines() -> Iterator[list[Any]]:
    """Give what is logged with structure while a test runs."""
    capture = LogCapture()
    before = structlog.get_config()["processors"]
    processors = list(before)
    before[:] = [structlog.contextvars.merge_contextvars, capture]
    yield capture.entries
    before[:] = processors


@pytest.mark.usefixtures("here")
def test_a_request_has_an_id_and_an_address_all_the_way() -> None:
    answer = Client(REMOTE_ADDR="192.0.2.7").get("/look")
    made = answer["X-Request-ID"]
    assert MADE.fullmatch(made)
    assert answer.content.decode() == made
    assert origins == [Origin("192.0.2.7", made, network="192.0.2.7")]
    assert current_origin() == Origin()
    assert structlog.contextvars.get_contextvars() == {}
    assert Client().get("/look")["X-Request-ID"] != made


@pytest.mark.parametrize("given", ["trace-1.2_3", "x" * 64, "0b5e8a52-8a43-4d3f-9c1f-0d1c7a3f7c11"])
@pytest.mark.usefixtures("here")
def test_a_trusted_proxy_may_name_a_request(settings: Any, given: str) -> None:
    asking = {"X-Request-ID": given}
    assert Client().get("/look", headers=asking)["X-Request-ID"] != given
    settings.TRUSTED_PROXIES = [ip_network("127.0.0.0/8")]
    assert Client().get("/look", headers=asking)["X-Request-ID"] == given


@pytest.mark.parametrize("given", ["", "x" * 65, "<script>", "\xe9"])
@pytest.mark.usefixtures("here")
def test_an_id_that_is_no_id_is_replaced(settings: Any, given: str) -> None:
    settings.TRUSTED_PROXIES = [ip_network("127.0.0.0/8")]
    answer = Client().get("/look", headers={"X-Request-ID": given})
    assert MADE.fullmatch(answer["X-Request-ID"])


def test_a_request_leaves_one_line_without_its_query(lines: list[Any]) -> None:
    answer = Client(REMOTE_ADDR="192.0.2.7").get(f"{EDITS}?year=2024&code=secret")
    (line,) = lines
    assert line.pop("milliseconds") > 0
    assert line == {
        "event": "request",
        "log_level": "info",
        "request_id": answer["X-Request-ID"],
        "method": "GET",
        "path": EDITS,
        "address": "192.0.2.7",
        "status": 200,
        "bytes": len(answer.content),
        "caller": "",
    }


def test_a_path_cannot_write_a_line_of_its_own(lines: list[Any]) -> None:
    Client().get("/v2/public/a%0Ab")
    assert lines[-1]["path"] == "/v2/public/a%0Ab"


@pytest.mark.servers
@pytest.mark.django_db
def test_the_line_names_who_has_called(lines: list[Any]) -> None:
    make.program("ann").get("/v2/filing/institutions/529900EXAMPLELEI0001/year/2024")
    assert (lines[-1]["status"], lines[-1]["caller"]) == (403, "ann-1")
    user = make.staff("operator")
    make.browser(user).get("/admin/")
    assert (lines[-1]["status"], lines[-1]["caller"]) == (200, f"user {user.pk}")


@pytest.mark.django_db
def test_a_checked_file_is_gone_after_its_streamed_answer(lines: list[Any]) -> None:
    sent = SimpleUploadedFile("lar.txt", b"1|x\n2|x\n")
    content = b"".join(Client().post(CHECK, {"file": sent}).streaming_content)
    assert [line["bytes"] for line in lines if line["event"] == "request"] == [len(content)]
    assert not list(configured.FILE_UPLOAD_TEMP_DIR.iterdir())
