"""Each POST that takes a key: what comes before it, how it is sent, and what it does once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from config.identity import tokens
from filing import access, submissions
from filing.models import (
    AuditEvent,
    Filing,
    FinishedEmail,
    Job,
    Mail,
    PersonalToken,
    ResumableUpload,
    Signature,
    StatusChange,
    Submission,
    TrailEntry,
    Webhook,
    WebhookDelivery,
)
from filing.statuses import Status
from filing.webhooks import endpoints
from tests import make
from tests.filing.pages.steps import signed_in
from tests.filing.receipts.signing import to_be_signed

_JSON = {"content_type": "application/json"}


def new_lei(number: int) -> str:
    """Return an institution of its own for one trial, in the year that is open."""
    lei = f"TRIAL{number:015d}"
    make.institution(lei)
    tokens.known_identity(make.user(lei.lower(), lei=lei))
    return lei


def user_of(lei: str) -> User:
    return User.objects.get(username=lei.lower())


def caller_of(lei: str) -> access.Caller:
    return access.caller_of(user_of(lei))


def nothing(lei: str) -> None:
    """Leave the institution as it is."""


def begin(lei: str) -> Submission:
    return make.begun(make.filing(lei), by=caller_of(lei))


def at(status: Status, **facts: Any) -> Callable[[str], Submission]:
    """Return what brings the submission of an institution to a status."""
    facts = {"quality_exists": False, "quality_verified": False} | facts
    return lambda lei: make.at(to_be_signed(begin(lei)), status, **facts)


def signed(lei: str) -> None:
    submission = at(Status.VERIFIED)(lei)
    submissions.sign_submission(submission, signed=True, by=caller_of(lei))
    # The email went out long ago: another one may follow.
    long_ago = timezone.now() - timedelta(days=1)
    sent = Mail.objects.filter(submission=submission)
    sent.update(made_at=long_ago, sent_at=long_ago)
    Job.objects.filter(mail__submission=submission).update(state=Job.State.DONE)


def client_of(lei: str, *, is_page: bool) -> Client:
    if is_page:
        return signed_in(user_of(lei))
    return make.program(user_of(lei))


@dataclass(frozen=True)
class Post:
    """A kind of POST. Each of its variants has the same effect, with another body.

    effect: returns how often an institution has had the effect. path: below the filing, or with
    is_of_institution below the institution. page: its address as a form. headers: returns those of
    a variant. has_secret: whether the page after a form has a secret, and is shown once.
    """

    name: str
    before: Callable[[str], Any]
    effect: Callable[[str], int]
    status: int
    path: str | Callable[[str], str] = ""
    page: str | None = None
    body: Any = b""
    headers: Callable[[int], dict[str, str]] = field(default=lambda variant: {})
    is_of_institution: bool = False
    has_secret: bool = False

    def __str__(self) -> str:
        return self.name

    def send(self, client: Client, lei: str, key: str, variant: int) -> HttpResponse:
        """Send it once."""
        if self.page is not None:
            return self._send_form(client, lei, key, variant)
        path = self.path if isinstance(self.path, str) else self.path(lei)
        filing = "" if self.is_of_institution else "/filings/2024"
        address = f"/v2/filing/institutions/{lei}{filing}{path}"
        headers = {"Idempotency-Key": key, **self.headers(variant)}
        if self.body is None:
            return client.post(address, {"file": _lar(variant)}, headers=headers)
        body = self.body + b" " * variant
        return client.post(address, body, **_JSON, headers=headers)

    def _send_form(self, client: Client, lei: str, key: str, variant: int) -> HttpResponse:
        page = str(self.page).format(lei=lei)
        address = page if page.startswith("/") else f"/filing/{lei}/2024/{page}"
        if headers := self.headers(variant):  # of a script
            return client.post(address, headers={"Idempotency-Key": key, **headers})
        data = {"idempotency_key": key, "more": str(variant)}
        if self.body is None:
            return client.post(address, {**data, "file": _lar(variant)})
        leis = {"token-leis": lei} if "tokens" in address else {}
        return client.post(address, {**data, **self.body, **leis})


def _lar(variant: int) -> SimpleUploadedFile:
    return SimpleUploadedFile("lar.txt", b"1|content\n" * 1000 + b"%d" % variant)


def _changes(*events: str) -> Callable[[str], int]:
    of = "submission__filing__institution__lei"
    return lambda lei: StatusChange.objects.filter(**{of: lei}, event__in=events).count()


def _rows(model: Any, path: str, **more: Any) -> Callable[[str], int]:
    return lambda lei: model.objects.filter(**{path: lei}, **more).count()


def _entries(event: AuditEvent) -> Callable[[str], int]:
    return lambda lei: TrailEntry.objects.filter(lei=lei, event=event).count()


def _uploads(lei: str) -> int:
    jobs = Job.objects.filter(submission__filing__institution__lei=lei, stage="parse").count()
    finished = _changes("UPLOAD_FINISHED")(lei)
    assert jobs == finished
    return finished


def _signatures(lei: str) -> int:
    number = _rows(Signature, "submission__filing__institution__lei")(lei)
    mails = Mail.objects.filter(submission__filing__institution__lei=lei)
    to = mails.values_list("to", flat=True)
    assert _entries(AuditEvent.FILING_COMPLETED)(lei) == number
    assert (len(to) > 0, len(to)) == (number > 0, len(set(to)))
    return number


def _begun(lei: str) -> int:
    number = _rows(ResumableUpload, "submission__filing__institution__lei")(lei)
    assert number == _changes("UPLOAD_STARTED")(lei)
    return number


def _length(variant: int) -> dict[str, str]:
    metadata = {"Tus-Resumable": "1.0.0", "Upload-Metadata": "filename bGFyLnR4dA=="}
    return {**metadata, "Upload-Length": str(1000 + variant)}


def with_webhook(lei: str) -> None:
    endpoints.add_webhook(lei, _URL, by=caller_of(lei))


def with_delivery(lei: str) -> None:
    with_webhook(lei)
    delivery = endpoints.send_test_message(Webhook.objects.get(lei=lei), by=caller_of(lei))
    Job.objects.filter(pk=delivery.job_id).update(state=Job.State.DONE)
    WebhookDelivery.objects.filter(pk=delivery.pk).update(state=WebhookDelivery.State.GIVEN_UP)


def _replay(lei: str) -> str:
    delivery = WebhookDelivery.objects.get(webhook__lei=lei)
    return f"/webhooks/{delivery.webhook_id}/deliveries/{delivery.pk}/replay"


_WITH_QUALITY = at(Status.QUALITY_ERRORS, quality_exists=True)
_WITH_MACRO = at(Status.MACRO_ERRORS, macro_exists=True)
_FILINGS = _rows(Filing, "institution__lei")
_SUBMISSIONS = _rows(Submission, "filing__institution__lei")
_TOKENS = _rows(PersonalToken, "user__memberships__lei")
_QUALITY, _MACRO = _changes("QUALITY_VERIFIED"), _changes("MACRO_VERIFIED")
_TRUE, _SIGNED = b'{"verified": true}', b'{"signed": true}'
_VERIFIED, _ON = {"verified": "true"}, {"certified": "on"}
_TOKEN = {"token-name": "nightly", "token-days": "30"}
_URL = "https://bank.example/hmda"
_WEBHOOK, _BODY = _rows(Webhook, "lei"), b'{"url": "%s"}' % _URL.encode()
_RECEIPTS, _REPLAYS = (
    _entries(event) for event in (AuditEvent.RECEIPT_SENT_AGAIN, AuditEvent.WEBHOOK_REPLAYED)
)
_ONE, _TOKENS_PAGE = "/submissions/1", "/filing/profile/tokens/"

API = (
    Post("start", nothing, _FILINGS, 200),
    Post("create", make.filing, _SUBMISSIONS, 201, "/submissions"),
    Post("upload", begin, _uploads, 202, _ONE, body=None),
    Post("quality", _WITH_QUALITY, _QUALITY, 200, f"{_ONE}/edits/quality", body=_TRUE),
    Post("macro", _WITH_MACRO, _MACRO, 200, f"{_ONE}/edits/macro", body=_TRUE),
    Post("sign", at(Status.VERIFIED), _signatures, 200, f"{_ONE}/sign", body=_SIGNED),
    Post("begin upload", begin, _begun, 201, f"{_ONE}/uploads", headers=_length),
    Post("webhook", nothing, _WEBHOOK, 201, "/webhooks", body=_BODY, is_of_institution=True),
    Post("replay", with_delivery, _REPLAYS, 202, _replay, is_of_institution=True),
)
PAGES = (
    Post("page: start", nothing, _SUBMISSIONS, 303, page="", body={}),
    Post("page: upload", begin, _uploads, 303, page="1/upload/", body=None),
    Post(
        "page: notify",
        at(Status.UPLOADED),
        _rows(FinishedEmail, "submission__filing__institution__lei"),
        303,
        page="1/notify/",
        body={"wanted": "true"},
    ),
    Post("page: quality", _WITH_QUALITY, _QUALITY, 303, page="1/verify/quality/", body=_VERIFIED),
    Post("page: macro", _WITH_MACRO, _MACRO, 303, page="1/verify/macro/", body=_VERIFIED),
    Post("page: sign", at(Status.VERIFIED), _signatures, 303, page="1/sign/", body=_ON),
    Post("page: receipt", signed, _RECEIPTS, 303, page="1/receipt/", body={}),
    Post("page: token", nothing, _TOKENS, 303, page=_TOKENS_PAGE, body=_TOKEN, has_secret=True),
    Post("page: begin upload", begin, _begun, 201, page="1/uploads/", headers=_length),
    Post(
        "page: webhook",
        nothing,
        _WEBHOOK,
        303,
        page="/filing/{lei}/webhooks/",
        body={"url": _URL},
        has_secret=True,
    ),
)
