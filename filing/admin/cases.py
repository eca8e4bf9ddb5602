"""Cases: what people ask of the help desk, and the answers."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from filing.admin import search
from filing.admin.actions import Action, WithPossibleActions
from filing.admin.notes import WithNotes
from filing.admin.readonly import ReadOnlyAdmin
from filing.models import Case
from filing.people import cases

ANSWER = Action(
    name="answer",
    label="Answer and close",
    does="Emails your answer to the person, and closes the case.",
    permission="filing.answer_case",
    plan=cases.plan_close,
    run=cases.close_case,
    asks="Answer",
    hint="The person gets this text by email. All staff can read it.",
)


@admin.register(Case)
class CaseAdmin(WithPossibleActions, WithNotes, ReadOnlyAdmin):
    """Cases, newest first; found by number, email address, LEI or name of the institution."""

    staff_actions = (ANSWER,)
    related = ["user"]
    list_display = ["number", "opened_at", "state", "institution", "lei", "email"]
    list_filter = ["state"]
    date_hierarchy = "opened_at"
    fields = [
        "number",
        "state",
        "opened_at",
        "name",
        "email",
        "user",
        "institution",
        "lei",
        "text",
        "closed_at",
        "closed_by",
        "answer",
    ]
    search_fields = ["institution"]  # for the search box; `get_search_results` searches
    search_help_text = "Search by number, email address, LEI or name of the institution."

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Case], search_term: str
    ) -> tuple[QuerySet[Case], bool]:
        condition: Q = search.in_cases(search.recognize(search_term))
        return queryset.filter(condition), False
