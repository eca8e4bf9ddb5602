"""The tools without an account: check digits, rate spreads, published data."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from functools import partial
from typing import Any

from filing.client.calls import Answer, Connection
from filing.client.outcome import Ending
from filing.client.patience import patiently

ULI = "/v2/public/uli"
RATE_SPREAD = "/public/rateSpread"
BROWSER = "/v2/data-browser-api/view"
_PATIENCE = 60.0  # seconds


def run(options: Namespace, url: str) -> int:
    """Run a command of the public tools; return its exit code. Raises: Trouble, OSError."""
    with Connection(url) as connection:
        return _TOOLS[options.command](options, connection)


def _call(connection: Connection, method: str, path: str, **options: Any) -> Answer:
    return patiently(partial(connection.call, method, path, **options), patience=_PATIENCE)


def _uli(options: Namespace, connection: Connection) -> int:
    is_check = options.action == "check"
    path, name = ("validate", "uli") if is_check else ("checkDigit", "loanId")
    results = []
    for value in options.values:
        body = _call(connection, "POST", f"{ULI}/{path}", json={name: value}).body
        results.append({name: value, **body})
    if options.json:
        print(json.dumps(results, indent=2))
    elif is_check:
        for each in results:
            print(f"{each['uli']}: {'valid' if each['isValid'] else 'not valid'}")
    else:
        for each in results:
            print(each["uli"])
    is_valid = all(each.get("isValid", True) for each in results)
    return Ending.DONE if is_valid else Ending.MUST_BE_CORRECTED


def _rate_spread(options: Namespace, connection: Connection) -> int:
    loan = {
        "actionTakenType": options.action_taken,
        "loanTerm": options.term,
        "amortizationType": options.type,
        "apr": options.apr,
        "lockInDate": options.lock_in_date,
        "reverseMortgage": options.reverse_mortgage,
    }
    body = _call(connection, "POST", RATE_SPREAD, json=loan).body
    print(json.dumps(body, indent=2) if options.json else body["rateSpread"])
    return Ending.DONE


def _browse(options: Namespace, connection: Connection) -> int:
    """Print the answer as it comes: JSON for the first three views, else the records."""
    pairs = [each.partition("=") for each in options.filters]
    if wrong := [name for name, equals, _ in pairs if not equals]:
        raise ValueError(f"{wrong[0]!r} is not a filter: write NAME=VALUES, such as years=2024.")
    prefix = "/nationwide" if options.nationwide else ""
    parameters = {name: values for name, _, values in pairs}
    answer = _call(connection, "GET", f"{BROWSER}{prefix}/{options.view}", params=parameters)
    if options.output:
        options.output.write_bytes(answer.content)
    else:
        sys.stdout.buffer.write(answer.content)
        sys.stdout.flush()
    return Ending.DONE


_TOOLS = {"uli": _uli, "rate-spread": _rate_spread, "browse": _browse}
