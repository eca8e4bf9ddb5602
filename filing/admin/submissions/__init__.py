"""Submissions: the list, the page of each submission, and the staff actions."""

from __future__ import annotations

from django.contrib import admin

from filing.admin.notes import WithNotes
from filing.admin.submissions.actions import SubmissionActions
from filing.admin.submissions.lists import SubmissionList
from filing.admin.submissions.page import SubmissionPage
from filing.models import Submission


@admin.register(Submission)
class SubmissionAdmin(SubmissionActions, WithNotes, SubmissionList, SubmissionPage):
    """Submissions. They are read-only; staff change them only through actions."""
