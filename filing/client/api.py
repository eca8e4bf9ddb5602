"""The endpoints of the filing API, one method each, and the years that a site takes."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

from filing.client.calls import (
    Answer,
    Connection,
    Pace,
    Token,
    Trouble,
    call_with_retries,
    new_key,
)
from filing.lar.years import Period, YearRules

PREFIX = "/v2/filing"
_TUS = {"Tus-Resumable": "1.0.0"}

PERIODS = "/v2/filing/periods"
_PATIENCE = 20.0  # seconds
_OPEN = "filing"  # the stage of a year of which periods can be opened


class FilingClient(Connection):
    """Calls the filing API of a server on behalf of the owner of a token.

    url: the address of the server, such as `https://filing.example`.
    key: of a POST; a repeated call with the same key is done once. Each method without one makes
    its own. Every method raises Unreachable or Refused.
    """

    def __init__(self, url: str, token: str | Token, *, pace: Pace | None = None) -> None:
        super().__init__(url.rstrip("/").removesuffix(PREFIX), token, pace=pace)

    def start_filing(self, lei: str, period: Period, *, key: str = "") -> Answer:
        """Start the filing of a period; the server refuses an existing one with 400."""
        return self.call("POST", _path(lei, period), key=key)

    def filing(self, lei: str, period: Period, *, page: int = 1) -> Answer:
        """Return the filing with its submissions, newest first."""
        return self.call("GET", _path(lei, period), params={"page": page})

    def rights(self, lei: str, period: Period) -> Answer:
        """Return what the owner of the token may do for the institution in the period."""
        return self.call("GET", _path(lei, period, "/rights"))

    def create_submission(self, lei: str, period: Period, *, key: str = "") -> Answer:
        """Create the next submission of a filing."""
        return self.call("POST", _path(lei, period, "/submissions"), key=key)

    def latest(self, lei: str, period: Period, *, etag: str = "") -> Answer:
        """Return the latest submission; an empty body if it still has the entity tag."""
        return self._state(_path(lei, period, "/submissions/latest"), etag)

    def submission(self, lei: str, period: Period, number: int, *, etag: str = "") -> Answer:
        """Return one submission; an empty body if it still has the entity tag."""
        return self._state(_path(lei, period, f"/submissions/{number}"), etag)

    def upload(
        self,
        lei: str,
        period: Period,
        number: int,
        path: Path,
        *,
        key: str = "",
        on_progress: Callable[[int], object] = int,
    ) -> Answer:
        """Upload a file, reading it while it is sent. on_progress: called with the bytes sent."""
        key = key or new_key()
        # The same key needs the same body, to the last byte.
        boundary = {"Content-Type": f"multipart/form-data; boundary={key}"}
        with _WatchedFile(path, on_progress) as file:
            return self.call(
                "POST",
                _path(lei, period, f"/submissions/{number}"),
                key=key,
                headers=boundary,
                files={"file": (path.name, file, "text/plain")},
            )

    def begin_upload(
        self, lei: str, period: Period, number: int, *, name: str, size: int, key: str = ""
    ) -> str:
        """Begin a resumable upload and return its address. Source: tus 1.0, creation."""
        encoded = base64.b64encode(name.encode()).decode()
        headers = {**_TUS, "Upload-Length": str(size), "Upload-Metadata": f"filename {encoded}"}
        path = _path(lei, period, f"/submissions/{number}/uploads")
        answer = self.call("POST", path, key=key, headers=headers)
        address = str(answer.headers.get("Location", ""))
        self.require_own_site(address)
        return address

    def upload_offset(self, address: str) -> int:
        """Return how many bytes of a resumable upload the server has."""
        return int(self.call("HEAD", address, headers=_TUS).headers["Upload-Offset"])

    def append(self, address: str, offset: int, piece: bytes, *, sha256: bytes) -> int:
        """Add bytes to a resumable upload at its offset, and return its new offset.

        sha256: the checksum of the bytes.
        """
        headers = {
            **_TUS,
            "Content-Type": "application/offset+octet-stream",
            "Upload-Offset": str(offset),
            "Upload-Checksum": f"sha256 {base64.b64encode(sha256).decode()}",
        }
        answer = self.call("PATCH", address, headers=headers, content=piece)
        return int(answer.headers["Upload-Offset"])

    def format_errors(self, lei: str, period: Period, number: int, *, page: int = 1) -> Answer:
        """Return a page of the lines with formatting errors."""
        path = _path(lei, period, f"/submissions/{number}/parseErrors")
        return self.call("GET", path, params={"page": page})

    def edits(self, lei: str, period: Period, number: int) -> Answer:
        """Return the edits that were triggered, by kind."""
        return self.call("GET", _path(lei, period, f"/submissions/{number}/edits"))

    def edit(self, lei: str, period: Period, number: int, code: str, *, page: int = 1) -> Answer:
        """Return a page of the records that triggered an edit."""
        path = _path(lei, period, f"/submissions/{number}/edits/{quote(code, safe='')}")
        return self.call("GET", path, params={"page": page})

    def verify(
        self,
        lei: str,
        period: Period,
        number: int,
        kind: str,
        *,
        verified: bool = True,
        key: str = "",
    ) -> Answer:
        """Verify the edits of a kind, `quality` or `macro`, or remove the verification."""
        path = _path(lei, period, f"/submissions/{number}/edits/{kind}")
        return self.call("POST", path, key=key, json={"verified": verified})

    def sign(
        self, lei: str, period: Period, number: int, *, reason: str = "", key: str = ""
    ) -> Answer:
        """Sign a submission; return the receipt. reason: why the filing is signed again."""
        path = _path(lei, period, f"/submissions/{number}/sign")
        body = {"signed": True, "reason": reason} if reason else {"signed": True}
        return self.call("POST", path, key=key, json=body)

    def receipt(self, lei: str, period: Period, number: int) -> Answer:
        """Return the receipt of a submission; before it is signed, one without a time."""
        return self.call("GET", _path(lei, period, f"/submissions/{number}/sign"))

    def receipt_file(self, lei: str, period: Period, number: int) -> Answer:
        """Return the signed receipt of a submission; its content is the file, byte for byte."""
        return self.call("GET", _path(lei, period, f"/submissions/{number}/receipt"))

    def summary(self, lei: str, period: Period, number: int) -> Answer:
        """Return a submission with its transmittal sheet."""
        return self.call("GET", _path(lei, period, f"/submissions/{number}/summary"))

    def receipt_of_file(self, sha256: str) -> Answer:
        """Return the newest receipt for a file, by its SHA-256; the server answers 404 if none."""
        return self.call("POST", "/v2/public/receipts/check", json={"sha256": sha256})

    def _state(self, path: str, etag: str) -> Answer:
        return self.call("GET", path, headers={"If-None-Match": etag} if etag else {})


def _path(lei: str, period: Period, tail: str = "") -> str:
    quarter = f"/quarter/{period.quarter_name}" if period.is_quarterly else ""
    institution = f"{PREFIX}/institutions/{quote(lei, safe='')}"
    return f"{institution}/filings/{period.year}{quarter}{tail}"


class _WatchedFile(io.FileIO):
    """A file that reports how far it has been read."""

    def __init__(self, path: Path, on_progress: Callable[[int], Any]) -> None:
        super().__init__(path, "rb")
        self._on_progress = on_progress

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(-1 if size is None else size)
        self._on_progress(self.tell())
        return data or b""


@dataclass(frozen=True, slots=True)
class SiteYears:
    """What a site says about its years; nothing, if it is too old to say it.

    stages: by year, how far it is opened. rulebooks: by year, the year of its rules.
    """

    stages: Mapping[int, str] = field(default_factory=dict)
    rulebooks: Mapping[int, int] = field(default_factory=dict)

    def refusal(self, period: Period) -> str:
        """Return why the site takes no file of a period; blank if it may take one."""
        years = [year for year, stage in self.stages.items() if stage == _OPEN]
        is_later = bool(years) and period.year > max(years)
        if self.stages.get(period.year, _OPEN) == _OPEN and not is_later:
            return ""
        accepted = f": it takes {min(years)} to {max(years)}" if years else ""
        return f"The site takes no files of {period} yet{accepted}. Nothing was sent."

    def notice(self, year: int) -> str:
        """Return which rules the site checks files of a year with; blank if those of the year."""
        rulebook = self.rulebooks.get(year, year)
        if rulebook == year:
            return ""
        rules = YearRules(year, rulebook).rules_in_sentence
        return f"The site checks files of {year} with {rules}."

    def rulebook(self, year: int) -> dict[str, Any] | None:
        """Return the rules of a year, as the JSON about a file has them; None if the site does not
        say which.
        """
        if year not in self.rulebooks:
            return None
        rulebook = self.rulebooks[year]
        return {"year": rulebook, "provisional": rulebook != year}


def ask_site_years(url: str) -> SiteYears:
    """Return what a site says; nothing if it has no such list or does not respond."""
    try:
        with Connection(url) as connection:
            body = call_with_retries(
                partial(connection.call, "GET", PERIODS), patience=_PATIENCE
            ).body
        return _read([*body["periods"], *body.get("years", ())])
    except (Trouble, LookupError, TypeError, ValueError):
        return SiteYears()  # what is sent next tells what is wrong


def _read(entries: list[dict[str, Any]]) -> SiteYears:
    stages, rulebooks = {}, {}
    for entry in entries:
        year = int(entry["year"])
        stages[year] = str(entry["stage"])
        rulebooks[year] = int(entry["rulebook"])
    return SiteYears(stages, rulebooks)
