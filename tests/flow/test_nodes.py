"""Two web nodes and three worker nodes that share PostgreSQL, Redis and S3, and nothing else.

Each node has its own folder, and where the system lets its own network and host name. Calls go to
the web nodes in turn. With `--nodes` other tests of the flow run on such a service too:
`pytest tests/flow/test_filing.py --nodes`.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from tests.databrowser.publication.public_files import published
from tests.flow.filer import Filer, lar
from tests.flow.nodes import InTurn, Site, csrf, running, sign_in, to_node
from tests.flow.processes import wait_until
from tests.resilience.evidence import sent_emails
from tests.resilience.interrupted_sender import Sender
from tests.resilience.machines import SITE, Node

PROGRAMS = ("initdb", "postgres", "redis-server")
# It has servers of its own: what the environment names does not matter.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not all(map(shutil.which, PROGRAMS)),
        reason=f"issue 23: needs the programs {', '.join(PROGRAMS)}",
    ),
]

LEASE_SECONDS, SWEEP_SECONDS = 5, 1
NOTICE_SECONDS = 3  # until a worker has taken the job: a message, a claim
WAIT_SECONDS = 60
ROWS = 40_000  # of a file that a node can be caught at
HISTORY = [1, 2, 3, 4, 6, 7, 8, 10, 12, 14]
AUDITOR = "audit@site.example"


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    """Several nodes, which are for these tests alone: they stop, drain and kill nodes."""
    with running(
        JOB_LEASE_SECONDS=str(LEASE_SECONDS),
        JOB_SWEEP_SECONDS=str(SWEEP_SECONDS),
        PUBLISH_SECONDS="2",
        CLEAR_SECONDS="5",
        AUDIT_HEADS_EMAIL=AUDITOR,
    ) as made:
        yield made


@contextmanager
def filers(service: Site, number: int) -> Iterator[list[Filer]]:
    with ExitStack() as stack:
        yield [stack.enter_context(Filer.of(service, "2024")) for _ in range(number)]


def upload(filer: Filer, rows: int = ROWS) -> None:
    filer.begin()
    assert filer.upload(lar(filer, rows=rows)).status_code == 202


def attempts(service: Site, *filers: Filer) -> list[dict[str, Any]]:
    """Return the attempts at the jobs of some filers' submissions, the oldest first."""
    leis = [each.lei for each in filers]
    code = (
        "import json; from filing.models import Attempt;"
        f"rows = Attempt.objects.filter(job__submission__filing__institution__lei__in={leis!r});"
        "print(json.dumps([{'lei': e.job.submission.lei, 'job': e.job_id, 'owner': e.owner,"
        " 'stage': e.job.stage, 'began': e.started_at.timestamp(), 'outcome': e.outcome}"
        " for e in rows.select_related('job__submission__filing__institution').order_by('pk')]))"
    )
    return list(json.loads(service.shell(code)))


OWNER = """
SELECT job.owner FROM filing_job job
JOIN filing_submission submission ON submission.id = job.submission_id
JOIN filing_filing filing ON filing.id = submission.filing_id
JOIN filing_institution institution ON institution.id = filing.institution_id
WHERE institution.lei = %s AND job.state = 'running' AND job.stage <> 'upload'
"""


def frozen_at_work(service: Site, filer: Filer) -> Node:
    """Return the worker node that works on the file of a filer, frozen in the middle."""
    with psycopg.connect(service.environment["DATABASE_URL"], autocommit=True) as database:
        until = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < until:
            row = database.execute(OWNER, [filer.lei]).fetchone()
            process = int(row[0].split(":")[1]) if row else 0
            for node in service.workers if row else []:
                if process not in node.processes():
                    continue
                node.freeze()
                if database.execute(OWNER, [filer.lei]).fetchone() == row:
                    return node
                node.thaw()  # it had just finished
    raise AssertionError(f"No node was caught at work: {filer.state()}")


@pytest.mark.servers
def test_a_filing_goes_from_creation_to_receipt_through_two_web_nodes(site: Site) -> None:
    with Filer.of(site, "2024") as filer:
        assert filer.file(lar(filer, rows=100, fail=("Q611:23",)))["status"]["code"] == 11
        for page in (1, 2):
            answers = [filer.call("GET", f"/submissions/1/edits/Q611?page={page}") for _ in "ab"]
            assert answers[0].json() == answers[1].json()
            assert answers[0].json()["total"] == 23
        assert filer.verify("quality").json()["status"]["code"] == 14
        receipt = filer.sign().json()["receipt"]
        wait_until(
            lambda: filer.call("GET", "/submissions/1/receipt").is_success, "the receipt is signed"
        )
        files = {filer.call("GET", "/submissions/1/receipt").content for _ in "ab"}
        assert len(files) == 1
        calls = filer.client._transport.calls  # type: ignore[attr-defined]
        assert {*calls} == {"web-1", "web-2"}
    for node in site.web:
        with to_node(node) as anyone:
            assert anyone.get(f"/v2/public/receipts/{receipt}").json()["genuine"]
            keys = anyone.get("/.well-known/receipt-keys.json").json()["keys"]
            assert len(keys) == 1


