"""The command `hmda`: arguments, exit codes, checks on this machine, and what it keeps there."""

from __future__ import annotations

import json
import stat
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest

from filing.client import api, calls, resumption
from filing.client.authorization import Grant, NotSignedIn, TokenFile
from filing.client.calls import Pace
from filing.client.command import main
from filing.client.transmittal import NoSheet, read_sheet
from filing.demo import census as demo_census
from filing.demo.files import LarRecipe, make_lar_file
from filing.lar.years import Period

LEI, YEAR = "529900TESTBANK000042", Period(2024)
URL = "https://filing.example"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine on which nobody is signed in."""
    for variable in ("HMDA_URL", "HMDA_TOKEN"):
        monkeypatch.delenv(variable, raising=False)
    for variable in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(variable, str(tmp_path / "home"))
    return tmp_path / "home"


def written(path: Path, *, period: Period = YEAR, lei: str = LEI, **fails: int) -> Path:
    recipe = LarRecipe(period=period, lei=lei, rows=40, tax_id="12-3456789", fails=fails)
    path.write_bytes(
        b"".join(make_lar_file(recipe, demo_census.make_census_rows(period.year)["census_tract"]))
    )
    return path


@pytest.mark.parametrize(
    "arguments",
    [
        [], ["unknown"], ["status", LEI], ["status", LEI, "2024-Q4"], ["file"],
        ["check", "lar.txt", "--year", "1999"], ["rate-spread", "--term", "30"],
    ],
)  # fmt: skip
def test_wrong_arguments_end_with_4(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 4
    assert "usage: hmda" in capsys.readouterr().err


def test_without_a_server_or_a_token_it_says_what_to_do(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["status", LEI, "2024"]) == 4
    assert "add --url or set HMDA_URL" in capsys.readouterr().err
    assert main(["status", LEI, "2024", "--url", URL, "--json"]) == 4
    said = capsys.readouterr()
    reason = f"You are not signed in to {URL}: run hmda login, or set HMDA_TOKEN."
    assert said.err == f"hmda: {reason}\n"
    assert json.loads(said.out) == {"ending": "unreachable", "error": reason}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "No such file"),
        (b"PK\x03\x04", "the file is a zip archive. Unpack it"),
    ],
)
def test_a_file_that_cannot_be_checked_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes | None, reason: str
) -> None:
    path = tmp_path / "lar.txt"
    if content is not None:
        path.write_bytes(content)
    assert main(["check", str(path)]) == 4
    error = capsys.readouterr().err
    assert error.startswith(f"hmda: {path}: ")
    assert reason in error


@pytest.mark.parametrize(
    ("column", "value", "reason"),
    [(2, "1999", "no filing period"), (3, "9", "no filing period"), (14, "", "has no LEI")],
)
def test_a_sheet_that_does_not_say_it_is_refused(
    tmp_path: Path, column: int, value: str, reason: str
) -> None:
    path = written(tmp_path / "lar.txt")
    first, rest = path.read_text().split("\n", 1)
    cells = first.split("|")
    cells[column] = value
    path.write_text("|".join(cells) + "\n" + rest)
    with pytest.raises(NoSheet, match=reason):
        read_sheet(path)


@pytest.fixture
def provider() -> Iterator[tuple[str, list[dict[str, list[str]]]]]:
    """The token address of a provider, and the forms that it got."""
    forms: list[dict[str, list[str]]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
            forms.append(form)
            known = form["refresh_token"] == [f"refresh-{len(forms) - 1}"]
            body: dict[str, Any] = {"error": "invalid_grant"}
            if known:
                token = f"access-{len(forms)}"
                body = {"access_token": token, "refresh_token": f"refresh-{len(forms)}"}
                body["expires_in"] = 300
            content = json.dumps(body).encode()
            self.send_response(200 if known else 400)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            """Keep quiet."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/token", forms
    server.shutdown()
    thread.join()
    server.server_close()


def grant(endpoint: str, seconds: float, refresh: str = "refresh-0") -> Grant:
    return Grant("access-0", refresh, time.time() + seconds, endpoint, "hmda-cli")


