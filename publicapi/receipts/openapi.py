"""The OpenAPI descriptions of the checks of receipts."""

from __future__ import annotations

from filing.api.openapi import LEI, refused
from publicapi.openapi import operation
from publicapi.receipts.serializers import ReceiptCheck

_HASH = "ab" * 32
_ABOUT = (
    "The answer never names the signer or the file. Keys to verify receipts without this service "
    "are at `/.well-known/receipt-keys.json`. At most `LIMIT_RECEIPT_CHECK` checks per address."
)

receipt = operation(
    "Check a receipt number",
    {
        200: ReceiptCheck,
        404: refused(f"There is no receipt {LEI}-2024-1-1700000000000"),
    },
    description=_ABOUT,
)
check = operation(
    "Check a receipt or a filed file",
    {
        200: ReceiptCheck,
        400: refused(
            "This is not JSON. Send a receipt file as it was downloaded, or "
            '{"sha256": "…"} with the 64 hexadecimal digits of a file\'s SHA-256.',
            "'sha256' must be the 64 hexadecimal digits of a SHA-256.",
        ),
        404: refused(f"No file with the SHA-256 {_HASH} was filed"),
        413: refused("The JSON is larger than 1048576 bytes, the most taken here."),
    },
    request={
        "application/json": {
            "oneOf": [
                {
                    "type": "object",
                    "description": "A receipt file, byte for byte as it was downloaded.",
                    "properties": {
                        "receipt": {"type": "string"},
                        "lei": {"type": "string"},
                        "period": {"type": "string"},
                        "sha256": {"type": "string"},
                        "records": {"type": "integer"},
                        "signedAt": {"type": "string"},
                        "proof": {"type": "string", "description": "A compact JWS (RFC 7515)."},
                    },
                    "required": [
                        *("receipt", "lei", "period", "sha256", "records", "signedAt", "proof")
                    ],
                    "additionalProperties": False,
                },
                {
                    "type": "object",
                    "description": "The hash of a file.",
                    "properties": {"sha256": {"type": "string", "pattern": "^[0-9a-fA-F]{64}$"}},
                    "required": ["sha256"],
                    "additionalProperties": False,
                },
            ]
        }
    },
    description=(
        "A receipt file is genuine only byte for byte: send the file itself, not its values "
        f"written again by another program. {_ABOUT}"
    ),
)