def test_a_sign_in_holds_on_both_nodes_until_it_ends_on_one(site: Site) -> None:
    with httpx.Client(base_url=SITE, transport=InTurn(site.web), timeout=60) as ben:
        assert sign_in(ben, site).status_code == 200
        pages = [ben.get("/filing/profile/") for _ in "ab"]
        assert [page.status_code for page in pages] == [200, 200]
        assert all("ben@bank1.example" in page.text for page in pages)
        form = csrf(pages[0].text)
        for _ in "ab":  # each with the form of the other node
            denied = ben.post("/filing/profile/", data=form)
            assert denied.status_code != 403, denied.text
        cookies = dict(ben.cookies)
        assert ben.post("/sign-out/", data=csrf(pages[1].text)).status_code == 302
    for node in site.web:
        with to_node(node, cookies=cookies) as stranger:
            assert stranger.get("/filing/profile/").status_code == 302


def test_every_node_clears_its_own_folder(site: Site) -> None:
    months_ago = time.time() - 90 * 24 * 3600
    copies = [node.folder / "local-copies" / "read-long-ago" for node in site.machines.nodes]
    for copy in copies:
        copy.parent.mkdir(exist_ok=True)
        copy.touch()
        os.utime(copy, (months_ago, months_ago))
    wait_until(lambda: not any(copy.exists() for copy in copies), "the copies are gone")


AMOUNT = 5.0
QUESTION = "/v2/data-browser-api/view/nationwide/aggregations?years=2023&actions_taken=1"
BACK = ["rollback", "2023", "--reason", "The records were wrong."]


BUILD = """
from databrowser.publication.builds import build_requests
from filing.access import Caller
build_requests.request_build(2023, by=Caller(id="1", username="olga"), reason="There are more.")
"""


def publish(service: Site, path: Path, rows: int) -> None:
    """Publish a data set of 2023 with some rows of one amount, built by a worker node."""
    published(path, {"lei": "A" * 20, "loan_amount": float(AMOUNT)})
    head, loan = path.read_text().splitlines()
    path.write_text("\n".join([head, *[loan] * rows]) + "\n")
    service.manage("load_public_lar", str(path))
    service.shell(BUILD)
    wait_until(lambda: figures(service.web[0]) == {rows: rows * AMOUNT}, "the version is published")


def figures(node: Node) -> dict[int, float]:
    """Return number and sum of the loans of 2023, as a node answers; blank if there are none."""
    with to_node(node) as anyone:
        answer = anyone.get(QUESTION)
    groups = answer.json().get("aggregations", [])
    return {each["count"]: each["sum"] for each in groups}


@pytest.mark.servers
def test_a_data_set_is_swapped_on_all_web_nodes_at_once(site: Site, tmp_path: Path) -> None:
    few, many = 3, 4000
    publish(site, tmp_path / "few.csv", few)
    assert [figures(node) for node in site.web] == [{few: few * AMOUNT}] * 2
    answers: list[dict[int, float]] = []
    over = threading.Event()

    def ask() -> None:
        while not over.is_set():
            answers.extend(figures(node) for node in site.web)

    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(ask)
        publish(site, tmp_path / "many.csv", many)
        assert [figures(node) for node in site.web] == [{many: many * AMOUNT}] * 2
        files = [download(node) for node in site.web]
        assert files[0] == files[1]
        assert files[0].count(b"\n") == many + 1
        site.manage(*BACK)
        assert [figures(node) for node in site.web] == [{few: few * AMOUNT}] * 2
        files = [download(node) for node in site.web]
        assert files[0] == files[1]
        assert files[0].count(b"\n") == few + 1
        time.sleep(0.5)
        over.set()
        asking.result()
    # The nodes were asked in turn: each change is seen by both from one answer to the next.
    rows = [count for each in answers for count in each]
    changes = [rows[0], *(after for before, after in pairwise(rows) if after != before)]
    assert changes == [few, many, few]
    assert len(rows) == len(answers)
    assert all(each == {count: count * AMOUNT} for each in answers for count in each)


def download(node: Node) -> bytes:
    with to_node(node) as anyone:
        return anyone.get(QUESTION.replace("aggregations", "csv")).content


TASKS_TWICE = """
from config.celery import app
from config.settings import CELERY_BEAT_SCHEDULE
for each in CELERY_BEAT_SCHEDULE.values():
    for _ in range(2):
        app.send_task(each["task"])
"""
EFFECTS = """
import json
from collections import Counter
from databrowser.models import Publication, Version
from filing.models import ChainCheck, Job, Mail, SignedReceipt, Signature
from databrowser.models import ModifiedLar
mails = Mail.objects.values_list("kind", "to", "submission")
versions = Version.objects.filter(year=2024).order_by("number")
print(json.dumps({
    "mails": [list(key) for key, number in Counter(mails).items() if number > 1],
    "unsent": Mail.objects.filter(sent_at=None).count(),
    "heads": Mail.objects.filter(kind="audit-head").count(),
    "versions": [[each.number, each.state, each.rows] for each in versions],
    "published": Publication.objects.filter(year=2024).count(),
    "receipts": [Signature.objects.count(), SignedReceipt.objects.count()],
    "unfinished": Job.objects.filter(state__in=Job.UNFINISHED).exclude(stage="upload").count(),
}))
"""


