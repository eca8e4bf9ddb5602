"""The calls of the operator API whose answers the API document shows."""

from __future__ import annotations

from functools import partial

from tests.flow.recording import LEI, UNKNOWN_LEI, Recording

NEW_LEI = "529900EXAMPLELEI0004"
NEW = {
    "activityYear": 2024,
    "lei": NEW_LEI,
    "agency": 5,
    "taxId": "12-3456789",
    "respondent": {"name": "New Credit Union", "state": "IL", "city": "Springfield"},
    "emailDomains": ["new.example"],
    "reason": "It began to lend.",
}
_TOKEN = """
from config.identity import tokens
claims = tokens.identity_claims("kim", username="kim", roles=["hmda-admin"])
print(tokens.issue_token(claims, seconds=7200))
"""
# The open periods expect it; a record is removed once none does.
_EXPECTED_NOWHERE = f"""
from filing.models import Filing
Filing.objects.filter(institution__lei="{NEW_LEI}").delete()
"""


def record(recording: Recording, filer: str) -> None:
    """Record all operations, after filings were signed. filer: a token without the role."""
    token = recording.run_program(_TOKEN)
    institutions(recording, token)
    submissions(recording, token)
    counts(recording, token)
    figures(recording, token)
    refuse(recording, filer)


def institutions(recording: Recording, token: str) -> None:
    call = partial(recording.call, path="/v2/admin/institutions", token=token)
    call("POST", json=NEW)
    call("POST", json=NEW)
    call("PUT", json=NEW | {"quarterlyFiler": True, "reason": "It has to file quarterly."})
    call("PUT", json=NEW | {"agency": 4})
    for rest in ("", "/year/2024", "/year/2024/quarter/Q1"):
        recording.call("GET", f"/v2/admin/institutions/{NEW_LEI}{rest}", token=token)
        recording.call("GET", f"/v2/admin/institutions/{UNKNOWN_LEI}{rest}", token=token)
    key = {"activityYear": 2024, "lei": NEW_LEI, "reason": "It was added by mistake."}
    call("DELETE", json={"lei": NEW_LEI})
    recording.run_program(_EXPECTED_NOWHERE)
    call("DELETE", json=key)
    call("DELETE", json=key)


def submissions(recording: Recording, token: str) -> None:
    for period in ("2024", "2019", "2024-Q9"):
        for path in ("signed/latest", "submissions", "hmdafile/latest"):
            recording.call(
                "GET", f"/v2/admin/institutions/{LEI}/{path}/{period}", token=token, first=1
            )
    for name in (f"{LEI}-2024-1", f"{LEI}-2024-99", "24-1"):
        for path in ("hmdafile", "count"):
            recording.call("GET", f"/v2/admin/receipt/{name}/{path}", token=token, first=1)
    again = {"reason": "The graphs were restored from a backup."}
    for topic, number in (("hmda-analytics", 2), ("hmda-other", 2), ("hmda-sign", 99)):
        path = f"institutions/{LEI}/filings/2024/submissions/{number}"
        recording.call("POST", f"/v2/admin/publish/{topic}/{path}", token=token, json=again)


def counts(recording: Recording, token: str) -> None:
    for of in (LEI, UNKNOWN_LEI, "all/leis"):
        recording.call("GET", f"/v2/admin/validate/{of}/submissions/count", token=token)
    recording.call("GET", "/v2/admin/validate/all/leis/submissions/count?page=x", token=token)
    for path in ("all/submissions", "latest/submissions/signed"):
        for body in ({"leis": [LEI]}, {}):
            recording.call(
                "POST", f"/v2/admin/validate/batch/leis/{path}/count", token=token, json=body
            )


def figures(recording: Recording, token: str) -> None:
    recording.call("GET", "/v2/admin/figures", token=token)
    for ending in ("", "/csv"):
        path = f"/v2/admin/figures/filer_attempts/2024{ending}"
        recording.call("GET", path, token=token)
        recording.call("GET", f"{path}?n=x", token=token)
        recording.call("GET", path.replace("2024", "2017"), token=token)


def refuse(recording: Recording, filer: str) -> None:
    """Record the refusals of each operation: without a token, and without the role."""
    gets = (
        f"institutions/{LEI}",
        f"institutions/{LEI}/year/2024",
        f"institutions/{LEI}/year/2024/quarter/Q1",
        *(f"institutions/{LEI}/{path}/2024" for path in ("signed/latest", "submissions")),
        f"institutions/{LEI}/hmdafile/latest/2024",
        *(f"receipt/{LEI}-2024-1/{path}" for path in ("hmdafile", "count")),
        f"validate/{LEI}/submissions/count",
        "validate/all/leis/submissions/count",
        "figures",
        "figures/filer_attempts/2024",
        "figures/filer_attempts/2024/csv",
    )
    posts = (
        "institutions",
        f"publish/hmda-sign/institutions/{LEI}/filings/2024/submissions/1",
        "validate/batch/leis/all/submissions/count",
        "validate/batch/leis/latest/submissions/signed/count",
    )
    calls = [
        *(("GET", path) for path in gets),
        *(("POST", path) for path in posts),
        *((method, "institutions") for method in ("PUT", "DELETE")),
    ]
    for method, path in calls:
        for token in ("", filer):
            body = {} if method == "GET" else {"json": {}}
            recording.call(method, f"/v2/admin/{path}", token=token, **body)
