"""The body of a call: the file, and the parts `map`, `sheet` and `options`, which are JSON.

The file is streamed to disk and deleted at the end of the call, whatever happens. The other parts
may be form fields, or files of a small size.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.files.uploadhandler import FileUploadHandler, StopFutureHandlers
from django.http import HttpRequest
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request

from filing.errors import BadInput
from filing.submissions import Upload, uploads

PART_BYTES = 256 * 1024  # of one JSON part
PARTS = ("map", "sheet", "options")


@dataclass(frozen=True, slots=True)
class Body:
    """A file that was received, and the other fields of its form."""

    upload: Upload
    fields: Mapping[str, Any]

    def part(self, name: str) -> dict[str, Any]:
        """Return a JSON part; empty if it is missing or blank.

        Raises: BadInput, naming the part.
        """
        return json_object(name, self.fields.get(name, ""))


@contextmanager
def received(request: HttpRequest | Request) -> Iterator[Body]:
    """Receive a form with a spreadsheet or a pipe file, of up to PUBLIC_UPLOAD_LIMIT bytes.

    Raises: BadInput, TooLarge.
    """
    body = request if isinstance(request, Request) else Request(request, [MultiPartParser()])
    rules = uploads.Rules(settings.PUBLIC_UPLOAD_LIMIT, any_kind=True)
    with uploads.received_form(body, rules, _JsonParts()) as (handler, fields):
        yield Body(uploads.received_file(body, handler, fields), fields)


def json_object(name: str, content: Any) -> dict[str, Any]:
    """Return the JSON object of a part; empty if it is blank.

    content: its text, or the file that was sent as the part.
    Raises: BadInput, naming the part.
    """
    if isinstance(content, SimpleUploadedFile):
        content = content.read()
    if len(content) > PART_BYTES:
        raise BadInput(f"The part {name!r} is larger than {PART_BYTES} bytes, the most taken here.")
    if not content.strip():
        return {}
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        raise BadInput(f"The part {name!r} is not JSON; send a JSON object.") from None
    if not isinstance(value, dict):
        raise BadInput(f"The part {name!r} is not a JSON object; send one such as {{}}.")
    return value


class _JsonParts(FileUploadHandler):
    """Keeps JSON parts that have a file name in memory; the file itself is left to the others."""

    _content: bytearray | None = None

    def new_file(self, *args: Any, **options: Any) -> None:
        super().new_file(*args, **options)
        self._content = bytearray() if self.field_name in PARTS else None
        if self._content is not None:
            raise StopFutureHandlers

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes | None:
        if self._content is None:
            return raw_data
        self._content += raw_data[: PART_BYTES + 1 - len(self._content)]
        return None

    def file_complete(self, file_size: int) -> SimpleUploadedFile | None:
        if self._content is None:
            return None
        content, self._content = bytes(self._content), None
        return SimpleUploadedFile(self.field_name or "", content)
