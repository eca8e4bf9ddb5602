"""Forms that are sent more than once: one effect, and the same page after each."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial, wraps
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from filing import idempotency
from filing.access import Caller
from filing.errors import InWork
from filing.idempotency import REPLAYED_HEADER, KeyClaim, StoredAnswer

WAIT_SECONDS = 20  # for the same form that is still in work
_PAUSE_SECONDS = 0.1
IN_WORK = "This form was sent before and is still in work. Wait a moment, then load the page again."
View = Callable[..., HttpResponseBase]


def once_per_form(view: View) -> View:
    """Let the form of a page have one effect, however often it is sent (a decorator).

    A redirect is kept with what the form did, in one transaction. A page that shows the form again
    is not: nothing was done.
    """

    @wraps(view)
    def post(self: Any, request: HttpRequest, **where: Any) -> HttpResponseBase:
        return answer_form_once(
            request, self.caller, partial(view, self, request, **where), keep_redirect
        )

    return post


def answer_form_once(
    request: HttpRequest,
    caller: Caller,
    act: Callable[[], HttpResponseBase],
    answer_of: Callable[[HttpRequest, HttpResponseBase], StoredAnswer | None],
    *,
    headers: Sequence[str] = (),
) -> HttpResponseBase:
    """Return the response of an action, or for a form that was sent before, what is kept of it.

    answer_of: returns what is given again, None if nothing was done. headers: those in which a
    script asks for something.

    Raises: what `act` and `claim` raise.
    """
    more = [(name, request.headers.get(name, "")) for name in headers]
    fingerprint = idempotency.fingerprint_form(request.POST, more)
    claim = claim_form(request, caller, fingerprint=fingerprint)
    if claim is None:
        return act()
    if isinstance(claim, StoredAnswer):
        return repeat_answer(request, claim)
    return idempotency.perform_once(claim, act, partial(answer_of, request))


def claim_form(
    request: HttpRequest,
    caller: Caller,
    *,
    fingerprint: str,
    may_take_over: Callable[[], bool] = lambda: True,
) -> KeyClaim | StoredAnswer | None:
    """Return the claim of a form, or the answer that it got before; None for one without a key.

    Waits for the same form that is in work: a person who clicks twice sees one answer.

    Raises: BadInput; OtherRequest; InWork after waiting for long.
    """
    key = idempotency.find_key_in_form(request)
    if key is None:
        return None
    digest = idempotency.digest_key(key, request, caller)
    until = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            return idempotency.claim_key(
                digest, fingerprint=fingerprint, may_take_over=may_take_over
            )
        except InWork:
            if time.monotonic() > until:
                raise InWork(IN_WORK) from None
        time.sleep(_PAUSE_SECONDS)


def hide_secret(
    location: str, notice: str
) -> Callable[[HttpRequest, HttpResponseBase], StoredAnswer | None]:
    """Return what is kept of a page with a secret: a redirect with a warning, and no secret.

    A page with another status than 200 is not kept: nothing was done.
    """

    def answer_of(request: HttpRequest, response: HttpResponseBase) -> StoredAnswer | None:
        if response.status_code != HTTPStatus.OK:
            return None
        warning = [(messages.WARNING, notice)]
        return StoredAnswer(HTTPStatus.SEE_OTHER, location=location, notices=warning)

    return answer_of


def keep_redirect(request: HttpRequest, response: HttpResponseBase) -> StoredAnswer | None:
    """Return a redirect as an answer to keep, with its messages; None for any other answer."""
    if not 300 <= response.status_code < 400:
        return None
    storage: Any = messages.get_messages(request)
    notices = [(message.level, str(message.message)) for message in storage]
    storage.used = False  # they are shown on the next page
    return StoredAnswer(status=response.status_code, location=response["Location"], notices=notices)


def repeat_answer(request: HttpRequest, answer: StoredAnswer) -> HttpResponse:
    """Return the redirect, or the address of an upload, that a form got before."""
    for level, text in answer.notices:
        messages.add_message(request, level, text)
    headers = {"Location": answer.location, REPLAYED_HEADER: "true"}
    return HttpResponse(status=answer.status, headers=headers)
