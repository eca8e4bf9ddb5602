"""Answers that are lost after they were given: what is sent again has one effect, and one answer.

Through a whole service, where a caller goes away without reading and comes back on another line.
"""

from __future__ import annotations

import re
import select
import socket
import uuid
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from filing import idempotency
from tests.errors import error_of
from tests.flow.conftest import Service
from tests.flow.filer import Filer, lar
from tests.flow.person import Person
from tests.flow.processes import wait_until
from tests.flow.webhook_examples import DELIVERY

SECONDS = 60
AT_ONCE = 8
OF_CREATION = {
    "Tus-Resumable": "1.0.0",
    "Upload-Length": "1000",
    "Upload-Metadata": "filename bGFyLnR4dA==",
}
_KEY = re.compile(r'name="idempotency_key" value="(\w+)"')


class Calls:
    """POSTs of a filer with keys: by default a new one for each of them."""

    def __init__(self, filer: Filer) -> None:
        self.filer = filer

    def request(self, address: str, key: str, **options: Any) -> httpx.Request:
        """Return a POST to an address below that of the filing, or from /institutions on."""
        path = address if address.startswith("/institutions") else self.filer.path(address)
        options["headers"] = {**options.get("headers", {}), "Idempotency-Key": key}
        return self.filer.client.build_request("POST", path, **options)

    def send(self, address: str, key: str, **options: Any) -> httpx.Response:
        return self.filer.client.send(self.request(address, key, **options))

    def lost(self, address: str, **options: Any) -> httpx.Response:
        """Send a request, lose its answer, and return that of the same request sent again."""
        key = str(uuid.uuid4())
        lose_answer(self.request(address, key, **options))
        again = self.send(address, key, **options)
        assert again.headers["Idempotency-Replayed"] == "true", again.text
        third = self.send(address, key, **options)
        assert (third.status_code, third.content) == (again.status_code, again.content)
        assert third.headers.get("Location") == again.headers.get("Location")
        return again


def lose_answer(request: httpx.Request) -> None:
    """Send a request, and go away when its answer has come, without reading it."""
    where = urlsplit(str(request.url))
    headers = "".join(f"{name}: {value}\r\n" for name, value in request.headers.items())
    head = f"POST {where.path} HTTP/1.1\r\n{headers}\r\n".encode()
    with socket.create_connection((where.hostname or "", where.port or 80), SECONDS) as line:
        line.sendall(head + request.read())
        answered, _, _ = select.select([line], [], [], SECONDS)
        assert answered


@pytest.fixture
def calls(service: Service) -> Iterator[Calls]:
    """Those of an institution in a quarter, whose addresses have all parts."""
    with Filer.of(service, "2024-Q1") as filer:
        yield Calls(filer)


