"""The list of submissions: found by whatever a caller of the help desk has at hand."""

from __future__ import annotations

from django.contrib import admin

from filing.admin.readonly import ReadOnlyAdmin
from filing.models import Submission


class SubmissionList(ReadOnlyAdmin):
    """Answers what needs somebody today."""

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

    @admin.display(description="LEI", ordering="filing__institution__lei")
    def lei(self, submission: Submission) -> str:
        return submission.lei

    @admin.display(ordering="filing__institution__name")
    def institution(self, submission: Submission) -> str:
        return submission.filing.institution.name

    @admin.display(ordering="filing__period")
    def period(self, submission: Submission) -> str:
        return str(submission.period)
