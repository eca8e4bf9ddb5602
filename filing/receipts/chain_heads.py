"""The heads of the audit chain that signed receipts name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from filing.audit.chain.links import Head
from filing.audit.chain.verification import Expectation
from filing.models import SignedReceipt
from filing.receipts import checking
from filing.receipts.checking import NotGenuine

RECENT = 200  # receipts whose heads the daily verification compares; a full one compares all
_AT_ONCE = 1000


def of_receipts(*, all_of_them: bool = False) -> Iterator[Expectation | str]:
    """Yield the heads in stored receipts; a sentence for each receipt that is not genuine."""
    receipts = SignedReceipt.objects.select_related("signature").order_by("-pk")
    if not all_of_them:
        receipts = receipts[:RECENT]
    for receipt in receipts.iterator(_AT_ONCE):
        try:
            yield _of_proof(receipt.jws)
        except NotGenuine as reason:
            yield f"The stored receipt {receipt} is not genuine: {reason}"


def of_file(path: Path) -> Expectation:
    """Return the head in a receipt file.

    Raises: OSError; ValueError for a file that is not a genuine receipt.
    """
    try:
        return _of_proof(checking.proof_in(path.read_bytes()))
    except NotGenuine as reason:
        raise ValueError(f"{path} is not a genuine receipt: {reason}") from reason


def _of_proof(jws: str) -> Expectation:
    claims = checking.verified(jws)
    chain = claims["auditChain"]
    return Expectation(Head(chain["entries"], chain["hash"]), f"receipt {claims['receipt']}")
