"""The text files of older versions are not stored, and answered as they were published."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from django.core.cache import cache
from django.test import Client

from config.backups import contents
from databrowser.models import Version
from databrowser.publication.builds import text_files, version_files
from databrowser.publication.columns import SCHEMA
from databrowser.publication.serving import shared_engine
from databrowser.publication.versions import live_versions
from filing import storage
from filing.requests import RequestSlots
from tests.databrowser.builds import OLGA, WHY, built
from tests.databrowser.publication.public_files import sign
from tests.filing.discarded import remove_a_day_later

A = "549300AAAAAAAAAAAA01"
TEXTS = ("loans.csv.gz", "loans.txt.gz")
# Of 200,000 records in two groups. An upgrade that changes them makes the text files of published
# versions unlike those whose hashes are public: keep the former library for them.
PINNED = {
    "loans.csv.gz": "8776df8b0d2dcd68e26a7f0fb84f966f45822172ac0cb10074015856a8cc307c",
    "loans.txt.gz": "c507cddd6eec6aaee57299b9ae556ab0df7a4b9ec3239c1424b02ecae0facd48",
}


def test_the_bytes_of_text_files_are_the_same_with_every_library(tmp_path: Path) -> None:
    number = pl.int_range(200_000, eager=True)
    columns = {
        name: (number * (7 * at + 3) % (at * at + 11)).cast(kind)
        for at, (name, kind) in enumerate(SCHEMA.items())
    }
    pl.DataFrame(columns).write_parquet(tmp_path / "loans.parquet")
    version_files.write_download_files(tmp_path / "loans.parquet", tmp_path)
    hashes = {name: hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() for name in TEXTS}
    assert hashes == PINNED
    for form in version_files.TEXTS[:1]:
        pieces = version_files.make_download_pieces(tmp_path / "loans.parquet", [form])
        alone = b"".join(piece for (piece,), _ in pieces)
        assert hashlib.sha256(alone).hexdigest() == PINNED[form.file]


@pytest.fixture
def versions(db: None, monkeypatch: pytest.MonkeyPatch) -> list[Version]:
    """Three versions, published one after the other, the last one a day ago."""
    cache.clear()
    monkeypatch.setattr(text_files, "KEPT_FOR", timedelta(0))
    made = []
    for number in range(1, 4):
        sign(A, *[{"income": str(number)}] * number)
        made.append(built())
    return made


def get(address: str, **headers: str) -> Any:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Client().get(address, headers=named)


def body(answer: Any) -> bytes:
    return b"".join(answer.streaming_content)


def discard(versions: list[Version]) -> None:
    assert text_files.discard_older_texts() == len(versions)
    remove_a_day_later()
    for version in versions:
        version.refresh_from_db()
        names = {path.name for path in storage.open_local_copy(version.folder).iterdir()}
        assert {"loans.parquet", "serving.duckdb", "manifest.json", "sheets.csv"} <= names
        assert not names & set(TEXTS)


def test_a_text_file_is_made_again_as_it_was_published(versions: list[Version]) -> None:
    first = versions[0].permanent_address
    before = {name: get(f"{first}/{name}") for name in TEXTS}
    whole = {name: body(answer) for name, answer in before.items()}
    discard(versions[:2])
    for name in TEXTS:
        after = get(f"{first}/{name}")
        assert body(after) == whole[name]
        names = ("ETag", "Content-Length", "Repr-Digest", "Cache-Control", "Content-Disposition")
        for header in names:
            assert after[header] == before[name][header]
        for start, stop in ((0, 5), (7, 90), (3, len(whole[name])), (len(whole[name]) - 2, None)):
            part = get(f"{first}/{name}", range=f"bytes={start}-{'' if stop is None else stop - 1}")
            assert (part.status_code, body(part)) == (206, whole[name][start:stop])
        assert get(f"{first}/{name}", if_none_match=after["ETag"]).status_code == 304
        head = Client().head(f"{first}/{name}")
        assert head["Content-Length"] == str(len(whole[name]))
    live_versions.publish_version(versions[0], by=OLGA, reason=WHY)
    assert body(get("/v2/public/publications/2023/loans.csv.gz")) == whole["loans.csv.gz"]
    named = {source.path: source for source in contents.named_files("default")}
    for version in versions:
        hashes = named[version.folder].hashes
        assert {Path(path).name for path in hashes} >= {"loans.parquet", "manifest.json"}
        assert all(storage.open_local_copy(path).exists() for path in hashes)


def test_a_text_file_that_differs_when_made_again_is_neither_discarded_nor_answered_whole(
    versions: list[Version],
) -> None:
    wrong = versions[0]
    wrong.manifest["files"]["loans.csv.gz"]["sha256"] = "0" * 64
    wrong.save()
    assert text_files.discard_older_texts() == 1  # that of the second version
    assert text_files.discard_older_texts() == 0  # and does not test it every hour
    wrong.refresh_from_db()
    assert wrong.has_text_files
    assert body(get(f"{wrong.permanent_address}/loans.csv.gz"))
    Version.objects.filter(pk=wrong.pk).update(has_text_files=False)
    answer = get(f"{wrong.permanent_address}/loans.csv.gz")
    pieces: list[bytes] = []
    with pytest.raises(text_files.NotAsPublished):
        pieces.extend(answer.streaming_content)
    assert sum(map(len, pieces)) < int(answer["Content-Length"])


def test_text_files_are_made_for_a_few_callers_at_a_time(
    versions: list[Version], monkeypatch: pytest.MonkeyPatch
) -> None:
    discard(versions[:2])
    address = f"{versions[0].permanent_address}/loans.csv.gz"
    slots = shared_engine().download_slots
    monkeypatch.setitem(RequestSlots.take.__wrapped__.__kwdefaults__, "wait_seconds", 0)
    answers = [get(address) for _ in range(slots.number)]
    busy = get(address)
    assert (busy.status_code, busy["Retry-After"]) == (503, "5")
    assert set(busy.json()) == {"httpStatus", "message", "path", "requestId"}
    assert Client().head(address).status_code == 200
    assert len({body(answer) for answer in answers}) == 1
    assert body(get(address)) == body(get(address))