@pytest.mark.servers
def test_two_beats_and_every_task_twice_have_each_effect_once(site: Site) -> None:
    with filers(site, 3) as sent:
        for filer in sent:
            assert filer.file(lar(filer, rows=10))["status"]["code"] == 14
            assert filer.sign().status_code == 200
    site.shell(TASKS_TWICE)
    effects: dict[str, Any] = {}

    def have_come() -> bool:
        effects.update(json.loads(site.shell(EFFECTS)))
        rows = max((rows for _, _, rows in effects["versions"]), default=0)
        is_quiet = not effects["unfinished"] and not effects["unsent"]
        return bool(effects["heads"] and is_quiet and rows >= 10 * len(sent))

    def have_ended() -> bool:
        if have_come():
            time.sleep(3)  # more than beat leaves between two builds
        return have_come()

    wait_until(have_ended, "the tasks have run", seconds=300)
    assert effects["mails"] == []
    assert effects["heads"] == 1
    assert {state for _, state, _ in effects["versions"]} == {"built"}
    numbers = [rows for _, _, rows in effects["versions"]]
    assert sorted({*numbers}) == numbers
    assert effects["published"] == len(numbers)
    assert effects["receipts"][0] == effects["receipts"][1]
    assert set(sent_emails(site.machines.mail).values()) == {1}


# Nodes are gone after the following tests.


@pytest.mark.servers
def test_a_worker_node_that_dies_costs_no_filing_and_at_most_one_lease(site: Site) -> None:
    with filers(site, 5) as sent:
        for filer in sent[1:]:
            upload(filer, rows=500)
        upload(sent[0])
        node = frozen_at_work(site, sent[0])
        node.kill()
        killed = time.time()
        assert [filer.rest()["status"]["code"] for filer in sent] == [14] * len(sent)
        assert [site.history(filer.lei) for filer in sent] == [HISTORY] * len(sent)
        tries = attempts(site, *sent)
        lost = [each for each in tries if each["outcome"] == "lost"]
        assert [each["lei"] for each in lost] == [sent[0].lei]  # its worker has one child
        again = [each["began"] for each in tries if each["job"] == lost[0]["job"]]
        assert max(again) - killed < LEASE_SECONDS + SWEEP_SECONDS + NOTICE_SECONDS


def test_a_node_that_stood_still_for_longer_than_a_lease_changes_nothing(site: Site) -> None:
    with Filer.of(site, "2024") as filer:
        upload(filer)
        node = frozen_at_work(site, filer)
        try:
            assert filer.rest()["status"]["code"] == 14
        finally:
            node.thaw()
        time.sleep(1)
        assert filer.state()["status"]["code"] == 14
        assert site.history(filer.lei) == HISTORY
        tries = Counter(each["outcome"] for each in attempts(site, filer))
        assert tries == {"done": 3, "lost": 1}
    wait_until(node.children, "its worker has a child again")


@pytest.mark.servers
def test_a_drained_node_finishes_its_job_and_a_joining_node_takes_work(site: Site) -> None:
    with filers(site, 2) as (first, second):
        upload(first)
        node = frozen_at_work(site, first)
        joining = site.add_worker("worker-4")
        node.thaw()
        node.stop()
        assert not node.processes()
        assert first.rest()["status"]["code"] == 14
        assert {each["outcome"] for each in attempts(site, first)} == {"done"}

        joining.wait_until_ready()
        others = [each for each in site.workers if each is not joining]
        for each in others:
            each.freeze()
        processes = joining.processes()
        upload(second, rows=100)
        assert second.rest()["status"]["code"] == 14
        for each in others:
            each.thaw()
        tries = [each for each in attempts(site, second) if each["stage"] != "upload"]
        owners = {int(each["owner"].split(":")[1]) for each in tries}
        assert owners <= {*processes, *joining.processes()}


def test_a_web_node_that_dies_in_an_upload_leaves_it_to_the_other(
    site: Site, tmp_path: Path
) -> None:
    first, _ = site.web
    with Filer.of(site, "2024") as filer:
        content = lar(filer, rows=ROWS)
        path = tmp_path / "lar.txt"
        path.write_bytes(content)
        filer.begin()
        sent = Sender(
            [node.url for node in site.web],
            f"/v2/filing{filer.path()}/submissions/1",
            filer.headers["authorization"].removeprefix("Bearer "),
            path,
            [len(content) // 3, len(content) * 2 // 3],
            lambda number, server: first.kill() if server == first.url else None,
        ).send()
        assert sent.cuts == 2
        assert filer.rest()["status"]["code"] == 14
        assert site.history(filer.lei)[:4] == [1, 2, 3, 4]
        assert stored(site, filer) == hashlib.sha256(content).hexdigest()


def stored(service: Site, filer: Filer) -> str:
    code = "from filing.models import Submission as S;"
    return service.shell(
        f"{code}print(S.objects.get(filing__institution__lei='{filer.lei}').sha256)"
    )
