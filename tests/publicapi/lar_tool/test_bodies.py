"""The parts of a form: the file goes to disk and is deleted, the JSON parts are read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import RequestFactory

from filing.errors import BadInput, TooLarge
from publicapi.lar_tool import views
from tests.publicapi.uploads import NO_NAME, NO_PART, left_behind, part  # noqa: F401 -- a fixture

ADDRESS = "/v2/public/lar/convert"


def form(**fields: Any) -> Any:
    return RequestFactory().post(ADDRESS, fields)


def test_a_workbook_is_received_and_deleted() -> None:
    content = b"PK\x03\x04xl/workbook.xml\0"  # no LAR: other checks refuse it
    with views.receive_form(form(file=part(content, "loans.xlsx"))) as body:
        path = body.upload.path
        assert (path.read_bytes(), body.upload.size) == (content, len(content))
        assert [body.part(name) for name in views.PARTS] == [{}, {}, {}]
    assert not path.exists()


def test_the_file_is_deleted_after_an_error(left_behind: Any) -> None:
    def fail() -> None:
        with views.receive_form(form(file=part(b"a,b"))):
            assert left_behind()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert left_behind() == []


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("is_file", [True, False])
def test_json_parts_are_fields_or_files_before_or_after_the_file(
    first: bool, is_file: bool
) -> None:
    text = json.dumps({"Amt": "loan_amount", "Notes": None})
    field = SimpleUploadedFile("map.json", text.encode()) if is_file else text
    file = part(b"Amt,Notes\n1,2\n", "loans.csv")
    fields = {"map": field, "file": file} if first else {"file": file, "map": field}
    with views.receive_form(form(**fields)) as body:
        assert body.part("map") == {"Amt": "loan_amount", "Notes": None}
        assert body.upload.path.read_bytes() == b"Amt,Notes\n1,2\n"
        assert body.upload.name == "loans.csv"


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


def test_a_body_that_is_no_form_is_refused() -> None:
    request = RequestFactory().post(ADDRESS, "{}", content_type="application/json")
    with pytest.raises(BadInput) as refusal, views.receive_form(request):
        pass
    assert refusal.value.message == NO_PART


def test_a_file_over_the_limit_is_refused(settings: Any, tmp_path: Path) -> None:
    settings.PUBLIC_UPLOAD_LIMIT = 3
    with pytest.raises(TooLarge) as refusal, views.receive_form(form(file=part(b"a,b,"))):
        pass
    assert refusal.value.message == "The file is larger than 3 bytes, the most taken here."
