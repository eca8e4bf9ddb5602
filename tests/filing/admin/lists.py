"""The lists of people in the admin."""

from __future__ import annotations

# What a browser sends of the lists on a user's page, where nothing can be typed.
LISTS = {
    f"{name}-{count}_FORMS": "0"
    for name in ("identities", "second_factors", "memberships", "ended_rights")
    for count in ("TOTAL", "INITIAL")
}
