"""What pages of tools share: calls of the API in curl, Python and R, and a base for uploads."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.decorators import method_decorator
from django.views.decorators.csrf import csrf_exempt
from django.views.generic import View

from filing.errors import Refusal
from filing.lar.setting_words import use_setting_words

SETTING_WORDS = {"file": "Choose a file."}  # of messages, on every page that takes one


@dataclass(frozen=True)
class CallExample:
    """A call in one language, ready to copy."""

    language: str
    code: str


def build_post_examples(path: str, body: dict[str, Any]) -> list[CallExample]:
    """Return examples that send values as JSON and print the answer.

    body: strings, numbers and booleans.
    """
    url, values = _url(path), ", ".join(f"{name} = {_in_r(body[name])}" for name in body)
    return [
        CallExample(
            "curl",
            f"curl {_quoted(url)} \\\n"
            '  -H "Content-Type: application/json" \\\n'
            f"  -d {_quoted(json.dumps(body))}",
        ),
        CallExample(
            "Python",
            "import requests\n"
            "\n"
            f"answer = requests.post(\n"
            f'    "{url}",\n'
            f"    json={body!r},\n"
            ")\n"
            "answer.raise_for_status()\n"
            "print(answer.json())",
        ),
        CallExample(
            "R",
            "library(httr2)\n"
            "\n"
            f'answer <- request("{url}") |>\n'
            f"  req_body_json(list({values})) |>\n"
            "  req_perform()\n"
            "resp_body_json(answer)",
        ),
    ]


def build_get_examples(path: str) -> list[CallExample]:
    """Return examples that get JSON and print it."""
    url = _url(path)
    return [
        CallExample("curl", f"curl {_quoted(url)}"),
        CallExample(
            "Python",
            "import requests\n"
            "\n"
            f'answer = requests.get("{url}")\n'
            "answer.raise_for_status()\n"
            "print(answer.json())",
        ),
        CallExample(
            "R",
            "library(httr2)\n"
            "\n"
            f'answer <- request("{url}") |> req_perform()\n'
            "resp_body_json(answer)",
        ),
    ]


def build_upload_examples(path: str, *, sent: str, saved: str) -> list[CallExample]:
    """Return examples that send a file and save the answer. sent, saved: file names."""
    url = _url(path)
    return [
        CallExample("curl", f"curl {_quoted(url)} \\\n  -F file=@{sent} \\\n  -o {saved}"),
        CallExample(
            "Python",
            "import requests\n"
            "\n"
            f'with open("{sent}", "rb") as file:\n'
            "    answer = requests.post(\n"
            f'        "{url}",\n'
            '        files={"file": file},\n'
            "    )\n"
            "answer.raise_for_status()\n"
            f'with open("{saved}", "wb") as file:\n'
            "    file.write(answer.content)",
        ),
        CallExample(
            "R",
            "library(httr2)\n"
            "\n"
            f'request("{url}") |>\n'
            f'  req_body_multipart(file = curl::form_file("{sent}")) |>\n'
            f'  req_perform(path = "{saved}")',
        ),
    ]


def build_csv_examples(path: str, *, saved: str) -> list[CallExample]:
    """Return examples that read CSV as a table, every column as text. saved: a file name."""
    url = _url(path)
    return [
        CallExample("curl", f"curl --compressed {_quoted(url)} \\\n  -o {saved}"),
        CallExample(
            "Python",
            "import pandas\n"
            "\n"
            "rows = pandas.read_csv(\n"
            f'    "{url}",\n'
            "    dtype=str,\n"
            "    keep_default_na=False,\n"
            ")\n"
            "print(rows)",
        ),
        CallExample(
            "R",
            "rows <- read.csv(\n"
            f'  "{url}",\n'
            '  colClasses = "character", check.names = FALSE\n'
            ")\n"
            "str(rows)",
        ),
    ]


def build_download_examples(path: str, *, saved: str) -> list[CallExample]:
    """Return examples that save a file unchanged. saved: the file name."""
    url = _url(path)
    return [
        CallExample("curl", f"curl {_quoted(url)} \\\n  -o {saved}"),
        CallExample(
            "Python",
            "from urllib.request import urlretrieve\n"
            "\n"
            "urlretrieve(\n"
            f'    "{url}",\n'
            f'    "{saved}",\n'
            ")",
        ),
        CallExample("R", f'download.file(\n  "{url}",\n  "{saved}", mode = "wb"\n)'),
    ]


def _url(path: str) -> str:
    return f"{settings.PUBLIC_URL}{path}"


def _quoted(text: str) -> str:
    """Return the text quoted as one word for the shell."""
    return "'" + text.replace("'", "'\\''") + "'"


def _in_r(value: Any) -> str:
    return json.dumps(value).upper() if isinstance(value, bool) else json.dumps(value)


# Without a CSRF token: these pages change nothing and need no sign-in, and looking for the token
# would read the file before its size is checked.
@method_decorator(csrf_exempt, name="dispatch")
class UploadPage(View):
    """Returns the result for an uploaded file, or the page with the reason for a refusal."""

    http_method_names = ["post"]

    def post(self, request: HttpRequest) -> HttpResponseBase:
        try:
            with use_setting_words(SETTING_WORDS):
                return self.answer(request)
        except Refusal as refusal:
            return self.page(status=refusal.status, refusal=refusal.message)

    def answer(self, request: HttpRequest) -> HttpResponseBase:
        """Return the result for the uploaded file.

        Raises: Refusal.
        """
        raise NotImplementedError

    def page(self, *, status: int = 200, **more: Any) -> HttpResponse:
        """Return the whole page."""
        raise NotImplementedError
