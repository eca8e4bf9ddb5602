"""What a setting is called where a message about it is read: in the API, on a page, in a command.

A message says what to do with a setting by its name here. Each place gives its words before it
calls what makes the message; without any, the words are those of the API.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

# By setting, what to do with it, as the message that names it goes on; some are the whole message.
API_WORDS: Mapping[str, str] = {
    "as_typed": "choose options.asTyped",
    "file": "Send the file as multipart/form-data, in one part named 'file'.",
    "header": "options.header gives its number",
    "hidden": "options.leaveOutHidden leaves them out",
    "map": "say which with map",
    "sheet": "name one with options.sheet",
    "sheets": 'name one with options.sheet, or "*" for all with the same headers',
    "year": "There is no year: give the parameter year, or put it on the transmittal sheet.",
}

_words: ContextVar[Mapping[str, str]] = ContextVar("setting_words", default=API_WORDS)


def say_setting(name: str) -> str:
    """Return what to do with a setting, in the words of the place. Raises: KeyError."""
    return _words.get()[name]


def copy_setting_words() -> Mapping[str, str]:
    """Return the words of the place, for another process that makes messages for it."""
    return _words.get()


@contextmanager
def use_setting_words(words: Mapping[str, str]) -> Iterator[None]:
    """Word messages for a place. words: by setting; the others stay as they are."""
    token = _words.set({**_words.get(), **words})
    try:
        yield
    finally:
        _words.reset(token)
