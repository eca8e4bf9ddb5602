"""Cases: what people ask of the help desk on a page."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import models
from django.db.models import Q
from django.utils import timezone

from filing.models.mail_domain import MailDomain


class Case(models.Model):
    """A request to the help desk, in the words of the person, until it is closed with an answer."""

    class State(models.TextChoices):
        OPEN = "open"
        CLOSED = "closed"

    state = models.CharField(max_length=6, choices=State.choices, default=State.OPEN)
    opened_at = models.DateTimeField(default=timezone.now)
    user = models.ForeignKey(
        User,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="cases",
        help_text="Who was signed in. Blank: anyone can write any name and address.",
    )
    name = models.CharField(max_length=300, blank=True)
    email = models.EmailField("email address")
    lei = models.CharField("LEI", max_length=20, blank=True)
    institution = models.CharField("institution's name", max_length=255)
    text = models.TextField("what is wanted")
    closed_at = models.DateTimeField(null=True, blank=True)
    closed_by = models.CharField(max_length=150, blank=True)
    answer = models.TextField(blank=True)

    class Meta:
        ordering = ["-opened_at", "-id"]
        permissions = [("answer_case", "Can answer and close a case")]
        indexes = [
            models.Index(fields=["state", "opened_at"], name="case_state"),
            models.Index(fields=["lei"], name="case_lei"),
            models.Index(fields=["email", "state"], name="case_email"),
            models.Index(MailDomain("email"), name="case_mail_domain"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(state="open", closed_at=None)
                | Q(state="closed", closed_at__isnull=False),
                name="closed_case_has_a_time",
            ),
        ]

    def __str__(self) -> str:
        return self.number

    @property
    def number(self) -> str:
        """The number that the person and the help desk quote."""
        return f"CASE-{self.pk}"
