"""Rooms of `filing`, `databrowser` and `config`: each imports from floors below it only.

There are no exceptions: what two rooms of one floor share goes to a floor below.
"""

from __future__ import annotations

from tests.tree import imports, modules

# From the bottom up. Rooms of one floor stand side by side and do not know each other. Modules on
# the floor of the package that belong to every room are rooms of their own.
FLOORS: tuple[dict[str, str], ...] = (
    {
        "lar": "lar",
        "errors": "errors",
        "outages": "outages",
        "key_files": "files.local_files",
        "storable_text": "storable_text",
        "derived_keys": "derived_keys",
        "day_hours": "day_hours",
    },
    {
        "reference": "reference",
        "proofs": "receipts.proofs",
        "previews": "previews",
        "stored_secrets": "stored_secrets",
    },
    {"edits": "edits"},
    {"registries": "registries", "statuses": "statuses", "spreadsheets": "spreadsheets"},
    {"models": "models"},
    {"access": "access", "standing": "standing", "faults": "faults"},
    {"audit": "audit"},
    {"storage": "storage"},
    {
        "jobs": "jobs",
        "files": "files",
        "requests": "requests",
        "charts": "charts",
        "idempotency": "idempotency",
    },
    {"receipts": "receipts", "scanning": "scanning", "exports": "exports"},
    {"emails": "emails", "reference_data": "reference_data", "periods": "periods"},
    {"people": "people", "webhooks": "webhooks"},
    {"submissions": "submissions"},
    {"seasons": "seasons"},
    {"panel": "panel"},
    {"lives": "lives"},
    {"figures": "figures"},
    {"lists": "lists"},
    {"states": "pages.states"},  # of filings and submissions, as the API names them, too
    {"cards": "pages.cards"},
    {"api": "api", "pages": "pages"},
    {"admin": "admin", "demo": "demo", "client": "client"},
    {"assembly": "management apps tasks templatetags"},
)
DATABROWSER: tuple[dict[str, str], ...] = (
    {
        "models": "models",
        "dimensions": "dimensions",
        # How the columns are derived, beside what makes records of them.
        "derivations": ("publication.records.derived publication.records.places"),
    },
    {
        "publication": "publication.columns publication.distinct_values publication.events"
        " publication.loaded_files"
        " publication.record_files"
        " publication.layout publication.lazy_imports publication.quantities"
        " publication.scratch_database"
    },
    {
        "records": "publication.records",
        "imports": "publication.imports",
        "versions": "publication.versions",
    },
    {
        "modified_lars": "publication.modified_lars",
        "serving": "publication.serving",
        "typed_files": "publication.typed_files publication.variables",
    },
    {"builds": "publication.builds"},
    {"errors": "errors"},
    {"query": "query"},
    {"boundaries": "boundaries"},
    {"downloads": "downloads", "charts": "charts"},
    {
        "api": "api",
        "changes": "changes",
        "differences": "differences",
        "filers": "filers",
        "lar_files": "modified_lars",
        "publication_feed": "publication_feed",
        "season_clock": "season_clock",
        "reports": "reports",
        "register_summaries": "register_summaries",
    },
    {"pages": "pages"},
    {"admin": "admin", "assistants": "assistants", "demo": "demo"},
    {"commands": "management apps tasks"},
)
CONFIG: tuple[dict[str, str], ...] = (
    {"counters": "metrics.catalogue metrics.counters"},
    {
        "backends": "backends",
        "clients": "requests.clients requests.middleware",
    },
    {"limits": "limits.models limits.policies limits.buckets"},
    {"celery": "celery"},
    {"pages": "pages", "running": "running"},
    {"identity": "identity"},
    {"errors": "errors"},
    {"health": "health", "backups": "backups", "openapi": "openapi"},
    {"metrics": "metrics", "error_reports": "error_reports"},
    {"middleware": "requests limits.middleware"},
    {"guides": "guides"},
    {
        "assembly": "settings environment server_addresses urls asgi wsgi apps admin admin_site"
        " operations upkeep admin_links tasks checks demo doctor audit_log formats templatetags"
        " made_up web_server web_worker management identity.management limits.apps limits.tasks"
    },
)
PACKAGES = {"filing": FLOORS, "databrowser": DATABROWSER, "config": CONFIG}
ROOM_OF = {
    f"{package}.{module}": f"{package} {room}"
    for package, floors in PACKAGES.items()
    for floor in floors
    for room, names in floor.items()
    for module in names.split()
}
FLOOR_OF = {
    f"{package} {room}": number
    for package, floors in PACKAGES.items()
    for number, floor in enumerate(floors)
    for room in floor
}
# Of these packages each part has a room of its own.
DIVIDED = {name.rpartition(".")[0] for name in ROOM_OF}
MODULES = [
    (name, path)
    for name, path in modules()
    if name.partition(".")[0] in PACKAGES and name not in DIVIDED
]
NAMES = {name for name, _ in modules()}


def room_of(name: str) -> str | None:
    """Return the room of a module, that of the most particular name that the plan has for it."""
    while name not in ROOM_OF and "." in name:
        name = name.rpartition(".")[0]
    return ROOM_OF.get(name)


def module_of(imported: str) -> str:
    """Return the module that an imported name stands in."""
    return imported if imported in NAMES else imported.rpartition(".")[0]


def upward() -> set[tuple[str, str]]:
    """Return the imports that do not point to a room on a floor below."""
    found = set()
    for name, path in MODULES:
        here = room_of(name)
        for target in {module_of(imported) for imported in imports(path)}:
            there = room_of(target)
            if not here or not there or here.split()[0] != there.split()[0]:
                continue  # between packages it is `test_floors` that looks
            if here != there and FLOOR_OF[there] >= FLOOR_OF[here]:
                found.add((name, target))
    return found


def test_every_module_has_a_room() -> None:
    assert [name for name, _ in MODULES if room_of(name) not in FLOOR_OF] == []


def test_every_name_of_the_plan_is_there() -> None:
    assert set(ROOM_OF) <= NAMES


def test_rooms_import_from_floors_below_them() -> None:
    assert upward() == set()
