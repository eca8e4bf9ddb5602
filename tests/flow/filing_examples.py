"""The calls of the filing API whose answers the API document shows."""

from __future__ import annotations

import json
from contextlib import ExitStack
from functools import partial
from typing import Any

import httpx

from tests.flow import repeated_examples, upload_examples
from tests.flow.filer import Filer, lar
from tests.flow.recording import (
    JSON_LIMIT,
    LEI,
    OTHER_LEI,
    SECONDS,
    UNKNOWN_LEI,
    UPLOAD_LIMIT,
    WORKBOOK,
    Recording,
)

EDITS_TO_VERIFY = ("Q611:1", "Q637")
CLOSED_YEAR = "2022"
BUSY = 503
JSON = "application/json"
NEXT = 3  # the number of the submission that is refused
NO_UPLOAD = "0" * 32
OPERATIONS = (
    ("GET", ""),
    ("POST", ""),
    ("GET", "/submissions"),
    ("POST", "/submissions"),
    ("GET", "/submissions/latest"),
    ("GET", f"/submissions/{NEXT}"),
    ("POST", f"/submissions/{NEXT}"),
    ("DELETE", f"/submissions/{NEXT}"),
    ("GET", f"/submissions/{NEXT}/progress"),
    ("POST", f"/submissions/{NEXT}/uploads"),
    ("PATCH", f"/submissions/{NEXT}/uploads/{NO_UPLOAD}"),
    ("DELETE", f"/submissions/{NEXT}/uploads/{NO_UPLOAD}"),
    ("GET", f"/submissions/{NEXT}/parseErrors"),
    ("GET", f"/submissions/{NEXT}/parseErrors/csv"),
    ("GET", f"/submissions/{NEXT}/edits"),
    ("GET", f"/submissions/{NEXT}/edits/rules/2025"),
    ("GET", f"/submissions/{NEXT}/edits/csv"),
    ("GET", f"/submissions/{NEXT}/edits/Q611"),
    ("GET", f"/submissions/{NEXT}/edits/Q611/csv"),
    ("POST", f"/submissions/{NEXT}/edits/quality"),
    ("POST", f"/submissions/{NEXT}/edits/macro"),
    ("GET", f"/submissions/{NEXT}/sign"),
    ("POST", f"/submissions/{NEXT}/sign"),
    ("GET", f"/submissions/{NEXT}/receipt"),
    ("GET", f"/submissions/{NEXT}/summary"),
)
BEFORE_A_FILING = (
    ("GET", ""),
    ("GET", "/submissions"),
    ("POST", "/submissions"),
    ("POST", ""),
    ("POST", ""),
    ("GET", "/submissions/latest"),
)
CLOSED = ("", "/submissions", "/submissions/1", "/submissions/1/uploads", "/submissions/1/sign")
CLOSED_ON = ("--deadline", "2023-03-01", "--closes", "2023-12-31")
BODY = {
    "/edits/quality": {"verified": True},
    "/edits/macro": {"verified": True},
    "/sign": {"signed": True},
}
NOT_ACCEPTED = {
    "lar.txt": b"",
    "lar.xlsx": WORKBOOK,
    "lar.csv": b"1|Example Bank",
}


def record(recording: Recording, tokens: dict[str, str], period: str) -> None:
    """Record all operations of the filing API for an annual or a quarterly period.

    tokens: of the filer, of one without quarterly filings, and of one who is not in the panel.
    """
    token, stranger = tokens[LEI], tokens[UNKNOWN_LEI]
    year, _, quarter = period.partition("-")
    of_quarter = f"/quarter/{quarter}" if quarter else ""
    with httpx.Client(
        base_url=f"{recording.service.url}/v2/filing",
        headers={"Authorization": f"Bearer {token}"},
        timeout=SECONDS,
    ) as client:
        filer = Filer(recording.service, LEI, period, client)
        call = partial(recording.call, token=token)
        path = f"/v2/filing{filer.path()}"
        missing_filing(call, path)
        call("GET", f"{path}/rights")
        recording.refuse_others(token, ("GET", f"{path}/rights"))
        file_of_record(recording, filer)
        refused_submissions(recording, filer, token)
        upload_examples.record(recording, f"{path}/submissions/{NEXT}", token)
        filer.rest(NEXT)
        posts = [path + rest for method, rest in OPERATIONS if method == "POST"]
        repeated_examples.record(
            recording,
            token,
            [post for post in posts if not post.endswith(f"/{NEXT}")],
            uploads=[f"{path}/submissions/{NEXT}"],
        )
        of_institution = f"/v2/filing/institutions/{LEI}/year/{year}{of_quarter}"
        call("GET", of_institution)
        recording.call("GET", of_institution)
        call("GET", of_institution.replace(LEI, OTHER_LEI))
        call("GET", of_institution.replace(LEI, UNKNOWN_LEI), token=stranger)
    for method, rest in OPERATIONS:
        recording.call(method, path + rest)
        call(method, path.replace(LEI, OTHER_LEI) + rest)
        recording.call(method, path.replace(LEI, UNKNOWN_LEI) + rest, token=stranger)
    if quarter:
        recording.call("POST", path.replace(LEI, OTHER_LEI), token=tokens[OTHER_LEI])
    for rest in CLOSED:
        call("POST", path.replace(year, CLOSED_YEAR) + rest, json=body_of(rest))


