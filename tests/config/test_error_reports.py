"""Reports of errors, as a real server receives them: where it was, and nothing that was sent."""

from __future__ import annotations

import gzip
import json
import logging
import os
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
import sentry_sdk
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import path
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from config import error_reports, urls
from config.error_reports import make_report
from config.urls import handler400, handler403, handler404, handler500  # noqa: F401
from filing import registries
from filing.audit import set_origin
from filing.jobs import loop, queue
from filing.registries import JobKind, Lease

LEI, EMAIL, FILE = "529900MARKER00000042", "marker@bank.example", "marker-2024.txt"
TOKEN, ULI = "hmda_pat_marker0123456789", "529900MARKER00000042LOAN77"
LINE = f"2|{LEI}|{ULI}|20241201|1|marker street 7|{EMAIL}"
SENT = (LEI, EMAIL, FILE, TOKEN, ULI, "marker", "20241201", "question")


def read_line(line: str) -> int:
    """Fail with the line in a variable and in the message, as code at fault does."""
    fields = line.split("|")
    try:
        return int(fields[2])
    except ValueError as error:
        raise RuntimeError(f"{fields[6]} filed {line!r}") from error


def page(request: HttpRequest, lei: str) -> HttpResponse:
    return HttpResponse(read_line(request.POST["line"]))


class Api(APIView):
    authentication_classes = ()
    permission_classes = ()

    def post(self, request: Request, lei: str) -> Response:
        return Response(read_line(request.data["line"]))


urlpatterns = [
    path("help/<str:lei>/", page),
    path("v2/filing/institutions/<str:lei>/lines", Api.as_view()),
    *urls.urlpatterns,
]


class Receiver:
    """A server that plays Sentry, and keeps what it receives."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        self.heads: list[str] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                is_packed = self.headers["Content-Encoding"] == "gzip"
                receiver.bodies.append(gzip.decompress(body) if is_packed else body)
                receiver.heads.append(f"{self.path} {self.headers}")
                self.send_response(200)
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        self.dsn = f"http://key@127.0.0.1:{self.server.server_port}/1"

    def events(self) -> list[dict[str, Any]]:
        sentry_sdk.flush(10)
        return [json.loads(body.splitlines()[2]) for body in self.bodies]

    def everything(self) -> str:
        return "\n".join([*self.heads, *(body.decode() for body in self.bodies)])


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    receiver = Receiver()
    settings.SENTRY_DSN = receiver.dsn
    settings.SENTRY_ENVIRONMENT = "hmda.example"
    error_reports.start_reporting()
    yield receiver
    sentry_sdk.get_client().close(timeout=1)
    sentry_sdk.get_global_scope().set_client(None)
    receiver.server.shutdown()
    receiver.server.server_close()


@pytest.fixture
def caller(settings: Any) -> Client:
    settings.ROOT_URLCONF = __name__
    return Client(
        raise_request_exception=False,
        headers={"authorization": f"Bearer {TOKEN}", "cookie": f"sessionid={TOKEN}"},
    )


def places(event: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the types of the errors, each with the function that raised it."""
    return [
        (each["type"], each["stacktrace"]["frames"][-1]["function"])
        for each in event["exception"]["values"]
    ]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("address", "route"),
    [
        (f"/help/{LEI}/?question={ULI}", "help/<str:lei>/"),
        (
            f"/v2/filing/institutions/{LEI}/lines?question={ULI}",
            "v2/filing/institutions/<str:lei>/lines",
        ),
    ],
)
def test_a_request_that_fails_is_reported_without_anything_it_sent(
    receiver: Receiver, caller: Client, address: str, route: str
) -> None:
    body = {"line": LINE, "file": FILE}
    is_api = address.startswith("/v2/")
    content_type = {"content_type": "application/json"} if is_api else {}
    answer = caller.post(address, json.dumps(body) if is_api else body, **content_type)
    assert answer.status_code == 500
    (event,) = receiver.events()
    assert places(event) == [("ValueError", "read_line"), ("RuntimeError", "read_line")]
    assert event["transaction"] == route
    assert event["tags"] == {"reference": answer["X-Request-ID"], "method": "POST"}
    assert event["environment"] == "hmda.example"
    for text in SENT:
        assert text not in receiver.everything().lower(), text
        assert text not in receiver.everything(), text


@pytest.mark.django_db(transaction=True)
def test_a_job_that_fails_is_reported_with_its_kind_and_request(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    def trouble(lease: Lease) -> None:
        read_line(LINE)

    monkeypatch.setitem(registries.JOB_KINDS, "graphs", JobKind("graphs", trouble))
    with set_origin(request_id="7F3K-9QXM-2BTD"):
        job = queue.add_job("graphs", notifies=False)
    loop.run_job(job.pk)
    (event,) = receiver.events()
    assert event["transaction"] == "job graphs"
    assert event["tags"] == {"reference": "7F3K-9QXM-2BTD"}
    assert places(event)[-1] == ("RuntimeError", "read_line")
    for text in SENT:
        assert text not in receiver.everything()


def test_a_report_has_the_listed_parts_and_no_other(receiver: Receiver) -> None:
    fail(lambda: read_line(LINE))
    (event,) = receiver.events()
    assert set(event) <= {
        *("event_id", "timestamp", "level", "logger", "platform", "release", "environment"),
        *("sdk", "transaction", "tags", "exception"),
    }
    frames = [f for each in event["exception"]["values"] for f in each["stacktrace"]["frames"]]
    assert frames
    for frame in frames:
        assert set(frame) <= {"filename", "function", "module", "lineno", "in_app"}
    header = json.loads(receiver.bodies[0].splitlines()[0])
    assert set(header) <= {"event_id", "sent_at", "trace", "sdk", "dsn"}
    assert os.uname().nodename not in receiver.everything()


def test_what_has_no_exception_and_what_is_expected_is_not_reported(receiver: Receiver) -> None:
    log = logging.getLogger("config.test")
    log.error("The line %s is wrong", LINE)
    log.warning("The service cannot use its database", exc_info=OSError(LINE))
    assert receiver.events() == []


def test_an_address_that_cannot_be_read_is_refused(settings: Any) -> None:
    settings.SENTRY_DSN = "https://sentry.example"
    with pytest.raises(ImproperlyConfigured, match=r"SENTRY_DSN cannot be read: .*; enter https:"):
        error_reports.start_reporting()


def fail(work: Callable[[], object]) -> None:
    """Log the error of the work as the service does."""
    try:
        work()
    except RuntimeError:
        logging.getLogger("config.test").exception("It failed")


def test_an_event_without_an_exception_is_not_reported() -> None:
    assert make_report({"message": "secret"}, {}) is None
