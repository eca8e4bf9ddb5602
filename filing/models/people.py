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
        ("invite", "added by an administrator of the institution"),
    ]

    user = models.ForeignKey(User, models.CASCADE, related_name="memberships")
    lei = models.CharField("LEI", max_length=20)
    source = models.CharField(max_length=6, choices=SOURCES, default="hand")
    is_preparer = models.BooleanField(
        "preparer",
        default=True,
        db_default=True,  # processes of an earlier version do not know the roles
        help_text="Uploads files, reviews and verifies edits.",
    )
    is_signer = models.BooleanField(
        "signer", default=True, db_default=True, help_text="Certifies and signs."
    )
    administrator_since = models.DateTimeField(
        null=True, blank=True, help_text="An administrator looks after the institution's people."
    )
    email = models.EmailField(
        blank=True, help_text="The address with which the user confirmed the institution."
    )
    added_at = models.DateTimeField(default=timezone.now)
    added_by = models.CharField(max_length=150, blank=True, db_default="")
    until = models.DateField(null=True, blank=True, help_text="The last day of the right, if any.")
    confirmed_at = models.DateTimeField(
        null=True, blank=True, help_text="When an administrator last confirmed it."
    )
    checked_at = models.DateTimeField(
        "last check", null=True, blank=True, help_text="When its reason was last checked."
    )

    class Meta:
        ordering = ["lei"]
        indexes = [models.Index(fields=["lei"], name="memberships_by_lei")]
        constraints = [
            models.UniqueConstraint(fields=["user", "lei"], name="one_membership_per_user_and_lei"),
            models.CheckConstraint(
                condition=Q(source__in=["hand", "domain", "token", "invite"]),
                name="membership_source_is_known",
            ),
            # So an institution with an administrator keeps one.
            models.CheckConstraint(
                condition=Q(administrator_since=None) | Q(until=None),
                name="administrator_has_no_last_day",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} for {self.lei}"


class PeopleList(models.Model):
    """What the administrators of an institution decided on the list of its people."""

    lei = models.CharField("LEI", max_length=20, unique=True)
    joins_by_domain = models.BooleanField(
        default=False,
        help_text="People with its email domain join by themselves; else an administrator decides.",
    )
    confirmed_at = models.DateTimeField(null=True, blank=True)
    confirmed_by = models.CharField(max_length=150, blank=True)

    def __str__(self) -> str:
        return f"people of {self.lei}"


class Organization(models.Model):
    """Who acts for institutions that let it, such as a vendor or a parent company."""

    name = models.CharField(max_length=200)
    code = models.CharField(
        max_length=12, unique=True, help_text="Tells it from others: institutions enter it."
    )
    email_domain = models.CharField(
        max_length=253, blank=True, help_text="That of the person who registered it."
    )
    made_at = models.DateTimeField(default=timezone.now)
    made_by = models.CharField(max_length=150)
    ended_at = models.DateTimeField(null=True, blank=True)
    ended_by = models.CharField(max_length=150, blank=True)
    reason = models.TextField(blank=True, help_text="Why it ended.")

    class Meta:
        ordering = ["name", "code"]

    def __str__(self) -> str:
        return f"{self.name} ({self.code})"


class OrganizationMember(models.Model):
    """A person who acts for an organization, until the row ends."""

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="members")
    user = models.ForeignKey(User, models.CASCADE, related_name="organization_members")
    is_preparer = models.BooleanField("preparer", default=True)
    is_signer = models.BooleanField("signer", default=False)
    administrator_since = models.DateTimeField(null=True, blank=True)
    added_at = models.DateTimeField(default=timezone.now)
    added_by = models.CharField(max_length=150, blank=True)
    until = models.DateField(null=True, blank=True, help_text="The last day of the right, if any.")
    ended_at = models.DateTimeField(null=True, blank=True)
    ended_by = models.CharField(max_length=150, blank=True)
    reason = models.TextField(blank=True, help_text="Why it ended.")

    class Meta:
        ordering = ["organization", "user"]
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "user"],
                condition=Q(ended_at=None),
                name="one_member_per_organization_and_user",
            ),
            models.CheckConstraint(
                condition=Q(administrator_since=None) | Q(until=None),
                name="organization_administrator_has_no_last_day",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} of {self.organization}"


class Delegation(models.Model):
    """An institution lets an organization act for it, until the row ends."""

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="delegations")
    lei = models.CharField("LEI", max_length=20, db_index=True)
    may_sign = models.BooleanField(default=False, help_text="Besides preparing.")
    periods = models.JSONField(
        default=list, blank=True, help_text="Such as 2024 or 2024-Q1; none for all."
    )
    until = models.DateField(null=True, blank=True, help_text="The last day of the right, if any.")
    agreed_at = models.DateTimeField(default=timezone.now)
    agreed_by = models.CharField(max_length=150)
    ended_at = models.DateTimeField(null=True, blank=True)
    ended_by = models.CharField(max_length=150, blank=True)
    reason = models.TextField(blank=True, help_text="Why it ended.")

    class Meta:
        ordering = ["-agreed_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "lei"],
                condition=Q(ended_at=None),
                name="one_delegation_per_organization_and_lei",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.organization} for {self.lei}"


class EndedRight(models.Model):
    """The right of a user to act for an institution, which ended until it is given again.

    It outweighs whatever else gives the right: a membership, an email domain, a delegation, or a
    token. What staff ended, only staff give again.
    """

    user = models.ForeignKey(User, models.CASCADE, related_name="ended_rights")
    lei = models.CharField("LEI", max_length=20)
    ended_at = models.DateTimeField(default=timezone.now)
    ended_by = models.CharField(max_length=150)
    by_staff = models.BooleanField(
        default=True,
        db_default=True,  # processes of an earlier version do not know the column
        help_text="Else an administrator of the institution ended it, and may give it again.",
    )
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
    is_prepare_only = models.BooleanField(
        "for preparing only",
        default=False,
        db_default=False,  # processes of an earlier version do not know the column
        help_text="It cannot sign, whatever its user may do.",
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
