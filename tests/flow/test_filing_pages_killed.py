"""The filer's pages while processes are killed or the database is away: nothing is lost."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from filing.statuses import FilingStatus
from tests.flow.conftest import Service
from tests.flow.databases import IS_POSTGRESQL, NO_DATABASE, UNSURE, Database, database  # noqa: F401 -- a fixture
from tests.flow.person import LEADS_ON, Person, text
from tests.flow.processes import kill, wait_until, workers

pytestmark = pytest.mark.slow

# After how many seconds the process that answers is killed: at once, and while it works.
MOMENTS = (0.0, 0.01, 0.02, 0.04, 0.08)


@pytest.fixture(scope="module")
def leis(breakable: Service) -> list[str]:
    return [breakable.lei() for _ in range(16)]


@pytest.fixture(scope="module")
def ann(breakable: Service, leis: list[str]) -> Iterator[Person]:
    with Person.of(breakable, *leis, name="ann") as ann:
        yield ann


@pytest.fixture
def person(ann: Person, leis: list[str]) -> Person:
    """Ann at an institution that nothing was filed for."""
    return ann.at(leis.pop())


@pytest.fixture(autouse=True)
def no_traceback(breakable: Service) -> Iterator[None]:
    """Hold the log of the web processes against what it must never have."""
    log = breakable.stack.logs / "web.log"
    before = log.stat().st_size
    yield
    assert b"Traceback" not in log.read_bytes()[before:]


def answers(person: Person) -> bool:
    """Tell whether the web process is there again."""
    try:
        return person.get().status_code == 200
    except httpx.TransportError:
        return False


def kill_while(person: Person, send: Callable[[], object], *, after: float) -> None:
    """Send a request, kill the processes that answer after so many seconds, wait for new ones."""

    def ignore_the_end() -> None:
        with suppress(httpx.TransportError):
            send()

    sending = threading.Thread(target=ignore_the_end)
    sending.start()
    time.sleep(after)
    kill(workers(person.service))
    sending.join()
    wait_until(lambda: answers(person), "the web process answers again")


def test_after_the_web_process_is_killed_while_the_progress_is_shown_it_is_shown_again(
    person: Person,
) -> None:
    person.begin()
    assert person.upload(person.content(rows=30_000)).status_code == 303
    for after in MOMENTS:
        kill_while(person, person.poll, after=after)
    person.wait()
    assert "Certify and sign" in text(person.get("1/"))


def test_after_the_web_process_is_killed_in_verifying_it_was_done_or_not(person: Person) -> None:
    person.file(fail=("Q611:3",))
    wanted, done = True, 0
    for after in MOMENTS * 2:
        verified = "true" if wanted else "false"
        kill_while(person, lambda: person.post("1/verify/quality/", verified=verified), after=after)  # noqa: B023
        facts = person.facts()
        is_done = facts["verified"][0][0] is wanted
        assert facts["statuses"] == [14 if facts["verified"][0][0] else 11]
        marks = [
            each
            for each in facts["events"]
            if each.endswith("QUALITY_VERIFIED") or each == "QUALITY_NOT_VERIFIED"
        ]
        done += is_done
        assert len(marks) == done, marks
        page = text(person.get("1/edits/"))
        assert ("Remove verification" in page) is facts["verified"][0][0]
        wanted = wanted if not is_done else not wanted
    assert person.post("1/verify/quality/").status_code == 303
    assert person.facts()["statuses"] == [14]


@pytest.mark.parametrize("after", MOMENTS)
def test_after_the_web_process_is_killed_in_signing_it_is_signed_once_or_not_at_all(
    person: Person, after: float
) -> None:
    person.file()
    kill_while(person, lambda: person.post("1/sign/"), after=after)
    facts = person.facts()
    if facts["statuses"] == [14]:
        assert (facts["signatures"], facts["receipts"], facts["completed"]) == (0, {}, 0)
        assert facts["filings"] == [FilingStatus.IN_PROGRESS]
        assert "I certify" in text(person.get("1/sign/"))
    assert person.post("1/sign/", follow_redirects=False).status_code == 303
    assert person.post("1/sign/").headers["Location"] == person.path("1/receipt/")
    assert "Receipt number" in text(person.get("1/sign/", follow_redirects=True))
    facts = person.facts()
    assert (facts["statuses"], facts["signatures"], facts["completed"]) == ([15], 1, 1)
    assert facts["filings"] == [FilingStatus.COMPLETED]
    assert facts["receipts"]
    assert set(facts["receipts"].values()) == {1}


@pytest.mark.servers
def test_after_the_web_process_is_killed_as_the_signature_is_saved_it_stands_and_is_emailed(
    person: Person,
) -> None:
    person.file()
    killing = threading.Thread(target=kill_as_it_is_signed, args=(person,))
    killing.start()
    with suppress(httpx.TransportError):
        person.post("1/sign/")
    killing.join()
    wait_until(lambda: answers(person), "the web process answers again")
    assert person.post("1/sign/").headers["Location"] == person.path("1/receipt/")
    assert "Receipt number" in text(person.get("1/receipt/"))
    facts = person.facts()
    assert (facts["statuses"], facts["signatures"], facts["completed"]) == ([15], 1, 1)
    assert set(facts["receipts"].values()) == {1}
    wait_until(lambda: person.facts()["unsent"] == 0, "the receipt was sent")


def kill_as_it_is_signed(person: Person) -> None:
    """Kill the web processes as soon as anyone else can see the signature."""
    pids = workers(person.service)
    with connected(person.service) as connection:
        question = f"SELECT 1 FROM filing_signature WHERE receipt LIKE '{person.lei}-%'"
        until = time.monotonic() + 30
        while not connection.execute(question).fetchone():
            assert time.monotonic() < until
    kill(pids)


@contextmanager
def connected(service: Service) -> Iterator[Any]:
    """Connect with the database of a service."""
    if IS_POSTGRESQL:
        with psycopg.connect(service.environment["DATABASE_URL"], autocommit=True) as connection:
            yield connection
    else:
        path = service.data_dir / "service.sqlite3"
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            yield connection


def test_after_the_web_process_is_killed_while_a_file_arrives_it_is_uploaded_again(
    person: Person,
) -> None:
    person.begin()
    content = person.content(rows=30_000)
    incoming = person.service.data_dir / "incoming"
    before = set(incoming.iterdir())

    def arrived() -> list[Path]:
        files = set(incoming.glob("upload-*")) - before
        return [path for path in files if path.stat().st_size > 1 << 20]

    with suppress(httpx.TransportError):
        person.upload_in_halves(content, between=lambda: kill_at_once(person, arrived))
    wait_until(lambda: answers(person), "the web process answers again")
    facts = person.facts()
    assert (facts["statuses"], facts["events"]) == ([1], ["CREATED"])
    assert "Waiting for a file" in text(person.get())
    assert person.upload(content).headers["Location"] == person.path("1/")
    person.wait()
    assert "Certify and sign" in text(person.get("1/"))
    (left,) = arrived()
    long_ago = time.time() - 7 * 3600
    os.utime(left, (long_ago, long_ago))
    person.service.manage("clear_expired")
    assert not arrived()


def kill_at_once(person: Person, arrived: Callable[[], list[Path]]) -> None:
    wait_until(lambda: bool(arrived()), "half of the file has arrived")
    kill(workers(person.service))


def test_after_the_workers_are_killed_the_progress_is_true_and_checking_finishes(
    person: Person,
) -> None:
    person.begin()
    assert person.upload(person.content(rows=60_000, fail=("Q611:3",))).status_code == 303
    wait_until(lambda: "Started" in text(person.poll()), "a worker has begun")
    kill(person.service.processes("celery"))
    seen: list[str] = []
    while not LEADS_ON & (answer := person.poll()).headers.keys():
        assert answer.status_code == 200
        assert len(seen) < 600, seen[-1]
        seen.append(text(answer))
        time.sleep(0.05)
    assert any("This is attempt 2 of" in each for each in seen), set(seen)
    assert not any("stopped" in each for each in seen)
    assert "3 records" in text(person.get("1/edits/Q611/"))
    assert person.facts()["events"].count("UPLOAD_FINISHED") == 1


@pytest.mark.servers
def test_while_the_database_is_away_each_page_says_so_and_works_afterwards(
    ann: Person,
    leis: list[str],
    database: Database,
) -> None:
    new, created, to_verify, to_sign = (ann.at(leis.pop()) for _ in range(4))
    created.begin()
    to_verify.file(fail=("Q611:3",))
    to_sign.file()
    steps = [
        (new, "", 303),
        (created, "1/upload/", 303),
        (to_verify, "1/notify/", 303),
        (to_verify, "1/verify/quality/", 303),
        (to_sign, "1/sign/", 303),
        (to_sign, "1/receipt/", 303),  # it was sent a moment ago, which the page says
    ]
    before = [person.facts() for person, _, _ in steps]
    contents = {"1/upload/": {"file": ("lar.txt", created.content())}}
    ann.service.end_console()
    database.take_away()
    for person, page, _ in steps:
        for answer in (person.get(page), person.post(page, files=contents.get(page))):
            is_post = answer.request.method == "POST"
            check_away(answer, NO_DATABASE + (UNSURE if is_post else ""))
    check_away(to_verify.poll(), NO_DATABASE)
    for page in ("1/", "1/edits/", "1/edits/Q611/?format=csv", "1/edits/report/", "1/file/"):
        check_away(to_verify.get(page), NO_DATABASE)
    database.bring_back()
    wait_until(lambda: answers(ann), "the database is there again")
    assert [person.facts() for person, _, _ in steps] == before
    for person, page, status in steps:
        answer = person.post(page, files=contents.get(page))
        assert answer.status_code == status, (page, text(answer))
    created.wait()
    assert to_sign.facts()["signatures"] == 1


def check_away(answer: httpx.Response, message: str) -> None:
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "30"), answer.text
    assert message in text(answer)
    assert "Set-Cookie" not in answer.headers
