"""Many files at once: each with its own institution, filed in parallel, and a summary."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from filing.client.api import FilingClient, SiteYears
from filing.client.calls import RETRY_SECONDS, Pace, Refused, Token, Trouble, call_with_retries
from filing.client.outcome import Outcome
from filing.client.resumption import JournalEntry, find_journal_entry
from filing.client.steps import FilingRun, Watch, file
from filing.client.transmittal import NoSheet, SheetOwner, hash_file, read_sheet
from filing.lar.years import Period

_NOT_FOUND = (404, 405)
_AGAIN = "Filed again with --again."  # the reason where the user gives none


@dataclass(frozen=True, slots=True)
class FilingWishes:
    """What to do with each file. again: also if the same file is signed already.

    reason: why the filing is signed again. receipts: the folder for the signed receipts. state: the
    folder of what was begun. years: what the site says about the filing periods that it takes.
    """

    verify: bool = False
    sign: bool = False
    again: bool = False
    reason: str = ""
    receipts: Path | None = None
    state: Path | None = None
    patience: float = RETRY_SECONDS
    years: SiteYears = field(default_factory=SiteYears)


@dataclass(slots=True)
class Filed:
    """One file, whose it is, and its outcome. saved: its signed receipt."""

    path: Path
    lei: str
    period: Period | None
    outcome: Outcome
    sha256: str = ""
    saved: Path | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the file and its outcome as a JSON object."""
        return {
            "file": str(self.path),
            "lei": self.lei or None,
            "period": str(self.period) if self.period else None,
            "sha256": self.sha256 or None,
            "wasSigned": self.outcome.was_signed,
            "receiptFile": str(self.saved) if self.saved else None,
            **self.outcome.as_json(),
        }


def file_all(
    paths: Sequence[Path],
    *,
    url: str,
    token: str | Token,
    wishes: FilingWishes,
    parallel: int = 1,
    lei: str = "",
    period: Period | None = None,
    watch: Watch = lambda event: None,
) -> Iterator[Filed]:
    """File each of some files and yield them as they end, in any order.

    lei, period: of all files; default: those of their transmittal sheets.
    """
    pace, files = Pace(), Counter[tuple[str, Period]]()
    with ThreadPoolExecutor(max_workers=parallel) as threads:
        futures = []
        for path in paths:
            try:
                sheet = read_sheet(path, lei=lei, period=period)
                sha256 = hash_file(path)
            except (OSError, NoSheet) as error:
                yield Filed(path, lei, period, Outcome(error=error))
                continue
            files[sheet.lei, sheet.period] += 1
            if files[sheet.lei, sheet.period] > 1:
                twice = Trouble(f"Another of these files is for {sheet.lei}, {sheet.period}.")
                yield Filed(path, sheet.lei, sheet.period, Outcome(error=twice), sha256)
                continue
            filed = Filed(path, sheet.lei, sheet.period, Outcome(), sha256)
            if refusal := wishes.years.refusal(sheet.period):
                rulebook = wishes.years.rulebook(sheet.period.year)
                filed.outcome = Outcome(error=Trouble(refusal), rulebook=rulebook)
                yield filed
                continue
            futures.append(threads.submit(_one, filed, sheet, url, token, wishes, pace, watch))
        try:
            for future in as_completed(futures):
                yield future.result()
        except BaseException:
            threads.shutdown(wait=False, cancel_futures=True)
            raise


def _one(
    filed: Filed,
    sheet: SheetOwner,
    url: str,
    token: str | Token,
    wishes: FilingWishes,
    pace: Pace,
    watch: Watch,
) -> Filed:
    lei, period = sheet.lei, sheet.period
    entry = JournalEntry()
    if wishes.state:
        entry = find_journal_entry(
            wishes.state, url=url, lei=lei, period=period, sha256=filed.sha256
        )
    if wishes.again:
        entry.forget()
    try:
        with FilingClient(url, token, pace=pace) as client:
            receipt = None if wishes.again else _find_receipt(client, filed, sheet, wishes)
            if receipt:
                filed.outcome = Outcome(receipt=receipt, was_signed=True)
                number = _number_in(receipt["receipt"])
            else:
                filed.outcome = file(
                    client,
                    filed.path,
                    lei=lei,
                    period=period,
                    verify=wishes.verify,
                    sign=wishes.sign,
                    reason=wishes.reason or (_AGAIN if wishes.again else ""),
                    patience=wishes.patience,
                    watch=watch,
                    entry=entry,
                )
                number = filed.outcome.submission
            if wishes.receipts and filed.outcome.receipt:
                submission = lei, period, number
                filed.saved = save_receipt(
                    client, submission, wishes.receipts, patience=wishes.patience
                )
    except (OSError, Trouble) as error:
        filed.outcome.error = error
    return filed


def _find_receipt(
    client: FilingClient, filed: Filed, sheet: SheetOwner, wishes: FilingWishes
) -> dict[str, Any] | None:
    """Return the receipt of the same file for the same institution and period, if there is one."""
    try:
        answer = call_with_retries(
            lambda: client.receipt_of_file(filed.sha256), patience=min(wishes.patience, 60)
        )
    except Refused as error:
        if error.status in _NOT_FOUND:
            return None
        raise
    body = answer.body
    same = (body.get("lei"), body.get("period")) == (sheet.lei, str(sheet.period))
    return body if same and body.get("genuine") else None


def _number_in(receipt: str) -> int:
    """Return the submission in a receipt number, `{LEI}-{period}-{submission}-{time}`."""
    return int(receipt.split("-")[-2])


def save_receipt(
    client: FilingClient,
    submission: tuple[str, Period, int],
    folder: Path,
    *,
    patience: float = RETRY_SECONDS,
) -> Path:
    """Save the signed receipt of a submission, byte for byte, and return its file.

    It is issued a moment after the signature. Raises: OSError, Trouble.
    """
    lei, period, number = submission
    content = FilingRun(client, lei, period, patience=patience).signed_receipt(number)
    folder.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"[^\w-]", "_", f"receipt-{lei}-{period}-{number}", flags=re.ASCII)
    path = folder / f"{name}.json"
    path.write_bytes(content)
    return path
