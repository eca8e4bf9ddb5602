"""Requests with an idempotency key, each with its answer once there is one."""

from __future__ import annotations

from django.db import models


class IdempotentRequest(models.Model):
    """A request that a user may send again: in work under a lease, or answered.

    The answer is written in the transaction that does what the request asks for.
    """

    digest = models.CharField(
        max_length=64,
        unique=True,
        help_text="SHA-256 of the user, the method, the address and the key.",
    )
    fingerprint = models.CharField(
        max_length=64, blank=True, help_text="SHA-256 of the body; blank while it arrives."
    )
    owner = models.CharField(max_length=32, help_text="A unique name for each attempt.")
    lease_until = models.DateTimeField(
        help_text="While in work: when another attempt may take over."
    )
    kept_until = models.DateTimeField(db_index=True)
    status = models.PositiveSmallIntegerField(
        null=True, help_text="The HTTP status of the answer; blank while in work."
    )
    body = models.TextField(blank=True, help_text="JSON; blank for a redirect.")
    location = models.TextField(blank=True, help_text="Where a redirect leads.")
    notices = models.JSONField(
        default=list, help_text="Levels and texts of the messages on the page after a redirect."
    )

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.digest
