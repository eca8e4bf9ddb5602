"""The page for own SQL: which versions and states it offers, and what its worker may do."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.test import Client

from databrowser.pages.sql_examples import EXAMPLES
from databrowser.publication.builds import builder
from databrowser.publication.variables import list_variables
from databrowser.publication.versions import live_versions
from filing.access import Caller
from tests.databrowser.pages.texts import words
from tests.databrowser.publication.public_files import sign

pytestmark = pytest.mark.django_db
PAGE, WORKER = "/data/sql/", "/data/sql/worker.js"
A, B = "549300AAAAAAAAAAAA01", "549300BBBBBBBBBBBB02"
OLGA = Caller(id="1", username="olga", email="olga@agency.example")


def get(status: int = 200, **parameters: str) -> str:
    answer = Client().get(PAGE, parameters)
    assert answer.status_code == status
    return answer.content.decode()


def read_tables(page: str) -> dict[str, dict[str, Any]]:
    content = re.search('<script id="sql-tables"[^>]*>(.*?)</script>', page)
    return {table["name"]: table for table in json.loads(content[1])}


def options(page: str, name: str) -> list[str]:
    select = page.split(f'name="{name}"')[1].split("</select>")[0]
    return [words(option) for option in re.findall("<option[^>]*>(.*?)</option>", select)]


def build(**values: str) -> Any:
    sign(A, {"state_code": "MD"} | values, {"state_code": "VA"} | values)
    return builder.build_year(2023, by=OLGA, reason="The year is complete.")


def test_the_tables_are_files_of_the_version_and_state() -> None:
    version = build()
    page = get(state="va")
    assert options(page, "state") == ["MD", "VA"]
    loans, institutions = read_tables(page).values()
    assert loans["url"] == f"{version.permanent_address}/states/VA.parquet"
    assert institutions["url"] == f"{version.permanent_address}/institutions.parquet"
    for table in (loans, institutions):
        content = b"".join(Client().get(table["url"]).streaming_content)
        assert len(content) == table["bytes"]
    assert page.count("data-sql=") == len(EXAMPLES) == 10
    assert page.count("<summary><code>") == len(list_variables(2023))
    assert read_tables(get())["loans"]["url"].endswith("/states/MD.parquet")


def test_a_version_that_was_replaced_is_still_queried() -> None:
    first = build()
    build(income="7")
    assert options(get(), "version") == ["2023 (version 2023-2)"]
    page = get(version=first.name)
    assert options(page, "version") == ["2023 (version 2023-2)", "2023 (version 2023-1)"]
    assert read_tables(page)["loans"]["url"].startswith(first.permanent_address)


def test_what_is_not_public_is_refused_with_what_is() -> None:
    version = build()
    for status, parameters in (
        (404, {"state": "XX"}),
        (404, {"version": "2023-9"}),
        (404, {"version": "soon"}),
        (404, {"state": "<b>"}),
    ):
        page = get(status, **parameters)
        assert 'role="alert"' in page
        assert "<b>" not in page
        assert read_tables(page)["loans"]["url"].startswith(version.permanent_address)
    live_versions.withdraw_version(version, by=OLGA, reason="By order.")
    assert "By order." in get(410, version=version.name)


def test_unknown_parameters_are_named() -> None:
    assert "stat is not a filter here. Did you mean state?" in words(get(stat="CA"))


def test_the_worker_may_fetch_from_this_site_or_its_bucket_only(settings: Any) -> None:
    assert "connect-src 'self';" in Client().get(WORKER)["Content-Security-Policy"] + ";"
    settings.DOWNLOADS = "presigned"
    assert "connect-src 'self';" in Client().get(WORKER)["Content-Security-Policy"] + ";"
    settings.STORAGES = settings.STORAGES | {
        "default": {
            "BACKEND": "storages.backends.s3.S3Storage",
            "OPTIONS": {
                "bucket_name": "hmda",
                "endpoint_url": "https://files.example",
                "access_key": "a",
                "secret_key": "b",
            },
        }
    }
    policy = Client().get(WORKER)["Content-Security-Policy"] + ";"
    assert "connect-src 'self' https://files.example;" in policy
