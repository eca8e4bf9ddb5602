"""The command that files a register: what it prints, and how it ends."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from filing.client import Ending
from filing.management.commands.file_lar import Command
from tests.filing.fake_server import LEI, REQUEST_ID, FakeServer, serving, skip_pauses  # noqa: F401 -- a fixture


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "lar.txt"
    path.write_text("1|sheet\n2|loan\n")
    return path


def filed(fake: FakeServer, path: Path, *options: str) -> tuple[int, str]:
    """How the command ends, and what it prints."""
    said = StringIO()
    with serving(fake):
        where = ("--lei", LEI, "--year=2024", "--url", fake.url, "--token=secret")
        try:
            call_command("file_lar", str(path), *where, *options, stdout=said)
        except SystemExit as error:
            return int(str(error.code)), said.getvalue()
    return 0, said.getvalue()


@pytest.mark.parametrize(
    ("codes", "options", "exit_code"),
    [
        ([3, 14], (), 0), ([3, 14], ("--sign",), 0), ([3, 5], (), 1), ([3, 9], ("--sign",), 1),
        ([3, 11], (), 2), ([3, 13], ("--sign",), 2), ([3, -1], (), 3),
    ],
)  # fmt: skip
def test_the_exit_code_says_what_is_to_be_done(
    codes: list[int], options: tuple[str, ...], exit_code: int, path: Path
) -> None:
    assert filed(FakeServer(codes), path, *options)[0] == exit_code


def test_format_errors_are_printed_as_they_are(path: Path) -> None:
    ended, said = filed(FakeServer([5], format_errors=3), path)
    assert ended == 1
    assert "2    │ ULI1 │ Loan Type │ [x]   │ Integer: 1" in said
    assert "3 of 3 lines are listed." in said


def test_a_refusal_is_part_of_the_document(path: Path) -> None:
    fake = FakeServer([14])
    fake.before["POST "] = [403]
    ended, said = filed(fake, path, "--json")
    assert ended == 3
    assert json.loads(said)["error"] == f"Forced 403 (HTTP 403, request {REQUEST_ID})"


def test_the_token_may_come_from_the_environment(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = ("--lei", LEI, "--year=2024", "--url=http://127.0.0.1:9")
    monkeypatch.delenv("HMDA_TOKEN", raising=False)
    with pytest.raises(CommandError, match="HMDA_TOKEN") as refused:
        call_command("file_lar", str(path), *where)
    assert refused.value.returncode == Ending.UNREACHABLE
    monkeypatch.setenv("HMDA_TOKEN", "secret")
    with pytest.raises(SystemExit) as ended:
        call_command("file_lar", str(path), *where, stdout=StringIO())
    assert ended.value.code == Ending.UNREACHABLE


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["missing.txt", "--lei", LEI, "--year=2024", "--url=http://x", "--token=t"],
        ["lar.txt", "--lei", LEI, "--year=2024", "--quarter=Q4", "--url=http://x", "--token=t"],
        ["lar.txt", "--lei", LEI, "--year=now", "--url=http://x", "--token=t"],
    ],
)
def test_words_that_are_not_understood_end_with_4(
    words: list[str], path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(path.parent)
    with pytest.raises(SystemExit) as ended:
        Command().run_from_argv(["manage.py", "file_lar", *words])
    assert ended.value.code == 4


def test_an_edit_that_was_not_run_is_said_before_the_signature_and_in_the_document(
    path: Path,
) -> None:
    fake = FakeServer([14], not_run={"V625-2": "the census tracts of the year are not loaded"})
    _, said = filed(fake, path, "--sign")
    assert said.index("Not run: V625-2") < said.index("sign:")
    _, document = filed(fake, path, "--json")
    assert [edit["edit"] for edit in json.loads(document)["notRun"]] == ["V625-2"]
