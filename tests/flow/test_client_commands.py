"""The command `hmda` with a whole service: sign-in, one file, many files, and the tools."""

from __future__ import annotations

import hashlib
import json
import os
import pty
import re
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from config.running.supervisor import ROOT
from filing.client import Ending, FilingClient, file
from filing.client.authorization import Grant, TokenFile
from filing.client.calls import Connection, Trouble
from filing.client.resumption import JournalEntry
from filing.lar.years import Period
from tests.flow.conftest import Service
from tests.flow.person import Person
from tests.flow.test_client import written

YEAR = Period(2024)
PIECE = 20_000  # bytes


class Machine:
    """A machine with the client, signed in to a service by a token or not at all."""

    def __init__(self, service: Service, home: Path, token: str = "") -> None:
        self.home = home
        self.environment = {
            **{name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ},
            "HOME": str(home),
            "HMDA_URL": service.url,
            **({"HMDA_TOKEN": token} if token else {}),
        }

    def start(self, *words: object) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "filing.client", *map(str, words)],
            env={**self.environment, "PYTHONPATH": str(ROOT)},
            cwd=self.home,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *words: object, code: int = 0) -> str:
        """Return what a command prints. code: how it has to end."""
        process = self.start(*words)
        out, error = process.communicate(timeout=120)
        assert process.returncode == code, out + error
        return out

    def json(self, *words: object, code: int = 0) -> Any:
        return json.loads(self.run(*words, "--json", code=code))


@pytest.fixture
def lei(service: Service) -> str:
    return service.lei()


@pytest.fixture
def machine(service: Service, lei: str, tmp_path: Path) -> Machine:
    home = tmp_path / "home"
    home.mkdir()
    return Machine(service, home, service.tokens[lei])


