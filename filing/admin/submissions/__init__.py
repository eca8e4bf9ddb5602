"""Submissions: the list, the page of one, and what staff may do with them."""

from __future__ import annotations

from django.contrib import admin

from filing.admin.notes import WithNotes
from filing.admin.submissions.actions import SubmissionActions
from filing.admin.submissions.lists import SubmissionList
from filing.admin.submissions.page import SubmissionPage
from filing.models import Submission


@admin.register(Submission)
class SubmissionAdmin(SubmissionActions, WithNotes, SubmissionList, SubmissionPage):
    """Nothing is typed into a submission: what changes it goes through actions."""
