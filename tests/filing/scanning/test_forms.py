"""Files that staff send in forms: every such field of the site is scanned."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
from django import forms
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from filing.models import TrailEntry
from filing.scanning import ScannedFileField
from tests.filing.scanning.scanners import INFECTED, SIGNATURE, Server, scanner
from tests.tree import modules

__all__ = ["scanner"]

FOUND = f"The virus scan found {SIGNATURE} in the file"


def forms_of_the_site() -> set[type[forms.BaseForm]]:
    for name, path in modules():
        if "forms" in path.stem:
            importlib.import_module(name)
    found, waiting = set(), [forms.BaseForm]
    while waiting:
        one = waiting.pop()
        found.add(one)
        waiting += one.__subclasses__()
    outside = ("django.", "import_export.", "tests.")
    return {one for one in found if not one.__module__.startswith(outside)}


def test_no_form_takes_a_file_that_is_not_scanned() -> None:
    fields = [
        (form.__name__, type(field))
        for form in forms_of_the_site()
        for field in getattr(form, "base_fields", {}).values()
        if isinstance(field, forms.FileField)
    ]
    assert len(fields) >= 3
    assert not [pair for pair in fields if not issubclass(pair[1], ScannedFileField)]


PAGES = [
    ("/admin/filing/institution/import/", {}, "panel.csv"),
    ("/admin/filing/referencedata/load/", {"kind": "census"}, "census_2024.txt"),
    ("/admin/ratespread/aporload/add/", {}, "YieldTableFixed.txt"),
]


@pytest.fixture
def staff(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("op", "op@agency.example"))
    return client


@pytest.mark.parametrize(("address", "fields", "name"), PAGES)
def test_an_infected_file_of_staff_is_refused(
    staff: Client, scanner: Server, address: str, fields: dict[str, str], name: str
) -> None:
    answer = staff.post(address, {**fields, "file": SimpleUploadedFile(name, INFECTED)})
    assert FOUND in answer.content.decode()
    assert scanner.sizes == [len(INFECTED)]
    entry = TrailEntry.objects.get(event="infected file refused")
    assert (entry.actor_username, entry.about) == ("op", name)


@pytest.mark.parametrize(("address", "fields", "name"), PAGES)
def test_a_file_of_staff_that_was_not_scanned_is_refused(
    staff: Client, scanner: Server, address: str, fields: dict[str, str], name: str
) -> None:
    scanner.close()
    answer = staff.post(address, {**fields, "file": SimpleUploadedFile(name, b"a,b\n1,2\n")})
    assert "it was not scanned for viruses" in answer.content.decode()


def test_a_clean_file_is_read_from_its_beginning(scanner: Server) -> None:
    class Form(forms.Form):
        file = ScannedFileField()

    sent: Any = {"file": SimpleUploadedFile("a.txt", b"1|2|3\n")}
    form = Form(files=sent)
    assert form.is_valid()
    assert form.cleaned_data["file"].read() == b"1|2|3\n"
    assert scanner.sizes == [6]
