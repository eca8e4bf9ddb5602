"""The calls of the institution's record whose answers the API document shows."""

from __future__ import annotations

from functools import partial

from tests.flow import repeated_examples
from tests.flow.recording import LEI, UNKNOWN_LEI, Recording

# Staff accept the last proposal with another value.
ACCEPT = """
from filing.access import Caller
from filing.models import RecordProposal
from filing.panel import proposal_answers
proposal_answers.accept_proposal(
    RecordProposal.objects.first(), by=Caller(id="olga", username="olga"),
    reason="The name is that of the charter.", values={"name": "Example Bank, N.A."},
)
"""


def record(recording: Recording, token: str, token_of_stranger: str) -> None:
    """Record all operations of the record, and their refusals."""
    call = partial(recording.call, token=token)
    path = f"/v2/filing/institutions/{LEI}/record"
    proposals = f"{path}/proposals"
    reason = "The bank changed its name on May 1."
    body = {"changes": {"name": "Example Bank NA", "city": "Springfield"}, "reason": reason}
    key = call("POST", proposals, json=body).json()["id"]
    call("POST", proposals, json=body)
    call("POST", proposals, json={**body, "changes": {"taxId": "1"}})
    recording.run_program(ACCEPT)
    call("GET", path)
    call("GET", path, params={"year": "2019"})
    recording.call("GET", path.replace(LEI, UNKNOWN_LEI), token=token_of_stranger)
    call("GET", proposals)
    for address in (path, proposals):
        call("GET", address, params={"page": "x"})
    call("DELETE", f"{proposals}/{key}")
    call("DELETE", f"{proposals}/1{key}")
    call("POST", proposals, json={**body, "activityYear": 2019})
    of_proposals = ("GET", proposals), ("POST", proposals), ("DELETE", f"{proposals}/{key}")
    recording.refuse_others(token, ("GET", path), *of_proposals)
    repeated_examples.record(recording, token, [proposals])
