"""A receipt as a PDF to keep: tagged, PDF/UA-1, and the same bytes for the same facts."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import typst

from filing.receipts.documents import ReceiptFact

CONTENT_TYPE = "application/pdf"
_TEMPLATE = Path(__file__).with_name("receipt.typ").read_bytes()
# What the fonts of the library have no glyph for, which PDF/UA does not allow: all but Latin, Greek
# and Cyrillic letters, their marks, and common punctuation.
_WITHOUT_GLYPH = re.compile(
    "[^\u0020-\u007e\u00a0-\u036f\u0384-\u038a\u038c\u038e-\u03a1\u03a3-\u04ff\u1e00-\u1eff"
    "\u2010-\u2027\u20a0-\u20bf\u2122]"
)


def write_receipt_pdf(
    facts: Sequence[ReceiptFact], *, title: str, summary: str, note: str, issuer: str, at: datetime
) -> bytes:
    """Return a receipt as PDF. at: its date of creation. A character without glyph is [U+94F6]."""
    content = {
        "title": title,
        "summary": summary,
        "facts": [
            {"label": fact.label, "value": _printable(fact.value), "code": fact.code}
            for fact in facts
        ],
        "note": note,
        "issuer": issuer,
    }
    pdf: bytes = typst.compile(
        _TEMPLATE,
        format="pdf",
        ignore_system_fonts=True,
        pdf_standards=["ua-1"],
        timestamp=int(at.timestamp()),
        sys_inputs={"receipt": json.dumps(content)},
    )
    return pdf


def _printable(text: str) -> str:
    return _WITHOUT_GLYPH.sub(lambda found: f"[U+{ord(found[0]):04X}]", text)
