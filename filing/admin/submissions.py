"""Submissions: what was uploaded, how far it is, and why it stopped there."""

from __future__ import annotations

from django.contrib import admin

from filing.admin.readonly import ReadOnlyAdmin, ReadOnlyInline
from filing.models import EditResult, Job, Signature, StatusChange, Submission


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


@admin.register(Submission)
class SubmissionAdmin(ReadOnlyAdmin):
    """Found by whatever the caller of the help desk has at hand."""

    related = ["filing__institution", "filing__period"]
    list_display = [
        "lei",
        "institution",
        "period",
        "sequence_number",
        "status",
        "changed_at",
        "file_name",
        "lines",
    ]
    list_filter = ["status", "filing__period", "filing__institution__agency"]
    date_hierarchy = "created_at"
    search_fields = [
        "^filing__institution__lei",
        "filing__institution__name",
        "^filing__institution__tax_id",
        "=signature__receipt",
        "file_name",
        "=sha256",
    ]
    search_help_text = (
        "Institution or file name, the beginning of an LEI or tax id, a whole receipt or SHA-256."
    )
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

    @admin.display(description="LEI", ordering="filing__institution__lei")
    def lei(self, submission: Submission) -> str:
        return submission.lei

    @admin.display(ordering="filing__institution__name")
    def institution(self, submission: Submission) -> str:
        return submission.filing.institution.name

    @admin.display(ordering="filing__period")
    def period(self, submission: Submission) -> str:
        return str(submission.period)
