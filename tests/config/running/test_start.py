"""What a command leaves unloaded: most of its time would be spent on what others need."""

from __future__ import annotations

import json
import os
from pathlib import Path

from filing.demo import census
from filing.demo.files import LarRecipe, make_lar_file
from filing.lar.years import Period
from tests.config.processes import run_python

RUN = """
import json, runpy, sys
sys.path.insert(0, "")
sys.argv[0] = "manage.py"
try:
    runpy.run_path("manage.py", run_name="__main__")
except SystemExit as ended:
    assert not ended.code, ended.code
print(json.dumps(sorted(sys.modules)))
"""
# What reads data sets, answers requests, shows pages, reads spreadsheets and reports errors.
BUT_FOR_REQUESTS = {"boto3", "config.urls", "drf_spectacular.openapi", "duckdb", "filing.admin"}
BUT_FOR_REQUESTS |= {"filing.api.views", "openpyxl", "pyarrow", "rest_framework.views"}
BUT_FOR_REQUESTS |= {"sentry_sdk"}
# And what queues, signs in, publishes, and records what staff do.
BUT_FOR_SERVICE = {"auditlog", "botocore", "celery", "databrowser", "django.contrib.admin"}
BUT_FOR_SERVICE |= {"graphs", "httpx", "import_export", "jwcrypto", "jwt", "kombu", "rich"}
BUT_FOR_SERVICE |= {"filing.submissions", "oauth2_provider", "rest_framework", "structlog"}


def loaded_by(*words: str, data: Path) -> set[str]:
    """Return the modules that a command has loaded when it ends."""
    own = {"DATA_DIR": str(data), "DJANGO_SETTINGS_MODULE": "config.settings"}
    done = run_python("-c", RUN, *words, env=os.environ | own)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_a_command_starts_without_what_answers_requests(tmp_path):
    loaded = loaded_by("version", data=tmp_path)
    assert "filing.models" in loaded
    assert loaded & BUT_FOR_REQUESTS == set()


def test_a_check_of_a_file_loads_nothing_of_the_service_but_its_tables(tmp_path):
    recipe = LarRecipe(
        period=Period(2024), lei="529900TESTBANK000042", rows=20, tax_id="12-3456789"
    )
    path = tmp_path / "lar.txt"
    tracts = census.make_census_rows(2024)["census_tract"]
    path.write_bytes(b"".join(make_lar_file(recipe, tracts)))
    loaded = loaded_by("check_lar", str(path), "--year=2024", data=tmp_path)
    assert {"filing.edits.engine", "filing.models"} <= loaded
    assert loaded & (BUT_FOR_REQUESTS | BUT_FOR_SERVICE) == set()
