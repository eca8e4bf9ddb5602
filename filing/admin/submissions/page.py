"""The page of one submission: what was uploaded, how far it is, and why it stopped there."""

from __future__ import annotations

from filing.admin.readonly import ReadOnlyAdmin, ReadOnlyInline
from filing.models import EditResult, Job, Signature, StatusChange


class StatusChangeInline(ReadOnlyInline):
    """The way of the submission, from the beginning."""

    model = StatusChange
    fields = ["at", "event", "before", "after", "actor_username", "actor_email", "reason"]
    verbose_name_plural = "status history"


class EditResultInline(ReadOnlyInline):
    """The edits that found something, and those that could not be run with the reason."""

    model = EditResult
    fields = ["code", "kind", "level", "total", "not_run"]


class JobInline(ReadOnlyInline):
    """Who works, or worked, on the submission."""

    model = Job
    fields = [
        "stage",
        "state",
        "owner",
        "attempts",
        "rows_done",
        "rows_total",
        "queued_at",
        "started_at",
        "finished_at",
        "last_error",
    ]
    show_change_link = True


class SignatureInline(ReadOnlyInline):
    """Who signed, and the receipt."""

    model = Signature
    fields = ["receipt", "signed_at", "signer_username", "signer_email", "sha256"]
    verbose_name_plural = "signature"


class SubmissionPage(ReadOnlyAdmin):
    """What one looks at after a submission was found."""

    inlines = [SignatureInline, StatusChangeInline, EditResultInline, JobInline]
    fieldsets = [
        (None, {"fields": ["filing", "sequence_number", "status", "failure"]}),
        ("Times", {"fields": ["created_at", "uploaded_at", "changed_at"]}),
        ("File", {"fields": ["file_name", "size", "sha256", "lines", "format_errors"]}),
        (
            "Edits",
            {
                "fields": [
                    ("quality_exists", "quality_verified"),
                    ("macro_exists", "macro_verified"),
                ]
            },
        ),
        ("Transmittal sheet", {"fields": ["transmittal_sheet"]}),
        ("In storage", {"fields": ["raw_file", "parse_folder", "edits_folder"]}),
    ]
