"""Who takes from which bucket, and what is answered when it is empty."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from ipaddress import ip_network
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, override_settings
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from config.limits import buckets
from config.limits.policies import LimitPolicy, read_policy
from databrowser.publication.builds import builder
from filing.access import Caller
from tests import make
from tests.databrowser.publication.public_files import sign
from tests.errors import error_of

HEALTH, EDITS, CHECK = "/v2/filing/", "/v2/public/edits/V600", "/v2/public/disclosure/validate/2024"
INSTITUTION = "/v2/filing/institutions/529900EXAMPLELEI0001/year/2024"
WRITTEN = {
    "public": "1/h:2",
    "authenticated": "1/h:3",
    "sign-in": "1/h:2",
    "public-upload": "1/h:1",
    "receipt-check": "1/h:2",
    "published": "1/h:2",
}


@pytest.fixture(autouse=True)
def limits(settings: Any, db: None) -> Iterator[None]:
    settings.LIMITS = {name: read_policy(name, written) for name, written in WRITTEN.items()}
    buckets.bucket_store.cache_clear()
    yield
    buckets.bucket_store.cache_clear()


@pytest.fixture
def client(here: str) -> Client:
    return Client(REMOTE_ADDR=here)


def statuses(client: Client, path: str, times: int, **options: Any) -> list[int]:
    return [client.get(path, **options).status_code for _ in range(times)]


def wait_of(answer: Any) -> int:
    """Return the seconds that a refusal asks for: an hour, less what the requests took."""
    assert answer.status_code == 429
    wait = int(answer["Retry-After"])
    assert 3500 < wait <= 3600
    return wait


def test_what_is_too_much_is_refused_in_the_form_of_the_area(client: Client) -> None:
    statuses(client, EDITS, 2)
    answer = client.get(EDITS, headers={"Origin": "https://pages.example"})
    wait = wait_of(answer)
    assert error_of(answer) == {
        "httpStatus": 429,
        "message": f"Too many requests. Try again in {wait} seconds.",
        "path": "/edits/V600",
    }
    assert answer["RateLimit-Policy"] == '"public";q=2;w=7200'
    assert answer["RateLimit"] == f'"public";r=0;t={wait}'
    assert answer["Cache-Control"] == "no-store"
    assert answer["Access-Control-Allow-Origin"] == "*"
    exposed = answer["Access-Control-Expose-Headers"].split(", ")
    assert {"ratelimit", "ratelimit-policy", "retry-after", "x-request-id"} <= set(exposed)


def test_health_and_preflight_are_free(client: Client) -> None:
    assert statuses(client, HEALTH, 5) == [200] * 5
    asking = {"Origin": "https://pages.example", "Access-Control-Request-Method": "GET"}
    for _ in range(5):
        answer = client.options(INSTITUTION, headers=asking)
        assert answer.status_code == 200
        assert "RateLimit" not in answer
    assert statuses(client, EDITS, 3) == [200, 200, 429]


def test_checks_of_receipts_share_a_bucket_over_api_and_page(client: Client, here: str) -> None:
    page, number = "/receipts/check/", "/v2/public/receipts/1"
    assert client.post(page, {"receipt": "1"})["RateLimit-Policy"] == '"receipt-check";q=2;w=7200'
    assert statuses(client, number, 1) == [404]
    file = {"file": SimpleUploadedFile("lar.txt", b"1|"), "kind": "filed"}
    for answer in (
        client.get(number, headers=make.bearer("ann")),  # an account makes no difference
        client.get(f"{number}/"),
        client.post("/v2/public/receipts/check", "{}", content_type="application/json"),
        client.post(page, {"receipt": "1"}),
        client.post(page, file),
    ):
        assert answer.status_code == 429
    assert client.get(page).status_code == 200  # the form alone checks nothing
    assert statuses(client, number, 1, REMOTE_ADDR=f"2001:db9{here[8:]}") == [404]


def test_a_made_up_forwarded_address_helps_nobody(client: Client) -> None:
    forged = [client.get(EDITS, headers={"X-Forwarded-For": f"192.0.2.{n}"}) for n in range(4)]
    assert [answer.status_code for answer in forged] == [200, 200, 429, 429]


def test_behind_a_proxy_each_client_counts_alone(client: Client, here: str) -> None:
    def ask(forwarded: str) -> int:
        return client.get(EDITS, headers={"X-Forwarded-For": forwarded}).status_code

    last = here.removesuffix("::1")
    with override_settings(TRUSTED_PROXIES=[ip_network(f"{here}/128")]):
        assert [ask(f"192.0.2.{n}, {last}:a::1") for n in range(3)] == [200, 200, 429]
        assert ask(f"2001:db9{last[8:]}::1") == 200


def test_a_token_counts_by_its_subject_wherever_it_is_used(client: Client, here: str) -> None:
    one, other = make.bearer(f"one {here}"), make.bearer(f"other {here}")
    assert statuses(client, INSTITUTION, 2, headers=one) == [403, 403]
    elsewhere = Client(REMOTE_ADDR="192.0.2.1").get(INSTITUTION, headers=one)
    assert elsewhere["RateLimit"].startswith('"authenticated";r=0;t=10')  # less what they took
    assert statuses(client, INSTITUTION, 1, headers=one) == [429]
    assert statuses(client, INSTITUTION, 1, headers=other) == [403]
    assert statuses(client, EDITS, 3) == [200, 200, 429]  # the address is another matter


def test_bad_tokens_take_from_the_address(client: Client, here: str) -> None:
    made_up = [client.get(EDITS, headers={"Authorization": f"Bearer {n}.b.c"}) for n in range(3)]
    assert [answer.status_code for answer in made_up] == [200, 200, 429]
    assert made_up[0]["RateLimit-Policy"].startswith('"public"')
    assert statuses(client, INSTITUTION, 1, headers=make.bearer(f"good {here}")) == [403]


@pytest.mark.parametrize(
    "path",
    [
        *("/sign-up/", "/realms/hmda2/login"),
        "/realms/hmda2/protocol/openid-connect/token",
    ],
)
def test_signing_in_has_a_strict_limit(client: Client, here: str, path: str) -> None:
    known = make.bearer(f"somebody {here}")
    answers = [client.post(path, {"username": "a"}, headers=known) for _ in range(3)]
    assert answers[-1].status_code == 429
    assert answers[0]["RateLimit-Policy"] == '"sign-in";q=2;w=7200'
    assert 429 not in [answer.status_code for answer in answers[:2]]


@pytest.mark.parametrize(
    "path",
    [
        "/v2/public/uli/checkDigit/csv",
        "/public/rateSpread/csv",
        "/tools/check-digit/generated/",
        "/v2/public/lar/convert",
    ],
)
def test_files_sent_to_tools_and_their_pages_count_as_uploads(client: Client, path: str) -> None:
    answer = client.post(path, {"file": SimpleUploadedFile("ids.txt", b"")})
    assert answer["RateLimit"] == '"public-upload";r=0;t=3600'
    answer.close()


def test_a_file_sent_by_options_counts_as_an_upload(client: Client) -> None:
    path = "/v2/public/disclosure/parse"
    assert client.options(path)["RateLimit-Policy"].startswith('"public";')
    form = encode_multipart(BOUNDARY, {"file": SimpleUploadedFile("lar.txt", b"1|x")})
    answer = client.generic("OPTIONS", path, form, content_type=MULTIPART_CONTENT)
    assert answer["RateLimit"] == '"public-upload";r=0;t=3600'
    answer.close()


def test_without_its_store_the_service_answers_and_says_so_once(
    client: Client, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.CACHE_URL = "redis://127.0.0.1:1/0"
    with caplog.at_level(logging.WARNING, logger="config.limits.middleware"):
        assert statuses(client, EDITS, 9) == [200] * 9
    warnings = [record.getMessage() for record in caplog.records if "limits" in record.name]
    assert len(warnings) == 1
    assert warnings[0].startswith("Requests are not limited: the store of the limits is down: ")


@pytest.mark.parametrize(
    ("method", "path", "kind"),
    [
        ("post", "/realms/hmda2/login", "sign-in"),
        ("get", "/v2/public/receipts/1", "receipt-check"),
        ("get", EDITS, "public"),
    ],
)
@pytest.mark.parametrize("prefix", ["/v2/filing", "/a", "/v2/filing/"])
def test_a_prefix_that_a_server_takes_off_changes_no_limit(
    client: Client, method: str, path: str, kind: str, prefix: str
) -> None:
    answer = getattr(client, method)(path, SCRIPT_NAME=prefix)
    assert answer["RateLimit-Policy"].startswith(f'"{kind}"')


@pytest.fixture
def published(settings: Any) -> int:
    """Publish a year, let callers have 1 MB, and return the bytes of its Parquet file."""
    sign("549300AAAAAAAAAAAA01", {"income": "1"})
    by = Caller(id="1", username="olga", email="olga@agency.example")
    version = builder.build_year(2023, by=by, reason="The year is complete.")
    size: int = version.manifest["files"]["typed.parquet"]["bytes"]
    settings.LIMITS |= {"published": LimitPolicy("published", 1, 3600, 1)}
    return size


FILE = "/v2/public/publications/2023/loans.parquet"


def test_a_whole_file_counts_as_all_its_bytes(client: Client, published: int) -> None:
    assert published > 64_000
    times = 1_000_000 // published
    assert statuses(client, FILE, times + 1) == [200] * times + [429]


def test_a_file_that_another_server_sends_counts_too(
    client: Client, published: int, settings: Any
) -> None:
    settings.DOWNLOADS = "x-accel-redirect"
    times = 1_000_000 // published
    assert statuses(client, FILE, times + 1) == [200] * times + [429]
