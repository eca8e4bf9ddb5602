"""The calls of people and organizations of an institution whose answers the API document shows."""

from __future__ import annotations

import json
from functools import partial

from tests.flow import repeated_examples
from tests.flow.recording import LEI, Recording

CODE, UNKNOWN_CODE, REASON = "ORG-7K2M9Q", "ORG-AAAAAA", "Ann works at another branch now."
# An administrator, a colleague, two people who ask, and a vendor.
_PEOPLE = f"""
import json
from django.contrib.auth.models import User
from django.utils import timezone
from config.identity import tokens
from filing.access import caller_of
from filing.models import Identity, Membership, Organization
from filing.people import access_requests

def add(name):
    user = User.objects.create_user(
        name, f"{{name}}@bank.example", first_name=name.title(), last_name="Example"
    )
    Identity.objects.filter(pk=tokens.known_identity(user).pk).update(email_verified=True)
    return user

ada, bo, cy, di = map(add, ("ada", "bo", "cy", "di"))
Membership.objects.create(user=ada, lei="{LEI}", administrator_since=timezone.now())
colleague = Membership.objects.create(user=bo, lei="{LEI}", added_by="ada", source="invite")
for person in (cy, di):
    access_requests.set_requests(person, ["{LEI}"], by=caller_of(person))
Organization.objects.create(
    name="Prairie Data", code="{CODE}", email_domain="prairie.example", made_by="vera"
)
print(json.dumps({{
    "token": tokens.issue_token(tokens.claims_of_user(ada), seconds=7200),
    "own": ada.memberships.get().pk, "colleague": colleague.pk,
}}))
"""


def record(recording: Recording) -> None:
    """Record all operations on people and organizations, and their refusals."""
    facts = json.loads(recording.run_program(_PEOPLE).splitlines()[-1])
    _list_people(recording, facts["token"], facts["own"], facts["colleague"])
    _invite(recording, facts["token"])
    _answer_requests(recording, facts["token"])
    _let_organizations_act(recording, facts["token"])


def _list_people(recording: Recording, token: str, own: int, colleague: int) -> None:
    call = partial(recording.call, token=token)
    path = f"/v2/filing/institutions/{LEI}/people"
    confirmation = f"{path}/confirmation"
    call("GET", path)
    call("GET", f"{path}?page=x")
    change = {"roles": ["preparer"], "until": None, "reason": REASON}
    call("PATCH", f"{path}/{colleague}", json=change)
    call("PATCH", f"{path}/{colleague}", json=change)
    call("PATCH", f"{path}/{own}", json={"roles": ["preparer", "signer"], "reason": REASON})
    call("PATCH", f"{path}/1{colleague}", json=change)
    call("POST", confirmation, json={"left": []})
    call("POST", confirmation, json={"left": [own]})
    call("POST", confirmation, json={"left": [10_000]})
    call("DELETE", f"{path}/{colleague}")
    call("DELETE", f"{path}/{own}", params={"reason": REASON})
    call("DELETE", f"{path}/1{colleague}", params={"reason": REASON})
    one = f"{path}/{colleague}"
    recording.refuse_others(
        token, ("GET", path), ("PATCH", one), ("DELETE", one), ("POST", confirmation)
    )
    repeated_examples.record(recording, token, [confirmation])


def _invite(recording: Recording, token: str) -> None:
    call = partial(recording.call, token=token)
    path = f"/v2/filing/institutions/{LEI}/people/invitations"
    body = {"email": "sol@bank.example", "roles": ["signer"], "until": None}
    key = call("POST", path, json=body).json()["id"]
    call("POST", path, json={**body, "email": "ada@bank.example"})
    call("POST", path, json={**body, "until": "2024-01-31"})
    call("GET", path)
    call("DELETE", f"{path}/{key}")
    call("DELETE", f"{path}/1{key}", params={"reason": REASON})
    recording.refuse_others(token, ("GET", path), ("POST", path), ("DELETE", f"{path}/{key}"))
    repeated_examples.record(recording, token, [path])


def _answer_requests(recording: Recording, token: str) -> None:
    call = partial(recording.call, token=token)
    path = f"/v2/filing/institutions/{LEI}/people/requests"
    rows = call("GET", path).json()["requests"]
    key = rows[0]["id"]
    call("POST", f"{path}/{key}", json={"answer": "refuse", "reason": ""})
    call("POST", f"{path}/1{key}", json={"answer": "grant", "roles": ["preparer"]})
    recording.refuse_others(token, ("GET", path), ("POST", f"{path}/{key}"))
    repeated_examples.record(recording, token, [f"{path}/{key}"])


def _let_organizations_act(recording: Recording, token: str) -> None:
    call = partial(recording.call, token=token)
    path = f"/v2/filing/institutions/{LEI}/delegations"
    body = {"code": CODE, "maySign": False, "periods": ["2024"], "until": None}
    key = call("POST", path, json=body).json()["id"]
    call("POST", path, json=body)
    call("POST", path, json={**body, "code": UNKNOWN_CODE})
    change = {"maySign": True, "reason": "Prairie Data signs from this year on."}
    call("PATCH", f"{path}/{key}", json=change)
    call("PATCH", f"{path}/{key}", json={**change, "until": "2024-01-31"})
    call("PATCH", f"{path}/1{key}", json=change)
    call("GET", path)
    call("DELETE", f"{path}/{key}")
    call("DELETE", f"{path}/1{key}", params={"reason": REASON})
    one = f"{path}/{key}"
    recording.refuse_others(token, ("GET", path), ("POST", path), ("PATCH", one), ("DELETE", one))
    repeated_examples.record(recording, token, [path])
