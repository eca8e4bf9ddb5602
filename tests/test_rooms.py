"""Rooms of `filing`: every module has one, and imports from rooms on floors below it alone.

Modules that still lie flat on the floor of the package are listed under the room that they are to
move to. The exceptions are today's; none may be added, and one that is no longer needed goes.
"""

from __future__ import annotations

import pytest

from tests.test_floors import imports, modules

# From the bottom up. Rooms of one floor stand side by side and do not know each other.
FLOORS: tuple[dict[str, str], ...] = (
    {"lar": "lar"},
    {"reference": "reference"},
    {"edits": "edits"},
    {"registries": "kinds happenings"},
    {
        "records": "models errors statuses storable storage access rights trail append_only"
        " refusals request_ids signals day_hours notes pagination unread templatetags"
    },
    {
        "jobs": "jobs errands notify persisting leftovers",
        "files": "files briefly",
    },
    {"emails": "mails sending delivery requested_emails announcements"},
    {
        "people": "people accounts memberships roles personal_tokens session_tokens institutions"
        " doors"
    },
    {
        "submissions": "submissions uploads pipeline tasks results findings standing timeline"
        " timeliness comparison interventions raw_files attention"
    },
    {"seasons": "seasons filings cancellations not_filed season_figures work_figures"},
    {"panel": "panel reference_data search"},
    {
        "api": "views serializers urls user_urls openapi public",
        "pages": "pages page_urls forms same_call",
    },
    {
        "admin": "admin charts",
        "demo": "rehearsal rehearsal_steps",
        "client": "client",
    },
    {"commands": "management apps"},
)
ROOM_OF = {
    module: room for floor in FLOORS for room, names in floor.items() for module in names.split()
}
FLOOR_OF = {room: number for number, floor in enumerate(FLOORS) for room in floor}
EXCEPTIONS = {
    # The registry of what was loaded is a table.
    ("filing.reference.registry", "filing.models"),
    # For the type of what a kind of job is given.
    ("filing.kinds", "filing.jobs"),
    # Which email domains an institution has is asked for at each request.
    ("filing.rights", "filing.institutions"),
    # The filing of a submission, and whether its period is open, are asked for from below.
    ("filing.results", "filing.filings"),
    ("filing.standing", "filing.filings"),
    ("filing.submissions", "filing.filings"),
    # One module has the tasks of all rooms.
    ("filing.tasks", "filing.reference_data"),
}
FILING = [(name, path) for name, path in modules() if name.startswith("filing.")]
NAMES = {name for name, _ in modules()}


def room_of(name: str) -> str | None:
    return ROOM_OF.get(name.split(".")[1]) if name.startswith("filing.") else None


def module_of(imported: str) -> str:
    """Return the module that an imported name stands in."""
    return imported if imported in NAMES else imported.rpartition(".")[0]


def upward() -> set[tuple[str, str]]:
    """Return the imports that do not point to a room on a floor below."""
    found = set()
    for name, path in FILING:
        here = room_of(name)
        for target in {module_of(imported) for imported in imports(path)}:
            there = room_of(target)
            if here and there and here != there and FLOOR_OF[there] >= FLOOR_OF[here]:
                found.add((name, target))
    return found


@pytest.mark.parametrize("name", [name for name, _ in FILING])
def test_every_module_has_a_room(name: str) -> None:
    assert room_of(name) in FLOOR_OF


def test_every_name_of_the_plan_is_there() -> None:
    assert set(ROOM_OF) == {name.split(".")[1] for name, _ in FILING}


def test_rooms_import_from_floors_below_them_but_for_what_is_listed() -> None:
    assert upward() == EXCEPTIONS
