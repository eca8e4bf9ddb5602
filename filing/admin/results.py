"""What the edits found, over all submissions."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import Q

from filing import search
from filing.admin.readonly import SUBMISSION, ReadOnlyAdmin
from filing.edits.edit import CODE
from filing.models import EditResult


@admin.register(EditResult)
class EditResultAdmin(ReadOnlyAdmin):
    """Which submissions an edit fired in, and where it could not be run."""

    related = SUBMISSION
    list_display = ["code", "kind", "level", "total", "submission", "not_run"]
    list_filter = ["kind", "level", ("not_run", admin.EmptyFieldListFilter)]
    search_fields = ["code"]  # that there is a search; what is looked through it says itself
    search_help_text = (
        "A whole edit code, or what finds a submission: LEI, institution, receipt, file name."
    )
    ordering = ["-submission_id", "code"]
    sortable_by = ()

    def asked_for(self, asked: search.Asked) -> Q:
        if CODE.fullmatch(asked.value.upper()):
            return Q(code=asked.value.upper())
        return search.in_what_hangs_on_submissions(asked)
