"""What staff do with a version of a data set: publish it, roll back to it, withdraw it."""

from __future__ import annotations

from databrowser.models import Version
from databrowser.publication.versions import live_versions
from filing.admin.actions import Action

MAY_PUBLISH = "databrowser.add_version"
HINT = "Listed in the public feed of changes. Your name is recorded but not published."


def _live(version: Version) -> str:
    """Return what differs once another version of the year is published."""
    live = live_versions.live_of(version.year)
    return f"{live.version_id} {live.since.isoformat()}" if live else ""


PUBLISH = Action(
    name="go_live",
    label="Publish",
    does="Readers get this version of its year from now on.",
    permission=MAY_PUBLISH,
    plan=live_versions.plan_publish,
    run=live_versions.go_live,
    version=_live,
    hint=HINT,
)
ROLL_BACK = Action(
    name="roll_back",
    label="Roll back",
    does="Readers get this version of its year again, instead of the later one that is published.",
    permission=MAY_PUBLISH,
    plan=live_versions.plan_roll_back,
    run=live_versions.go_live,
    version=_live,
    hint=HINT,
)
WITHDRAW = Action(
    name="withdraw",
    label="Withdraw",
    does="The year is no longer public, until a version of it is published again.",
    permission=MAY_PUBLISH,
    plan=live_versions.plan_withdraw,
    run=live_versions.withdraw,
    version=_live,
    hint=HINT,
)
