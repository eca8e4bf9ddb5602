"""Versions are published, rolled back to and withdrawn; readers get one of them whole."""

from __future__ import annotations

import threading

import duckdb
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from databrowser.models import LiveVersion, Publication
from databrowser.publication.serving import data_sets
from databrowser.publication.versions import live_versions
from filing.errors import BadInput, NotFound, NotReady
from tests.databrowser.builds import OLGA, WHY, built, live, rows
from tests.databrowser.publication.public_files import sign

pytestmark = pytest.mark.django_db

A = "549300AAAAAAAAAAAA01"


def test_versions_go_live_back_and_away() -> None:
    sign(A, {"income": "1"})
    first = built()
    sign(A, {"income": "2"})
    second = built(goes_live=False)
    assert live().name == "2023-1"
    assert live_versions.go_live(second, by=OLGA, reason=WHY) == (
        "2023 moves on from version 2023-1 (1 record) to 2023-2 (1 record)."
    )
    with pytest.raises(NotReady, match="2023-2 is already published"):
        live_versions.go_live(second, by=OLGA, reason=WHY)
    with pytest.raises(BadInput, match="Say why"):
        live_versions.go_live(first, by=OLGA, reason="")
    with pytest.raises(NotFound, match="no version 2023-7"):
        live_versions.roll_back_target(2023, 7)
    call_command("rollback", "2023", "--reason", "Wrong rows.")
    assert live().name == "2023-1"
    with pytest.raises(CommandError, match="No version before 2023-1"):
        call_command("rollback", "2023", "--reason", "Wrong rows.")
    call_command("rollback", "2023", "--to", "2", "--reason", "They were right.")
    call_command("withdraw", "2023", "--reason", "By order.")
    assert data_sets.live() == ()
    for command in ("withdraw", "rollback"):
        with pytest.raises(CommandError, match="No version of 2023 is published"):
            call_command(command, "2023", "--reason", "Again.")
    live_versions.go_live(first, by=OLGA, reason="Back again.")
    assert [each.what for each in Publication.objects.order_by("pk")] == [
        *("published", "published", "rolled back", "published", "withdrawn", "published"),
    ]
    with CaptureQueriesContext(
        connection,
    ) as asked:
        assert live().name == "2023-1"
    assert len(asked) == 1


@pytest.mark.django_db(transaction=True)
def test_readers_never_see_a_mix_of_two_versions() -> None:
    """Each version has as many rows as its number, in Parquet and in the serving file."""
    made = []
    for number in range(1, 4):
        sign(A, *[{"income": str(number)}] * number)
        made.append(built(goes_live=number == 1))
    ended, wrong, seen = threading.Event(), [], set()

    def read() -> None:
        try:
            while not ended.is_set():
                of = live()
                incomes = rows(of, "income")
                with duckdb.connect(str(of.serving), read_only=True) as serving:
                    served = serving.execute("SELECT count(*) FROM loans").fetchone()
                expected = [(str(of.version),)] * of.version
                if incomes != expected or served != (of.version,) or of.rows != of.version:
                    wrong.append((of, incomes, served))
                seen.add(of.version)
        except Exception as error:
            wrong.append(error)
        finally:
            connection.close()

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for version in [*made[1:], *made[::-1], *made] * 3:
        if not LiveVersion.objects.filter(version=version).exists():
            live_versions.go_live(version, by=OLGA, reason=WHY)
    ended.set()
    for reader in readers:
        reader.join()
    assert wrong == []
    assert len(seen) > 1
