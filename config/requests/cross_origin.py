"""What pages of other sites may call: addresses that take a bearer token or are public.

None of them takes cookies, so any page may call them.
"""

from __future__ import annotations

from filing.requests import tus_headers as tus
from filing.requests import unknown_parameters

ADDRESSES = (
    r"^/(v2|public|file|quarterly-data|realms|hmda-auth)/|^/\.well-known/receipt-keys\.json$"
)
REQUEST_HEADERS = (
    *("authorization", "content-type", "idempotency-key", "if-none-match", "range"),
    *tus.REQUESTS,
)
ANSWER_HEADERS = (
    *("etag", "retry-after", "content-disposition", "content-range", "repr-digest", "link"),
    *("ratelimit", "ratelimit-policy", "x-request-id", "announcement", "idempotency-replayed"),
    unknown_parameters.HEADER.lower(),
    *tus.ANSWERS,
)
