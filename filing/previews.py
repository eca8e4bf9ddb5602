"""What a preview has shown: its confirmation does that, or the preview is shown again."""

from __future__ import annotations

import hashlib
import json
from dataclasses import fields, is_dataclass
from typing import Any

from filing.errors import Conflict


class PreviewChanged(Conflict):
    """What would be done is not what the preview has shown, so nothing was done."""

    def __init__(self) -> None:
        super().__init__(
            "This has changed since the preview, and was not done. The page shows what it would do "
            "now. Review it, and confirm again."
        )


def digest_preview(*facts: object) -> str:
    """Return the digest of what a preview shows: any difference changes it.

    facts: keys, numbers, days, sentences, and data classes of them; nothing that moves with the
    clock alone.
    """
    return hashlib.sha256(json.dumps(facts, default=_encode_fact).encode()).hexdigest()


def _encode_fact(fact: Any) -> Any:
    if is_dataclass(fact):
        return {field.name: getattr(fact, field.name) for field in fields(fact)}
    return str(fact)


def require_previewed(digest: str | None, *facts: object) -> None:
    """Refuse to do what the confirmed preview has not shown.

    Call it in the transaction that acts, after its locks: no one changes the facts in between.

    digest: of the preview that is confirmed; None where none was shown, as to a command.

    Raises: PreviewChanged.
    """
    if digest is not None and digest != digest_preview(*facts):
        raise PreviewChanged
