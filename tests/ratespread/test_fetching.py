"""Tables are fetched from a server; whatever goes wrong there leaves those before in use."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_network
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from ratespread import loading, tasks
from ratespread.models import AporKind, AporLoad, AporTable, AporWeek
from tests.ratespread.conftest import FIRST, level, load, text

# What is loaded from a file, test_loading.py stores on each database.
pytestmark = pytest.mark.django_db
TABLE = text(AporKind.FIXED, {FIRST: level("3.5")})
OTHER = text(AporKind.VARIABLE, {FIRST: level("3")})

Answers = dict[str, tuple[int, dict[str, str], bytes]]


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        status, headers, body = self.server.answers.get(self.path, (404, {}, b""))  # type: ignore[attr-defined]
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture
def server(settings: Any) -> Iterator[Callable[[Answers], str]]:
    settings.APOR_HTTP_ALLOWED = True
    settings.REFERENCE_NETWORKS = [ip_network("127.0.0.0/8")]
    running = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=running.serve_forever, args=(0.01,))
    thread.start()

    def serve(answers: Answers) -> str:
        running.answers = answers  # type: ignore[attr-defined]
        return f"http://127.0.0.1:{running.server_address[1]}"

    yield serve
    running.shutdown()
    thread.join()
    running.server_close()


@pytest.mark.servers
def test_a_refresh_loads_what_is_new_and_leaves_the_rest(server, settings):
    settings.APOR_FIXED_URL = server({"/f": (200, {}, TABLE)}) + "/f"
    tasks.refresh()
    made = AporLoad.objects.get()
    assert (made.source, made.loaded_by, made.added) == (settings.APOR_FIXED_URL, "refresh", 1)
    table = AporTable.objects.get(kind=AporKind.FIXED)
    assert (table.trouble, table.load) == ("", made)
    assert table.checked_at is not None
    tasks.refresh()
    assert AporLoad.objects.count() == 1
    server({"/f": (200, {}, text(AporKind.FIXED, {FIRST: level("3.75")}))})
    tasks.refresh()
    assert AporWeek.objects.get(replaced_by=None).rates[0] == "3.75"


@pytest.mark.parametrize(
    ("answer", "trouble"),
    [
        ((404, {}, b""), "answers 404 Not Found."),
        ((500, {}, b"x"), "answers 500 Internal Server Error."),
        ((200, {}, b"<html>"), "1 line has errors; first: line 1: the file is a web page"),
        ((200, {}, b"1/2/2017|1"), "1 line has errors; first: line 1: the line has 2 columns"),
        ((200, {}, b"x" * (loading.FETCH_LIMIT + 1)), "is larger than 5,242,880 bytes"),
        ((302, {"Location": "/f"}, b""), "redirects more than 5 times."),
        (
            (302, {"Location": "file:///etc/passwd"}, b""),
            "enter an address that begins with https://",
        ),
        ((302, {"Location": "http://10.0.0.1/"}, b""), "10.0.0.1 has a private address (10.0.0.1)"),
        ((200, {"Content-Length": "9"}, b"1"), "cannot be fetched"),
    ],
    ids=lambda each: str(each)[:40],
)
def test_what_goes_wrong_is_told_and_the_table_stays(server, settings, caplog, answer, trouble):
    before = load(AporKind.FIXED, {FIRST: level("3.5")})
    settings.APOR_FIXED_URL = server({"/f": answer}) + "/f"
    settings.APOR_VARIABLE_URL = server({"/f": answer, "/v": (200, {}, OTHER)}) + "/v"
    tasks.refresh()
    assert trouble in AporTable.objects.get(kind=AporKind.FIXED).trouble
    assert AporWeek.objects.get(kind=AporKind.FIXED).load == before
    assert AporWeek.objects.get(kind=AporKind.VARIABLE).rates == level("3")
    assert "the previous table stays in use" in caplog.text
    assert AporTable.objects.get(kind=AporKind.VARIABLE).trouble == ""
    server({"/f": (200, {}, TABLE)})
    loading.refresh_apor_tables()
    assert AporTable.objects.get(kind=AporKind.FIXED).trouble == ""


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_private_address_is_not_asked(server, settings, host):
    settings.REFERENCE_NETWORKS = []
    address = server({"/f": (200, {}, TABLE)}).replace("127.0.0.1", host) + "/f"
    settings.APOR_FIXED_URL = address
    tasks.refresh()
    trouble = AporTable.objects.get(kind=AporKind.FIXED).trouble
    assert trouble.startswith(f"{host} has a private address (")
    assert not AporLoad.objects.exists()
    with pytest.raises(CommandError, match="has a private address"):
        call_command("load_apor", address, "--kind", "fixed")


def test_a_redirect_to_a_private_address_is_not_followed(server, settings):
    settings.REFERENCE_NETWORKS = [ip_network("127.0.0.1/32")]
    for inside in ("http://127.0.0.2/g", "http://169.254.169.254/latest/", "http://[::1]/g"):
        address = server({"/f": (302, {"Location": inside}, b"")}) + "/f"
        with pytest.raises(loading.AporNotFetched, match="has a private address"):
            loading.fetch_apor_table(address)


def test_a_server_that_is_not_there_is_told(settings):
    settings.APOR_HTTP_ALLOWED = True
    settings.REFERENCE_NETWORKS = [ip_network("127.0.0.0/8")]
    with pytest.raises(loading.AporNotFetched, match="cannot be fetched"):
        loading.fetch_apor_table("http://127.0.0.1:9/table.txt")


@pytest.mark.parametrize(
    "address",
    [
        *("http://127.0.0.1/fixed", "ftp://host/fixed", "//x", "https:", "https://[::1/"),
        *(f"https://{'a' * 64}.example/", "https://localhost:99999999/", "https://a:b@localhost/"),
    ],
)
def test_only_https_is_asked(address):
    with pytest.raises(loading.AporNotFetched):
        loading.fetch_apor_table(address)


def test_a_redirect_is_followed(server):
    there = {"/f": (301, {"Location": "/g"}, b""), "/g": (200, {}, TABLE)}
    assert loading.fetch_apor_table(server(there) + "/f") == TABLE


def test_the_command_takes_an_address(server):
    address = server({"/apor/YieldTableFixed.txt": (200, {}, TABLE)})
    call_command("load_apor", f"{address}/apor/YieldTableFixed.txt")
    assert AporLoad.objects.get().source == f"{address}/apor/YieldTableFixed.txt"
    with pytest.raises(CommandError, match="answers 404"):
        call_command("load_apor", f"{address}/fixed")
