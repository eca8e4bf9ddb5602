"""A client that a program made from the API document files, checks and browses."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import httpx
import pytest

from filing.statuses import Status
from tests.flow.conftest import Service
from tests.flow.filer import REST_SECONDS, Filer, lar

PACKAGE = "hmda_filing_service_client"
# Media types that the generator does not know are read like those that it does.
SETTINGS = """\
content_type_overrides:
  application/vnd.apache.parquet: application/octet-stream
  application/offset+octet-stream: application/octet-stream
  application/atom+xml: text/html
  application/zip: application/octet-stream
post_hooks: []
"""


@pytest.fixture(scope="module")
def package(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The package of the client, which can be imported."""
    folder = tmp_path_factory.mktemp("client")
    document = httpx.get(f"{service.url}/docs/openapi.json")
    (folder / "openapi.json").write_bytes(document.content)
    (folder / "settings.yaml").write_text(SETTINGS)
    words = "generate --path openapi.json --config settings.yaml --output-path made"
    done = subprocess.run(
        [Path(sys.executable).with_name("openapi-python-client"), *words.split()],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "WARNING" not in done.stdout + done.stderr
    sys.path.insert(0, str(folder / "made"))
    yield folder / "made" / PACKAGE
    sys.path.remove(str(folder / "made"))


def call(name: str, *path: Any, **options: Any) -> Any:
    """Return the answer of an operation, by its module such as `filing.create_a_submission`."""
    return import_module(f"{PACKAGE}.api.{name}").sync(*path, **options)


def made(name: str, **values: Any) -> Any:
    """Return a value of a shape, by its class."""
    return getattr(import_module(f"{PACKAGE}.models"), name)(**values)


def test_every_module_can_be_imported(package: Path) -> None:
    modules = [path.relative_to(package.parent).with_suffix("") for path in package.rglob("*.py")]
    assert len(modules) > 200
    operations = [path for path in package.glob("api/*/*.py") if path.stem != "__init__"]
    document = json.loads((package.parents[1] / "openapi.json").read_text())
    assert len(operations) == sum(map(len, document["paths"].values()))  # none is left out
    for module in modules:
        import_module(".".join(module.parts))


def test_it_files_a_lar_up_to_its_receipt(service: Service, package: Path) -> None:
    with (
        Filer.of(service, "2024") as filer,
        import_module(PACKAGE).AuthenticatedClient(
            base_url=service.url, token=service.tokens[filer.lei]
        ) as client,
    ):
        where = filer.lei, "2024"
        call("filing.start_a_filing", *where, client=client)
        assert call("filing.create_a_submission", *where, client=client).status.code == 1
        content = io.BytesIO(lar(filer, rows=30))
        file = import_module(f"{PACKAGE}.types").File(content, "lar.txt", "text/plain")
        body = made("UploadAFileBody", file=file)
        uploaded = call("filing.upload_a_file", *where, "1", client=client, body=body)
        assert uploaded.status.code >= Status.UPLOADING
        until = time.monotonic() + REST_SECONDS
        while time.monotonic() < until:
            submission = call("filing.get_a_submission", *where, "1", client=client)
            if Status(submission.status.code).is_settled:
                break
            time.sleep(0.1)
        assert submission.status.code == Status.VERIFIED
        signed = made("SignRequestRequest", signed=True)
        receipt = call("filing.sign_a_submission", *where, "1", client=client, body=signed)
        assert receipt.receipt.startswith(filer.lei)


def test_it_checks_and_browses(service: Service, package: Path) -> None:
    with import_module(PACKAGE).Client(base_url=service.url) as client:
        loan_id = made("LoanIdRequest", loan_id="10Bx939c5543TqA1144M999143X")
        answer = call("check_digit.generate_a_check_digit", client=client, body=loan_id)
        assert answer.check_digit == "38"
        book = call("public_verification.get_an_edit", "V600", client=client)
        assert {each.edit for each in book.edits} == {"V600"}
        refused = call(
            "data_browser.aggregate_loans_nationwide", client=client, years="1999", races="Asian"
        )
        assert refused.error_type
        parquet = call(
            "data_browser.download_loans_nationwide_as_parquet",
            client=client,
            years="2022",
            races="Asian",
        )
        assert parquet.payload.read(4) == b"PAR1"
        history = call("publications.follow_what_becomes_public", client=client)
        assert history.total == len(history.publications)
