"""The email that a webhook was disabled, to a user of the institution who can enable it."""

from __future__ import annotations

from django.contrib.auth.models import User

from filing.access import rights
from filing.emails import outbox
from filing.emails.outbox import Draft
from filing.models import Institution, Mail, Membership, Webhook

KIND = "webhook"


def disabled(webhook: Webhook, reason: str) -> list[Mail]:
    """Queue the email, in the transaction that disables the webhook."""
    institution = Institution.objects.filter(lei=webhook.lei).order_by("activity_year").last()
    facts = {
        "lei": webhook.lei,
        "institution": institution.name if institution else "",
        "address": webhook.url,
        "key": webhook.pk,
        "reason": reason,
    }
    subject, text = outbox.render(KIND, facts)
    about = (str(webhook.pk), f"{webhook.disabled_at:%Y%m%d%H%M%S%f}")
    return outbox.queue(
        [
            Draft(KIND, outbox.key(KIND, *about, to), to, subject, text, institution=institution)
            for to in _recipients(webhook)
        ]
    )


def _recipients(webhook: Webhook) -> list[str]:
    """Return the address of the user who added it, or of all others if that one has left.

    A user of another identity provider has no account here: the token alone gave the right.
    """
    rows = rights.with_grounds(
        Membership.objects.filter(lei=webhook.lei, user__is_active=True).select_related("user")
    )
    members = {row.user.email.lower(): row.user.email for row in rows if not rights.of(row).lapse}
    adder = webhook.actor_email.lower()
    if adder in members:
        return [members[adder]]
    if members:
        return sorted(members.values())
    has_account = User.objects.filter(email__iexact=adder).exists()
    return [] if has_account else [webhook.actor_email]
