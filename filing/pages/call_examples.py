"""Examples of API calls to copy from a page: the same call in curl, Python and R."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from django.conf import settings


@dataclass(frozen=True)
class Example:
    """A call in one language, ready to copy."""

    language: str
    code: str


def post_json(path: str, body: dict[str, Any]) -> list[Example]:
    """Return examples that send values as JSON and print the answer.

    body: strings, numbers and booleans.
    """
    url, values = _url(path), ", ".join(f"{name} = {_in_r(body[name])}" for name in body)
    return [
        Example(
            "curl",
            f"curl {_quoted(url)} \\\n"
            '  -H "Content-Type: application/json" \\\n'
            f"  -d {_quoted(json.dumps(body))}",
        ),
        Example(
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
        Example(
            "R",
            "library(httr2)\n"
            "\n"
            f'answer <- request("{url}") |>\n'
            f"  req_body_json(list({values})) |>\n"
            "  req_perform()\n"
            "resp_body_json(answer)",
        ),
    ]


def get_json(path: str) -> list[Example]:
    """Return examples that get JSON and print it."""
    url = _url(path)
    return [
        Example("curl", f"curl {_quoted(url)}"),
        Example(
            "Python",
            "import requests\n"
            "\n"
            f'answer = requests.get("{url}")\n'
            "answer.raise_for_status()\n"
            "print(answer.json())",
        ),
        Example(
            "R",
            "library(httr2)\n"
            "\n"
            f'answer <- request("{url}") |> req_perform()\n'
            "resp_body_json(answer)",
        ),
    ]


def upload_file(path: str, *, sent: str, saved: str) -> list[Example]:
    """Return examples that send a file and save the answer. sent, saved: file names."""
    url = _url(path)
    return [
        Example("curl", f"curl {_quoted(url)} \\\n  -F file=@{sent} \\\n  -o {saved}"),
        Example(
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
        Example(
            "R",
            "library(httr2)\n"
            "\n"
            f'request("{url}") |>\n'
            f'  req_body_multipart(file = curl::form_file("{sent}")) |>\n'
            f'  req_perform(path = "{saved}")',
        ),
    ]


def read_csv(path: str, *, saved: str) -> list[Example]:
    """Return examples that read CSV as a table, every column as text. saved: a file name."""
    url = _url(path)
    return [
        Example("curl", f"curl --compressed {_quoted(url)} \\\n  -o {saved}"),
        Example(
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
        Example(
            "R",
            "rows <- read.csv(\n"
            f'  "{url}",\n'
            '  colClasses = "character", check.names = FALSE\n'
            ")\n"
            "str(rows)",
        ),
    ]


def save_file(path: str, *, saved: str) -> list[Example]:
    """Return examples that save a file unchanged. saved: the file name."""
    url = _url(path)
    return [
        Example("curl", f"curl {_quoted(url)} \\\n  -o {saved}"),
        Example(
            "Python",
            "from urllib.request import urlretrieve\n"
            "\n"
            "urlretrieve(\n"
            f'    "{url}",\n'
            f'    "{saved}",\n'
            ")",
        ),
        Example("R", f'download.file(\n  "{url}",\n  "{saved}", mode = "wb"\n)'),
    ]


def _url(path: str) -> str:
    return f"{settings.PUBLIC_URL}{path}"


def _quoted(text: str) -> str:
    """Return the text quoted as one word for the shell."""
    return "'" + text.replace("'", "'\\''") + "'"


def _in_r(value: Any) -> str:
    return json.dumps(value).upper() if isinstance(value, bool) else json.dumps(value)