def test_a_file_is_filed_and_its_receipt_is_checked(
    machine: Machine, lei: str, tmp_path: Path
) -> None:
    path = written(tmp_path / "lar.txt", lei, YEAR, 60, Q613=5)
    text = machine.run("file", path, "--verify", "--sign", "--receipts", tmp_path / "receipts")
    number = re.search(rf"Receipt number: ({lei}-2024-1-\d+)", text)
    assert number, text
    (receipt,) = (tmp_path / "receipts").iterdir()
    assert receipt.name == f"receipt-{lei}-2024-1.json"
    by_site = machine.json("check-receipt", receipt)
    assert (by_site["genuine"], by_site["receipt"]) == (True, number[1])
    assert by_site["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert machine.json("check-receipt", receipt, "--keys")["genuine"]
    keys = tmp_path / "keys.json"
    with Connection(machine.environment["HMDA_URL"]) as connection:
        keys.write_bytes(connection.call("GET", "/.well-known/receipt-keys.json").content)
    assert machine.json("check-receipt", receipt, "--keys", keys)["genuine"]
    changed, number_of_changes = re.subn(r'("records": ?)60', r"\g<1>61", receipt.read_text())
    assert number_of_changes == 1
    receipt.write_text(changed)
    for more in ([], ["--keys"]):
        assert not machine.json("check-receipt", receipt, *more, code=1)["genuine"]
    assert "already signed" in machine.run("file", path, "--sign")
    again = machine.json("receipt", lei, "2024", "--receipts", tmp_path / "again")
    assert again["receipt"] == number[1]


def test_a_filing_goes_step_by_step(machine: Machine, lei: str, tmp_path: Path) -> None:
    path = written(tmp_path / "lar.txt", lei, YEAR, 60, Q613=5, Q637=1)
    machine.run("file", path, code=2)
    status = machine.json("status", lei, "2024", "--wait", code=2)
    assert status["status"]["code"] == 13
    edits = machine.json("edits", lei, "2024", code=2)["edits"]
    assert [(edit["edit"], edit["records"]) for edit in edits["quality"]] == [("Q613", 5)]
    assert machine.json("edits", lei, "2024", "--code", "Q613")["total"] == 5
    assert machine.run("edits", lei, "2024", "--code", "Q613").count("\n") == 5
    machine.run("sign", lei, "2024", code=3)
    machine.run("verify", lei, "2024", "--kind", "quality", code=2)
    machine.run("verify", lei, "2024")
    machine.run("verify", lei, "2024", "--kind", "macro", "--undo", code=2)
    machine.run("verify", lei, "2024")
    assert machine.json("sign", lei, "2024")["status"]["code"] == 15
    assert machine.json("status", lei, "2024")["receipt"]["receipt"].startswith(f"{lei}-2024-1-")


def test_a_folder_is_filed_with_a_line_for_each_file(
    service: Service, machine: Machine, tmp_path: Path
) -> None:
    leis = [service.lei() for _ in range(4)]
    machine.environment["HMDA_TOKEN"] = service.token(",".join(leis))
    fails: list[dict[str, int]] = [{}, {"Q613": 2}, {"V617": 1}, {}]
    clean, quality, wrong, stranger = (
        written(tmp_path / f"{number}.txt", lei, YEAR, 40, **fails[number])
        for number, lei in enumerate([*leis[:3], "529900STRANGER000000"])
    )
    (nothing := tmp_path / "nothing.txt").write_text("a spreadsheet")
    twice = written(tmp_path / "twice.txt", leis[0], YEAR, 41)
    files = [clean, quality, wrong, stranger, nothing, twice]
    text = machine.run("file", *files, "--parallel", 4, "--verify", "--sign", code=3)
    *lines, summary = text.splitlines()
    assert summary == "6 files: 2 done, 1 must-be-corrected, 3 failed."
    by_name = {line.split("  ")[0]: line for line in lines}
    assert f"{leis[0]} 2024  signed, receipt {leis[0]}-2024-1-" in by_name["0.txt"]
    assert f"signed, receipt {leis[1]}-2024-1-" in by_name["1.txt"]
    assert f"{leis[2]} 2024  9: " in by_name["2.txt"]
    assert "HTTP 403" in by_name["3.txt"]
    assert "not a transmittal sheet" in by_name["nothing.txt"]
    assert f"Another of these files is for {leis[0]}, 2024." in by_name["twice.txt"]
    # Run again, it repeats nothing that is signed, and goes on with what is not.
    found = machine.json("file", clean, quality, wrong, "--parallel", 3, "--sign", code=1)
    assert [each["wasSigned"] for each in sorted(found["files"], key=lambda f: f["file"])] == [
        True,
        True,
        False,
    ]
    assert {each["submission"] for each in found["files"] if not each["wasSigned"]} == {1}


def test_a_file_in_pieces_goes_on_where_it_was_cut(
    service: Service, lei: str, tmp_path: Path
) -> None:
    path = written(tmp_path / "lar.txt", lei, YEAR, 300)
    size, sent = path.stat().st_size, list[int]()
    entry = JournalEntry(tmp_path / "entry.json")

    class Cut(Trouble):
        """The program ends."""

    def watch(event: Any) -> None:
        done = getattr(event, "done", 0)
        sent.append(done)
        if not cuts and done > size / 2:
            cuts.append(done)
            raise Cut("cut")

    cuts: list[int] = []
    words: dict[str, Any] = {"lei": lei, "period": YEAR, "watch": watch, "piece": PIECE}
    with FilingClient(service.url, service.tokens[lei]) as program:
        first = file(program, path, **words, entry=entry)
        assert str(first.error) == "cut"
        sent.clear()
        outcome = file(program, path, **words, entry=entry, sign=True)
    assert (outcome.ending, outcome.error) == (Ending.DONE, None)
    assert min(done for done in sent if done) == cuts[0]
    assert outcome.submission == 1
    with service.client(service.tokens[lei]) as client:
        receipt = client.get(f"/institutions/{lei}/filings/2024/submissions/1/receipt")
    assert receipt.json()["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize(("decision", "code"), [("allow", 0), ("deny", 4)])
def test_a_person_signs_in_a_machine_without_a_browser(
    service: Service, lei: str, tmp_path: Path, decision: str, code: int
) -> None:
    machine = Machine(service, tmp_path)
    with machine.start("login") as login:
        assert login.stderr is not None
        opened, confirm = login.stderr.readline(), login.stderr.readline()
        address, user_code = opened.split()[1], confirm.split()[-1]
        with Person.of(service, lei, name=f"device-{decision}") as person:
            person.decide_on_device(address, user_code, decision)
        login.wait(60)
        assert login.returncode == code
        if decision == "deny":
            assert "The sign-in was denied." in login.stderr.read()
            return
    assert (tmp_path / ".config" / "hmda" / "tokens.json").stat().st_mode & 0o777 == 0o600
    path = written(tmp_path / "lar.txt", lei, YEAR, 30)
    assert machine.json("file", path, "--sign")["endings"] == {"done": 1}
    assert machine.run("logout").startswith("Signed out of")
    machine.run("status", lei, "2024", code=4)


def test_the_public_tools_need_no_token(service: Service, tmp_path: Path) -> None:
    machine = Machine(service, tmp_path)
    (uli,) = machine.run("uli", "make", "10Bx939c5543TqA1144M999143X").split()
    assert uli == "10Bx939c5543TqA1144M999143X38"
    assert machine.run("uli", "check", uli) == f"{uli}: valid\n"
    assert machine.run("uli", "check", f"{uli[:-1]}9", code=1).endswith("not valid\n")
    machine.run("browse", "count", "years", code=4)
    machine.run("browse", "csv", "years=1999", code=3)


def test_who_may_only_prepare_sends_nothing_that_is_to_be_signed(
    service: Service, machine: Machine, lei: str, tmp_path: Path
) -> None:
    path = written(tmp_path / "lar.txt", lei, YEAR, 60, Q613=5)
    machine.environment["HMDA_TOKEN"] = service.token(lei, "--role", "hmda-preparer")
    refused = machine.json("file", path, "--verify", "--sign", code=3)["files"][0]
    assert refused["submission"] == 0
    assert refused["steps"] == []
    for words in ("cannot sign", "hmda login", "--no-sign", f"hmda sign {lei} 2024"):
        assert words in refused["error"]
    process = machine.start("file", path, "--verify", "--no-sign")
    out, error = process.communicate(timeout=120)
    assert process.returncode == 0, out + error
    assert f"hmda sign {lei} 2024" in error
    assert "cannot sign" in machine.json("sign", lei, "2024", code=3)["error"]
    machine.environment["HMDA_TOKEN"] = service.token(lei, "--role", "hmda-signer")
    assert machine.json("sign", lei, "2024")["status"]["code"] == 15


class Terminal:
    """The terminal of a person at a machine: what it shows, and what the person types."""

    def __init__(self, machine: Machine, *words: object) -> None:
        self._own, theirs = pty.openpty()
        self.shown = ""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "filing.client", *map(str, words)],
            env={**machine.environment, "PYTHONPATH": str(ROOT)},
            cwd=machine.home,
            stdin=theirs,
            stdout=subprocess.DEVNULL,
            stderr=theirs,
        )
        os.close(theirs)

    def read_until(self, pattern: str) -> re.Match[str]:
        """Return the match of a pattern, once the terminal shows it."""
        while not (match := re.search(pattern, self.shown)):
            self.shown += os.read(self._own, 4096).decode(errors="replace")
        return match

    def wait(self) -> int:
        """Read what is shown until the command ends, and return how it ended."""
        with suppress(OSError):  # how a terminal says that no one writes any more
            while part := os.read(self._own, 4096):
                self.shown += part.decode(errors="replace")
        os.close(self._own)
        return self.process.wait(120)

    def type_line(self, text: str) -> None:
        os.write(self._own, f"{text}\n".encode())


@pytest.mark.parametrize(("answer", "code"), [("n", 3), ("y", 0)])
def test_who_may_only_prepare_can_sign_in_again_as_a_signer(
    service: Service, lei: str, tmp_path: Path, answer: str, code: int
) -> None:
    machine = Machine(service, tmp_path)
    grant = Grant(
        access_token=service.token(lei, "--role", "hmda-preparer"),
        refresh_token="x",
        expires=time.time() + 3600,
        token_endpoint=service.url,
        client_id="hmda-cli",
    )
    TokenFile(tmp_path / ".config" / "hmda").save(service.url, grant)
    path = written(tmp_path / "lar.txt", lei, YEAR, 30)
    terminal = Terminal(machine, "file", path, "--sign")
    terminal.read_until(r"\[y/N\]")
    terminal.type_line(answer)
    if answer == "y":
        address = terminal.read_until(r"Open (\S+)")[1]
        user_code = terminal.read_until(r"confirm the code (\S+)")[1]
        with Person.of(service, lei, name="signer") as person:
            person.decide_on_device(address, user_code, "allow")
    assert terminal.wait() == code, terminal.shown