def error(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, error_of(answer)["message"]


@pytest.mark.servers
def test_a_filing_whose_every_answer_is_lost_is_filed_once(calls: Calls) -> None:
    filer = calls.filer
    started = calls.lost("")  # with the season: the refusal is given again
    assert started.status_code == 400
    assert "already exists" in started.json()["message"]
    created = calls.lost("/submissions")
    assert (created.status_code, created.json()["id"]["sequenceNumber"]) == (201, 1)
    content = lar(filer, rows=60, fail=("Q611:1", "Q637"))
    uploaded = calls.lost("/submissions/1", files={"file": ("lar.txt", content)})
    assert uploaded.status_code == 202
    while filer.rest()["status"]["code"] != 13:
        assert filer.codes[-1] == 11  # macro edits follow quality edits
    for kind in ("quality", "macro"):
        verified = calls.lost(f"/submissions/1/edits/{kind}", json={"verified": True})
        assert verified.status_code == 200
    signed = calls.lost("/submissions/1/sign", json={"signed": True})
    assert signed.status_code == 200
    receipt = filer.call("GET", "/submissions/1/sign").json()
    assert receipt["receipt"] == signed.json()["receipt"]
    assert filer.call("GET", "/submissions").json()["total"] == 1
    codes = filer.service.history(filer.lei)
    assert codes[:5] == [1, 2, 3, 4, 6]
    assert Counter(codes)[15] == 1


def test_an_upload_in_parts_is_begun_once(calls: Calls) -> None:
    filer = calls.filer
    filer.begin()
    content = lar(filer, rows=60)
    begin = partial(calls.lost, "/submissions/1/uploads")
    of_creation = {**OF_CREATION, "Upload-Length": str(len(content))}
    begun = begin(headers=of_creation)
    assert (begun.status_code, begun.headers["Tus-Resumable"]) == (201, "1.0.0")
    tus = {"Tus-Resumable": "1.0.0"}
    address = begun.headers["Location"].removeprefix("/v2/filing")
    assert filer.client.head(address, headers=tus).headers["Upload-Offset"] == "0"
    sending = {**tus, "Upload-Offset": "0", "Content-Type": "application/offset+octet-stream"}
    assert filer.client.patch(address, headers=sending, content=content).status_code == 204
    assert filer.rest()["status"]["code"] == 14
    refused = begin(headers=of_creation)  # with a new key
    assert refused.status_code == 400
    assert "not available for upload" in refused.json()["message"]


def test_webhooks_are_added_and_replayed_once(calls: Calls) -> None:
    filer, service = calls.filer, calls.filer.service
    path = f"/institutions/{filer.lei}/webhooks"
    added = calls.lost(path, json={"url": "https://bank.example/hmda"})
    assert added.status_code == 201
    assert added.json()["secret"].startswith("whsec_")
    (webhook,) = filer.client.get(path).json()["webhooks"]
    assert webhook["id"] == added.json()["id"]
    made = DELIVERY.format(key=webhook["id"]).replace(
        "msg_0123456789abcdef0123456789abcdef", f"msg_{uuid.uuid4().hex}"
    )
    delivery = service.shell(made)
    replay = f"{path}/{webhook['id']}/deliveries/{delivery}/replay"
    assert calls.lost(replay).status_code == 202
    refused = calls.lost(replay)  # with a new key, while it waits
    assert (refused.status_code, refused.json()["message"][:23]) == (400, "The delivery is waiting")


OTHERS = {
    "": {"content": b"other"},
    "/submissions": {"content": b"other"},
    "/submissions/1": {"files": {"file": ("lar.txt", b"1|other")}},
    "/submissions/1/edits/quality": {"json": {"verified": False}},
    "/submissions/1/edits/macro": {"json": {"verified": False}},
    "/submissions/1/sign": {"json": {"signed": False}},
    "/submissions/1/uploads": {"headers": {**OF_CREATION, "Upload-Length": "999"}},
}
FIRST = {
    "/submissions/1": {"files": {"file": ("lar.csv", b"1|content")}},
    "/submissions/1/edits/quality": {"json": {"verified": True}},
    "/submissions/1/edits/macro": {"json": {"verified": True}},
    "/submissions/1/sign": {"json": {"signed": True}},
    "/submissions/1/uploads": {"headers": OF_CREATION},
}


def test_a_key_that_is_sent_with_another_body_is_refused(calls: Calls) -> None:
    calls.filer.begin()
    for address, other in OTHERS.items():
        first = calls.send(address, "a-key", **FIRST.get(address, {}))
        assert first.status_code < 500
        refused = calls.send(address, "a-key", **other)
        assert refused.status_code == 422, address
        assert error_of(refused)["message"] == idempotency.OTHER_BODY
        again = calls.send(address, "a-key", **FIRST.get(address, {}))
        assert (again.status_code, again.content) == (first.status_code, first.content), address


@pytest.mark.servers
def test_of_many_at_once_one_is_worked_on_and_all_get_its_answer(calls: Calls) -> None:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        answers = [*pool.map(lambda _: calls.send("/submissions", "a-key"), range(AT_ONCE))]
    for answer in answers:
        if answer.status_code == 409:
            assert error(answer)[1] == idempotency.IN_WORK
            assert answer.headers["Retry-After"] == "1"
    given = [answer for answer in answers if answer.status_code == 201]
    given.append(calls.send("/submissions", "a-key"))
    assert {answer.content for answer in given} == {given[0].content}
    assert len([each for each in given if "Idempotency-Replayed" not in each.headers]) <= 1
    assert calls.filer.call("GET", "/submissions").json()["total"] == 1


def test_while_a_file_arrives_its_key_is_in_work(calls: Calls) -> None:
    filer = calls.filer
    filer.begin()
    options = {"files": {"file": ("lar.txt", lar(filer, rows=60))}}
    whole = calls.request("/submissions/1", "a-key", **options)
    body, busy = whole.read(), []

    def halves() -> Iterator[bytes]:
        yield body[: len(body) // 2]
        wait_until(lambda: filer.state()["status"]["code"] == 2, "the file arrives")
        busy.append(calls.send("/submissions/1", "a-key", **options))
        yield body[len(body) // 2 :]

    names = ("Content-Type", "Content-Length", "Idempotency-Key")
    headers = {name: whole.headers[name] for name in names}
    first = filer.client.post(filer.path("/submissions/1"), content=halves(), headers=headers)
    assert first.status_code == 202
    assert error(busy[0]) == (409, idempotency.IN_WORK)
    assert busy[0].headers["Retry-After"] == "1"
    again = calls.send("/submissions/1", "a-key", **options)
    assert (again.status_code, again.content) == (202, first.content)
    assert again.headers["Idempotency-Replayed"] == "true"


@pytest.mark.servers
def test_a_double_click_on_a_form_has_one_effect(service: Service) -> None:
    with Person.of(service, name="double-ann") as ann:

        def click(page: str, form_on: str = "", **more: Any) -> httpx.Response:
            """Send a form twice at the same time; return the second answer."""
            found = _KEY.search(ann.get(form_on or page).text)
            assert found, page
            with ThreadPoolExecutor(2) as pool:
                both = [
                    pool.submit(ann.post, page, idempotency_key=found[1], **more) for _ in range(2)
                ]
                first, second = (each.result() for each in both)
            assert first.status_code == second.status_code == 303, second.text
            assert first.headers["Location"] == second.headers["Location"]
            replayed = [each for each in (first, second) if "Idempotency-Replayed" in each.headers]
            assert len(replayed) == 1
            return second

        content = ann.content(fail=("Q611:1", "Q637"))
        click("upload/", files={"file": ("lar.txt", content)})
        assert len(ann.facts()["statuses"]) == 1
        ann.wait()
        click("1/verify/quality/", "1/edits/")
        click("1/verify/macro/", "1/edits/")
        click("1/sign/")
        facts = ann.facts()
        events = Counter(facts["events"])
        for event in ("CREATED", "UPLOAD_FINISHED", "QUALITY_VERIFIED", "MACRO_VERIFIED"):
            assert events[event] == 1, event
        assert (facts["signatures"], facts["completed"]) == (1, 1)
