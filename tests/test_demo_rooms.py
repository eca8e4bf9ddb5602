"""Made-up data lie in a room named `demo` of each area, and no code of production imports one."""

from __future__ import annotations

import re

from tests.tree import APPS, ROOT, imports, modules

# What makes or loads made-up data on request, each by a command of its own or an option.
COMMANDS = {
    "config.management.commands.demo",
    "config.management.commands.prepare",
    "config.management.commands.running",
    "config.management.commands.serve",
    "databrowser.management.commands.make_public_lar",
    "filing.management.commands.load_census",
    "filing.management.commands.make_lar",
    "filing.management.commands.make_submissions",
}
AREAS = {"config", "databrowser", "filing", "graphs", "ratespread"}
MODULES = modules()
OTHER_WORDS = re.compile(r"synthetic|rehears|makers?\b|invented|demonstrat|practi[cs]", re.I)
TEXTS = [
    path
    for part in (*APPS, "bench", "docs", "templates")
    for path in sorted((ROOT / part).rglob("*"))
    if path.suffix in {".py", ".md", ".html", ".txt"} and "migrations" not in path.parts
]


def is_demo(name: str) -> bool:
    return re.match(r"[a-z]+\.demo(\.|$)", name) is not None


def test_each_area_that_has_made_up_data_keeps_them_in_a_room() -> None:
    assert {name.split(".")[0] for name, _ in MODULES if is_demo(name)} == AREAS


def test_commands_alone_import_made_up_data() -> None:
    outside = [(name, path) for name, path in MODULES if not is_demo(name)]
    assert {name for name, path in outside if any(map(is_demo, imports(path)))} == COMMANDS


def test_made_up_data_have_one_name() -> None:
    found = {str(path.relative_to(ROOT)): OTHER_WORDS.findall(path.read_text()) for path in TEXTS}
    assert {path: words for path, words in found.items() if words} == {}
