"""What the README says to type is pasted here as it stands, each block whole and twice.

It is done where a newcomer does it: in a copy of the tree with a virtual environment and nothing
else, in a shell that knows neither the port of the service nor its data folder.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from config.running.supervisor import ROOT, free_port

pytestmark = pytest.mark.slow

CODE = ("config", "databrowser", "deploy", "filing", "graphs", "publicapi", "ratespread")
CODE += ("templates", "uliapi", "manage.py", "pyproject.toml", "README.md")
BETWEEN = "===== pasted again ====="
_SHELL = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
# The blocks under each heading; those that only call `make` run in a terminal of their own.
SECTIONS = {
    section.partition("\n")[0]: [
        block
        for block in _SHELL.findall(section)
        if not all(line.startswith("make ") for line in block.splitlines())
    ]
    for section in (ROOT / "README.md").read_text().split("\n## ")
}
BLOCKS = {heading: "".join(blocks) for heading, blocks in SECTIONS.items() if blocks}


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A copy of the tree, where `make run PORT=...` runs as it does in a terminal of its own."""
    clone = tmp_path_factory.mktemp("clone")
    for name in CODE:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
        copy(ROOT / name, clone / name)
    (clone / ".venv").symlink_to(sys.prefix)
    service = subprocess.Popen(
        [".venv/bin/python", "manage.py", "serve"],
        cwd=clone,
        env=environment() | {"PORT": str(free_port())},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert service.stdout is not None
    for line in service.stdout:
        if "Ctrl-C ends it" in line:
            break
    yield clone
    service.terminate()
    service.wait(timeout=60)
    service.stdout.close()


def environment() -> dict[str, str]:
    """Return what is set in the terminal of a newcomer."""
    return {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}


def pasted_twice(clone: Path, heading: str) -> tuple[str, str]:
    """Return what a shell prints when a block is pasted, and when it is pasted once more."""
    block = BLOCKS[heading]
    done = subprocess.run(
        ["bash"],
        input=f"{block}echo '{BETWEEN}'\n{block}",
        cwd=clone,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.stderr == ""
    first, _, second = done.stdout.partition(f"{BETWEEN}\n")
    return first, second


def answers(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def test_every_block_for_a_shell_is_pasted_here():
    assert [len(SECTIONS[heading]) for heading in BLOCKS] == [1, 1, 1]
    assert list(BLOCKS) == [
        "File in seven calls", "Check before filing", "See what is published",
    ]  # fmt: skip


def test_seven_calls_file_up_to_the_receipt_and_again_a_submission_of_its_own(clone):
    for sequence_number, text in enumerate(pasted_twice(clone, "File in seven calls"), start=1):
        _, uploaded, *_, checked, quality, macro, signed = answers(text)
        assert uploaded["id"]["sequenceNumber"] == sequence_number
        assert checked["id"]["sequenceNumber"] == sequence_number
        assert [checked["status"]["code"], quality["verified"], macro["verified"]] == [
            13, True, True,
        ]  # fmt: skip
        assert (macro["status"]["code"], signed["status"]["code"]) == (14, 15)
        assert re.fullmatch(rf"\w{{20}}-\d{{4}}-{sequence_number}-\d+", signed["receipt"])


def test_a_file_is_checked_in_each_of_the_ways(clone):
    for text in pasted_twice(clone, "Check before filing"):
        assert "V613-3  " in text  # what check_lar says
        of_file, of_line, edit = answers(text)
        assert "V613-3" in {error["editName"] for error in of_file["validationErrors"][0]}
        assert "V613-3" in {error["edit"] for error in of_line["validity"]["errors"]}
        assert edit["edits"][0]["edit"] == "V613-3"


def test_what_is_published_is_counted_saved_and_drawn(clone):
    for text in pasted_twice(clone, "See what is published"):
        counts, graph = answers(text)
        assert sum(group["count"] for group in counts["aggregations"]) > 0
        assert graph["series"][0]["coordinates"]
    header, *rows = (clone / "loans.csv").read_text().splitlines()
    assert header.startswith("activity_year,")
    assert rows
