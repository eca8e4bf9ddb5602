"""Notes are added by staff, say something, and are found again."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from filing import audit
from filing.access import Caller
from filing.errors import BadInput
from filing.models import Filing, Note, Submission
from tests.conftest import LEI

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("", "The note is empty. Enter its text."),
        (" \n ", "The note is empty. Enter its text."),
        ("a\0b", "The note has a NUL character. Remove it."),
        ("x" * 4001, "The note has 4,001 characters. Enter at most 4,000."),
    ],
)
def test_a_note_that_says_nothing_or_too_much_is_refused(
    submission: Submission, filer: Caller, admin_client: Client, text: str, refused: str
) -> None:
    with pytest.raises(BadInput) as refusal:
        audit.add_note(submission, by=filer, text=text)
    assert refusal.value.message == refused
    page = reverse("admin:filing_submission_note", args=[submission.pk])
    answer = admin_client.post(page, {"text": text}, follow=True)
    assert refused in answer.content.decode()
    assert not Note.objects.exists()


def test_notes_are_found_by_the_lei_of_what_they_are_about(
    submission: Submission, filing: Filing, filer: Caller, admin_client: Client
) -> None:
    about = [filing.institution, filing, submission]
    for each in about:
        audit.add_note(each, by=filer, text="Called.")
    audit.add_note(filing.period, by=filer, text="Extended by a week.")

    def found(text: str) -> set[object]:
        answer = admin_client.get(reverse("admin:filing_note_changelist"), {"q": text})
        return {note.about for note in answer.context["cl"].queryset}

    assert found(LEI) == set(about)
    assert found("week") == {filing.period}
    assert found("ann") == {*about, filing.period}
