"""Records calls of a service as examples of the API document.

What differs from one service to the next is replaced by made-up values: times, ids of requests,
hashes, sizes, hosts. So recording again gives the same files.
"""

from __future__ import annotations

import hashlib
import json
import platform
import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import httpx
from django.conf import settings

from config.openapi import document
from tests.api_document import api_document
from tests.flow.recorded_text import write_calls

FIRST_TIME, STEP = datetime(2025, 3, 3, 11, 6, 40, tzinfo=UTC), timedelta(seconds=100)
TODAY, IN_WORDS, IN_SLUG = "2025-03-03", "March 3, 2025", "03-03-25"
REPORT_DATE = "03/03/2025 06:06 AM"
HOST = "filing.example"
FIRST_SIZE, SIZE_STEP = 20_480, 1_024
SECRET = "whsec_RXhhbXBsZSBzZWNyZXQgb2YgdGhlIGRvY3VtZW50"
UPLOAD = "0123456789abcdef" * 2
PROOF = "eyJhbGciOiJFZERTQSIsImtpZCI6IuKApiJ9.eyJyZWNlaXB0Ijoi4oCmIn0.c2lnbmF0dXJl"

_EVENT_TIME = re.compile(r'("at": )[0-9]{13}\b')
_EXPIRY = re.compile(r'("expiresAt": )[0-9]{13}\b')
_MILLISECONDS = re.compile(r"(?<!\d)1[6-9]\d{11}(?!\d)")
_ISO_TIME = re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(?=Z|\+00:00)")
# Whole, or its beginning in a permanent address.
_SHA256 = re.compile(r"\b[0-9a-f]{64}\b|(?<=/versions/\d{4}-\d-)[0-9a-f]{12}")
_REQUEST_ID = re.compile(r'(?<="requestId": ")[^"]+')
_PROOF = re.compile(r'(?<="proof": ")[^"]+')
_SECRET = re.compile(r"whsec_[A-Za-z0-9+/=]+")
_UPLOAD = re.compile(r"(?<=/uploads/)[0-9a-f]{32}")
_FILED = re.compile(r"(?<=Filed on )[A-Z][a-z]+ \d+, \d{4}")
_SLUG = re.compile(r'(?<="slug": ")\d\d-\d\d-\d\d')
_REPORT_DATE = re.compile(r'(?<="reportDate": ")[^"]+')
_SITE = re.compile(r"http://127\.0\.0\.1:\d+")
_SIZE = re.compile(r'(?<="bytes": )\d+')


def operation_of(method: str, path: str) -> str:
    """Return the id of the operation at an address.

    Raises: LookupError where the document has none.
    """
    candidates = [
        (template.count("{"), operations[method.lower()]["operationId"])
        for template, operations in api_document()["paths"].items()
        if method.lower() in operations and re.fullmatch(_pattern(template), path)
    ]
    if not candidates:
        raise LookupError(f"The API document has no operation {method} {path}.")
    return str(min(candidates)[1])


def _pattern(template: str) -> str:
    return "[^/]+".join(re.escape(part) for part in re.split(r"\{\w+\}", template))


