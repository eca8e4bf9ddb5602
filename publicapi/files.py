"""What is said of an uploaded file, in pieces; the file is gone once it is said."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import TypeVar

from django.conf import settings
from rest_framework.request import Request

from filing.edits.check import Checked, json_members, json_of_format_errors
from filing.edits.edit import Edit
from filing.errors import BadInput
from filing.files.held_answers import HeldAnswer
from filing.lar import format_errors
from filing.lar.blocks import NotText
from filing.lar.errors import LineErrors
from filing.lar.format_errors import FormatErrors
from filing.lar.period import Period
from filing.submissions import Upload, uploads
from publicapi import findings

Errors = Iterable[LineErrors]
Found = TypeVar("Found")


def parsed(request: Request, written: Callable[[Errors], Iterator[str]]) -> HeldAnswer[str]:
    """Receive the file of a request, and return what `written` makes of its format errors.

    Raises: BadInput, TooLarge; every sentence says what is wrong and what would be right.
    """

    def opened(upload: Upload) -> AbstractContextManager[FormatErrors]:
        return format_errors.of(upload.path)

    return _answer(request, opened, written)


def validated(request: Request, of: Period, wanted: Sequence[Edit]) -> HeldAnswer[str]:
    """Receive the file of a request, and return its format errors and what these edits find.

    Raises: BadInput, TooLarge; every sentence says what is wrong and what would be right.
    """

    def opened(upload: Upload) -> AbstractContextManager[Checked]:
        return findings.checked_file(upload.path, of, wanted)

    return _answer(request, opened, _findings)


def _answer(
    request: Request,
    opened: Callable[[Upload], AbstractContextManager[Found]],
    written: Callable[[Found], Iterator[str]],
) -> HeldAnswer[str]:
    with ExitStack() as held:
        rules = uploads.Rules(settings.PUBLIC_UPLOAD_LIMIT)
        upload = held.enter_context(uploads.received(request, rules))
        try:
            found = held.enter_context(opened(upload))
        except NotText as error:
            raise BadInput(str(error)) from None
        return HeldAnswer(lambda: written(found), held)


def json_list(errors: Errors) -> Iterator[str]:
    """Yield format errors as the JSON object of the file parse."""
    yield '{"validated": ['
    yield from json_of_format_errors(errors)
    yield "]}"


def _findings(checked: Checked) -> Iterator[str]:
    yield "{"
    yield from json_members(checked)
    yield "}"
