"""No page, email, command, message or document has a phrase that people do not use."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.running.supervisor import ROOT

NEVER = (
    "book of edits",
    "let go live",
    "take back a choice",
    "it is the turn of",
    "until it rests",
    "is owed",
    "what needs somebody",
    "come again every",
    "mended",
    "not to be had",
    "at hand:",
    "whom to ask",
    "takes over by itself",
    "goes on by itself",
    "begins by itself",
    "tried again by itself",
    "nobody has let",
    "edits found something",
    "unwanted mails",
    "look into your mail",
    "mail domain",
    "made anew",
    "is silent since",
    "why it does not go on",
    "are told in",
    "comes about",
    "take a choice back",
    "no public row is like this",
    "rows stand below",
    "was not taken",
    "goes on from there",
    "have said no to",
    "no longer good",
    "whom it is for",
    "workers told again",
    "nothing was heard of it",
    "somebody else has",
    "one sentence for the trail",
    "mails written",
    "either both or neither",
    "right would be",
    "stands in an earlier line",
    "may not see this page",
    "there is one already",
)
_NEVER = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, NEVER))})", re.IGNORECASE)
_PACKAGES = ("bench", "config", "databrowser", "filing", "graphs", "publicapi", "ratespread")
_DOCUMENTS = (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))
_WITH_DOCSTRING = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def code() -> list[Path]:
    folders = (*_PACKAGES, "uliapi")
    found = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    return [path for path in found if "migrations" not in path.parts]


def texts_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the texts of a module, each with its line, without its docstrings."""
    tree = ast.parse(path.read_text())
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, _WITH_DOCSTRING) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or id(node) in docstrings:
            continue
        if isinstance(node.value, str):
            yield node.lineno, node.value


def found_in(path: Path, texts: Iterator[tuple[int, str]]) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}:{line}: {match.group()}"
        for line, text in texts
        for match in _NEVER.finditer(" ".join(text.split()))
    ]


def test_no_message_of_the_code_has_one():
    assert not [each for path in code() for each in found_in(path, texts_of(path))]


@pytest.mark.parametrize("folder", ["templates", *_PACKAGES])
def test_no_page_and_no_email_has_one(folder):
    pages = [each for kind in ("html", "txt", "js") for each in (ROOT / folder).rglob(f"*.{kind}")]
    own = [page for page in pages if "vendor" not in page.parts]
    assert not [each for page in own for each in found_in(page, enumerate([page.read_text()]))]


def test_no_document_has_one():
    assert not [
        each for path in _DOCUMENTS for each in found_in(path, enumerate([path.read_text()]))
    ]


def test_a_text_with_one_is_seen(tmp_path):
    module = ROOT / "filing" / "statuses.py"
    assert found_in(module, enumerate(["It is the\n turn of the filer."])) == [
        "filing/statuses.py:0: It is the turn of"
    ]
