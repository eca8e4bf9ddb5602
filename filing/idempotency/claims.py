"""Claims: of all requests with one key, one at a time is worked on, until one has an answer.

A claim is a row with a lease. If the process that works on it is killed, the lease runs out and the
next request takes over: nothing was done, or the answer would be there.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.conf import settings
from django.db import Error, IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from filing.errors import InWork, OtherRequest
from filing.models import IdempotentRequest

log = logging.getLogger(__name__)

KEPT = timedelta(days=7)
IN_WORK = "A request with this Idempotency-Key is still in work. Send it again in a second."
OTHER = (
    "This Idempotency-Key was sent with another body. Send a new key with a new request, and the "
    "same body to repeat one."
)
_TURNS = 5  # how often a request that lost a race looks again
Result = TypeVar("Result")


@dataclass(frozen=True)
class Answer:
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
        """Refuse a request with another body than the first.

        Raises: OtherRequest.
        """
        if fingerprint != self.fingerprint:
            raise OtherRequest(OTHER)


@dataclass(frozen=True)
class Claim:
    """The right to work on a request, until the lease is over and another process takes it."""

    digest: str
    owner: str

    def hold(self) -> None:
        """Keep the claim to the end of this transaction.

        Raises: InWork when another process has taken over.
        """
        self._update(lease_until=_end_of_lease(timezone.now()))

    def keep(self, answer: Answer) -> None:
        """Store the answer. To be called in the transaction that does what was asked for.

        The fingerprint of the answer counts if that of the body was not known before.

        Raises: InWork when another process has taken over; nothing may be done then.
        """
        known = {"fingerprint": answer.fingerprint} if answer.fingerprint else {}
        self._update(
            status=answer.status,
            body=answer.body,
            location=answer.location,
            notices=list(answer.notices),
            kept_until=timezone.now() + KEPT,
            **known,
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


def claim(
    digest: str, *, fingerprint: str = "", may_take_over: Callable[[], bool] = lambda: True
) -> Claim | Answer:
    """Return the right to work on a request, or the answer that it got before.

    digest: user, address and key (see `keys.digest`). fingerprint: of the body; blank if it is not
    read yet, and then the caller compares it. may_take_over: tells, once a lease is over, whether
    nothing works on the request any more.

    Raises: InWork; OtherRequest.
    """
    for _ in range(_TURNS):
        now = timezone.now()
        row = IdempotentRequest.objects.filter(digest=digest).first()
        if row is None:
            if claimed := _insert(digest, fingerprint, now):
                return claimed
            continue
        if row.kept_until > now:
            if fingerprint and row.fingerprint not in ("", fingerprint):
                raise OtherRequest(OTHER)
            if row.status is not None:
                return _answer(row)
            if row.lease_until > now or not may_take_over():
                break
        if taken_over := _replace(row, fingerprint, now):
            return taken_over
    raise InWork(IN_WORK)


def perform(
    claimed: Claim, act: Callable[[], Result], answer_of: Callable[[Result], Answer | None]
) -> Result:
    """Act and store the answer, in one transaction; return the result.

    answer_of: returns what is to be given again, None for what is not kept.

    Raises: what `act` raises; InWork when another process has taken over.
    """
    try:
        with transaction.atomic():
            claimed.hold()
            result = act()
            if answer := answer_of(result):
                claimed.keep(answer)
            else:
                claimed.forget()
    except BaseException:
        claimed.forget()
        raise
    return result


def _insert(digest: str, fingerprint: str, now: datetime) -> Claim | None:
    claimed = Claim(digest, uuid.uuid4().hex)
    try:
        with transaction.atomic():
            IdempotentRequest.objects.create(digest=digest, **_columns(claimed, fingerprint, now))
    except IntegrityError:
        return None  # another request was faster
    return claimed


def _replace(row: IdempotentRequest, fingerprint: str, now: datetime) -> Claim | None:
    """Take over a row that was left in work, or that has expired; None if it has changed."""
    claimed = Claim(row.digest, uuid.uuid4().hex)
    unchanged = IdempotentRequest.objects.filter(
        pk=row.pk,
        owner=row.owner,
        status=row.status,
        lease_until=row.lease_until,  # its process may have held it just now
        kept_until=row.kept_until,
    )
    new = _columns(claimed, fingerprint, now) | {"status": None, "body": "", "location": ""}
    return claimed if unchanged.update(**new, notices=[]) else None


def _columns(claimed: Claim, fingerprint: str, now: datetime) -> dict[str, Any]:
    return {
        "fingerprint": fingerprint,
        "owner": claimed.owner,
        "lease_until": _end_of_lease(now),
        "kept_until": now + KEPT,
    }


def _end_of_lease(now: datetime) -> datetime:
    return now + timedelta(seconds=settings.JOB_LEASE_SECONDS)


def _answer(row: IdempotentRequest) -> Answer:
    return Answer(
        status=row.status or 0,
        body=row.body,
        location=row.location,
        notices=[(level, text) for level, text in row.notices],
        fingerprint=row.fingerprint,
    )