class Recorder:
    """Collects the calls of each operation."""

    def __init__(self) -> None:
        self.started_at = datetime.now(UTC) - timedelta(minutes=1)
        self.calls: dict[str, list[dict[str, Any]]] = defaultdict(list)

    def record(self, response: httpx.Response, name: str = "", *, first: int = 0) -> httpx.Response:
        """Record the request and the answer of a response, and return it.

        name: by default the message of a refusal.
        first: keep so many items of a long list, or lines of a long file.
        """
        request, status = response.request, response.status_code
        media = response.headers["Content-Type"].partition(";")[0]
        body = _body(response, first)
        path = urlsplit(str(request.url)).path
        operation = operation_of(request.method, path)
        call = {
            "name": name or document.name_call(status, body),
            "path": path,
            "status": status,
            "media": media,
            "answer": body,
        }
        if request.headers.get("Content-Type", "").startswith(document.JSON):
            call["request"] = json.loads(request.content)
        same = [other for other in self.calls[operation] if _key(other) == _key(call)]
        assert not same, f"{operation} has an example {_key(call)}."
        self.calls[operation].append(call)
        return response

    @property
    def texts(self) -> dict[str, str]:
        """The texts of the files by their names, with made-up values."""
        texts = {
            f"{operation}.json": json.dumps(
                sorted(calls, key=lambda call: call["status"]), ensure_ascii=False
            )
            for operation, calls in sorted(self.calls.items())
        }
        # Of some events, two fall into the same millisecond or not.
        texts = {name: _EVENT_TIME.sub(r"\g<1>1741000000000", text) for name, text in texts.items()}
        texts = {name: _EXPIRY.sub(r"\g<1>1742210000000", text) for name, text in texts.items()}
        for pattern, made_up in (
            (_MILLISECONDS, self._made_up_milliseconds),
            (_ISO_TIME, self._made_up_iso_times),
            (_SHA256, _made_up_hashes),
            (_SIZE, _made_up_sizes),
        ):
            values = made_up(pattern.findall("".join(texts.values())))
            texts = {name: pattern.sub(_replacing(values), text) for name, text in texts.items()}
        return {
            name: write_calls(json.loads(self._with_made_up_names(text)))
            for name, text in texts.items()
        }

    def write(self, folder: Path) -> None:
        """Write the files into a folder, which then has no other ones."""
        folder.mkdir(parents=True, exist_ok=True)
        for file in folder.glob("*.json"):
            file.unlink()
        for name, text in self.texts.items():
            (folder / name).write_text(text)

    def _is_recent(self, time: datetime) -> bool:
        return self.started_at <= time <= datetime.now(UTC)

    def _made_up_milliseconds(self, texts: Iterable[str]) -> dict[str, str]:
        times = sorted({int(text) for text in texts})
        recent = [time for time in times if self._is_recent(_from_milliseconds(time))]
        return {
            str(time): str(int(_time(number).timestamp() * 1000))
            for number, time in enumerate(recent)
        }

    def _made_up_iso_times(self, texts: Iterable[str]) -> dict[str, str]:
        times = {text: datetime.fromisoformat(f"{text}+00:00") for text in texts}
        recent = sorted({time for time in times.values() if self._is_recent(time)})
        return {
            text: _time(recent.index(time)).strftime("%Y-%m-%dT%H:%M:%S.%f")
            for text, time in times.items()
            if time in recent
        }

    def _with_made_up_names(self, text: str) -> str:
        text = _SITE.sub(f"https://{HOST}", text)
        text = _SECRET.sub(SECRET, _PROOF.sub(PROOF, _UPLOAD.sub(UPLOAD, text)))
        text = _REQUEST_ID.sub(document.REQUEST_ID, text)
        text = text.replace(f'"{platform.node()}"', f'"{HOST}"')
        for day in {
            moment.astimezone(zone).date()
            for moment in (self.started_at, datetime.now(UTC))
            for zone in (UTC, None, ZoneInfo(settings.FILING_TIME_ZONE))
        }:
            text = re.sub(rf"\b{day}\b", TODAY, text)
        text = _REPORT_DATE.sub(REPORT_DATE, text)
        return _SLUG.sub(IN_SLUG, _FILED.sub(IN_WORDS, text))


def _key(call: dict[str, Any]) -> tuple[str, int, str]:
    return call["name"], call["status"], call["media"]


def _body(response: httpx.Response, first: int) -> Any:
    if not response.headers["Content-Type"].startswith(document.JSON):
        lines = response.text.splitlines(keepends=True)
        return "".join(lines[:first] if first else lines)
    body = response.json()
    if first:
        body |= {name: value[:first] for name, value in body.items() if isinstance(value, list)}
    return body


def _from_milliseconds(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def _time(number: int) -> datetime:
    return FIRST_TIME + number * STEP


def _made_up_hashes(texts: Iterable[str]) -> dict[str, str]:
    """Return made-up hashes; one and its beginning stay alike."""
    numbers: dict[str, int] = {}
    return {
        text: hashlib.sha256(
            f"example {numbers.setdefault(text[:12], len(numbers))}".encode()
        ).hexdigest()[: len(text)]
        for text in dict.fromkeys(texts)
    }


def _made_up_sizes(texts: Iterable[str]) -> dict[str, str]:
    return {
        text: str(FIRST_SIZE + number * SIZE_STEP)
        for number, text in enumerate(dict.fromkeys(texts))
    }


def _replacing(values: dict[str, str]) -> Callable[[re.Match[str]], str]:
    return lambda match: values.get(match.group(), match.group())