def test_tokens_are_kept_for_their_owner_alone(home: Path) -> None:
    tokens = TokenFile(home / "hmda")
    tokens.save(URL, grant("", 3600))
    assert stat.S_IMODE(tokens.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(tokens.path.parent.stat().st_mode) == 0o700
    assert tokens.token(URL) == "access-0"
    tokens.path.chmod(0o640)
    with pytest.raises(NotSignedIn, match="Other users can read"):
        tokens.token(URL)


def test_a_token_is_refreshed_before_it_expires_and_when_it_is_refused(
    home: Path, provider: tuple[str, list[dict[str, list[str]]]]
) -> None:
    endpoint, forms = provider
    tokens = TokenFile(home / "hmda")
    tokens.save(URL, grant(endpoint, 30))
    assert [tokens.token(URL), tokens.token(URL)] == ["access-1", "access-1"]
    assert tokens.token(URL, was_refused=True) == "access-2"
    assert [form["refresh_token"] for form in forms] == [["refresh-0"], ["refresh-1"]]
    assert {form["client_id"][0] for form in forms} == {"hmda-cli"}


def test_a_sign_in_that_has_expired_is_named(
    home: Path, provider: tuple[str, list[dict[str, list[str]]]]
) -> None:
    tokens = TokenFile(home / "hmda")
    tokens.save(URL, grant(provider[0], 0, refresh="used"))
    with pytest.raises(NotSignedIn, match=r"expired: run hmda login again"):
        tokens.token(URL)


def test_threads_refresh_a_token_once(
    home: Path, provider: tuple[str, list[dict[str, list[str]]]]
) -> None:
    endpoint, forms = provider
    TokenFile(home / "hmda").save(URL, grant(endpoint, 0))
    found: list[str] = []
    threads = [
        threading.Thread(target=lambda: found.append(TokenFile(home / "hmda").token(URL)))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == ["access-1"] * 8
    assert len(forms) == 1


def test_signing_out_forgets_the_tokens(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    TokenFile(home / "hmda").save(URL, grant("", 3600))
    assert main(["logout", "--url", URL]) == 0
    assert main(["logout", "--url", URL]) == 0
    assert capsys.readouterr().out == f"Signed out of {URL}.\nYou were not signed in to {URL}.\n"
    assert TokenFile(home / "hmda").sites() == []


def test_a_filing_that_was_begun_is_found_by_the_next_run(tmp_path: Path) -> None:
    names = {"url": URL, "lei": LEI, "period": YEAR, "sha256": "ab"}
    begun = resumption.find_journal_entry(tmp_path, **names)  # type: ignore[arg-type]
    begun.submission, begun.upload = 3, "/uploads/1"
    begun.save()
    again = resumption.find_journal_entry(tmp_path, **names)  # type: ignore[arg-type]
    assert (again.key, again.submission, again.upload) == (begun.key, 3, "/uploads/1")
    other = resumption.find_journal_entry(tmp_path, **{**names, "sha256": "cd"})  # type: ignore[arg-type]
    assert (other.key == begun.key, other.submission) == (False, 0)
    again.forget()
    assert resumption.find_journal_entry(tmp_path, **names).submission == 0  # type: ignore[arg-type]


def test_an_entry_that_was_cut_is_begun_again(tmp_path: Path) -> None:
    names = {"url": URL, "lei": LEI, "period": YEAR, "sha256": "ab"}
    begun = resumption.find_journal_entry(tmp_path, **names)  # type: ignore[arg-type]
    begun.save()
    assert begun.path is not None
    begun.path.write_text('{"key": ')
    assert resumption.find_journal_entry(tmp_path, **names).submission == 0  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("left", "waits"), [('"authenticated";r=0;t=2', 1), ('"authenticated";r=7;t=1', 0), ("", 0)]
)
def test_calls_wait_where_nothing_is_left_of_the_limit(
    monkeypatch: pytest.MonkeyPatch, left: str, waits: int
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(calls.time, "sleep", pauses.append)
    pace = Pace()
    pace.read({"RateLimit-Policy": '"authenticated";q=200;w=2', "RateLimit": left})
    pace.wait()
    assert len(pauses) == waits
    assert all(0 < pause <= 2 / 200 for pause in pauses)


def test_the_command_warns_of_a_file_of_another_filing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HMDA_TOKEN", "x")
    monkeypatch.setattr(api, "_PATIENCE", 0.0)
    path, other = written(tmp_path / "lar.txt"), "529900OTHERBANK00017"
    main(["file", str(path), "--url", "http://127.0.0.1:1", "--lei", other, "--timeout", "0"])
    assert "cannot be certified" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["check", "none.txt"], "hmda: none.txt: No such file or directory"),
        (["convert", "none.csv", "--option", "fill=3"], "--fill FIELD=VALUE"),
        (["status", "LEI", "202x"], "argument PERIOD: '202x' is no filing period"),
    ],
)
def test_what_is_wrong_with_an_argument_is_said_with_the_option(
    arguments: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 4
    assert said in capsys.readouterr().err
