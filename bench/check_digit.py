"""Check digits by the list: as the service answers it, and as a plain loop does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from bench.tool import Tool, texts

_DIGITS = str.maketrans(
    {
        letter: str(int(letter, 36))
        for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    }
)
_OWN = "ABCDEFGHIJKLMNOPQRSTUVW"


def _loan_id(number: int) -> str:
    """Return loan identifiers of all lengths; one in fifty is wrong."""
    if number % 50 == 7:
        return f"529900EXAMPLELEI0001-{number}" if number % 100 == 7 else f"SHORT{number}"
    own = f"{number * 7_919 % 100_000_007}{_OWN}"
    return f"529900EXAMPLELEI0001{own[: 1 + number % 23]}"


def _uli(number: int) -> str:
    """Return ULIs of all lengths; half of them are not valid, and one in fifty can be none."""
    loan_id = _loan_id(number)
    if number % 2 or number % 50 == 7:
        return f"{loan_id}00"
    return f"{loan_id}{98 - int(loan_id.translate(_DIGITS)) * 100 % 97:02d}"


def _engine(path: Path, *, answers: str) -> Iterator[bytes]:
    from filing.files import line_files
    from uliapi import batch

    return batch.stream_answers_csv(getattr(batch, answers), line_files.read_lines(path))


def _generated(loan_id: str) -> str:
    if not 21 <= len(loan_id) <= 43:
        return f"{loan_id},Error,Loan ID is not between 21 and 43 characters long\n"
    if not (loan_id.isascii() and loan_id.isalnum()):
        return f"{loan_id},Error,Loan ID is not alphanumeric\n"
    digits = f"{98 - int(loan_id.translate(_DIGITS)) * 100 % 97:02d}"
    return f"{loan_id},{digits},{loan_id}{digits}\n"


def _validated(uli: str) -> str:
    if not (uli.isascii() and uli.isalnum()):
        return f"{uli},ULI is not alphanumeric\n"
    if not 23 <= len(uli) <= 45:
        return f"{uli},ULI is not between 23 and 45 characters long\n"
    return f"{uli},{'true' if int(uli.translate(_DIGITS)) % 97 == 1 else 'false'}\n"


def _plain(path: Path, *, header: str, answer: Callable[[str], str]) -> Iterator[bytes]:
    yield header.encode()
    for line in texts(path):
        yield answer(line).encode()


TOOLS = (
    Tool(
        name="check digit, generate",
        path="/v2/public/uli/checkDigit/csv",
        line=_loan_id,
        engine=partial(_engine, answers="generate_listed"),
        plain=partial(_plain, header="loanId,checkDigit,uli\n", answer=_generated),
    ),
    Tool(
        name="check digit, validate",
        path="/v2/public/uli/validate/csv",
        line=_uli,
        engine=partial(_engine, answers="validate_listed"),
        plain=partial(_plain, header="uli,isValid\n", answer=_validated),
    ),
)
