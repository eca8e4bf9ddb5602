"""What the documents name exists: links, anchors, files, modules, commands, options, settings."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class
from django.utils.text import slugify

from config.celery import app
from config.running.supervisor import ROOT

PACKAGES = ("config", "databrowser", "filing", "graphs", "publicapi", "ratespread", "uliapi")
FOLDERS = (*PACKAGES, "bench", "deploy", "docs", "templates", "tests")
GENERATED = ROOT / "docs" / "generated"
DOCUMENTS = [
    *sorted(ROOT.glob("*.md")),
    *(path for path in sorted((ROOT / "docs").rglob("*.md")) if GENERATED not in path.parents),
]
NAMES = [str(path.relative_to(ROOT)) for path in DOCUMENTS]

_FENCE = re.compile(r"^( *)```.*?^\1```$", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"(?<!`)`([^`]+)`(?!`)")
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_PATH = re.compile(r"(?:[\w.-]+/)*[\w.-]*")
_PLACEHOLDER = re.compile(r"[<>*{}…]")
_MODULE = re.compile(rf"(?:{'|'.join(PACKAGES)})(?:\.\w+)+")
_MIGRATION = re.compile(r"(\w+)[./](?:migrations/)?(\d{4})")
_TEST = re.compile(r"(tests/[\w/]+\.py)::(\w+)")
_COMMAND = re.compile(r"manage\.py ([a-z]\w+)([^\n|;`#]*)")
_TARGET = re.compile(r"\bmake ([a-z][a-z-]+)")
_SETTING = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
# A value of the environment, as `config` reads it.
_READ = re.compile(r"\benv\.\w+\(\s*\"([A-Z_]+)\"")

# Of decisions: a row of the index, the line below the title, and the parts of a page.
_ROW = re.compile(r"^\| (\d+) \| \[(.+)\]\((.+)\) \| (.+) \| (.+) \|$", re.MULTILINE)
_STATUS = re.compile(
    r"Status: (?P<status>accepted|superseded by \[\d+\]\(\S+\)) · Date: (?P<date>\d{4}-\d\d-\d\d)"
)
_PARTS = ("Context", "Options", "Decision", "Consequences")
_PART = re.compile(rf"^\*\*({'|'.join(_PARTS)})\b", re.MULTILINE)


def text_of(name: str) -> str:
    return (ROOT / name).read_text()


def spans(name: str) -> list[str]:
    """Return what stands between backticks in a document, each on one line."""
    return [" ".join(span.split()) for span in _SPAN.findall(_FENCE.sub("", text_of(name)))]


def commands(name: str) -> list[str]:
    """Return the lines of code of a document, and what stands between backticks."""
    blocks = "".join(match.group() for match in _FENCE.finditer(text_of(name)))
    return [*blocks.replace("\\\n", " ").splitlines(), *spans(name)]


@cache
def anchors(path: Path) -> frozenset[str]:
    """Return the anchors of a document: its headings."""
    titles = re.findall(r"^#+ (.+)$", _FENCE.sub("", path.read_text()), re.MULTILINE)
    return frozenset(slugify(title.replace("`", "")) for title in titles)


@cache
def code() -> str:
    """Return everything that may name a setting."""
    files = [path for folder in (*PACKAGES, "bench") for path in (ROOT / folder).rglob("*.py")]
    files += [ROOT / "Makefile", ROOT / ".env.example", *(ROOT / "deploy").rglob("*.*")]
    files += (ROOT / "tests").glob("*.py")
    return "\n".join(path.read_text() for path in files if path.is_file())


@cache
def file_names() -> frozenset[str]:
    return frozenset(path.name for folder in FOLDERS for path in (ROOT / folder).rglob("*.*"))


def has_file(span: str) -> bool:
    """Return whether a span that looks like a path of the project leads to a file or folder."""
    if "/" not in span:
        return span in file_names() or (ROOT / span).exists()
    return any(
        (folder / name).exists()
        for name in (span, f"{span}.py")
        for folder in (ROOT, *(ROOT / package for package in PACKAGES))
    )


def is_path(span: str) -> bool:
    """Return whether a span looks like a path of the project, or like the name of a module."""
    if _PLACEHOLDER.search(span) or not _PATH.fullmatch(span):
        return False
    first, slash, _ = span.partition("/")
    return (bool(slash) and first in FOLDERS) or span.endswith(".py")


def leads_somewhere(dotted: str) -> bool:
    """Return whether a dotted name is a module, something in one, or the name of a task."""
    app.loader.import_default_modules()
    if dotted in app.tasks:
        return True
    parts = dotted.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for part in parts[length:]:
            if not hasattr(found, part):
                return False
            found = getattr(found, part)
        return True
    return False


def options(command: str) -> set[str]:
    made = load_command_class(get_commands()[command], command)
    parser = made.create_parser("manage.py", command)
    return {option for action in parser._actions for option in action.option_strings}


def dead_links(path: Path) -> Iterator[str]:
    for link in _LINK.findall(_FENCE.sub("", path.read_text())):
        if re.match(r"[a-z]+:|/", link):
            continue
        target, _, anchor = link.partition("#")
        file = (path.parent / target).resolve() if target else path
        if not file.exists() or (anchor and anchor not in anchors(file)):
            yield link


@pytest.mark.parametrize("name", NAMES)
def test_every_link_of_a_document_leads_somewhere(name: str) -> None:
    assert not list(dead_links(ROOT / name))


@pytest.mark.parametrize("name", NAMES)
def test_every_file_and_module_that_a_document_names_exists(name: str) -> None:
    found = [span.removesuffix("()") for span in spans(name)]
    paths = [span for span in found if is_path(span) and not _MIGRATION.fullmatch(span)]
    assert not [span for span in paths if not has_file(span)]
    modules = [span for span in found if _MODULE.fullmatch(span) and not is_path(span)]
    modules = [span for span in modules if not _MIGRATION.fullmatch(span)]
    assert not [span for span in modules if not leads_somewhere(span)]
    migrations = [match.groups() for span in found if (match := _MIGRATION.fullmatch(span))]
    assert not [
        (package, number)
        for package, number in migrations
        if package in PACKAGES and not list((ROOT / package / "migrations").glob(f"{number}_*.py"))
    ]


@pytest.mark.parametrize("name", NAMES)
def test_every_test_that_a_document_names_exists(name: str) -> None:
    for span in spans(name):
        if match := _TEST.fullmatch(span):
            path, function = match.groups()
            text = (ROOT / path).read_text() if (ROOT / path).exists() else ""
            assert re.search(rf"^def {function}\(", text, re.MULTILINE), span


@pytest.mark.parametrize("name", NAMES)
def test_every_command_and_option_that_a_document_names_exists(name: str) -> None:
    for line in commands(name):
        for command, rest in _COMMAND.findall(line):
            assert command in get_commands(), f"manage.py {command}"
            unknown = set(re.findall(r"(?<!\S)--[a-z-]+", rest)) - options(command)
            assert not unknown, f"manage.py {command} {unknown}"
        for target in _TARGET.findall(line):
            assert re.search(rf"^{target}:", text_of("Makefile"), re.MULTILINE), f"make {target}"


@pytest.mark.parametrize("name", NAMES)
def test_no_command_in_a_block_of_code_has_an_ellipsis(name: str) -> None:
    blocks = re.findall(r"^```sh\n(.*?)^```$", text_of(name), re.MULTILINE | re.DOTALL)
    commands = [line.partition("  #")[0] for block in blocks for line in block.splitlines()]
    assert [command for command in commands if re.search(r"…|\.\.\.(?!\.)", command)] == []


@pytest.mark.parametrize("name", NAMES)
def test_every_setting_that_a_document_names_is_read(name: str) -> None:
    names = {span.partition("=")[0] for span in spans(name)}
    settings = {name for name in names if _SETTING.fullmatch(name)} - {"EXAMPLE_URL"}
    assert not {name for name in settings if not re.search(rf"\b{name}\b", code())}


def test_every_value_of_the_environment_is_in_the_example_and_every_example_is_read() -> None:
    example = set(re.findall(r"^(\w+)=", text_of(".env.example"), re.MULTILINE))
    files = (ROOT / "config").rglob("*.py")
    read = {name for path in files for name in _READ.findall(path.read_text())}
    assert read | {"HOST"} == example  # the process manager reads that one


def test_the_index_of_the_documents_leads_to_each_of_them() -> None:
    index = (ROOT / "docs" / "index.md").read_text()
    for path in (ROOT / "docs").glob("*.md"):
        assert path.name == "index.md" or f"({path.name})" in index, path.name


def test_the_map_of_the_tree_names_every_room() -> None:
    named = set(spans("README.md"))
    without_code = {"migrations", "static", "management", "templatetags", "demo", "__pycache__"}
    for package in ("filing", "databrowser"):
        rooms = {path.name for path in (ROOT / package).iterdir() if path.is_dir()} - without_code
        missing = {room for room in rooms if not {room, f"{package}/{room}"} & named}
        assert not missing, package


def test_every_decision_has_its_parts_and_is_in_the_index() -> None:
    folder = ROOT / "docs" / "decisions"
    pages = sorted(path for path in folder.glob("*.md") if path.name != "README.md")
    rows = _ROW.findall((folder / "README.md").read_text())
    assert [name for _, _, name, _, _ in rows] == [path.name for path in pages]
    for number, (path, row) in enumerate(zip(pages, rows, strict=True), start=1):
        title, _, top, *_ = path.read_text().splitlines()
        status = _STATUS.fullmatch(top)
        assert status, path.name
        assert path.name.startswith(f"{number:04d}-")
        assert title == f"# {number}. {row[1]}"
        assert (row[0], row[3], row[4]) == (str(number), status["status"], status["date"])
        assert _PART.findall(path.read_text()) == list(_PARTS), path.name


def test_what_does_not_exist_is_seen(tmp_path: Path) -> None:
    assert is_path("filing/lar/nothing.py")
    assert not has_file("filing/lar/nothing.py")
    assert has_file("filing/lar")
    assert has_file("publication/builds/builder.py")
    assert not is_path("/filing/deadlines/")
    assert leads_somewhere("filing.work")
    assert leads_somewhere("filing.statuses.MOVES")
    assert not leads_somewhere("filing.statuses.NOTHING")
    page = tmp_path / "page.md"
    page.write_text("# Title\n\n[here](#title), [not](#none), [no file](none.md)\n")
    assert list(dead_links(page)) == ["#none", "none.md"]
