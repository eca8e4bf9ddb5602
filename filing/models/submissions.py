"""Submissions: the upload, the results of the edits, the signature and its receipt.

The records of a filing are not in the database: the raw file says what was filed. It is in storage,
with its line offsets and the row numbers of its findings (`filing.storage`). Receipts and their
public keys are never changed.
"""

from __future__ import annotations

from typing import Any, ClassVar

from django.db import models
from django.db.models import Q
from django.utils import timezone

from filing.edits.edit import EditKind
from filing.lar import years
from filing.lar.fields import records_in
from filing.lar.years import NoRulebookError, YearRules, rulebook_period
from filing.models.audit_log import WrittenOnce
from filing.models.columns import FingerprintField
from filing.models.database import MailDomain
from filing.models.panel import Filing
from filing.statuses import Status


class Submission(models.Model):
    """One upload of a filing, from its creation to its signature."""

    filing = models.ForeignKey(Filing, models.PROTECT, related_name="submissions")
    sequence_number = models.PositiveIntegerField()
    status = models.SmallIntegerField(
        choices=[(status.value, f"{status.value} {status.message}") for status in Status],
        default=Status.CREATED,
    )
    created_at = models.DateTimeField(default=timezone.now)
    changed_at = models.DateTimeField(
        default=timezone.now, help_text="When the status last changed."
    )
    file_name = models.CharField(max_length=255, blank=True, help_text="As the uploader named it.")
    size = models.BigIntegerField(default=0, help_text="Bytes of the file.")
    sha256 = models.CharField("SHA-256", max_length=64, blank=True, db_index=True)
    uploaded_at = models.DateTimeField(null=True, blank=True)
    lines = models.PositiveBigIntegerField(default=0, help_text="Including the transmittal sheet.")
    transmittal_sheet = models.JSONField(null=True, blank=True)
    format_errors = models.PositiveBigIntegerField("lines with formatting errors", default=0)
    totals = models.JSONField(
        null=True,
        blank=True,
        help_text="By action taken, the records and their loan amounts in dollars. Null: read by "
        "an earlier release, or not yet.",
    )
    quality_exists = models.BooleanField(default=False)
    macro_exists = models.BooleanField(default=False)
    quality_verified = models.BooleanField(default=False)
    macro_verified = models.BooleanField(default=False)
    raw_file = models.CharField(max_length=200, blank=True, help_text="The file, in storage.")
    parse_folder = models.CharField(
        max_length=200, blank=True, help_text="The results of parsing, in storage."
    )
    edits_folder = models.CharField(
        max_length=200, blank=True, help_text="The results of the edits, in storage."
    )
    rules_run = models.TextField(
        blank=True,
        default="",
        db_default="",  # processes of an earlier version do not know the column
        help_text="The rules that checked it: the year of the rulebook, then what was left out.",
    )
    census_run = models.CharField(
        max_length=200,
        blank=True,
        default="",
        db_default="",  # processes of an earlier version do not know the column
        help_text="The census that checked it, in storage; blank for none, or where an earlier "
        "release checked it.",
    )
    failure = models.TextField(
        blank=True, help_text="Why the submission failed, as the filer reads it."
    )
    discarded_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When the filer discarded it: it is not uploaded to, verified or signed again.",
    )
    files_removed_at = models.DateTimeField(
        null=True, blank=True, help_text="When its files were removed under a retention rule."
    )
    files_removed_rule = models.CharField(
        max_length=200,
        blank=True,
        default="",
        db_default="",  # processes of an earlier version do not know the column
        help_text="The retention rule, as the filer reads it.",
    )

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["filing", "sequence_number"], name="one_submission_per_sequence_number"
            ),
            models.CheckConstraint(
                condition=Q(sequence_number__gte=1), name="sequence_numbers_begin_at_one"
            ),
            models.CheckConstraint(
                condition=Q(status__in=[status.value for status in Status]),
                name="submission_status_is_known",
            ),
        ]
        indexes = [
            models.Index(fields=["created_at"], name="submission_created_at"),
            models.Index(fields=["status", "changed_at"], name="submission_status_age"),
            models.Index(fields=["filing", "status", "changed_at"], name="submission_of_filing"),
            models.Index(fields=["file_name"], name="submission_file_name"),
        ]
        permissions = [
            ("act_on_submission", "Can retry, re-run and stop submissions"),
            ("resend_receipt", "Can send receipts again"),
            ("download_file", "Can download the file of a submission"),
        ]

    def __str__(self) -> str:
        return f"{self.filing}-{self.sequence_number}"

    @property
    def is_settled(self) -> bool:
        """Whether the service does nothing more with it unless a person acts."""
        return self.discarded_at is not None or Status(self.status).is_settled

    @property
    def kinds_to_verify(self) -> list[str]:
        """The kinds of its edits that were triggered and are not verified: quality, macro."""
        kinds = {
            "quality": self.quality_exists and not self.quality_verified,
            "macro": self.macro_exists and not self.macro_verified,
        }
        return [kind for kind, is_open in kinds.items() if is_open]

    @property
    def lei(self) -> str:
        return self.filing.institution.lei

    @property
    def period(self) -> years.Period:
        return self.filing.period.period

    @property
    def rules_period(self) -> years.Period:
        """The period of the released rules that checked it, or that would check it now.

        Raises: NoRulebookError.
        """
        if self.rules_run:
            return years.Period(int(self.rules_run[:4]), self.period.quarter)
        return rulebook_period(self.period)

    @property
    def rules_in_sentence(self) -> str:
        """The rules that checked it, or that check it next; blank if its year has none."""
        try:
            rulebook = self.rules_period.year
        except NoRulebookError:
            return ""
        return YearRules(self.period.year, rulebook).rules_in_sentence

    @property
    def records(self) -> int:
        """The number of records: the lines of the file without the transmittal sheet."""
        return records_in(self.lines)


