"""What depends on who asks and when: closed periods, the administrator's role, receipts."""

from __future__ import annotations

import httpx

from tests.flow.conftest import Service
from tests.flow.filer import Filer, lar

PERIOD_CLOSED = "The provided year or quarter is no longer available for filing"


def test_after_the_period_has_closed_nothing_is_filed_but_everything_can_be_read(service):
    period = "2023-Q2"
    service.manage_all(["load_census", "2023", "--demo"], ["open_season", "2023", *service.always])
    with Filer.of(service, period) as filer:
        assert filer.file(lar(filer, rows=60, fail=("Q611",)))["status"]["code"] == 11
        filer.begin()
        try:
            service.manage("open_season", "2023", "--force", "--opens", "2020-01-01",
                           "--timely-until", "2021-01-01", "--closes", "2022-01-01")  # fmt: skip
            for path, options in (
                ("", {}),
                ("/submissions", {}),
                ("/submissions/2", {"files": {"file": ("lar.txt", lar(filer, rows=40))}}),
                ("/submissions/1/sign", {"json": {"signed": True}}),
            ):
                if path.endswith("/sign"):
                    assert filer.verify("quality").json()["status"]["code"] == 14
                answer = filer.call("POST", path, **options)
                detail = f"The filing period {period} closed on January 1, 2022."
                body = answer.json()
                assert (answer.status_code, body["message"]) == (400, PERIOD_CLOSED)
                assert body["detail"] == detail
            assert filer.state(2)["status"]["code"] == 1
            assert filer.state(1)["status"]["code"] == 14
            for path in ("", "/submissions", "/submissions/latest", "/submissions/1/edits",
                         "/submissions/1/edits/Q611", "/submissions/1/parseErrors",
                         "/submissions/1/sign", "/submissions/1/summary"):  # fmt: skip
                assert filer.call("GET", path).status_code == 200
        finally:
            service.manage("open_season", "2023", "--force", *service.always)
        assert filer.sign().status_code == 200


def test_the_administrators_role_reads_the_latest_and_the_summary_and_nothing_else(
    service: Service,
):
    token = service.manage("token", "--role", "hmda-admin").strip()
    with Filer.of(service, "2024") as filer:
        filer.file(lar(filer, rows=40))
        with service.client(token) as client:
            allowed = {
                path: client.get(filer.path(path)).status_code
                for path in (
                    "/submissions/latest", "/submissions/1/summary", "", "/submissions",
                    "/submissions/1", "/submissions/1/edits", "/submissions/1/parseErrors",
                    "/submissions/1/sign",
                )
            }  # fmt: skip
            assert client.post(filer.path("/submissions")).status_code == 403
    assert allowed.pop("/submissions/latest") == 200
    assert allowed.pop("/submissions/1/summary") == 200
    assert set(allowed.values()) == {403}


def test_before_the_signature_the_receipt_is_empty_and_afterwards_it_is_the_signers(service):
    with Filer.of(service, "2024") as filer:
        assert filer.file(lar(filer, rows=40))["status"]["code"] == 14
        before = filer.call("GET", "/submissions/1/sign").json()
        assert (before["timestamp"], before["receipt"]) == (0, "")
        assert (before["email"], before["status"]["code"]) == ("ann@bank.example", 14)
        assert (
            filer.call("GET", "/submissions/1/summary").json()["submission"]["signerUsername"] == ""
        )
        filer.sign()
        other = service.manage("token", "--lei", filer.lei, "--email", "bob@bank.example").strip()
        with service.client(other) as client:
            after = client.get(filer.path("/submissions/1/sign")).json()
        assert after["email"] == "ann@bank.example"
        assert after["receipt"].startswith(f"{filer.lei}-2024-1-")


def test_answers_are_compressed_where_the_caller_takes_that_and_still_know_their_tag(service):
    with Filer.of(service, "2024") as filer:
        filer.begin()
        headers = {"Accept-Encoding": "gzip"}
        first = filer.call("GET", "/submissions/latest", headers=headers)
        assert first.headers["Content-Encoding"] == "gzip"
        headers["If-None-Match"] = first.headers["ETag"]
        assert filer.call("GET", "/submissions/latest", headers=headers).status_code == 304


def test_the_embedded_provider_tells_its_keys_and_makes_no_secret_of_them(service: Service) -> None:
    config = httpx.get(f"{service.url}/realms/hmda2/.well-known/openid-configuration").json()
    assert config["issuer"] == f"{service.url}/realms/hmda2"
    keys = httpx.get(config["jwks_uri"]).json()["keys"]
    assert keys
    assert all("d" not in key for key in keys)
