"""The examples of the API guide: each call once, as a file in every language."""

from __future__ import annotations

from config.guides.folders import DOCUMENTS
from filing.pages.call_examples import Example

FOLDER = DOCUMENTS / "api"
LANGUAGES = {"curl": "sh", "Python": "py", "R": "R"}  # each with the ending of its files

# In the order in which they are pasted, each with what it does.
TITLES = {
    "device-login": "Sign in on another device",
    "start-a-filing": "Start a filing",
    "create-a-submission": "Create a submission",
    "upload-a-file": "Upload a file",
    "follow-the-status": "Follow the status",
    "follow-the-events": "Follow the events",
    "formatting-errors": "Read the formatting errors",
    "edits": "Read the edits",
    "verify-edits": "Verify the edits",
    "sign": "Sign",
    "save-the-receipt": "Save the receipt",
    "check-the-receipt": "Check the receipt",
    "retry": "Repeat a call",
    "idempotency-key": "Create a submission once",
    "resumable-upload": "Upload a file in parts",
}


def examples(name: str) -> list[Example]:
    """Return an example in each language."""
    return [
        Example(language, (FOLDER / f"{name}.{ending}").read_text(encoding="utf-8").rstrip())
        for language, ending in LANGUAGES.items()
    ]