class Signature(models.Model):
    """Who signed a submission, when, and the receipt. Written once, never changed."""

    EVIDENCE: ClassVar = "signature"
    _FIRST_CONTENT = (
        "submission", "receipt", "signed_at", "signer_id", "signer_username", "signer_email",
        "sha256",
    )  # fmt: skip
    CONTENT: ClassVar = {
        1: _FIRST_CONTENT,
        2: (*_FIRST_CONTENT, "signer_name"),
        3: (*_FIRST_CONTENT, "signer_name", "claims"),
    }

    submission = models.OneToOneField(Submission, models.PROTECT, related_name="signature")
    receipt = models.CharField(max_length=80, unique=True)
    signed_at = models.DateTimeField(db_index=True)
    signer_id = models.CharField(max_length=255, help_text="The subject of the signer's token.")
    signer_username = models.CharField(max_length=255, blank=True)
    signer_email = models.CharField(max_length=254, blank=True)
    signer_name = models.CharField(
        max_length=255,
        blank=True,
        default="",
        db_default="",  # processes of an earlier version do not know the column
        help_text="Blank: not known, or signed under an earlier release.",
    )
    sha256 = models.CharField("SHA-256", max_length=64, help_text="Of the file that was signed.")
    claims = models.TextField(
        blank=True,
        default="",
        db_default="",  # processes of an earlier version do not know the column
        help_text="What its receipt certifies, as the signing request knew it: JSON.",
    )
    fingerprint = FingerprintField()

    def __str__(self) -> str:
        return self.receipt


class EditResultQuerySet(models.QuerySet["EditResult"]):
    """Results of edits."""

    def not_run_only(self) -> EditResultQuerySet:
        """Return those of edits that could not be run; `not_run` has the reason."""
        return self.exclude(not_run="")


class EditResult(models.Model):
    """The result of one edit: how many records triggered it, and where their numbers are stored."""

    KINDS = [(kind.value, kind.value) for kind in EditKind]

    submission = models.ForeignKey(Submission, models.CASCADE, related_name="edit_results")
    code = models.CharField(max_length=12)
    kind = models.CharField(max_length=11, choices=KINDS)
    level = models.CharField(max_length=4, help_text="ts, lar or file")
    total = models.PositiveBigIntegerField(
        help_text="Records that triggered it (1 for a whole-file edit)."
    )
    position = models.PositiveBigIntegerField(
        default=0, help_text="Index of the first row number in the findings file."
    )
    listed = models.PositiveBigIntegerField(
        default=0, help_text="How many row numbers the findings file holds for it."
    )
    figures = models.JSONField(
        default=dict, help_text="The numbers that a whole-file edit computed."
    )
    not_run = models.CharField(
        max_length=200, blank=True, help_text="Why the edit could not be run, if it could not."
    )

    objects = EditResultQuerySet.as_manager()

    class Meta:
        ordering = ["code", "level"]
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "level", "code"], name="one_result_per_edit"
            ),
        ]
        indexes = [
            models.Index(fields=["code"], name="editresult_code"),
            models.Index(fields=["kind"], name="editresult_kind"),
            models.Index(fields=["level"], name="editresult_level"),
            models.Index(fields=["not_run"], name="editresult_not_run"),
        ]

    def __str__(self) -> str:
        return f"{self.code}: {self.total}"


