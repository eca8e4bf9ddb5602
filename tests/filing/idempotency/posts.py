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
from filing.lar.years import Period
from filing.models import (
    AuditEvent,
    Filing,
    FilingPeriod,
    FinishedEmail,
    Institution,
    Job,
    Mail,
    Membership,
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
from tests.filing.pages.steps import signed_in

PERIOD = Period(2024)
_FORM = {"content_type": "application/x-www-form-urlencoded"}
_JSON = {"content_type": "application/json"}


def new_lei(number: int) -> str:
    """Return an institution of its own for one trial, in the year that is open."""
    lei = f"TRIAL{number:015d}"
    Institution.objects.create(activity_year=2024, lei=lei, name="Test Bank", agency=9)
    user = User.objects.create_user(lei.lower(), f"{lei.lower()}@bank.example")
    tokens.known_identity(user)
    Membership.objects.create(user=user, lei=lei)
    return lei


def user_of(lei: str) -> User:
    return User.objects.get(username=lei.lower())


def caller_of(lei: str) -> access.Caller:
    return access.caller_of(user_of(lei))


def start(lei: str) -> None:
    institution = Institution.objects.get(lei=lei)
    Filing.objects.create(institution=institution, period=FilingPeriod.objects.get())


def begin(lei: str) -> None:
    start(lei)
    submissions.create_submission(lei=lei, period=PERIOD, by=caller_of(lei))


def at(status: Status, **more: Any) -> Callable[[str], None]:
    """Return what brings the submission of an institution to a status."""

    def bring(lei: str) -> None:
        begin(lei)
        Submission.objects.filter(filing__institution__lei=lei).update(
            status=status,
            file_name="lar.txt",
            size=1234,
            lines=61,
            sha256="ab" * 32,
            uploaded_at=timezone.now(),
            transmittal_sheet={"contact_email": "contact@bank.example"},
            **more,
        )

    return bring


def signed(lei: str) -> None:
    at(Status.VERIFIED)(lei)
    (submission,) = Submission.objects.filter(filing__institution__lei=lei)
    submissions.sign_submission(submission, signed=True, by=caller_of(lei))
    # The email went out long ago: another one may follow.
    long_ago = timezone.now() - timedelta(days=1)
    sent = Mail.objects.filter(submission=submission)
    sent.update(made_at=long_ago, sent_at=long_ago)
    Job.objects.filter(mail__submission=submission).update(state=Job.State.DONE)


def client_of(lei: str, *, is_page: bool) -> Client:
    if is_page:
        return signed_in(user_of(lei))
    claims = tokens.identity_claims(
        tokens.make_subject(lei), username=lei, email="a@b.example", leis=[lei]
    )
    token = tokens.issue_token(claims, seconds=3600)
    return Client(headers={"Authorization": f"Bearer {token}"})


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


def _uploads(lei: str) -> int:
    jobs = Job.objects.filter(submission__filing__institution__lei=lei, stage="parse").count()
    finished = _changes("UPLOAD_FINISHED")(lei)
    assert jobs == finished
    return finished


def _signatures(lei: str) -> int:
    number = _rows(Signature, "submission__filing__institution__lei")(lei)
    completed = TrailEntry.objects.filter(lei=lei, event=AuditEvent.FILING_COMPLETED).count()
    to = [
        *Mail.objects.filter(submission__filing__institution__lei=lei).values_list("to", flat=True)
    ]
    assert completed == number
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


def _entries(event: AuditEvent) -> Callable[[str], int]:
    return lambda lei: TrailEntry.objects.filter(lei=lei, event=event).count()


def _sent_again(lei: str) -> int:
    return TrailEntry.objects.filter(lei=lei, event=AuditEvent.RECEIPT_SENT_AGAIN).count()


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
_ONE, _TOKENS_PAGE = "/submissions/1", "/filing/profile/tokens/"

API = (
    Post("start", lambda lei: None, _FILINGS, 200),
    Post("create", start, _SUBMISSIONS, 201, "/submissions"),
    Post("upload", begin, _uploads, 202, _ONE, body=None),
    Post("quality", _WITH_QUALITY, _QUALITY, 200, f"{_ONE}/edits/quality", body=_TRUE),
    Post("macro", _WITH_MACRO, _MACRO, 200, f"{_ONE}/edits/macro", body=_TRUE),
    Post("sign", at(Status.VERIFIED), _signatures, 200, f"{_ONE}/sign", body=_SIGNED),
    Post("begin upload", begin, _begun, 201, f"{_ONE}/uploads", headers=_length),
    Post(
        "webhook",
        lambda lei: None,
        _rows(Webhook, "lei"),
        201,
        "/webhooks",
        body=b'{"url": "%s"}' % _URL.encode(),
        is_of_institution=True,
    ),
    Post(
        "replay",
        with_delivery,
        _entries(AuditEvent.WEBHOOK_REPLAYED),
        202,
        _replay,
        is_of_institution=True,
    ),
)
PAGES = (
    Post("page: start", lambda lei: None, _SUBMISSIONS, 303, page="", body={}),
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
    Post("page: receipt", signed, _sent_again, 303, page="1/receipt/", body={}),
    Post(
        "page: token",
        lambda lei: None,
        _TOKENS,
        303,
        page=_TOKENS_PAGE,
        body=_TOKEN,
        has_secret=True,
    ),
    Post("page: begin upload", begin, _begun, 201, page="1/uploads/", headers=_length),
    Post(
        "page: webhook",
        lambda lei: None,
        _rows(Webhook, "lei"),
        303,
        page="/filing/{lei}/webhooks/",
        body={"url": _URL},
        has_secret=True,
    ),
)
