"""The calls about institutions and users whose answers the API document shows."""

from __future__ import annotations

from functools import partial

from tests.flow.recording import LEI, OTHER_LEI, UNKNOWN_LEI, Recording

OLDER_LEI = "529900EXAMPLELEI0003"
RECORD = {"firstName": "Ann", "lastName": "Example", "leis": [LEI]}
QUERIES = (
    "respondentName=Example&state=IL",
    "",
    "name=Example",
    f"state={'x' * 300}",
    "state=IL&page=x",
    "taxId=12-3456789",
    "domain=gmail.com",
    "state=IL&page=9",
)
_ACCOUNT = """
from django.contrib.auth.models import User
from config.identity import tokens
from filing.models import Identity
user = User.objects.create_user("ann", "ann@bank.example")
Identity.objects.filter(pk=tokens.known_identity(user).pk).update(email_verified=True)
print(tokens.issue_token(tokens.claims_of_user(user), seconds=7200))
"""
_PERSONAL_TOKEN = f"""
from django.contrib.auth.models import User
from filing.access import caller_of
from filing.people import personal_tokens
user = User.objects.get(username="ann")
by = caller_of(user)
print(personal_tokens.create_token(user, name="Program", leis=["{LEI}"], days=1, by=by)[0])
"""
# As it was added before changes were recorded.
_WITHOUT_HISTORY = f"""
from filing.models import Institution
Institution.objects.bulk_create(
    [Institution(activity_year=2024, lei="{OLDER_LEI}", name="Older Bank", agency=9)]
)
"""


def record(recording: Recording) -> None:
    """Record all operations on institutions and users, after filings were signed."""
    searches(recording)
    path = f"/v2/public/institutions/{LEI}/year/2024"
    for rest in ("", "/history"):
        recording.call("GET", f"{path}{rest}")
        recording.call("GET", f"{path}{rest}", token="x.y.z")
        recording.call("GET", f"{path.replace(LEI, UNKNOWN_LEI)}{rest}")
    recording.run_program(_WITHOUT_HISTORY)
    recording.call("GET", f"{path.replace(LEI, OLDER_LEI)}/history")
    counts = "/v2/public/institutions/quarterly/2026/lars/past"
    recording.call("GET", f"{counts}/3")
    recording.call("GET", f"{counts}/12")
    users(recording)


def searches(recording: Recording) -> None:
    for path in ("/v2/public/institutions", "/v2/public/institutions/year/2024"):
        for query in QUERIES:
            recording.call("GET", f"{path}?{query}")
        recording.call("GET", f"{path}?state=IL", token="x.y.z")


def users(recording: Recording) -> None:
    call = partial(recording.call, "PUT", "/hmda-auth/users")
    token = recording.run_program(_ACCOUNT)
    call(json=RECORD, token=token)
    call(json={**RECORD, "leis": [OTHER_LEI]}, token=token)
    call(json=RECORD)
    call(json=RECORD, token=recording.run_program(_PERSONAL_TOKEN))
