"""The tables of tasks and of requests for receipt keys."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from config.upkeep import key_rotations
from filing.admin.actions import AdminAction, WithPossibleActions
from filing.admin.tables import Followed, ReadOnlyAdmin, tag_state
from filing.models import Job, KeyRotation, OperatorTask

MAY_DECIDE = "filing.change_keyrotation"
APPROVE = AdminAction(
    name="approve",
    label="Approve the new key",
    does="Makes a new receipt key. No one approves a request of their own.",
    permission=MAY_DECIDE,
    act="Approve {}",
    plan=key_rotations.plan_approval,
    run=key_rotations.approve_rotation,
)
REJECT = AdminAction(
    name="reject",
    label="Reject the request",
    does="Ends the request; the present key goes on signing.",
    permission=MAY_DECIDE,
    act="Reject {}",
    plan=key_rotations.plan_rejection,
    run=key_rotations.reject_rotation,
)


def tag_task(task: OperatorTask) -> SafeString:
    """Return the state of a task as a tag."""
    if task.job.state == Job.State.FAILED:
        return tag_state("Failed", kind="bad")
    if task.is_sound is None:
        return tag_state(task.job.state_label.capitalize(), kind="info")
    return tag_state("Sound", kind="good") if task.is_sound else tag_state("Problems", kind="bad")


@admin.register(OperatorTask)
class OperatorTaskAdmin(Followed):
    """What operators did for the installation, and the results."""

    how_rows_come = "Request one from the pages of the audit chain or of the backups."
    related = ["job"]
    list_display = ["name", "about", "state", "summary", "at", "actor_username"]
    list_filter = ["kind", "is_sound"]
    date_hierarchy = "at"
    readonly_fields = ["name", "state", "found"]
    fields = [
        *("name", "about", "at", "actor_username", "actor_email", "reason"),
        *("state", "summary", "found"),
    ]

    def is_followed(self, task: OperatorTask) -> bool:
        return task.job.is_unfinished

    def outcome(self, task: OperatorTask) -> str:
        return task.summary

    @admin.display(description="task", ordering="kind")
    def name(self, task: OperatorTask) -> str:
        return str(task)

    @admin.display
    def state(self, task: OperatorTask) -> SafeString:
        return tag_task(task)

    @admin.display(description="details", empty_value="None")
    def found(self, task: OperatorTask) -> Any:
        """Return the sentences of the result, or the error of its job."""
        details = task.details or ([task.job.last_error] if task.job.last_error else [])
        return format_html_join("", "<p>{}</p>", ((line,) for line in details)) or None


@admin.register(KeyRotation)
class KeyRotationAdmin(WithPossibleActions, ReadOnlyAdmin):
    """Requests for a new receipt key, and what became of them."""

    how_rows_come = "An administrator requests a new key on the page of the receipt keys."
    staff_actions = (APPROVE, REJECT)
    list_display = ["name", "at", "actor_username", "reason", "state", "decided_by", "decided_at"]
    readonly_fields = ["state", "new_key"]
    fields = [
        *("at", "actor_username", "actor_email", "reason", "state"),
        *("decided_at", "decided_by", "decided_reason", "new_key", "problem"),
    ]

    @admin.display(description="rotation", ordering="pk")
    def name(self, rotation: KeyRotation) -> str:
        return str(rotation).capitalize()

    @admin.display
    def state(self, rotation: KeyRotation) -> SafeString:
        """Return what became of a request; an approved one without its key waits for it."""
        if key_rotations.is_expired(rotation):
            return tag_state("Expired", kind="quiet")
        if rotation.decision == KeyRotation.Decision.NONE:
            return tag_state("Waits for another administrator", kind="info")
        if rotation.decision == KeyRotation.Decision.REJECTED:
            return tag_state("Rejected", kind="quiet")
        if key_rotations.find_new_key(rotation):
            return tag_state("Done", kind="good")
        return tag_state("Approved, waits for the key", kind="warn")

    @admin.display(description="new key", empty_value="None")
    def new_key(self, rotation: KeyRotation) -> str | None:
        return key_rotations.find_new_key(rotation) or None
