"""The names by which columns are known, folded: lower case, `&` as `and`, letters and digits."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from filing.lar.fields import LAR, SHEET_PREFIX, TRANSMITTAL_SHEET, Field
from filing.spreadsheets import aliases
from filing.spreadsheets.aliases import NEAR, SHEET_ONLY, HeaderAlias, keep_until_changed
from filing.spreadsheets.field_lists import LOAN_ID, qualify_name, reference_name
from filing.spreadsheets.sheet_rows import fold_name

_SHEET_LABEL = "Transmittal Sheet"

Names = dict[str, set[str]]


@keep_until_changed
def list_known_names() -> dict[str, str]:
    """Return the field for each folded name that only one field of a file has."""
    return _unambiguous(collect_names())


@keep_until_changed
def list_sheet_names() -> dict[str, str]:
    """Return the field of the transmittal sheet for each folded name, without the prefix."""
    names: Names = {}
    for field in TRANSMITTAL_SHEET:
        for text in (*list_texts(field), *aliases.list_aliases(qualify_name(field), SHEET_ONLY)):
            names.setdefault(fold_name(text), set()).add(field.name)
    return _unambiguous(names)


@cache
def list_proposed_names() -> dict[str, HeaderAlias]:
    """Return the alias for each folded name that is proposed, and used only if confirmed."""
    return {fold_name(each.alias): each for each in aliases.list_own_aliases() if each.use == NEAR}


def list_header_names() -> dict[str, str]:
    """Return the field for each folded name that tells a header row: known or proposed."""
    proposed = {name: alias.field for name, alias in list_proposed_names().items()}
    return {**proposed, **list_known_names()}


def _unambiguous(names: Names) -> dict[str, str]:
    return {name: next(iter(keys)) for name, keys in names.items() if len(keys) == 1}


def collect_names() -> Names:
    """Return the fields for each folded name."""
    names: Names = {}
    for field in LAR:
        for text in list_texts(field):
            name = fold_name(text)
            names.setdefault(name, set()).add(field.name)
            names.setdefault(f"{field.number}{name}", set()).add(field.name)
        names.setdefault(str(field.number), set()).add(field.name)
    for text in (LOAN_ID, *aliases.list_aliases(LOAN_ID)):
        names.setdefault(fold_name(text), set()).add(LOAN_ID)
    for field in TRANSMITTAL_SHEET:
        key = qualify_name(field)
        for text in list_texts(field):
            for name in (f"{_SHEET_LABEL} {text}", f"ts {text}"):
                names.setdefault(fold_name(name), set()).add(key)
            # The same name of a field of loans goes before.
            if all(name.startswith(SHEET_PREFIX) for name in names.get(fold_name(text), ())):
                names.setdefault(fold_name(text), set()).add(key)
    return names


def sheet_heading(field: Field, *, is_label: bool) -> str:
    """Return the header of a field of the transmittal sheet that stands among those of loans."""
    text = field.label if is_label else field.name
    if list_known_names().get(fold_name(text)) == qualify_name(field):
        return text
    return f"{_SHEET_LABEL} {text}" if is_label else f"ts_{text}"


def list_texts(field: Field) -> Iterator[str]:
    """Yield every name of a field."""
    yield from (field.name, field.label, reference_name(field), field.json)
    yield from aliases.list_aliases(qualify_name(field))