class EditReview(models.Model):
    """That a filer has reviewed an edit of a submission, with the reason why the data is accurate.

    It helps to get through the edits; only their verification counts.
    """

    submission = models.ForeignKey(Submission, models.CASCADE, related_name="edit_reviews")
    code = models.CharField(max_length=12)
    reason = models.CharField(max_length=500, blank=True)
    carried_from = models.PositiveIntegerField(
        null=True, blank=True, help_text="The number of the submission whose reason was kept."
    )
    at = models.DateTimeField(default=timezone.now)
    actor_id = models.CharField(max_length=255, blank=True)
    actor_username = models.CharField(max_length=255, blank=True)
    actor_email = models.CharField(max_length=254, blank=True)
    actor_name = models.CharField(max_length=255, blank=True)

    class Meta:
        ordering = ["code"]
        constraints = [
            models.UniqueConstraint(fields=["submission", "code"], name="one_review_per_edit")
        ]

    def __str__(self) -> str:
        return f"{self.submission} {self.code}"


class StatusChange(models.Model):
    """One change of the status of a submission: by whom, when and why. Never changed."""

    EVIDENCE: ClassVar = "status"
    _FIRST_CONTENT = (
        "submission", "before", "after", "event", "at", "actor_id", "actor_username",
        "actor_email", "address", "request_id", "reason",
    )  # fmt: skip
    CONTENT: ClassVar = {1: _FIRST_CONTENT, 2: (*_FIRST_CONTENT, "actor_name")}

    submission = models.ForeignKey(Submission, models.CASCADE, related_name="changes")
    before = models.SmallIntegerField(null=True)
    after = models.SmallIntegerField()
    event = models.CharField(max_length=50)
    at = models.DateTimeField(default=timezone.now, db_index=True)
    actor_id = models.CharField(max_length=255, blank=True, help_text="Blank: the service itself.")
    actor_username = models.CharField(max_length=255, blank=True)
    actor_email = models.CharField(max_length=254, blank=True)
    actor_name = models.CharField(
        max_length=255,
        blank=True,
        default="",
        db_default="",  # processes of an earlier version do not know the column
        help_text="Blank: not known, or written by an earlier release.",
    )
    address = models.CharField(max_length=45, blank=True, help_text="Where the request came from.")
    request_id = models.CharField(max_length=64, blank=True)
    reason = models.TextField(blank=True)
    fingerprint = FingerprintField()

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(MailDomain("actor_email"), name="statuschange_mail_domain"),
            models.Index(fields=["request_id"], name="statuschange_request"),
            models.Index(fields=["actor_username", "at"], name="statuschange_actor"),
            models.Index(fields=["address", "at"], name="statuschange_address"),
            models.Index(fields=["after", "at"], name="statuschange_after"),
            models.Index(fields=["event", "at"], name="statuschange_event"),
        ]

    def __str__(self) -> str:
        return f"{self.before} to {self.after} ({self.event})"


class ReceiptKey(WrittenOnce):
    """The public part of a key that signs receipts. It is kept for good: receipts outlive keys.

    Private keys are never in the database.
    """

    kid = models.CharField(
        "key ID", max_length=43, unique=True, help_text="The thumbprint of RFC 7638."
    )
    x = models.CharField(max_length=43, help_text="The public Ed25519 key, base64url (RFC 8037).")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.kid

    @property
    def jwk(self) -> dict[str, Any]:
        """The key as it is published, a JSON Web Key."""
        return {
            "kty": "OKP",
            "crv": "Ed25519",
            "alg": "EdDSA",
            "use": "sig",
            "kid": self.kid,
            "x": self.x,
            "created": self.created_at.isoformat(timespec="milliseconds"),
        }


class KeyEndorsement(WrittenOnce):
    """The word of the service that a public key is its own. Other keys count for nothing."""

    CONTENT: ClassVar = {1: ("kid", "x")}

    kid = models.CharField("key ID", max_length=43, db_index=True)
    x = models.CharField(max_length=43, help_text="As in the table of keys.")
    fingerprint = FingerprintField()

    def __str__(self) -> str:
        return self.kid


class SignedReceipt(WrittenOnce):
    """The signed receipt of a submission, as it was issued."""

    signature = models.OneToOneField(Signature, models.PROTECT, related_name="signed_receipt")
    key = models.ForeignKey(ReceiptKey, models.PROTECT, related_name="receipts")
    jws = models.TextField("proof", help_text="A compact JSON Web Signature (RFC 7515).")
    issued_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return str(self.signature)
