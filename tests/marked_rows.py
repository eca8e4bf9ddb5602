"""One institution with a marker of its own in each text of each of its rows.

A marker is a text that stands nowhere else. Where a text cannot be chosen, as the place of a file
in storage, its value is the marker.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.db.models import CharField, Model, TextField
from django.utils import timezone

from filing import audit, submissions
from filing.access import Caller
from filing.jobs import loop, queue
from filing.models import (
    Attempt,
    AuditEvent,
    Case,
    EditResult,
    Identity,
    Institution,
    Job,
    LegalHold,
    Mail,
    Membership,
    PersonalToken,
    RecordProposal,
    ResumableUpload,
    Signature,
    StatusChange,
    Submission,
    TrailEntry,
    Webhook,
    WebhookAttempt,
    WebhookDelivery,
)
from filing.statuses import Status
from tests.conftest import LEI
from tests.filing.submissions.uploading import register, upload

# Of the transmittal sheet; its other values are numbers, or in other rows too.
SHEET = ("institution_name", "tax_id", *(f"contact_{part}" for part in (
    "name", "phone", "email", "street", "city", "zip_code",
)))  # fmt: skip


class Marked:
    """The markers of the fields, and the rows that have them."""

    def __init__(self) -> None:
        self.markers: dict[str, tuple[type[Model], str]] = {}
        self.rows: dict[type[Model], list[Model]] = defaultdict(list)

    def mark(self, model: type[Model], name: str, form: str = "{}") -> str:
        """Return a new marker of a field. form: what the value is besides it."""
        marker = f"zq{len(self.markers):03}qz"
        self.markers[marker] = (model, name)
        return form.format(marker)

    def named(self, model: type[Model], name: str, value: str) -> None:
        """Take a value, which stands nowhere else, as the marker of a field."""
        assert len(value) > 5, (model, name, value)
        self.markers[value] = (model, name)

    def texts(self, model: type[Model], **given: Any) -> dict[str, Any]:
        """Return values for a new row: a marker for each text that is not given."""
        fields = [
            field
            for field in model._meta.concrete_fields
            if isinstance(field, CharField | TextField)
            and not (field.choices or field.name in given or field.name == "fingerprint")
            and (field.max_length or 100) > 5
        ]
        forms = {"email": "{}@bank.example", "actor_email": "{}@bank.example"}
        return given | {
            field.name: self.mark(model, field.name, forms.get(field.name, "{}"))
            for field in fields
        }

    def add(self, model: type[Any], **given: Any) -> Any:
        """Create a row with markers."""
        return self.keep(model.objects.create(**self.texts(model, **given)))

    def keep(self, row: Any) -> Any:
        """Remember a row, whose pages are then asked for."""
        self.rows[type(row)].append(row)
        return row

    def caller(self, model: type[Model], prefix: str) -> Caller:
        """Return a caller whose texts are markers of the fields of a model."""
        return Caller(
            id=self.mark(model, f"{prefix}_id"),
            username=self.mark(model, f"{prefix}_username"),
            email=self.mark(model, f"{prefix}_email", "{}@bank.example"),
            name=self.mark(model, f"{prefix}_name", "Ann {}"),
            leis=frozenset({LEI}),
        )


def marked_rows(submission: Submission, folder: Path) -> Marked:
    """Return the rows of the institution of a submission, which is signed, and three more."""
    marked = Marked()
    _signed(marked, submission, folder)  # first: edits compare the file with the institution
    _institution(marked, submission.filing.institution)
    _others(marked, submission)
    _person(marked)
    _webhook(marked)
    _proposal(marked)
    _of_staff(marked, submission)
    return marked


def _institution(marked: Marked, institution: Institution) -> None:
    values = marked.texts(Institution, lei=LEI, state="IL")
    domain = marked.mark(Institution, "email_domains", "{}.example")
    Institution.objects.filter(pk=institution.pk).update(**values, email_domains=[domain])
    institution.refresh_from_db()
    marked.keep(institution)
    institution.save()  # the log of changes has an entry, too


def _signed(marked: Marked, submission: Submission, folder: Path) -> None:
    # The name of the one who uploaded is not known, so that pages show the user name.
    uploader = replace(marked.caller(StatusChange, "actor"), name="")
    verifier, signer = marked.caller(StatusChange, "actor"), marked.caller(Signature, "signer")
    address = "203.0.113.177"
    marked.named(StatusChange, "address", address)
    with audit.set_origin(address=address, request_id=marked.mark(StatusChange, "request_id")):
        content = register(Q611=2)
        loop.run_job(upload(submission, content, uploader, folder).pk)
        sha256 = hashlib.sha256(content).hexdigest()
        sheet = {name: marked.mark(Submission, "transmittal_sheet") for name in SHEET}
        sheet["contact_email"] += "@bank.example"
        submission.refresh_from_db()
        for name in ("raw_file", "parse_folder", "edits_folder"):
            marked.named(Submission, name, getattr(submission, name))
        Submission.objects.filter(pk=submission.pk).update(
            sha256=sha256,
            file_name=marked.mark(Submission, "file_name", "{}.txt"),
            transmittal_sheet=submission.transmittal_sheet | sheet,
        )
        submission.refresh_from_db()
        reason = marked.mark(StatusChange, "reason")
        submission = submissions.verify_edits(
            submission, "quality", verified=True, by=verifier, reason=reason
        )
        signature = submissions.sign_submission(submission, signed=True, by=signer)
    marked.named(Signature, "sha256", sha256)
    marked.named(Signature, "receipt", signature.receipt)
    marked.keep(submission)
    marked.keep(submission.filing)
    marked.keep(signature)
    marked.rows[StatusChange] += submission.changes.all()
    job = Job.objects.get(submission=submission, stage="edits")
    names = ("owner", "last_error", "request_id")
    Job.objects.filter(pk=job.pk).update(**{name: marked.mark(Job, name) for name in names})
    marked.keep(job)
    marked.add(Attempt, job=job, number=9, outcome="failed", started_at=timezone.now())
    marked.add(EditResult, submission=submission, code="S304", kind="syntactical", total=0)


def _others(marked: Marked, submission: Submission) -> None:
    """Add submissions that failed, that wait for an upload, and without files."""
    failed, uploading, removed = (
        marked.keep(submission.filing.submissions.create(sequence_number=number, **facts))
        for number, facts in {
            2: {
                "status": Status.FAILED,
                "failure": marked.mark(Submission, "failure"),
                "sha256": hashlib.sha256(b"failed").hexdigest(),
                "file_name": "failed.txt",
            },
            3: {"status": Status.UPLOADING},
            4: {
                "status": Status.FAILED,
                "file_name": "removed.txt",
                "files_removed_at": timezone.now(),
                "files_removed_rule": marked.mark(Submission, "files_removed_rule"),
            },
        }.items()
    )
    assert removed.pk
    marked.named(Submission, "sha256", failed.sha256)
    marked.add(ResumableUpload, submission=uploading, length=10, key="ab12" * 8)
    marked.named(ResumableUpload, "key", "ab12" * 8)


def _person(marked: Marked) -> None:
    user = marked.add(User, password="x", email=marked.mark(User, "email", "{}@bank.example"))
    marked.named(User, "password", "pbkdf2-of-a-person")
    User.objects.filter(pk=user.pk).update(password="pbkdf2-of-a-person")
    marked.add(Identity, user=user, email_verified=True)
    marked.add(Membership, user=user, lei=LEI, source="hand")
    until = timezone.now() + timedelta(days=30)
    start = marked.mark(PersonalToken, "start")
    marked.add(PersonalToken, user=user, leis=[LEI], expires_at=until, start=start)


def _webhook(marked: Marked) -> None:
    url = marked.mark(Webhook, "url", "https://{}.example/hmda")
    webhook = marked.add(Webhook, lei=LEI, url=url, disabled_at=timezone.now())
    delivery = marked.add(
        WebhookDelivery, webhook=webhook, type="test", job=queue.add_job("webhook")
    )
    marked.add(WebhookAttempt, delivery=delivery, started_at=timezone.now(), milliseconds=5)


def _proposal(marked: Marked) -> None:
    """Add a proposal for the record of the institution, which staff have answered."""
    changes, accepted = (
        {"city": ["", marked.mark(RecordProposal, name)]} for name in ("changes", "accepted")
    )
    case = Case.objects.create(email="x@bank.example", institution="Bank", text="A proposal.")
    marked.add(
        RecordProposal,
        lei=LEI,
        activity_year=2024,
        case=case,
        state="changed",
        answered_at=timezone.now(),
        changes=changes,
        accepted=accepted,
    )


def _of_staff(marked: Marked, submission: Submission) -> None:
    staff = marked.caller(LegalHold, "actor")
    del marked.markers[staff.name.removeprefix("Ann ")]  # its table has no name of the actor
    facts = {"actor_id": staff.id, "actor_username": staff.username, "actor_email": staff.email}
    marked.add(LegalHold, lei=LEI, lifted_at=timezone.now(), **facts)
    for about in (submission, submission.filing.institution):
        text = marked.mark(type(marked.rows[LegalHold][0]), "reason")
        marked.keep(audit.add_note(about, by=staff, text=text))
    job = queue.add_job("mail")
    to = marked.mark(Mail, "to", "{}@bank.example")
    marked.add(Mail, kind="receipt", to=to, submission=submission, job=job)
    marked.add(TrailEntry, event=AuditEvent.FILE_DOWNLOADED, lei=LEI, at=timezone.now())


def each_row(marked: Marked, model: type[Model] | None) -> Iterator[int]:
    """Yield the keys of the rows of a table, that of the first one first."""
    yield from (row.pk for row in marked.rows.get(model, ())) if model else ()
