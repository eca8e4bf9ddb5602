"""The client files as the API wants it, and keeps its head when the server does not."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from filing.client import (
    Ending,
    Event,
    FilingClient,
    Outcome,
    Step,
    Unreachable,
)
from filing.client import file as file_register
from filing.client import steps as client_steps
from filing.client.console import Screen
from filing.lar.years import Period
from tests.filing.fake_server import BREAK, LEI, REQUEST_ID, FakeServer, serving, skip_pauses  # noqa: F401 -- a fixture


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "lar.txt"
    path.write_bytes(b"1|sheet\n" + b"2|loan\n" * 50_000)
    return path


def filed(fake: FakeServer, path: Path, **options: Any) -> Outcome:
    with serving(fake), FilingClient(fake.url, "token") as client:
        return file_register(client, path, lei=LEI, period=Period(2024), **options)


def test_a_state_that_is_known_already_is_not_sent_again(path: Path) -> None:
    fake = FakeServer([3, 7, 7, 7, 14])
    assert filed(fake, path).ending is Ending.DONE
    assert fake.tags == ["", '"3"', '"7"', '"7"', '"7"']


@pytest.mark.parametrize(
    ("code", "ending"),
    [
        (5, Ending.MUST_BE_CORRECTED),
        (9, Ending.MUST_BE_CORRECTED),
        (11, Ending.MUST_BE_VERIFIED),
        (13, Ending.MUST_BE_VERIFIED),
        (14, Ending.DONE),
        (15, Ending.DONE),
        (-1, Ending.FAILED),
    ],
)
def test_the_state_in_which_a_submission_rests_is_the_ending(
    code: int, ending: Ending, path: Path
) -> None:
    outcome = filed(FakeServer([code]), path, sign=code != 14)
    assert (outcome.ending, outcome.status["code"]) == (ending, code)


def test_edits_that_were_not_run_are_said_before_anything_is_verified_or_signed(
    path: Path,
) -> None:
    reason = "the census tracts of the year are not loaded"
    not_run = {"V625-2": reason, "V626": reason, "Q600": "withdrawn since 2024-03-01: Wrong."}
    fake, events = FakeServer([13], edits={"quality": {"Q631": 54}}, not_run=not_run), list[Event]()
    outcome = filed(fake, path, verify=True, sign=True, watch=events.append)
    kinds = [each.name if isinstance(each, Step) else type(each).__name__ for each in events]
    assert kinds.index("NotRun") < kinds.index("verify quality") < kinds.index("sign")
    assert outcome.as_json()["notRun"] == [
        {"edit": code, "reason": reason} for code, reason in not_run.items()
    ]
    assert outcome.as_json()["rulebook"] == {"year": 2023, "provisional": True}
    out = StringIO()
    screen = Screen(out)
    for event in events:
        screen.watch(event)
    before_signing, _, _ = out.getvalue().partition("sign:")
    assert f"Not run: V625-2, V626 ({reason})." in before_signing
    screen.show(outcome)
    assert out.getvalue().count("Not run: Q600") == 2
    assert "provisional" in out.getvalue()


@pytest.mark.parametrize(("lines", "shown"), [(3, 3), (45, 60), (5000, 100)])
def test_the_first_format_errors_are_fetched(lines: int, shown: int, path: Path) -> None:
    outcome = filed(FakeServer([5], format_errors=lines), path)
    assert (len(outcome.format_errors), outcome.format_error_lines) == (shown, lines)


@pytest.mark.parametrize("trouble", [BREAK, 500, 502, 503, 429])
def test_a_server_that_is_away_for_a_moment_is_asked_again(trouble: int, path: Path) -> None:
    fake = FakeServer([3, 14], edits={"quality": {"Q613": 1}})
    fake.before["GET /submissions/1"] = [trouble, trouble]
    fake.before["GET /submissions/1/edits/Q613"] = [trouble]
    assert filed(fake, path).ending is Ending.DONE


def test_an_upload_that_broke_off_is_repeated_when_nothing_has_arrived(path: Path) -> None:
    fake = FakeServer([2, 1, 3, 14])
    fake.before["POST /submissions/1"] = [BREAK]
    outcome = filed(fake, path)
    assert outcome.ending is Ending.DONE
    assert [(s.name, s.status) for s in outcome.steps][2:4] == [("upload", 0), ("upload", 202)]


def test_an_upload_that_arrived_without_an_answer_is_not_repeated(path: Path) -> None:
    fake = FakeServer([3, 14])
    fake.before["POST /submissions/1"] = [504]
    assert filed(fake, path).ending is Ending.DONE
    assert fake.calls.count("POST /submissions/1") == 1


def test_an_upload_that_breaks_off_each_time_is_given_up(path: Path) -> None:
    fake = FakeServer([1])
    fake.before["POST /submissions/1"] = [BREAK] * 9
    assert filed(fake, path).ending is Ending.UNREACHABLE
    assert fake.calls.count("POST /submissions/1") == 3


def test_a_signature_that_arrived_without_an_answer_is_found(path: Path) -> None:
    fake = FakeServer([14])
    fake.before["POST /submissions/1/sign"] = [BREAK]
    outcome = filed(fake, path, sign=True)
    assert (outcome.ending, outcome.status["code"]) == (Ending.DONE, 15)
    assert fake.calls.count("POST /submissions/1/sign") == 1


def test_a_server_that_only_shows_the_latest_submission_is_read_there(path: Path) -> None:
    fake = FakeServer([3, 14])
    fake.before["GET /submissions/1"] = [404] * 9
    assert filed(fake, path).ending is Ending.DONE


@pytest.mark.parametrize(
    ("call", "status"),
    [
        ("POST ", 401),
        ("POST ", 403),
        ("POST /submissions", 400),
        ("POST /submissions/1", 413),
        ("GET /submissions/1", 401),
        ("POST /submissions/1/sign", 404),
    ],
)
def test_a_refusal_ends_it_with_the_reason(call: str, status: int, path: Path) -> None:
    fake = FakeServer([14])
    fake.before[call] = [status]
    outcome = filed(fake, path, sign=True)
    assert outcome.ending is Ending.FAILED
    assert str(outcome.error) == f"Forced {status} (HTTP {status}, request {REQUEST_ID})"


def test_a_server_that_does_not_finish_is_left_after_a_while(path: Path) -> None:
    outcome = filed(FakeServer([7]), path, patience=0.2)
    assert outcome.ending is Ending.FAILED
    assert str(outcome.error) == "After 0 s, the status is still: Your data is being analyzed."


def test_a_time_to_wait_is_obeyed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr(client_steps.time, "sleep", slept.append)
    assert filed(FakeServer([3, 4, 14], wait="7"), path).ending is Ending.DONE
    assert slept == [7.0, 7.0]


def test_nobody_there_is_unreachable(path: Path) -> None:
    with FilingClient("http://127.0.0.1:9", "token") as client:
        outcome = file_register(client, path, lei=LEI, period=Period(2024))
    assert outcome.ending is Ending.UNREACHABLE
    assert "http://127.0.0.1:9 did not respond" in str(outcome.error)


def test_an_address_that_is_none_is_said_at_once() -> None:
    with pytest.raises(Unreachable, match="not a valid address"):
        FilingClient("http://filing.example:port", "token")
