"""Accounts, sign-ins, memberships, and the tokens of programs."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import models
from django.db.models import Q
from django.utils import timezone


class Identity(models.Model):
    """A user as one issuer of tokens knows them: by its subject, never by an email address."""

    user = models.ForeignKey(User, models.CASCADE, related_name="identities")
    issuer = models.CharField(max_length=255, help_text="The address of the OpenID provider.")
    subject = models.CharField(max_length=255, help_text="`sub` of its tokens.")
    email_verified = models.BooleanField(
        default=False, help_text="The provider has verified the email address."
    )
    added_at = models.DateTimeField(default=timezone.now)
    signed_in_at = models.DateTimeField(null=True, blank=True)
    used_at = models.DateTimeField(
        null=True, blank=True, help_text="When a program last used one of its tokens, to the hour."
    )

    class Meta:
        ordering = ["issuer", "subject"]
        verbose_name_plural = "identities"
        constraints = [
            models.UniqueConstraint(
                fields=["issuer", "subject"], name="one_identity_per_issuer_and_subject"
            ),
            models.CheckConstraint(
                condition=~Q(issuer="") & ~Q(subject=""), name="identity_names_issuer_and_subject"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} as {self.subject} of {self.issuer}"


class Account(models.Model):
    """Whether a user was warned, and whether their account was disabled.

    An account that was never disabled, and whose user was never warned, has no row.
    """

    REASONS = [("unused", "not used for a long time"), ("staff", "disabled by staff")]

    user = models.OneToOneField(User, models.CASCADE, related_name="account")
    warned_at = models.DateTimeField(
        null=True, blank=True, help_text="When the user was warned that it will be disabled."
    )
    disabled_at = models.DateTimeField(null=True, blank=True)
    reason = models.CharField(max_length=6, choices=REASONS, blank=True)
    enabled_at = models.DateTimeField(
        null=True, blank=True, help_text="When staff enabled it again. It counts as use."
    )
    generation = models.PositiveIntegerField(
        default=0,
        db_default=0,
        help_text="Sessions and access tokens of an earlier generation have ended.",
    )
    staff_password_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When someone else set the password, until the user chooses their own.",
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(disabled_at__isnull=True, reason="")
                | Q(disabled_at__isnull=False, reason__in=["unused", "staff"]),
                name="disabled_account_has_a_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"account of {self.user}"


class Membership(models.Model):
    """The right of a user to act for an institution."""

    SOURCES = [
        ("hand", "added by staff"),
        ("domain", "confirmed by the user, whose email domain is the institution's"),
        ("token", "named by the identity provider at sign-in"),
    ]

    user = models.ForeignKey(User, models.CASCADE, related_name="memberships")
    lei = models.CharField("LEI", max_length=20)
    source = models.CharField(max_length=6, choices=SOURCES, default="hand")
    email = models.EmailField(
        blank=True, help_text="The address with which the user confirmed the institution."
    )
    added_at = models.DateTimeField(default=timezone.now)
    checked_at = models.DateTimeField(
        "last check", null=True, blank=True, help_text="When its reason was last checked."
    )

    class Meta:
        ordering = ["lei"]
        constraints = [
            models.UniqueConstraint(fields=["user", "lei"], name="one_membership_per_user_and_lei"),
            models.CheckConstraint(
                condition=Q(source__in=["hand", "domain", "token"]),
                name="membership_source_is_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} for {self.lei}"


class EndedRight(models.Model):
    """The right of a user to act for an institution, ended by staff until they give it again.

    It outweighs whatever else gives the right: a membership, an email domain, or a token.
    """

    user = models.ForeignKey(User, models.CASCADE, related_name="ended_rights")
    lei = models.CharField("LEI", max_length=20)
    ended_at = models.DateTimeField(default=timezone.now)
    ended_by = models.CharField(max_length=150)
    reason = models.TextField()
    given_again_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-ended_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["user", "lei"],
                condition=Q(given_again_at=None),
                name="one_ended_right_per_user_and_lei",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} for {self.lei}"


class PersonalToken(models.Model):
    """A bearer token that a user created for a program. Only its hash is stored."""

    user = models.ForeignKey(User, models.CASCADE, related_name="personal_tokens")
    name = models.CharField(max_length=100, help_text="What it is for.")
    start = models.CharField(
        max_length=16, help_text="Its first characters, to tell it from others."
    )
    sha256 = models.CharField("SHA-256", max_length=64, unique=True)
    leis = models.JSONField("LEIs", default=list, help_text="The institutions it may act for.")
    scopes = models.JSONField(
        default=list,
        db_default=models.Value([], models.JSONField()),  # of processes of an earlier version
        help_text="What it may do in the operator API. They count while its user is administrator.",
    )
    made_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-made_at", "-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(expires_at__gt=models.F("made_at")),
                name="personal_token_expires_after_it_was_made",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.start}…)"


class SecondFactor(models.Model):
    """What a user proves besides their password at the embedded provider.

    An authenticator app, a passkey, or a recovery code, which is deleted when it is used.
    """

    KINDS = [("app", "authenticator app"), ("passkey", "passkey"), ("recovery", "recovery code")]

    user = models.ForeignKey(User, models.CASCADE, related_name="second_factors")
    kind = models.CharField(max_length=8, choices=KINDS)
    name = models.CharField(max_length=100, blank=True, help_text="What the user calls it.")
    secret = models.TextField(
        help_text="The encrypted key of an app, the public key of a passkey, the hash of a code."
    )
    counter = models.BigIntegerField(
        default=0, help_text="Of an app the last period, of a passkey the last number of uses."
    )
    added_at = models.DateTimeField(default=timezone.now)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["kind", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=["app", "passkey", "recovery"]),
                name="second_factor_kind_is_known",
            ),
            models.UniqueConstraint(
                fields=["user"], condition=Q(kind="app"), name="one_authenticator_app_per_user"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name or self.get_kind_display()} of {self.user}"
