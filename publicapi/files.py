"""Answers about an uploaded file, in pieces; the file is removed after the last one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import TypeVar

from django.conf import settings
from rest_framework.request import Request

from filing.edits.check import CheckedFile, json_members, json_of_format_errors
from filing.edits.edit import Edit
from filing.errors import BadInput
from filing.files.streamed_answers import StreamedAnswer
from filing.lar import format_errors
from filing.lar.blocks import NotText
from filing.lar.errors import LineErrors
from filing.lar.format_errors import FormatErrors
from filing.lar.period import Period
from filing.submissions import Upload, uploads
from publicapi import checks, findings

Errors = Iterable[LineErrors]
Result = TypeVar("Result")


def parsed(request: Request, render: Callable[[Errors], Iterator[str]]) -> StreamedAnswer[str]:
    """Receive the file of a request, and return its formatting errors as `render` writes them.

    Raises: BadInput, TooLarge; the message says what is wrong and what is accepted.
    """

    def open_result(upload: Upload) -> AbstractContextManager[FormatErrors]:
        return format_errors.of(upload.path)

    return _answer(request, open_result, render)


def validated(request: Request, period: Period, edits: Sequence[Edit]) -> StreamedAnswer[str]:
    """Receive the file of a request, and return its formatting errors and findings of the edits.

    Raises: BadInput, TooLarge; the message says what is wrong and what is accepted.
    """

    def open_result(upload: Upload) -> AbstractContextManager[CheckedFile]:
        return findings.checked_file(upload.path, period, edits)

    return _answer(request, open_result, lambda checked: _findings(checked, period))


def _answer(
    request: Request,
    open_result: Callable[[Upload], AbstractContextManager[Result]],
    render: Callable[[Result], Iterator[str]],
) -> StreamedAnswer[str]:
    with ExitStack() as stack:
        rules = uploads.Rules(settings.PUBLIC_UPLOAD_LIMIT)
        upload = stack.enter_context(uploads.received(request, rules))
        try:
            result = stack.enter_context(open_result(upload))
        except NotText as error:
            raise BadInput(str(error)) from None
        return StreamedAnswer(lambda: render(result), stack)


def json_list(errors: Errors) -> Iterator[str]:
    """Yield formatting errors as the JSON object of the file check."""
    yield '{"validated": ['
    yield from json_of_format_errors(errors)
    yield "]}"


def _findings(checked: CheckedFile, period: Period) -> Iterator[str]:
    yield "{"
    yield from json_members(checked)
    unrun = {outcome.edit.code: outcome.reason for outcome in checked.not_run()}
    for name, value in checks.about_rules(period, unrun).items():
        yield f', "{name}": {json.dumps(value)}'
    yield "}"
