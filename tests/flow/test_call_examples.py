"""The calls that pages of tools show work as they stand there, copied and run."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from html import unescape
from pathlib import Path

import httpx
import pytest

from tests.flow.conftest import Service

LOAN_ID = "10Bx939c5543TqA1144M999143X"
SHOWN = re.compile(r'<pre[^>]*aria-label="([^"]+), in (\w+)"><code>(.*?)</code></pre>', re.DOTALL)


@pytest.fixture(scope="module")
def calls(service: Service) -> dict[tuple[str, str], str]:
    html = httpx.get(f"{service.url}/tools/check-digit/").text
    return {(what, language): unescape(code) for what, language, code in SHOWN.findall(html)}


def run(language: str, code: str, folder: Path) -> str:
    words = {"curl": ["bash", "-c"], "Python": [sys.executable, "-c"]}[language]
    done = subprocess.run(
        [*words, code], cwd=folder, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("language", ["curl", "Python"])
def test_the_call_for_one_identifier_gets_its_check_digits(calls, tmp_path, language):
    told = run(language, calls["Check digits of one loan identifier", language], tmp_path)
    answer = json.loads(told.replace("'", '"'))
    assert answer == {"loanId": LOAN_ID, "checkDigit": "38", "uli": f"{LOAN_ID}38"}


@pytest.mark.parametrize("language", ["curl", "Python"])
def test_the_call_for_a_file_saves_the_answer(calls, tmp_path, language):
    (tmp_path / "loan-ids.txt").write_text(f"{LOAN_ID}\nA1\n")
    run(language, calls["Check digits of a file", language], tmp_path)
    assert (tmp_path / "check-digits.csv").read_text() == (
        f"loanId,checkDigit,uli\n{LOAN_ID},38,{LOAN_ID}38\n"
        "A1,Error,Loan ID is not between 21 and 43 characters long\n"
    )


def test_a_long_list_is_answered_over_the_wire_while_it_is_read(service):
    loan_ids = [f"529900TESTBANK000042{number:07d}" for number in range(300_000)]
    with httpx.stream(
        "POST",
        f"{service.url}/v2/public/uli/checkDigit/csv",
        files={"file": ("ids.txt", "\n".join(loan_ids).encode())},
        timeout=60,
    ) as answer:
        assert answer.headers["transfer-encoding"] == "chunked"
        rows = [line.partition(",")[0] for line in answer.iter_lines()]
    assert rows == ["loanId", *loan_ids]
