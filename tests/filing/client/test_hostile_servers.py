"""The client of a hostile server: no order to a terminal, no file elsewhere, no token to others."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from filing.client import api, calls, commands, public_tools
from filing.client.api import FilingClient
from filing.client.authorization import sign_in
from filing.client.command import main
from filing.client.terminal import PlainOutput
from filing.demo import census as demo_census
from filing.demo.files import LarRecipe, make_lar_file
from filing.lar.years import Period

LEI, YEAR = "529900TESTBANK000042", Period(2024)
ORDERS = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e\r\x7f"
NUMBER = 7


class Server:
    """A server that answers what it is told; `requests` are those that it got."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, str, dict[str, str]]] = []
        self.answer: Callable[[str, str], tuple[int, Any, dict[str, str]]] = lambda method, path: (
            404,
            {},
            {},
        )
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def respond(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                outer.requests.append((self.command, self.path, dict(self.headers)))
                status, body, headers = outer.answer(self.command, self.path)
                content = b"" if body is None else json.dumps(body).encode()
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(content))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            def __getattr__(self, name: str) -> Any:
                if name.startswith("do_"):
                    return self.respond
                raise AttributeError(name)

            def log_message(self, *_: Any) -> None:
                """Keep quiet."""

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}"
        self._thread = threading.Thread(target=self.http.serve_forever, args=(0.01,))
        self._thread.start()

    def stop(self) -> None:
        self.http.shutdown()
        self._thread.join()
        self.http.server_close()


