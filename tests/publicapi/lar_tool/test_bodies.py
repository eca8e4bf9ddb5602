"""The parts of a form: the file goes to disk and is deleted, the JSON parts are read."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import RequestFactory

from filing.errors import BadInput
from publicapi.lar_tool import views
from tests.publicapi.uploads import NO_NAME, NO_PART, left_behind, part  # noqa: F401 -- a fixture

ADDRESS = "/v2/public/lar/convert"


def form(**fields: Any) -> Any:
    return RequestFactory().post(ADDRESS, fields)


def test_the_file_is_deleted_after_an_error(left_behind: Any) -> None:
    def fail() -> None:
        with views.receive_form(form(file=part(b"a,b"))):
            assert left_behind()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert left_behind() == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "The part 'options' is not JSON; send a JSON object."),
        ("[" * 100_000, "The part 'options' is not JSON; send a JSON object."),
        ("[]", "The part 'options' is not a JSON object; send one such as {}."),
        ('"near"', "The part 'options' is not a JSON object; send one such as {}."),
        (
            " " * (views.PART_BYTES + 1),
            "The part 'options' is larger than 262144 bytes, the most taken here.",
        ),
    ],
)
@pytest.mark.parametrize("is_file", [True, False])
def test_a_part_that_is_no_json_object_is_refused(text: str, message: str, is_file: bool) -> None:
    field = SimpleUploadedFile("options.json", text.encode()) if is_file else text
    with (
        views.receive_form(form(file=part(b"a"), options=field)) as body,
        pytest.raises(BadInput) as refusal,
    ):
        body.part("options")
    assert refusal.value.message == message


@pytest.mark.parametrize(
    ("fields", "message"), [({"other": "1"}, NO_PART), ({"file": "Loan Type"}, NO_NAME)]
)
def test_a_form_without_a_file_is_refused(fields: dict[str, str], message: str) -> None:
    with pytest.raises(BadInput) as refusal, views.receive_form(form(**fields)):
        pass
    assert refusal.value.message.casefold() == message.casefold()  # literal and detail
