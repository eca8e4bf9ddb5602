"""Idempotency keys: a request that is sent again has one effect, and gets the first answer again.

A key belongs to one user and address. The answer is stored in the transaction that does what the
request asks for, so a process that is killed leaves both or neither. Of all requests with one key,
one at a time is worked on, until one has an answer: a claim is a row with a lease, and the next
request takes over when it runs out. Two bodies with the same fingerprint ask for the same.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.conf import settings
from django.db import Error, IntegrityError, transaction
from django.db.models import QuerySet
from django.http import HttpRequest, QueryDict
from django.utils import timezone

from filing.access import Caller
from filing.errors import BadInput, InWork, OtherRequest, TooLarge
from filing.models import IdempotentRequest

log = logging.getLogger(__name__)

RETENTION = timedelta(days=7)
IN_WORK = "A request with this Idempotency-Key is still in work. Send it again in a second."
OTHER_BODY = (
    "This Idempotency-Key was sent with another body. Send a new key with a new request, and the "
    "same body to repeat one."
)
_TURNS = 5  # how often a request that lost a race looks again
Result = TypeVar("Result")
KEY_HEADER = "Idempotency-Key"
REPLAYED_HEADER = "Idempotency-Replayed"  # a header of answers that were given before
KEY_FIELD = "idempotency_key"  # of a form
LONGEST_KEY = 255  # characters
KEY_PATTERN = rf"[\x20-\x7e]{{1,{LONGEST_KEY}}}"
_RULE = f"enter 1 to {LONGEST_KEY} printable ASCII characters, such as a UUID."
_FIELDS_OF_PAGE = ("csrfmiddlewaretoken", KEY_FIELD)  # they differ from page to page
_AT_ONCE = 1000  # rows per statement: other writers must not wait long


@dataclass(frozen=True)
class StoredAnswer:
    """The first answer to a request, to be given again.

    body: JSON, blank for a redirect; location: where that leads. notices: levels and texts of the
    messages on the page there. fingerprint: of the body of the request.
    """

    status: int
    body: str = ""
    location: str = ""
    notices: Sequence[tuple[int, str]] = ()
    fingerprint: str = field(default="", compare=False)

    def require(self, fingerprint: str) -> None:
        """Refuse a request with another body than the first. Raises: OtherRequest."""
        if fingerprint != self.fingerprint:
            raise OtherRequest(OTHER_BODY)


@dataclass(frozen=True)
class KeyClaim:
    """The right to work on a request, until the lease is over and another process takes it."""

    digest: str
    owner: str

    def hold(self) -> None:
        """Keep the claim to the end of this transaction.

        Raises: InWork when another process has taken over.
        """
        self._update(lease_until=_end_of_lease(timezone.now()))

    def keep(self, answer: StoredAnswer) -> None:
        """Store the answer. To be called in the transaction that does what was asked for.

        The fingerprint of the answer counts if that of the body was not known before.

        Raises: InWork when another process has taken over; nothing may be done then.
        """
        fingerprint = {"fingerprint": answer.fingerprint} if answer.fingerprint else {}
        self._update(
            status=answer.status,
            body=answer.body,
            location=answer.location,
            notices=list(answer.notices),
            kept_until=timezone.now() + RETENTION,
            **fingerprint,
        )

    def forget(self) -> None:
        """Give the claim back without an answer; if the database is down, its lease runs out."""
        try:
            self._mine().delete()
        except Error as error:
            log.warning("An idempotency key was not given back: %s", error)

    def _mine(self) -> QuerySet[IdempotentRequest]:
        return IdempotentRequest.objects.filter(
            digest=self.digest, owner=self.owner, status__isnull=True
        )

    def _update(self, **values: Any) -> None:
        if not self._mine().update(**values):
            raise InWork(IN_WORK)


def claim_key(
    digest: str, *, fingerprint: str = "", may_take_over: Callable[[], bool] = lambda: True
) -> KeyClaim | StoredAnswer:
    """Return the right to work on a request, or the answer that it got before.

    digest: user, address and key (see `digest_key`). fingerprint: of the body; blank if it is not
    read yet, and then the caller compares it. may_take_over: tells, once a lease is over, whether
    nothing works on the request any more.

    Raises: InWork; OtherRequest.
    """
    for _ in range(_TURNS):
        now = timezone.now()
        row = IdempotentRequest.objects.filter(digest=digest).first()
        if row is None:
            if claim := _insert(digest, fingerprint, now):
                return claim
            continue
        if row.kept_until > now:
            if fingerprint and row.fingerprint not in ("", fingerprint):
                raise OtherRequest(OTHER_BODY)
            if row.status is not None:
                return _answer(row)
            if row.lease_until > now or not may_take_over():
                break
        if taken_over := _replace(row, fingerprint, now):
            return taken_over
    raise InWork(IN_WORK)


def perform_once(
    claim: KeyClaim, act: Callable[[], Result], answer_of: Callable[[Result], StoredAnswer | None]
) -> Result:
    """Act and store the answer, in one transaction; return the result.

    answer_of: returns what is to be given again, None for what is not kept.

    Raises: what `act` raises; InWork when another process has taken over.
    """
    try:
        with transaction.atomic():
            claim.hold()
            result = act()
            if answer := answer_of(result):
                claim.keep(answer)
            else:
                claim.forget()
    except BaseException:
        claim.forget()
        raise
    return result


def _insert(digest: str, fingerprint: str, now: datetime) -> KeyClaim | None:
    claim = KeyClaim(digest, uuid.uuid4().hex)
    try:
        with transaction.atomic():
            IdempotentRequest.objects.create(digest=digest, **_columns(claim, fingerprint, now))
    except IntegrityError:
        return None  # another request was faster
    return claim


def _replace(row: IdempotentRequest, fingerprint: str, now: datetime) -> KeyClaim | None:
    """Take over a row that was left in work, or that has expired; None if it has changed."""
    claim = KeyClaim(row.digest, uuid.uuid4().hex)
    unchanged = IdempotentRequest.objects.filter(
        pk=row.pk,
        owner=row.owner,
        status=row.status,
        lease_until=row.lease_until,  # its process may have held it just now
        kept_until=row.kept_until,
    )
    new = _columns(claim, fingerprint, now) | {"status": None, "body": "", "location": ""}
    return claim if unchanged.update(**new, notices=[]) else None


def _columns(claim: KeyClaim, fingerprint: str, now: datetime) -> dict[str, Any]:
    return {
        "fingerprint": fingerprint,
        "owner": claim.owner,
        "lease_until": _end_of_lease(now),
        "kept_until": now + RETENTION,
    }


def _end_of_lease(now: datetime) -> datetime:
    return now + timedelta(seconds=settings.JOB_LEASE_SECONDS)


def _answer(row: IdempotentRequest) -> StoredAnswer:
    return StoredAnswer(
        status=row.status or 0,
        body=row.body,
        location=row.location,
        notices=[(level, text) for level, text in row.notices],
        fingerprint=row.fingerprint,
    )


def find_key_in_header(request: HttpRequest) -> str | None:
    """Return the key that a program sends, None without one. Raises: BadInput."""
    return _required(request.headers.get(KEY_HEADER), name=KEY_HEADER)


def find_key_in_form(request: HttpRequest) -> str | None:
    """Return the key of a form, or of the script of a page, which sends a header; None without.

    Raises: BadInput.
    """
    key = request.POST.get(KEY_FIELD)
    return find_key_in_header(request) if key is None else _required(key, name=KEY_FIELD)


def make_key() -> str:
    """Return a key that no other form has."""
    return uuid.uuid4().hex


def digest_key(key: str, request: HttpRequest, caller: Caller) -> str:
    """Return what a key belongs to as one SHA-256: user, method, address with query, and key."""
    query = request.META.get("QUERY_STRING", "")
    address = [request.path.rstrip("/"), query]
    belongs_to = [caller.issuer, caller.id, request.method, *address, key]
    return hashlib.sha256(json.dumps(belongs_to).encode()).hexdigest()


def _required(key: str | None, *, name: str) -> str | None:
    if key is None or re.fullmatch(KEY_PATTERN, key):
        return key
    fault = "is empty" if not key else f"has {len(key)} characters"
    if key and len(key) <= LONGEST_KEY:
        fault = "has a character that is not printable ASCII"
    raise BadInput(f"{name} {fault}; {_RULE}")


def fingerprint_body(request: HttpRequest, *, limit: int, headers: Sequence[str] = ()) -> str:
    """Return the fingerprint of a small body, as SHA-256 of its bytes.

    limit: the most bytes taken. headers: those that ask for something as well. In a multipart body,
    the boundary does not count.

    Raises: TooLarge; BadInput for a body that did not arrive whole.
    """
    length = request.META.get("CONTENT_LENGTH") or "0"
    expected = int(length) if length.isdecimal() else 0
    if expected > limit:
        raise TooLarge(f"The body is larger than {limit} bytes, the most taken here.")
    body = request.body
    if len(body) < expected:
        raise BadInput(f"The request ended after {len(body)} of {expected} bytes. Send it again.")
    boundary = (request.content_params or {}).get("boundary", "").encode()
    digest = hashlib.sha256(body.replace(boundary, b"") if boundary else body)
    if headers:
        digest.update(json.dumps([request.headers.get(name) for name in headers]).encode())
    return digest.hexdigest()


def fingerprint_form(fields: QueryDict, files: Iterable[tuple[str, str]] = ()) -> str:
    """Return the fingerprint of a form: of its fields, and the names and SHA-256 of its files."""
    values = sorted(item for item in fields.lists() if item[0] not in _FIELDS_OF_PAGE)
    content = json.dumps([values, sorted(files)])
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()


def clear_expired_keys() -> int:
    """Delete the requests whose keys have expired; return how many."""
    removed = 0
    expired = IdempotentRequest.objects.filter(kept_until__lt=timezone.now())
    while keys := list(expired.values_list("pk", flat=True)[:_AT_ONCE]):
        # A key that was just used again is kept again.
        removed += expired.filter(pk__in=keys).delete()[0]
    return removed
