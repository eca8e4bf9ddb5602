"""Invitations to act for an institution or an organization, and requests of people to do so."""

from __future__ import annotations

import uuid

from django.contrib.auth.models import User
from django.db import models
from django.db.models import Q
from django.utils import timezone

from filing.models.people import Organization


class Invitation(models.Model):
    """An invitation by email to act for an institution or an organization, with roles.

    Whoever has the link and signs in with the address accepts it, once. Only the hash of the link's
    secret is stored.
    """

    class State(models.TextChoices):
        """What became of it. Expiry is a matter of the time, and stored once it is replaced."""

        OPEN = "open", "open"
        ACCEPTED = "accepted", "accepted"
        DECLINED = "declined", "declined"
        WITHDRAWN = "withdrawn", "withdrawn"
        REPLACED = "replaced", "replaced by a later invitation"
        EXPIRED = "expired", "expired"

    lei = models.CharField("LEI", max_length=20, blank=True, help_text="Blank: an organization's.")
    organization = models.ForeignKey(
        Organization, models.CASCADE, null=True, blank=True, related_name="invitations"
    )
    email = models.EmailField(help_text="In lower case; only its owner can accept.")
    is_administrator = models.BooleanField("administrator", default=False)
    is_preparer = models.BooleanField("preparer", default=False)
    is_signer = models.BooleanField("signer", default=False)
    until = models.DateField(null=True, blank=True, help_text="The last day of the right, if any.")
    invited_by = models.CharField(max_length=150)
    inviter = models.ForeignKey(
        User,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="sent_invitations",
        help_text="It counts while this person may invite here.",
    )
    invited_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    seed = models.UUIDField(default=uuid.uuid4, help_text="The secret is derived from it.")
    sha256 = models.CharField("SHA-256", max_length=64, unique=True)
    answer = models.CharField(
        "state", max_length=9, choices=State.choices, default=State.OPEN, db_index=True
    )
    answered_at = models.DateTimeField(null=True, blank=True)
    accepted_by = models.ForeignKey(
        User, models.SET_NULL, null=True, blank=True, related_name="invitations"
    )
    reason = models.TextField(blank=True, help_text="Why it was withdrawn.")

    class Meta:
        ordering = ["-invited_at", "-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(lei="", organization__isnull=False)
                | (~Q(lei="") & Q(organization__isnull=True)),
                name="invitation_is_of_institution_or_organization",
            ),
            models.CheckConstraint(
                condition=Q(answer="open", answered_at=None)
                | (~Q(answer="open") & Q(answered_at__isnull=False)),
                name="invitation_is_answered_at_a_time",
            ),
            models.CheckConstraint(
                condition=Q(is_administrator=False) | Q(until=None),
                name="invited_administrator_has_no_last_day",
            ),
            models.UniqueConstraint(
                fields=["lei", "email"],
                condition=Q(answer="open", organization=None),
                name="one_open_invitation_per_institution_and_address",
            ),
            models.UniqueConstraint(
                fields=["organization", "email"],
                condition=Q(answer="open"),
                name="one_open_invitation_per_organization_and_address",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.email} for {self.organization or self.lei}"

    @property
    def state(self) -> State:
        """What became of it, expiry included."""
        if self.answer == self.State.OPEN and self.expires_at <= timezone.now():
            return self.State.EXPIRED
        return self.State(self.answer)


class AccessRequest(models.Model):
    """A person asks to act for an institution, or to be its first administrator.

    An administrator of the institution answers the first one. The second one is answered with an
    emailed link by the contact whom the institution last named, or by staff.
    """

    class State(models.TextChoices):
        """What became of it."""

        OPEN = "open", "open"
        GRANTED = "granted", "granted"
        REFUSED = "refused", "refused"
        WITHDRAWN = "withdrawn", "withdrawn"
        EXPIRED = "expired", "expired"

    class Kind(models.TextChoices):
        """What is asked for."""

        JOIN = "join", "to act for the institution"
        ADMINISTER = "administer", "to be its first administrator"

    user = models.ForeignKey(User, models.CASCADE, related_name="access_requests")
    lei = models.CharField("LEI", max_length=20)
    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.JOIN)
    asked_at = models.DateTimeField(default=timezone.now)
    state = models.CharField(max_length=9, choices=State.choices, default=State.OPEN)
    answered_by = models.CharField(max_length=254, blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)
    reason = models.TextField(blank=True, help_text="Why it was refused.")
    contact_email = models.EmailField(
        blank=True, help_text="Of the contact who is asked about a first administrator."
    )
    seed = models.UUIDField(default=uuid.uuid4, help_text="The secret is derived from it.")
    sha256 = models.CharField("SHA-256", max_length=64, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-asked_at", "-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state="open", answered_at=None)
                | (~Q(state="open") & Q(answered_at__isnull=False)),
                name="access_request_is_answered_at_a_time",
            ),
            models.CheckConstraint(
                condition=Q(kind="join", contact_email="", sha256="", expires_at=None)
                | (
                    Q(kind="administer", expires_at__isnull=False)
                    & ~Q(contact_email="")
                    & ~Q(sha256="")
                ),
                name="contact_is_asked_about_an_administrator",
            ),
            models.UniqueConstraint(
                fields=["user", "lei"],
                condition=Q(state="open", kind="join"),
                name="one_open_request_per_user_and_institution",
            ),
            models.UniqueConstraint(
                fields=["lei"],
                condition=Q(state="open", kind="administer"),
                name="one_open_request_for_a_first_administrator",
            ),
            models.UniqueConstraint(
                fields=["sha256"], condition=~Q(sha256=""), name="one_access_request_per_link"
            ),
        ]
        indexes = [models.Index(fields=["lei", "state"], name="access_requests_by_lei")]

    def __str__(self) -> str:
        return f"{self.user} for {self.lei}"
