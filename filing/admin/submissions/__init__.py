"""Submissions: the list, the page of each submission, and the staff actions."""

from __future__ import annotations

from django.contrib import admin

from filing.admin.notes import WithNotes
from filing.admin.own_pages import WithPageLinks
from filing.admin.submissions.lists import SubmissionAdminList
from filing.admin.submissions.page import SubmissionActions, SubmissionAdminPage
from filing.models import Submission


@admin.register(Submission)
class SubmissionAdmin(
    WithPageLinks, SubmissionActions, WithNotes, SubmissionAdminList, SubmissionAdminPage
):
    """Submissions. They are read-only; staff change them only through actions."""