def close_periods(recording: Recording, token: str, *periods: str) -> None:
    """Create a submission in each period of a season, and then close the season."""
    for period in periods:
        with recording.service.client(token) as client:
            Filer(recording.service, LEI, period, client).begin()
    recording.service.manage("open_season", CLOSED_YEAR, *CLOSED_ON, "--force")


def follow_too_often(recording: Recording, token: str, *periods: str) -> None:
    """Follow a submission of each period until no web process takes one more who does.

    This comes last: a process finds out only later that those who followed have gone.
    """
    with recording.service.client(token) as client, ExitStack() as streams:
        for period in periods:
            filer = Filer(recording.service, LEI, period, client)
            filer.call("POST", "")
            number = filer.call("POST", "/submissions").json()["id"]["sequenceNumber"]
            path = filer.path(f"/submissions/{number}/progress")
            stream = streams.enter_context(client.stream("GET", path))
            while stream.status_code != BUSY:
                stream = streams.enter_context(client.stream("GET", path))
            stream.read()
            recording.recorder.record(stream)


def body_of(rest: str) -> dict[str, bool] | None:
    return next((body for end, body in BODY.items() if rest.endswith(end)), None)


def missing_filing(call: Any, path: str) -> None:
    """Record the refusals before the institution has a filing, and start it."""
    for method, rest in BEFORE_A_FILING:
        call(method, path + rest)


def file_of_record(recording: Recording, filer: Filer) -> None:
    """Record what a filer does, from a file with a formatting error to the receipt."""

    def call(method: str, rest: str, **options: Any) -> None:
        recording.recorder.record(filer.call(method, rest, **options))

    call("POST", "/submissions")
    content = lar(filer, rows=60, fail=EDITS_TO_VERIFY)
    name = "bank_2024.txt"
    call("POST", "/submissions/1", files={"file": (name, with_an_error(content))})
    filer.rest(1)
    call("GET", "/submissions/1/parseErrors")
    call("GET", "/submissions/1/parseErrors/csv")
    filer.call("POST", "/submissions")
    filer.upload(content, name=name, number=2)
    filer.rest(2)
    call("GET", "/submissions/latest")
    for rest in ("", "/progress"):
        call("GET", f"/submissions/2{rest}")
    for rest in ("", "/rules/2025", "/csv", "/Q611", "/Q611/csv"):
        call("GET", f"/submissions/2/edits{rest}")
    for kind in ("quality", "macro"):
        call("POST", f"/submissions/2/edits/{kind}", json={"verified": True})
    for signed in (False, True):
        call("POST", "/submissions/2/sign", json={"signed": signed})
    call("GET", "/submissions/2/sign")
    call("GET", "/submissions/2/receipt")
    if "-" not in filer.period:
        checks_of_receipts(recording, filer)
    call("GET", "/submissions/2/summary")
    call("DELETE", "/submissions/2")
    call("DELETE", "/submissions/1")
    call("POST", "/submissions/1", files={"file": (name, content)})
    call("POST", "/submissions/1/sign", json={"signed": True})
    call("GET", "/submissions")
    call("GET", "")


def checks_of_receipts(recording: Recording, filer: Filer) -> None:
    """Record the checks of the receipt of a signed submission, and what is not genuine."""
    receipt = filer.call("GET", "/submissions/2/receipt")
    body, path = receipt.json(), "/v2/public/receipts"
    recording.call("GET", f"{path}/{body['receipt']}")
    recording.call("GET", f"{path}/{UNKNOWN_LEI}-2024-1-1740000000000")

    def check(content: bytes, name: str = "") -> None:
        address, headers = f"{recording.service.url}{path}/check", {"Content-Type": JSON}
        response = httpx.post(address, content=content, headers=headers, timeout=SECONDS)
        recording.recorder.record(response, name)

    check(receipt.content, "A receipt file")
    check(json.dumps({"sha256": body["sha256"]}).encode(), "The hash of a file")
    check(json.dumps({**body, "records": 1}).encode(), "A receipt that was changed")
    check(json.dumps({"sha256": "ab" * 32}).encode())
    check(json.dumps({"sha256": "ab"}).encode())
    check(b"{}")
    recording.call("POST", f"{path}/check", content=b"1" * (JSON_LIMIT + 1))


def refused_submissions(recording: Recording, filer: Filer, token: str) -> None:
    """Record the refusals of a submission that does not exist, and of one without a file."""

    def call(method: str, rest: str, **options: Any) -> None:
        recording.recorder.record(filer.call(method, rest, **options))

    for method, rest in OPERATIONS:
        if str(NEXT) in rest:
            call(method, rest, json=body_of(rest))
    filer.call("POST", "/submissions")
    for name, content in NOT_ACCEPTED.items():
        call("POST", f"/submissions/{NEXT}", files={"file": (name, content)})
    recording.send_too_large_file(
        f"/v2/filing{filer.path()}/submissions/{NEXT}", UPLOAD_LIMIT, token=token
    )
    for kind in ("quality", "macro"):
        call("POST", f"/submissions/{NEXT}/edits/{kind}", json={"verified": True})
    call("GET", f"/submissions/{NEXT}/receipt")
    call("GET", f"/submissions/{NEXT}/summary")
    call("GET", f"/submissions/{NEXT}/parseErrors?page=x")
    call("GET", f"/submissions/{NEXT}/edits/Q611?page=x")


def with_an_error(content: bytes) -> bytes:
    """Return a file in which a value of the second record cannot be read."""
    lines = content.split(b"\n")
    values = lines[2].split(b"|")
    values[4] = b"abc"
    lines[2] = b"|".join(values)
    return b"\n".join(lines)
