"""A client of the filing API: one method for each endpoint, and `file`, from upload to receipt.

with FilingClient(url, token) as client:
    outcome = file(client, path, lei=lei, period=Period(2024), verify=True, sign=True)
"""

from filing.client.api import Answer, FilingClient, Refused, Trouble, Unreachable
from filing.client.outcome import Ending, Event, Outcome, Sent, Standing, Step
from filing.client.steps import file

__all__ = [
    "Answer",
    "Ending",
    "Event",
    "FilingClient",
    "Outcome",
    "Refused",
    "Sent",
    "Standing",
    "Step",
    "Trouble",
    "Unreachable",
    "file",
]
