"""What a service has of each signed submission, compared with what its filer sent."""

from __future__ import annotations

from collections import Counter
from email import message_from_bytes
from pathlib import Path
from typing import Any

# Prints, for each signed submission, hashes and numbers of its file, receipt and public records.
SIGNED = """
import hashlib, json
import pyarrow.parquet as pq
from django.core.files.storage import default_storage
from filing import storage
from filing.emails import sending
from filing.models import Job, Mail, Signature
from filing.receipts import checking
from databrowser.models import ModifiedLar
def sha256(name):
    digest = hashlib.sha256()
    with default_storage.open(name) as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()
lars = {each.submission_id: each for each in ModifiedLar.objects.exclude(folder="")}
def public(submission):
    lar = lars.get(submission)
    if lar is None:
        return None
    return pq.ParquetFile(storage.open_local_copy(f"{lar.folder}/loans.parquet")).metadata.num_rows
print(json.dumps({
    "signed": {str(each.submission): {
        "signed": each.sha256, "stored": sha256(each.submission.raw_file),
        "lines": each.submission.lines, "receipt": each.receipt,
        "proof": hasattr(each, "signed_receipt"), "public": public(each.submission_id)}
        for each in Signature.objects.select_related("signed_receipt",
            "submission__filing__institution", "submission__filing__period")},
    "emails": [sending.make_message_id(each) for each in Mail.objects.all()],
    "unfinished": [str(each) for each in Job.objects.filter(state__in=Job.UNFINISHED)
        if each.submission_id is None and each.stage != "mail"],
}))
"""


def faults_in(found: dict[str, Any], sent: dict[str, str], rows: int) -> list[str]:
    """Return what differs: a line for each. sent: the SHA-256 of each institution's file.

    rows: of each file, without its transmittal sheet.
    """
    differences = []
    for name, each in found["signed"].items():
        expected = {
            "signed": sent[name[:20]],
            "stored": sent[name[:20]],
            "lines": rows + 1,
            "proof": True,
            "public": rows,
        }
        differences += [
            f"{name}: {key} is {each[key]}, not {value}"
            for key, value in expected.items()
            if each[key] != value
        ]
    receipts = Counter(each["receipt"] for each in found["signed"].values())
    return differences + [
        f"receipt {key} is used {n} times" for key, n in receipts.items() if n > 1
    ]


def email_faults(sent: Counter[str], written: list[str]) -> list[str]:
    """Return what differs: each email was sent at least once, and always with its own `Message-ID`.

    sent: see `sent_emails`. written: the `Message-ID` of each email of the service.
    """
    lost, foreign = {*written} - {*sent}, {*sent} - {*written}
    return [f"email lost: {name}" for name in sorted(lost)] + [
        f"email with another Message-ID: {name}" for name in sorted(foreign)
    ]


def sent_emails(folder: Path) -> Counter[str]:
    """Return how often each `Message-ID` was sent into a folder."""
    texts = (text for file in folder.glob("*") for text in file.read_bytes().split(b"-" * 79))
    names = (message_from_bytes(text.strip()).get("Message-ID") for text in texts)
    return Counter(str(name) for name in names if name)