@pytest.fixture
def servers() -> Iterator[tuple[Server, Server]]:
    """Return the server that the user named, and another one."""
    pair = Server(), Server()
    yield pair
    for server in pair:
        server.stop()


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HMDA_TOKEN", "secret-token")
    for variable in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(variable, str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    for module in (commands, public_tools, api):
        for name in ("_BRIEF_PATIENCE", "_PATIENCE"):
            monkeypatch.setattr(module, name, 1.0, raising=False)
    return tmp_path


def submission(code: int = 15, number: Any = NUMBER) -> dict[str, Any]:
    status = {"code": code, "message": f"m{ORDERS}", "description": f"d{ORDERS}"}
    return {"id": {"sequenceNumber": number}, "status": status, "receipt": f"r{ORDERS}"}


def findings(method: str, path: str) -> tuple[int, Any, dict[str, str]]:
    """Answer as the API does, with orders to the terminal in each text."""
    text = f"t{ORDERS}"
    field = {"name": text, "value": text}
    if path.endswith("/edits"):
        edit = {"edit": text, "description": text}
        kinds = {kind: {"edits": [edit]} for kind in ("syntactical", "validity", "quality")}
        unrun = [{"edit": text, "reason": text}]
        return 200, {**kinds, "macro": {"edits": []}, "notRun": unrun, "rulebook": None}, {}
    if "/edits/" in path:
        return 200, {"total": 1, "rows": [{"id": text, "fields": [field]}]}, {}
    if "/parseErrors" in path:
        message = {"fieldName": text, "inputValue": text, "validValues": text}
        line = {"rowNumber": text, "estimatedULI": text, "errorMessages": [message]}
        return 200, {"total": 1, "transmittalSheetErrors": [], "larErrors": [line]}, {}
    if path.endswith("/receipts/check"):
        names = ("receipt", "signedAt", "sha256", "records", "replacedBy", "message")
        return 200, dict.fromkeys(names, text) | {"genuine": True}, {}
    if "/uli/" in path:
        return 200, {"uli": text, "isValid": True}, {}
    if path.endswith("/rateSpread"):
        return 200, {"rateSpread": text}, {}
    if path.endswith("/sign"):
        return 200, submission(), {}
    return 200, submission(9), {}


@pytest.mark.parametrize(
    "arguments",
    [
        ["status", LEI, "2024"], ["edits", LEI, "2024"], ["edits", LEI, "2024", "--code", "V600"],
        ["verify", LEI, "2024"], ["sign", LEI, "2024"], ["check-receipt", "receipt.json"],
        ["uli", "make", "x"], ["uli", "check", "x"],
        *([["rate-spread", "--term", "30", "--apr", "6", "--lock-in-date", "2024-01-02"]]),
    ],
    ids=" ".join,
)  # fmt: skip
@pytest.mark.parametrize(("form", "status"), [([], 200), (["--json"], 400), ([], 5)])
def test_no_text_of_a_server_gives_orders_to_the_terminal(
    servers: tuple[Server, Server],
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    form: list[str],
    status: int,
) -> None:
    Path("receipt.json").write_text("{}")

    def answer(method: str, path: str) -> tuple[int, Any, dict[str, str]]:
        if status == 400:
            body = {"message": f"m{ORDERS}", "detail": f"d{ORDERS}"}
            return 400, body, {"X-Request-ID": "a\x9b31m"}
        if status == 5 and path.endswith(("latest", "2024")):
            return 200, submission(5), {}
        return findings(method, path)

    servers[0].answer = answer
    main([*arguments, *form, "--url", servers[0].url])
    said = capsys.readouterr()
    text = said.out + said.err
    assert servers[0].requests
    assert "\ufffd" in text or "\\u" in text
    assert not set(ORDERS) - set("]0;owned[2J31m") & set(text)


def test_the_progress_of_a_hostile_server_gives_none_either(
    servers: tuple[Server, Server],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    codes = iter([7, 7, 9])
    answers = {"progress": {"rowsDone": 1, "rowsTotal": 2}}

    def answer(method: str, path: str) -> tuple[int, Any, dict[str, str]]:
        if path.endswith(("/latest", f"/{NUMBER}")):
            return 200, {**submission(next(codes, 9)), **answers}, {"Retry-After": "0"}
        return findings(method, path)

    servers[0].answer = answer
    # A library that draws bars writes orders of its own to the stream behind.
    monkeypatch.setattr(PlainOutput, "isatty", lambda self: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    main(["status", LEI, "2024", "--wait", "--url", servers[0].url])
    said = capsys.readouterr()
    for order in ("\x1b]0;owned", "\x9b", "\u202e", "\x07"):
        assert order not in said.out + said.err


@pytest.mark.parametrize("number", ["../../escaped", "/etc/x", -1, None, True])
@pytest.mark.parametrize("command", ["receipt", "sign"])
def test_what_a_server_calls_a_number_names_no_file(
    servers: tuple[Server, Server],
    home: Path,
    capsys: pytest.CaptureFixture[str],
    number: Any,
    command: str,
) -> None:
    servers[0].answer = lambda method, path: (200, submission(15, number), {})
    folder = home / "a" / "b" / "receipts"
    code = main([command, LEI, "2024", "--receipts", str(folder), "--url", servers[0].url])
    assert code != 0
    assert "number" in capsys.readouterr().err
    assert not [path for path in home.rglob("*") if path.is_file()]


def test_a_filing_with_such_a_number_ends(
    servers: tuple[Server, Server], home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = LarRecipe(period=YEAR, lei=LEI, rows=5, tax_id="12-3456789", fails={})
    tracts = demo_census.make_census_rows(2024)["census_tract"]
    Path("lar.txt").write_bytes(b"".join(make_lar_file(recipe, tracts)))

    def answer(method: str, path: str) -> tuple[int, Any, dict[str, str]]:
        is_absent = path.endswith("check")
        return (404, {}, {}) if is_absent else (200, submission(15, "../../escaped"), {})

    servers[0].answer = answer
    code = main(["file", "lar.txt", "--receipts", "receipts", "--url", servers[0].url])
    assert code == 3
    assert not [path for path in home.rglob("*") if "escaped" in path.name]


@pytest.mark.parametrize(
    "location", ["{other}/uploads/1", "//{host}/uploads/1", "ftp://x/1", "http://[", "{scheme}"]
)
def test_token_and_bytes_go_to_no_other_site(servers: tuple[Server, Server], location: str) -> None:
    server, other = servers
    address = location.format(
        other=other.url,
        host=other.url.removeprefix("http://"),
        scheme=server.url.replace("p:", "ps:"),
    )
    server.answer = lambda method, path: (201, {}, {"Location": address})
    with FilingClient(server.url, "secret-token") as client:
        with pytest.raises(calls.Trouble):
            client.begin_upload(LEI, YEAR, 1, name="lar.txt", size=3)
        with pytest.raises(calls.Trouble):  # one that a former release has kept
            client.append(f"{other.url}/uploads/1", 0, b"abc", sha256=b"x")
    assert other.requests == []


def test_addresses_at_the_server_itself_are_followed(servers: tuple[Server, Server]) -> None:
    server, _ = servers
    for address in ("/uploads/1", f"{server.url}/uploads/1"):
        server.answer = lambda method, path, to=address: (  # type: ignore[misc]
            200,
            None,
            {"Location": to, "Upload-Offset": "3"},
        )
        with FilingClient(server.url, "secret-token") as client:
            begun = client.begin_upload(LEI, YEAR, 1, name="lar.txt", size=3)
            assert client.upload_offset(begun) == 3
    assert [path for method, path, _ in server.requests if method == "HEAD"] == ["/uploads/1"] * 2


@pytest.mark.parametrize("status", [302, 307])
def test_no_redirect_is_followed(servers: tuple[Server, Server], status: int) -> None:
    server, other = servers
    server.answer = lambda method, path: (status, None, {"Location": f"{other.url}/"})
    with FilingClient(server.url, "secret-token") as client, pytest.raises(calls.Refused):
        client.filing(LEI, YEAR)
    assert other.requests == []


@pytest.mark.parametrize("name", ["token_endpoint", "device_authorization_endpoint"])
def test_signing_in_at_a_site_calls_no_other(servers: tuple[Server, Server], name: str) -> None:
    server, other = servers
    endpoints = {
        "token_endpoint": f"{server.url}/token",
        "device_authorization_endpoint": f"{server.url}/device",
        name: f"{other.url}/x",
    }
    server.answer = lambda method, path: (200, endpoints, {})
    for issuer in ("", server.url):  # one that the user names needs TLS
        with pytest.raises(calls.OtherSite):
            sign_in(server.url, issuer=issuer, show=print, wait=lambda seconds: None)
    assert other.requests == []


def test_the_page_of_a_sign_in_is_at_the_site(servers: tuple[Server, Server]) -> None:
    server, _ = servers
    prompts: list[object] = []
    answers = {
        "token_endpoint": f"{server.url}/token",
        "device_authorization_endpoint": f"{server.url}/device",
        "device_code": "d",
        "user_code": "u",
        "verification_uri": "javascript:alert(1)",
    }
    server.answer = lambda method, path: (200, answers, {})
    with pytest.raises(calls.OtherSite):
        sign_in(server.url, show=prompts.append, wait=lambda seconds: None)
    assert prompts == []
