"""What is answered to a list of loans or identifiers: by the page and by the API.

`rows` has the cells of each line of the answer. There is no command for lists.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tests.corpus.case_files import Answer, Case, refuse
from tests.corpus.refusals import find_page_refusal
from tests.errors import error_of

API = {
    "check-digits": "/v2/public/uli/checkDigit/csv",
    "validate-ulis": "/v2/public/uli/validate/csv",
    "rate-spreads": "/public/rateSpread/csv",
}
PAGES = {
    "check-digits": "/tools/check-digit/generated/",
    "validate-ulis": "/tools/check-digit/validated/",
    "rate-spreads": "/tools/rate-spread/list/",
}


def ask_api(case: Case, client: Client, folder: Path) -> Answer:
    answer = _post(client, API[case.tool], case)
    if answer.status_code != 200:
        return refuse(answer.status_code, error_of(answer)["message"])
    return _rows(answer)


def ask_pages(case: Case, client: Client, folder: Path) -> Answer:
    answer = _post(client, PAGES[case.tool], case)
    if not answer["Content-Type"].startswith("text/csv"):
        return refuse(answer.status_code, find_page_refusal(answer.content.decode()))
    return _rows(answer)


def _post(client: Client, address: str, case: Case) -> Any:
    file = SimpleUploadedFile(case.file.name, case.file.read_bytes())
    return client.post(address, {"file": file})


def _rows(answer: Any) -> Answer:
    text = answer.getvalue().decode("utf-8-sig")
    return {"rows": [list(row) for row in csv.reader(io.StringIO(text, newline=""))]}
