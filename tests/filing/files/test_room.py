"""What the room of files needs: nothing that knows of submissions, jobs, emails or people."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
APPS = ("config", "filing", "publicapi", "databrowser", "uliapi", "ratespread", "graphs")
# What a module of another app loads of this service, before Django knows any of its tables.
LOADED = f"""
import importlib, json, sys
importlib.import_module(sys.argv[1])
loaded = [name for name in sys.modules if name.split(".")[0] in {APPS}]
print(json.dumps([sorted(loaded), "django" in sys.modules]))
"""
BELOW = ("filing.files", "filing.lar", "filing.errors", "filing.storable_text")


def loaded_by(module: str) -> tuple[list[str], bool]:
    run = [sys.executable, "-c", LOADED, module]
    done = subprocess.run(run, cwd=ROOT, check=True, capture_output=True, text=True)
    names, knows_django = json.loads(done.stdout)
    return names, knows_django


@pytest.mark.parametrize(
    "module",
    [
        f"filing.files.{path.stem}"
        for path in sorted((ROOT / "filing/files").glob("*.py"))
        if path.stem != "__init__"
    ],
)
def test_the_room_loads_nothing_but_what_lies_below(module):
    names, _ = loaded_by(module)
    assert [name for name in names if name != "filing" and not name.startswith(BELOW)] == []


def test_the_batch_of_check_digits_loads_neither_tables_nor_emails_nor_jobs():
    names, knows_django = loaded_by("uliapi.batch")
    assert names == [
        "filing",
        "filing.errors",
        "filing.files",
        "filing.files.line_files",
        "filing.lar",
        "filing.lar.blocks",
        "filing.lar.cutting",
        "filing.lar.fields",
        "filing.lar.formulas",
        "filing.lar.prefetch",
        "filing.lar.quoted_cells",
        "filing.lar.raw_lines",
        "uliapi",
        "uliapi.batch",
        "uliapi.checkdigit",
    ]
    assert not knows_django
