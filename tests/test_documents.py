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
def words_of_code() -> frozenset[str]:
    """Return the words of everything that may name a setting."""
    files = [path for folder in (*PACKAGES, "bench") for path in (ROOT / folder).rglob("*.py")]
    files += [ROOT / "Makefile", ROOT / ".env.example", *(ROOT / "deploy").rglob("*.*")]
    files += (ROOT / "tests").glob("*.py")
    texts = (path.read_text() for path in files if path.is_file() and path.suffix != ".pyc")
    return frozenset(word for text in texts for word in re.findall(r"\w+", text))


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


@cache
def tasks() -> frozenset[str]:
    app.loader.import_default_modules()
    return frozenset(app.tasks)


@cache
def leads_somewhere(dotted: str) -> bool:
    """Return whether a dotted name is a module, something in one, or the name of a task."""
    if dotted in tasks():
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


@cache
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


def missing_places(name: str) -> Iterator[str]:
    """Yield the files, modules, migrations and tests that a document names, but are not there."""
    for span in (span.removesuffix("()") for span in spans(name)):
        if migration := _MIGRATION.fullmatch(span):
            package, number = migration.groups()
            folder = ROOT / package / "migrations"
            is_there = package not in PACKAGES or bool(list(folder.glob(f"{number}_*.py")))
        elif is_path(span):
            is_there = has_file(span)
        elif test := _TEST.fullmatch(span):
            path, function = test.groups()
            text = text_of(path) if (ROOT / path).exists() else ""
            is_there = bool(re.search(rf"^def {function}\(", text, re.MULTILINE))
        else:
            is_there = not _MODULE.fullmatch(span) or leads_somewhere(span)
        if not is_there:
            yield span


def missing_commands(name: str) -> Iterator[str]:
    for line in commands(name):
        for command, rest in _COMMAND.findall(line):
            if command not in get_commands():
                yield f"manage.py {command}"
            elif unknown := set(re.findall(r"(?<!\S)--[a-z-]+", rest)) - options(command):
                yield f"manage.py {command} {unknown}"
        for target in _TARGET.findall(line):
            if not re.search(rf"^{target}:", text_of("Makefile"), re.MULTILINE):
                yield f"make {target}"


@pytest.mark.parametrize("name", NAMES)
def test_all_that_a_document_names_exists(name: str) -> None:
    names = {span.partition("=")[0] for span in spans(name)}
    settings = {name for name in names if _SETTING.fullmatch(name)} - {"EXAMPLE_URL"}
    assert [*dead_links(ROOT / name)] == []
    assert [*missing_places(name)] == []
    assert [*missing_commands(name)] == []
    assert settings <= words_of_code()


def test_every_value_of_the_environment_is_in_the_example_and_every_example_is_read() -> None:
    example = set(re.findall(r"^(\w+)=", text_of(".env.example"), re.MULTILINE))
    files = (ROOT / "config").rglob("*.py")
    read = {name for path in files for name in _READ.findall(path.read_text())}
    assert read | {"HOST"} == example  # the process manager reads that one


def test_the_index_of_the_documents_leads_to_each_of_them() -> None:
    index = (ROOT / "docs" / "index.md").read_text()
    for path in (ROOT / "docs").glob("*.md"):
        assert path.name == "index.md" or f"({path.name})" in index, path.name


def test_each_picture_is_shown_and_each_that_is_shown_is_there() -> None:
    pages = [page.read_text() for page in (ROOT / "docs").rglob("*.md")]
    shown = {name for page in pages for name in re.findall(r"\((?:\.\./)?pictures/([^)]+)\)", page)}
    assert shown == {path.name for path in (ROOT / "docs" / "pictures").iterdir()}
