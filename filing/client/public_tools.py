"""Tools without an account: check digits, rate spreads, published data, and checks of receipts.

A receipt file is checked with the published keys, or by the site.
"""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from functools import partial
from pathlib import Path
from typing import Any

from filing.client.calls import Answer, Connection, call_with_retries
from filing.client.outcome import Ending

ULI = "/v2/public/uli"
RATE_SPREAD = "/public/rateSpread"
BROWSER = "/v2/data-browser-api/view"
_PATIENCE = 60.0  # seconds

KEYS = "/.well-known/receipt-keys.json"
CHECK = "/v2/public/receipts/check"


def run_public_tool(options: Namespace, url: str) -> int:
    """Run a command of the public tools; return its exit code. Raises: Trouble, OSError."""
    with Connection(url) as connection:
        return _TOOLS[options.command](options, connection)


def _call(connection: Connection, method: str, path: str, **options: Any) -> Answer:
    return call_with_retries(partial(connection.call, method, path, **options), patience=_PATIENCE)


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
    elif sys.stdout.isatty():
        sys.stdout.write(answer.content.decode(errors="replace"))
    else:
        sys.stdout.buffer.write(answer.content)
        sys.stdout.flush()
    return Ending.DONE


_TOOLS = {"uli": _uli, "rate-spread": _rate_spread, "browse": _browse}


def check_receipt_by_site(connection: Connection, path: Path) -> dict[str, Any]:
    """Return the answer of the site about a receipt file. Raises: OSError, Trouble."""
    headers = {"Content-Type": "application/json"}
    return connection.call("POST", CHECK, headers=headers, content=path.read_bytes()).body


def check_receipt_by_keys(path: Path, keys: dict[str, Any]) -> dict[str, Any]:
    """Return whether a receipt file was signed with one of these keys, without any call.

    keys: a JSON Web Key Set, as a site publishes it. The result has the names of the site's answer;
    whether a later file replaced the one of the receipt is known to the site alone.
    Raises: OSError; ValueError for a file or keys that are not JSON as expected.
    """
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    from filing.receipts import proofs

    public_keys = {
        str(key["kid"]): Ed25519PublicKey.from_public_bytes(proofs.decode_base64url(str(key["x"])))
        for key in keys.get("keys", [])
        if key.get("crv") == "Ed25519"
    }
    body = path.read_bytes()
    content, names = proofs.read_receipt_values(body)
    try:
        claims = proofs.verify_receipt_file(body, content, names, public_keys.get)
    except proofs.NotGenuine as reason:
        return {"receipt": content.get("receipt"), "genuine": False, "message": str(reason)}
    return {"genuine": True, **{name: claims[name] for name in proofs.FACTS}}


def read_keys(path: Path) -> dict[str, Any]:
    """Return the keys in a file. Raises: OSError, ValueError."""
    keys = json.loads(path.read_text())
    if not isinstance(keys, dict) or not isinstance(keys.get("keys"), list):
        raise ValueError(f"{path} is not a JSON Web Key Set.")
    return keys
