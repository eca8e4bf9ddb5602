"""Processes that are killed in mid-work: it goes on by itself, and nothing is doubled."""

from __future__ import annotations

import json
import socket
import time
from http.client import HTTPResponse
from urllib.parse import urlsplit

import httpx
import pytest

from tests.databrowser.publication.public_files import published
from tests.flow.conftest import Service
from tests.flow.conftest import panel as write_panel
from tests.flow.filer import Filer, lar
from tests.flow.processes import kill, wait_until, working_processes

pytestmark = pytest.mark.slow

ROWS = 200_000
# More than a lease: the bound leaves the rest to workers that start on a busy machine.
GOES_ON_SECONDS = 40


def wait_for_code(filer: Filer, code: int, seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    while filer.state()["status"]["code"] != code:
        assert time.monotonic() < until, f"never saw {code}: {filer.service_log()}"
        time.sleep(0.01)


@pytest.mark.parametrize("stage_code", [pytest.param(4, marks=pytest.mark.servers), 7])
def test_after_the_workers_are_killed_the_submission_goes_on_by_itself(breakable, stage_code):
    with Filer.of(breakable, "2024") as filer:
        content = lar(filer, rows=ROWS, fail=("Q611:3",))
        filer.begin()
        if stage_code == 7:
            load_panel(breakable, filer.lei, tax_id="98-7654321")
        assert filer.upload(content).status_code == 202
        wait_for_code(filer, 4)
        if stage_code == 7:  # the edits are run anew: a fact has changed while the file was parsed
            load_panel(breakable, filer.lei)
            wait_for_code(filer, stage_code)
        time.sleep(0.3)
        assert filer.state()["status"]["code"] == stage_code
        kill(breakable.processes("celery"))
        before = filer.state()["progress"]
        # Another worker has the job: its count of rows begins anew.
        wait_until(
            lambda: filer.state()["progress"] != before, "it goes on", seconds=GOES_ON_SECONDS
        )
        assert filer.rest()["status"]["code"] == 11
        assert breakable.history(filer.lei) == [1, 2, 3, 4, 6, 7, 8, 11]
        assert filer.call("GET", "/submissions/1/edits/Q611").json()["total"] == 3
        folder = breakable.data_dir / "files" / "submissions" / filer.lei / "2024" / "1"
        assert {path.name.split("-")[0] for path in folder.iterdir()} == {
            "upload", "parse", "edits",
        }  # fmt: skip
        # The report of before the change is removed later.
        assert len(list(folder.iterdir())) == {4: 3, 7: 4}[stage_code]


def load_panel(service: Service, lei: str, tax_id: str = "12-3456789") -> None:
    file = write_panel(service.data_dir / "of-one.csv", [lei], range(2024, 2025))
    file.write_text(file.read_text().replace("12-3456789", tax_id))
    service.manage("load_institutions", str(file))


def test_after_idle_workers_are_killed_those_that_follow_work(breakable):
    wait_until(lambda: len(working_processes(breakable)) == 2, "each worker runs")
    for _ in range(2):
        killed = working_processes(breakable)
        kill(killed)
        wait_until(lambda killed=killed: len(working_processes(breakable) - killed) == 2, "others")
    with Filer.of(breakable, "2024") as filer:
        assert filer.file(lar(filer, rows=100))["status"]["code"] == 14


# Of each program one process of its own, found by its command line.
PROGRAMS = ("gunicorn", "--hostname small", "--hostname large", "--hostname other", " beat ")
KILLS = 6  # one after the other, as soon as it has started again


def test_a_program_that_is_killed_again_and_again_is_always_started_again(breakable):
    for _ in range(KILLS):
        running = {word: breakable.processes(word) for word in PROGRAMS}
        for word, processes in running.items():
            wait_until(lambda word=word: breakable.processes(word), f"{word} runs")
            kill(processes or breakable.processes(word))
    for word in PROGRAMS:
        wait_until(lambda word=word: breakable.processes(word), f"{word} runs")
    wait_until(lambda: is_answering(breakable), "the web answers")
    with Filer.of(breakable, "2024") as filer:
        assert filer.file(lar(filer, rows=100))["status"]["code"] == 14


def is_answering(service: Service) -> bool:
    try:
        return httpx.get(f"{service.url}/healthz").status_code == 200
    except httpx.TransportError:
        return False


def begin_upload(filer: Filer, content: bytes) -> socket.socket:
    """Send the head and half of an upload, and leave the connection open."""
    address = urlsplit(filer.service.url)
    connection = socket.create_connection((address.hostname or "", address.port or 0))
    form = (
        b'--x\r\nContent-Disposition: form-data; name="file"; filename="lar.txt"\r\n'
        b"Content-Type: text/plain\r\n\r\n" + content + b"\r\n--x--\r\n"
    )
    head = (
        f"POST {urlsplit(filer.address).path}/submissions/1 HTTP/1.1\r\n"
        f"Host: {address.netloc}\r\nAuthorization: {filer.headers['authorization']}\r\n"
        f"Content-Type: multipart/form-data; boundary=x\r\nContent-Length: {len(form)}\r\n\r\n"
    )
    connection.sendall(head.encode() + form[: len(form) // 2])
    return connection


@pytest.mark.servers
def test_after_the_web_process_is_killed_in_an_upload_it_can_be_done_again(breakable):
    with Filer.of(breakable, "2024") as filer:
        content = lar(filer, rows=20_000)
        filer.begin()
        with begin_upload(filer, content):
            wait_for_code(filer, 2)
            kill(breakable.processes("gunicorn"))
        wait_until(lambda: is_answering(breakable), "the web answers")
        wait_for_code(filer, 1, GOES_ON_SECONDS)
        assert filer.upload(content).status_code == 202
        assert filer.rest()["status"]["code"] == 14
        assert breakable.history(filer.lei)[:5] == [1, 2, 1, 2, 3]


def test_a_connection_that_breaks_off_leaves_the_submission_as_it_was(breakable):
    with Filer.of(breakable, "2024") as filer:
        content = lar(filer, rows=20_000)
        filer.begin()
        with begin_upload(filer, content) as connection:
            wait_for_code(filer, 2)
            connection.shutdown(socket.SHUT_WR)
            answer = HTTPResponse(connection)
            answer.begin()
            assert answer.status == 400
            assert b"upload ended after" in answer.read()
        assert filer.state()["status"]["code"] == 1
        assert filer.upload(content).status_code == 202


def test_while_an_upload_arrives_another_one_is_refused(breakable):
    with Filer.of(breakable, "2024") as filer:
        content = lar(filer, rows=100)
        filer.begin()
        with begin_upload(filer, content) as connection:
            wait_for_code(filer, 2)
            answer = filer.upload(content)
            assert (answer.status_code, filer.state()["status"]["code"]) == (400, 2)
            connection.shutdown(socket.SHUT_RDWR)
        wait_for_code(filer, 1)


def test_after_a_restart_the_service_goes_on_where_it_was(breakable):
    with Filer.of(breakable, "2024") as filer:
        filer.begin()
        assert filer.upload(lar(filer, rows=50_000)).status_code == 202
        breakable.stack.stop()
        breakable.stack.start()
        assert filer.rest()["status"]["code"] == 14


MANY = 16_000
ASK = """
import time
from filing import seasons
from filing.access import Caller
from filing.models import Job
plan = seasons.SeasonPlan(2026, seasons.usual_windows(2026))
by = Caller(id="1", username="olga")
asked = seasons.queue_opening(plan, by=by, reason="It is time.", force=True)
while not Job.objects.get(pk=asked.job_id).rows_done:
    time.sleep(0.05)
print(asked.pk)
"""
AWAIT = """
import json, time
from filing.models import Filing, SeasonOpening, TrailEntry
opening = SeasonOpening.objects.get(pk={key})
while opening.report is None and opening.job.state != "failed":
    time.sleep(0.2)
    opening = SeasonOpening.objects.get(pk={key})
tries = list(opening.job.tries.values_list("outcome", flat=True))
told = TrailEntry.objects.filter(event="season opened", about="2026").count()
made = [each["made"] for each in opening.report["periods"]]
print(json.dumps([tries, made, Filing.objects.filter(period__year=2026).count(), told]))
"""


@pytest.mark.servers
def test_after_the_workers_are_killed_a_season_is_opened_to_its_end(breakable, tmp_path):
    panel = tmp_path / "panel.csv"
    names = "activity_year,lei,name,tax_id,agency,email_domains,quarterly_filer"
    rows = (f"2026,SEASON{number:014d},Bank,,9,,{number % 8 == 0}" for number in range(MANY))
    panel.write_text("\n".join([names, *rows]) + "\n")
    breakable.manage("load_institutions", "--strict", str(panel))
    key = breakable.shell(ASK)
    kill(breakable.processes("celery"))
    done = breakable.shell(AWAIT.format(key=key))
    tries, made, number, told = json.loads(done)
    assert tries == ["lost", "done"]
    assert made == [MANY, *[MANY // 8] * 3]
    assert (number, told) == (sum(made), 1)


PUBLIC_ROWS = 60_000
# A build of so few rows is over before another process could end its worker.
ASK_TO_PUBLISH_AND_KILL = """
import os, signal, time
from databrowser.publication.builds import build_requests
from filing.access import Caller
from filing.models import Job
olga = Caller(id="1", username="olga")
asked = build_requests.request_build(2023, by=olga, reason="There is more.")
while not (owner := Job.objects.get(pk=asked.job_id).owner):
    time.sleep(0.01)
time.sleep(0.3)
os.kill(int(owner.split(":")[1]), signal.SIGKILL)
print(asked.pk)
"""
WHAT_IS_LIVE = (
    "from databrowser.publication.serving import live_data_sets; print(*live_data_sets())"
)
AWAIT_VERSION = """
import json, time
from databrowser.models import Publication, Version
from databrowser.publication.serving import live_data_sets
from filing import storage
version = Version.objects.select_related("job").get(pk={key})
while version.state == "asked" and version.job.state != "failed":
    time.sleep(0.2)
    version = Version.objects.select_related("job").get(pk={key})
tries = list(version.job.tries.values_list("outcome", flat=True))
told = list(Publication.objects.order_by("pk").values_list("version__number", flat=True))
left = len(list(storage.open_local_copy("publication/years/2023").iterdir()))
live = live_data_sets()[0]
print(json.dumps([tries, live.name, live.rows, told, left]))
"""


def test_after_the_workers_are_killed_the_old_data_set_is_live_and_the_new_one_is_built(
    breakable, tmp_path
):
    few = published(tmp_path / "few.csv", {"lei": "A" * 20, "loan_amount": 5.0})
    many = tmp_path / "many.csv"
    head, loan = few.read_text().splitlines()
    many.write_text("\n".join([head, *[loan] * PUBLIC_ROWS]) + "\n")
    breakable.manage_all(["load_public_lar", str(few)], ["publish", "2023"])
    breakable.manage("load_public_lar", str(many))
    key = breakable.shell(ASK_TO_PUBLISH_AND_KILL)
    assert "'2023-1'" in breakable.shell(WHAT_IS_LIVE)
    done = json.loads(breakable.shell(AWAIT_VERSION.format(key=key)))
    assert done == [["lost", "done"], "2023-2", PUBLIC_ROWS, [1, 2], 2]
