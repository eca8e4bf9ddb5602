"""The operations of resumable uploads."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse

from filing.api.openapi import LEI, refused
from filing.api.openapi.operations import CLOSED, NO_INSTITUTION, NO_SUBMISSION, operation
from filing.errors import INVALID_FORMAT
from filing.idempotency import claims

_NO_UPLOAD = f"Submission {LEI}-2024-3 has no such upload. It may have ended or expired."
_VERSION_REFUSED = refused("The header Tus-Resumable is missing; send 1.0.0.")
_LOCKED = refused("Another request is adding to this upload.")
_MOVED_ON = "Another request has continued this upload. Ask for its offset with HEAD."


def _header(name: str, description: str, kind: Any = str, **more: Any) -> OpenApiParameter:
    more = {"required": True, **more}
    return OpenApiParameter(name, kind, OpenApiParameter.HEADER, description=description, **more)


def _answered(name: str, description: str, kind: Any = int) -> OpenApiParameter:
    return OpenApiParameter(
        name, kind, OpenApiParameter.HEADER, description=description, response=True
    )


_VERSION = _header("Tus-Resumable", "The version of the protocol.", enum=["1.0.0"])
_OFFSET = _answered("Upload-Offset", "Bytes of the file that are stored.")

begin = operation(
    "Begin a resumable upload",
    {
        201: OpenApiResponse(description="The upload is open. `Location` is its address."),
        400: refused(
            f"Submission {LEI}-2024-3 not available for upload",
            INVALID_FORMAT,
            "The header Upload-Length must be a number of bytes.",
            CLOSED,
            NO_INSTITUTION,
        ),
        404: refused(NO_SUBMISSION),
        409: refused(
            f"Submission {LEI}-2024-3 has an open upload. Continue it, or end it with DELETE.",
            claims.IN_WORK,
        ),
        412: _VERSION_REFUSED,
        413: refused("The file is larger than 2147483648 bytes, the most taken here."),
    },
    parameters=(
        _VERSION,
        _header("Upload-Length", "Bytes of the file.", int),
        _header("Upload-Metadata", "`filename`, a space, and the name of the file in Base64."),
        _answered("Location", "The address of the upload.", str),
    ),
    description=(
        "For large files and bad lines: the file is sent in as many requests as it takes, by the "
        "[tus protocol 1.0](https://tus.io/protocols/resumable-upload) with the extensions "
        "creation, checksum and termination. Clients for it exist in many languages. An upload "
        "that is not continued for 24 hours ends, and the submission waits for a file again."
    ),
    takes_key=True,
)
offset = operation(
    "Get the offset of an upload",
    {
        200: OpenApiResponse(description="The upload is open, or complete."),
        400: refused(NO_INSTITUTION),
        404: refused(_NO_UPLOAD),
        412: _VERSION_REFUSED,
        423: _LOCKED,
    },
    parameters=(
        _VERSION,
        _OFFSET,
        _answered("Upload-Length", "Bytes of the file."),
    ),
    description="After a lost line: send the rest of the file from this offset on.",
)
append = operation(
    "Add bytes to an upload",
    {
        204: OpenApiResponse(
            description="The bytes are stored; with the last ones, the file is received."
        ),
        400: refused(
            INVALID_FORMAT,
            "The header Upload-Offset must be a number of bytes.",
            NO_INSTITUTION,
        ),
        404: refused(_NO_UPLOAD),
        409: refused(_MOVED_ON),
        411: refused("Send the number of bytes in the header Content-Length."),
        412: _VERSION_REFUSED,
        413: refused("The upload has 1000 of 5000 bytes; 4001 more are too many."),
        415: refused("Send the bytes as application/offset+octet-stream."),
        423: _LOCKED,
        "460": refused("The bytes do not have the SHA-256 in Upload-Checksum."),
    },
    request={"application/offset+octet-stream": OpenApiTypes.BINARY},
    parameters=(
        _VERSION,
        _header("Upload-Offset", "Where the bytes begin: as many as are stored.", int),
        _header(
            "Upload-Checksum",
            "`sha256`, a space, and the SHA-256 of the body in Base64. Bytes with another one are "
            "thrown away.",
            required=False,
        ),
        _OFFSET,
    ),
    description=(
        "Without a checksum, bytes that arrived before a line was lost are kept. Bytes that cannot "
        "be of a LAR end the upload."
    ),
)
end = operation(
    "End an upload",
    {
        204: OpenApiResponse(description="Its parts are removed; the submission waits for a file."),
        400: refused(NO_INSTITUTION),
        404: refused(_NO_UPLOAD),
        409: refused("The upload is complete, and its file was received."),
        412: _VERSION_REFUSED,
    },
    parameters=(_VERSION,),
)
