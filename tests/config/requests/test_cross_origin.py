"""Pages of other sites may call what carries a token or is public, and read every answer."""

from __future__ import annotations

import pytest
from django.test import Client

from config.identity import tokens

ORIGIN = {"Origin": "https://pages.example"}
INSTITUTION = "/v2/filing/institutions/529900EXAMPLELEI0001/year/2024"
OPEN = [
    INSTITUTION,
    "/v2/public/edits",
    "/v2/data-browser-api/view/csv",
    "/public/rateSpread",
    "/file/modifiedLar/year/2024/institution/529900EXAMPLELEI0001/csv",
    "/quarterly-data/graphs",
    "/hmda-auth/users/",
    "/realms/hmda2/protocol/openid-connect/token",
]


@pytest.mark.parametrize("path", OPEN)
def test_a_preflight_is_answered_without_a_token(path: str) -> None:
    asking = ORIGIN | {
        "Access-Control-Request-Method": "PUT",
        "Access-Control-Request-Headers": "authorization, content-type",
    }
    answer = Client().options(path, headers=asking)
    assert answer.status_code == 200
    assert answer.content == b""
    assert answer["Access-Control-Allow-Origin"] == "*"
    methods = set(answer["Access-Control-Allow-Methods"].split(", "))
    assert methods == {"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"}
    assert {"authorization", "content-type"} <= set(
        answer["Access-Control-Allow-Headers"].split(", ")
    )


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("path", "signed_in", "status"),
    [
        (INSTITUTION, False, 401),
        (INSTITUTION, True, 403),
        ("/v2/public/nowhere", False, 404),
        ("/v2/public/edits?year=soon", False, 400),
        ("/v2/public/edits/V600", False, 200),
    ],
)
def test_errors_may_be_read_as_well(path: str, signed_in: bool, status: int) -> None:
    token = tokens.issue(tokens.identity("ann", username="ann"), seconds=60) if signed_in else ""
    headers = ORIGIN | ({"Authorization": f"Bearer {token}"} if token else {})
    answer = Client().get(path, headers=headers)
    assert answer.status_code == status
    assert answer["Access-Control-Allow-Origin"] == "*"
    assert answer["Access-Control-Expose-Headers"].split(", ") == [
        "etag",
        "retry-after",
        "content-disposition",
        "content-range",
        "repr-digest",
        "link",
        "ratelimit",
        "ratelimit-policy",
        "x-request-id",
        "announcement",
        "idempotency-replayed",
        "x-unknown-parameters",
        "location",
        "tus-resumable",
        "tus-version",
        "tus-extension",
        "tus-max-size",
        "tus-checksum-algorithm",
        "upload-length",
        "upload-metadata",
        "upload-offset",
    ]


@pytest.mark.parametrize("path", ["/", "/admin/", "/sign-in/", "/filing/profile/"])
def test_pages_with_a_session_are_for_this_site_alone(path: str) -> None:
    asking = ORIGIN | {"Access-Control-Request-Method": "POST"}
    assert "Access-Control-Allow-Origin" not in Client().options(path, headers=asking)
