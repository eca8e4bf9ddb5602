"""Idempotency keys of the filing API: a POST that is sent again gets its first answer again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpResponse, HttpResponseBase
from rest_framework.exceptions import APIException
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from filing import idempotency
from filing.api.views.base import JSON_BYTES, FilingView, InstitutionView
from filing.errors import BadInput, Interrupted, InWork, Refusal
from filing.idempotency import REPLAYED_HEADER, KeyClaim, StoredAnswer
from filing.stored_secrets import decrypt_secret, encrypt_secret
from filing.submissions import uploads
from filing.submissions.uploads import UploadRules

View = Callable[..., HttpResponseBase]


@dataclass(frozen=True)
class ReceivedOnce:
    """A request with a file, which is received once for its key.

    claim: on the key, None without one. rules: by which the file is received.
    """

    request: Request
    rules: UploadRules
    claim: KeyClaim | None = None

    def answer(self, response: Response) -> StoredAnswer:
        """Return a response as it is kept for the key, with the fingerprint of the body."""
        return replace(
            _stored(response),
            fingerprint=uploads.fingerprint_multipart_body(self.request, self.rules),
        )


def idempotent(*, headers: Sequence[str] = (), has_secret: bool = False) -> Callable[[View], View]:
    """Let a method that works in one transaction take an idempotency key (a decorator).

    Its effect and its answer are committed together, a refusal without any effect.

    headers: those that ask for something, as the body does. has_secret: whether the answer may have
    a secret, and is stored encrypted.
    """

    def decorated(view: View) -> View:
        @wraps(view)
        def post(self: InstitutionView, request: Request, **where: Any) -> HttpResponseBase:
            key = idempotency.find_key_in_header(request._request)
            if key is None:
                return view(self, request, **where)
            claim = idempotency.claim_key(
                idempotency.digest_key(key, request._request, self.caller),
                fingerprint=idempotency.fingerprint_body(
                    request._request, limit=JSON_BYTES, headers=headers
                ),
            )
            if isinstance(claim, StoredAnswer):
                return _replay(
                    replace(claim, body=decrypt_secret(claim.body)) if has_secret else claim
                )

            def act() -> Any:
                try:
                    with transaction.atomic():
                        return view(self, request, **where)
                except Exception as error:
                    if not _is_final(error):
                        raise
                    return self.handle_exception(error)

            def answer_of(response: HttpResponseBase) -> StoredAnswer | None:
                if not isinstance(response, HttpResponse) or response.status_code >= 500:
                    return None
                answer = _stored(response)
                if has_secret:
                    return replace(answer, body=encrypt_secret(answer.body))
                return answer

            response: HttpResponseBase = idempotency.perform_once(claim, act, answer_of)
            return response

        return post

    return decorated


def receive_once(
    view: FilingView,
    request: Request,
    receive: Callable[[ReceivedOnce], Response],
    *,
    is_arriving: Callable[[], bool],
) -> HttpResponseBase:
    """Receive a file, once for an idempotency key; return the answer.

    receive: receives it, holds the claim in the transaction that opens the submission, and keeps
    the answer in the one that stores the file. is_arriving: tells whether a file arrives for the
    submission now.
    """
    key = idempotency.find_key_in_header(request._request)
    if key is None:
        return receive(ReceivedOnce(request, uploads.make_lar_upload_rules()))
    rules = uploads.make_lar_upload_rules(reads_all=True)
    claim = idempotency.claim_key(
        idempotency.digest_key(key, request._request, view.caller),
        may_take_over=lambda: not is_arriving(),
    )
    if isinstance(claim, StoredAnswer):
        if not (fingerprint := uploads.fingerprint_multipart_body(request, rules)):
            raise BadInput("The file did not arrive whole. Send the request again.")
        claim.require(fingerprint)
        return _replay(claim)

    once = ReceivedOnce(request, rules, claim)
    try:
        return receive(once)
    except Exception as error:
        # What did not arrive whole may be sent again: it is not known whether the body is the same.
        if not _is_final(error) or not uploads.fingerprint_multipart_body(request, rules):
            raise
        response = view.handle_exception(error)
        claim.keep(once.answer(response))
        return response
    finally:
        claim.forget()  # unless it has an answer


def _is_final(error: Exception) -> bool:
    """Return whether an error is a refusal with a status below 500, to be given again."""
    if isinstance(error, Refusal):
        return error.status < 500 and not isinstance(error, (InWork, Interrupted))
    if isinstance(error, APIException):
        return error.status_code < 500
    return isinstance(error, (Http404, PermissionDenied))


def _stored(response: HttpResponse) -> StoredAnswer:
    is_json = isinstance(response, Response)
    body = JSONRenderer().render(response.data) if is_json else response.content  # type: ignore[attr-defined]
    location = response.headers.get("Location", "")
    return StoredAnswer(status=response.status_code, body=body.decode(), location=location)


def _replay(answer: StoredAnswer) -> HttpResponse:
    headers = {
        REPLAYED_HEADER: "true",
        **({"Location": answer.location} if answer.location else {}),
    }
    content_type = "application/json" if answer.body else None
    return HttpResponse(
        answer.body, status=answer.status, content_type=content_type, headers=headers
    )
