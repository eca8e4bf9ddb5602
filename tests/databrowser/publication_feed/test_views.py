"""The feed of publications and the files of a year, over HTTP."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
from typing import Any

import polars as pl
import pyarrow.parquet as pq
import pytest
from django.test import Client

from databrowser.models import Version
from databrowser.publication.builds import builder
from databrowser.publication.versions import live_versions
from filing.access import Caller
from tests.databrowser.made_once import make_once
from tests.databrowser.publication.public_files import sign

pytestmark = pytest.mark.django_db
A, B = "549300AAAAAAAAAAAA01", "549300BBBBBBBBBBBB02"
OLGA = Caller(id="1", username="olga", email="olga@agency.example")
FEED = "/v2/public/publications"


@pytest.fixture
def version() -> Version:
    make_once(build)
    return Version.objects.get()


def build() -> None:
    sign(A, {"income": "1"}, {"income": "2"})
    sign(B, {"income": "3"})
    builder.build_year(2023, by=OLGA, reason="The year is complete.")


def body(answer: Any) -> bytes:
    return b"".join(answer.streaming_content)


def test_the_feed_tells_what_became_of_each_year_and_not_who_did_it(
    client: Client, version: Version
) -> None:
    empty = client.get(f"{FEED}?page=2").json()
    assert (empty["publications"], empty["count"], empty["total"]) == ([], 0, 1)
    first = client.get(FEED)
    (entry,) = first.json()["publications"]
    assert entry.pop("at").endswith("Z")
    assert entry == {
        "year": 2023,
        "dataset": "dynamic",
        "version": "2023-1",
        "what": "published",
        "reason": "The year is complete.",
        "rows": 3,
        "institutions": 2,
        "sha256": version.sha256,
        "permanent": f"/v2/public/versions/2023-1-{version.sha256[:12]}",
    }
    assert b"olga" not in first.content
    again = client.get(FEED, headers={"if-none-match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    live_versions.withdraw_version(version, by=OLGA, reason="By order.")
    changed = client.get(FEED, headers={"if-none-match": first["ETag"]}).json()
    assert [each["what"] for each in changed["publications"]] == ["withdrawn", "published"]
    assert changed["_links"]["last"] == "?page=1"
    bad = client.get(f"{FEED}?page=x")
    assert (bad.status_code, bad.json()["message"]) == (400, "The page 'x' is not a whole number.")


def test_the_files_of_a_year_are_listed_and_downloaded_whole_and_in_parts(
    client: Client, version: Version
) -> None:
    listed = client.get(f"{FEED}/2023")
    year = listed.json()
    assert (year["version"], year["rows"], year["sha256"]) == ("2023-1", 3, version.sha256)
    assert client.get(f"{FEED}/2023", headers={"if-none-match": listed["ETag"]}).status_code == 304
    got = {each["name"]: client.get(each["href"]) for each in year["files"]}
    contents = {name: body(answer) for name, answer in got.items()}
    for each in year["files"]:
        name, answer = each["name"], got[each["name"]]
        assert len(contents[name]) == each["bytes"] == int(answer["Content-Length"]), name
        assert answer["ETag"] == f'"{each["sha256"]}"'
        digest = base64.b64encode(bytes.fromhex(each["sha256"])).decode()
        assert answer["Repr-Digest"] == f"sha-256=:{digest}:"
        kind = name.partition(".")[2]
        assert answer["Content-Disposition"] == (f'attachment; filename="public-lar-2023-1.{kind}"')
    rows = pl.read_parquet(io.BytesIO(contents["loans.parquet"]))
    text = gzip.decompress(contents["loans.csv.gz"])
    assert rows["income"].to_list() == [1, 2, 3]
    assert text == gzip.decompress(contents["loans.txt.gz"]).replace(b"|", b",")
    assert text.count(b"\n") == 4
    whole, href = contents["loans.csv.gz"], f"{FEED}/2023/loans.csv.gz"
    etag = got["loans.csv.gz"]["ETag"]
    for asked, start, stop in (
        ("bytes=0-9", 0, 10),
        ("bytes=10-", 10, len(whole)),
        ("bytes=-5", len(whole) - 5, len(whole)),
        (f"bytes=3-{len(whole) * 2}", 3, len(whole)),
    ):
        part = client.get(
            href, headers={"range": asked, "if-range": etag, "accept-encoding": "gzip"}
        )
        assert part.status_code == 206, asked
        assert body(part) == whole[start:stop]
        assert part["Content-Range"] == f"bytes {start}-{stop - 1}/{len(whole)}"
    for headers in ({"range": "bytes=0-9", "if-range": '"other"'}, {"range": "rows=1-2"}):
        answer = client.get(href, headers=headers)
        assert (answer.status_code, body(answer)) == (200, whole)
    outside = client.get(href, headers={"range": f"bytes={len(whole)}-"})
    assert (outside.status_code, outside["Content-Range"]) == (416, f"bytes */{len(whole)}")
    assert client.get(href, headers={"if-none-match": etag}).status_code == 304
    head = client.head(href)
    assert (head.status_code, head["Content-Length"]) == (200, str(len(whole)))


def test_what_is_not_public_is_not_found(client: Client, version: Version) -> None:
    for path, message in {
        "/2022": "No data set of 2022 is published.",
        "/x": "No data set of x is published.",
        "/2022/loans.parquet": "No data set of 2022 is published.",
        "/2023/serving.duckdb": "There is no file serving.duckdb",
        "/2023/..%2fmanifest.json": "There is no file",
    }.items():
        answer = client.get(FEED + path)
        assert answer.status_code == 404, path
        if message != "There is no file":
            assert answer.json()["message"].startswith(message)
    live_versions.withdraw_version(version, by=OLGA, reason="By order.")
    assert client.get(f"{FEED}/2023").status_code == 404
    assert client.get(f"{FEED}/2023/loans.parquet").status_code == 404


def test_an_address_of_an_older_version_answers_with_that_version_or_404(
    client: Client, version: Version
) -> None:
    sign(A, {"income": "7"})
    second = builder.build_year(2023, by=OLGA, reason="Later.")
    for name, rows in (("2023-1", 3), ("2023-2", 2), ("", 2)):
        body_of = client.get(f"{FEED}/2023?version={name}").json()
        assert (body_of["version"], body_of["rows"]) == (name or "2023-2", rows)
        for file in body_of["files"]:
            answer = client.get(file["href"])
            digest = hashlib.sha256(body(answer)).hexdigest()
            assert digest == file["sha256"], (name, file["name"])
    for name in ("2023-3", "2022-1", "x", "2023-0"):
        assert client.get(f"{FEED}/2023?version={name}").status_code == 404
    live_versions.publish_version(version, by=OLGA, reason="The later one is wrong.")
    assert client.get(f"{FEED}/2023?version=2023-1").json()["version"] == "2023-1"
    for path in (f"{FEED}/2023", f"{FEED}/2023/loans.parquet"):
        assert client.get(f"{path}?version=2023-2").status_code == 200
    live_versions.publish_version(second, by=OLGA, reason="It was right.")
    sign(A, {"income": "8"})
    builder.build_year(2023, by=OLGA, reason="Not yet.", goes_live=False)
    assert client.get(f"{FEED}/2023?version=2023-3").status_code == 404
    Version.objects.filter(pk=version.pk).update(state=Version.State.REMOVED)
    assert client.get(f"{FEED}/2023?version=2023-1").status_code == 410


def test_the_records_of_a_state_are_a_file_of_their_own(client: Client) -> None:
    sign(A, {"income": "1"}, {"income": "2", "state_code": "VA"})
    sign(B, {"income": "3"})
    version = builder.build_year(2023, by=OLGA, reason="The year is complete.")
    for address in (f"{FEED}/2023", "/v2/public/datasets/2023/dynamic"):
        states = client.get(address).json()["states"]
        assert [each["state"] for each in states] == ["MD", "VA"]
        assert states[0]["href"] == f"{address}/states/MD.parquet"
        for each, incomes in zip(states, ([1, 3], [2]), strict=True):
            whole = client.get(each["href"])
            content = body(whole)
            assert whole["ETag"] == f'"{each["sha256"]}"'
            assert whole["Content-Type"] == "application/vnd.apache.parquet"
            assert len(content) == each["bytes"]
            assert pl.read_parquet(io.BytesIO(content))["income"].to_list() == incomes
            part = client.get(each["href"], headers={"range": "bytes=-4"})
            assert (part.status_code, body(part)) == (206, b"PAR1")
        answer = client.get(f"{address}/states/XX.parquet")
        assert answer.status_code == 404
        assert "Version 2023-1 has no records of XX; it has MD, VA." in answer.content.decode()
    named = client.get(f"{FEED}/2023?version={version.name}").json()["states"]
    assert named[0]["href"] == f"{FEED}/2023/states/MD.parquet?version=2023-1"
    assert client.get(named[0]["href"]).status_code == 200


def test_a_version_of_an_earlier_release_has_parquet_with_texts_and_no_states(
    client: Client, version: Version
) -> None:
    manifest = version.manifest
    del manifest["typed"]
    Version.objects.filter(pk=version.pk).update(manifest=manifest)
    rows = pl.read_parquet(io.BytesIO(body(client.get(f"{FEED}/2023/loans.parquet"))))
    assert rows["income"].to_list() == ["1", "2", "3"]
    assert client.get(f"{FEED}/2023").json()["states"] == []
    answer = client.get(f"{FEED}/2023/states/MD.parquet")
    assert (answer.status_code, answer.json()["message"]) == (
        404,
        "Version 2023-1 has no files of states; loans.parquet has all records.",
    )


def test_the_variables_of_a_year_are_those_of_its_parquet_file(
    client: Client, version: Version
) -> None:
    answer = client.get("/v2/public/variables/2023")
    described = answer.json()
    assert (described["year"], described["schemaVersion"]) == (2023, 1)
    by_name = {each["name"]: each for each in described["variables"]}
    schema = pq.read_schema(io.BytesIO(body(client.get(f"{FEED}/2023/loans.parquet"))))
    names = [name for each in described["variables"] for name in (each["name"], each["noteColumn"])]
    assert schema.names == [name for name in names if name]
    assert by_name["lien_status"]["codes"] == {
        "1": "Secured by a first lien",
        "2": "Secured by a subordinate lien",
    }
    assert by_name["interest_rate"]["notes"] == ["NA", "Exempt"]
    assert by_name["applicant_race_1"]["csvName"] == "applicant_race-1"
    assert [by_name[name]["type"] for name in ("action_taken", "aus_1", "income", "lei")] == [
        *("int8", "int16", "int64", "string"),
    ]  # fmt: skip
    etag = answer["ETag"]
    again = client.get("/v2/public/variables/2023", headers={"if-none-match": etag})
    assert again.status_code == 304
    missing = client.get("/v2/public/variables/2017")
    assert (missing.status_code, missing.json()["message"]) == (
        404,
        "No data set of 2017 is published.",
    )


def test_the_catalogue_has_what_dcat_us_requires_and_addresses_that_keep_their_content(
    client: Client, version: Version, settings: Any
) -> None:
    settings.PUBLIC_URL, settings.CONTACT_EMAIL = "https://hmda.example", "help@hmda.example"
    sign(A, {"income": "9"})
    answer = client.get("/v2/public/data.json")
    catalogue = answer.json()
    assert catalogue["conformsTo"] == "https://project-open-data.cio.gov/v1.1/schema"
    (listed,) = catalogue["dataset"]
    required = {
        *("title", "description", "keyword", "modified", "publisher", "contactPoint"),
        *("identifier", "accessLevel", "bureauCode", "programCode"),
    }
    assert all(listed[name] for name in required)
    assert listed["contactPoint"]["hasEmail"] == "mailto:help@hmda.example"
    assert listed["temporal"] == "2023-01-01/2023-12-31"
    before = {each["title"]: each for each in listed["distribution"]}
    assert {"loans.parquet", "loans.csv.gz", "manifest.json"} < {*before}
    builder.build_year(2023, by=OLGA, reason="A correction.")
    for each in before.values():
        assert each["downloadURL"].startswith("https://hmda.example/v2/public/")
        content = body(client.get(each["downloadURL"].removeprefix("https://hmda.example")))
        assert hashlib.sha256(content).hexdigest() == each["sha256"]
        assert (len(content), each["version"]) == (each["bytes"], "2023-1")
    changed = client.get("/v2/public/data.json", headers={"if-none-match": answer["ETag"]})
    assert changed.json()["dataset"][0]["distribution"][0]["version"] == "2023-2"
