"""How results are cited: in words, in BibTeX and as CSL JSON.

Sources: the `@dataset` entries of BibLaTeX, which BibTeX takes for `@misc`; the data schema of the
Citation Style Language 1.0.2.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Protocol

from filing.day_hours import to_filing_zone

_PUBLISHER = "HMDA filing service"
# Characters that mean something in TeX. Source: Lamport, LaTeX, 2.1.
_IN_TEX = str.maketrans(
    {character: f"\\{character}" for character in "&%$#_{}"}
    | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}
)


class CitedVersion(Protocol):
    """What a citation says of a version of a data set."""

    @property
    def name(self) -> str: ...
    @property
    def sha256(self) -> str: ...
    @property
    def is_demo(self) -> bool: ...
    @property
    def made_at(self) -> datetime | None: ...


@dataclass(frozen=True)
class Citation:
    """A citation of what is public.

    subject: what is cited, after the name of the data. versions: those behind it. address: where it
    stays. accessed: the day on which it was read.
    """

    subject: str
    versions: Sequence[CitedVersion]
    address: str
    accessed: date

    @property
    def title(self) -> str:
        """The title, which says so if records are made up."""
        made_up = "Demo, made up: " if any(each.is_demo for each in self.versions) else ""
        return f"{made_up}HMDA public loan data, {self.subject}"

    @property
    def text(self) -> str:
        """The citation in words."""
        plural = "" if len(self.versions) == 1 else "s"
        return (
            f"{self.title}. Data set{plural} {self._hashes or 'none'}. "
            f"Retrieved {self.accessed} from {self.address}"
        )

    @property
    def bibtex(self) -> str:
        """The citation as an entry of BibTeX."""
        fields = {
            "title": f"{{{self.title.translate(_IN_TEX)}}}",
            "author": f"{{{_PUBLISHER}}}",
            "year": str(self._built.year),
            "version": self._names,
            "url": self.address,
            "urldate": self.accessed.isoformat(),
            "note": self._hashes,
        }
        lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items() if value)
        return f"@dataset{{{self._key},\n{lines}}}\n"

    @property
    def csl_json(self) -> str:
        """The citation as a list with one item of CSL JSON."""
        item = {
            "id": self._key,
            "type": "dataset",
            "title": self.title,
            "author": [{"literal": _PUBLISHER}],
            "publisher": _PUBLISHER,
            "version": self._names,
            "URL": self.address,
            "issued": {"date-parts": [_parts(self._built)]},
            "accessed": {"date-parts": [_parts(self.accessed)]},
            "note": self._hashes,
        }
        lines = (f'  "{key}": {json.dumps(value)}' for key, value in item.items() if value)
        return "[{\n" + ",\n".join(lines) + "\n}]\n"

    @property
    def _names(self) -> str:
        return ", ".join(each.name for each in self.versions)

    @property
    def _hashes(self) -> str:
        return ", ".join(f"{each.name} (SHA-256 {each.sha256})" for each in self.versions)

    @property
    def _key(self) -> str:
        return "-".join(["hmda", *(f"{each.name}-{each.sha256[:12]}" for each in self.versions)])

    @property
    def _built(self) -> date:
        """The day on which the newest of the versions was built."""
        times = [each.made_at for each in self.versions if each.made_at]
        return max((to_filing_zone(time).date() for time in times), default=self.accessed)


def _parts(day: date) -> list[int]:
    return [day.year, day.month, day.day]
