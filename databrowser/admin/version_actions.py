"""What staff do with a version of a data set: publish it, roll back to it, withdraw it."""

from __future__ import annotations

from collections.abc import Callable

from databrowser.models import Version
from databrowser.publication.versions import live_versions
from filing.admin.actions import Action

MAY_PUBLISH = "databrowser.add_version"
HINT = "Listed in the public feed of changes. Your name is recorded but not published."


def _live(version: Version) -> str:
    """Return a text that changes when another version of the year is published."""
    live = live_versions.live_of(version.year)
    return f"{live.version_id} {live.since.isoformat()}" if live else ""


def _action(
    name: str, label: str, does: str, plan: Callable[[Version], str], run: Callable[..., str]
) -> Action:
    """Return an action on a version; its reason goes into the public feed of changes."""
    return Action(name, label, does, MAY_PUBLISH, plan, run, version=_live, hint=HINT)


PUBLISH = _action(
    "go_live",
    "Publish",
    "Makes this version the published data set of its year.",
    live_versions.plan_publish,
    live_versions.go_live,
)
ROLL_BACK = _action(
    "roll_back",
    "Roll back",
    "Publishes this version of its year again, in place of the later one.",
    live_versions.plan_roll_back,
    live_versions.go_live,
)
WITHDRAW = _action(
    "withdraw",
    "Withdraw",
    "Makes the data set of the year unavailable to the public until a version is published again.",
    live_versions.plan_withdraw,
    live_versions.withdraw,
)
