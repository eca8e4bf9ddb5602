"""A file that failed becomes a case without the values of people."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from filing.spreadsheets import reading
from tests.corpus import add_case
from tests.corpus.case_files import TOOLS, Case
from tests.corpus.making.plain import LABELS, as_book, as_csv, grid, lar_lines, loans, numbers
from uliapi import checkdigit

PEOPLE = loans(2, street="5 Quincy Place", city="Ypsilanti", applicant_age="63", income="8461379")
WORDS = ("Quincy", "Ypsilanti", "8461379", *(loan["uli"] for loan in PEOPLE), PEOPLE[0]["lei"])
FILES = {
    "list.csv": as_csv([["Loans of J. Quincy"], *grid(PEOPLE, LABELS)]),
    "list.txt": as_csv(grid(PEOPLE), separator="\t", encoding="utf-16"),
    "lar.txt": "\r\n".join(lar_lines(PEOPLE)).encode(),
    "book.xlsx": as_book("xlsx", grid(numbers(PEOPLE), LABELS)),
    "book.ods": as_book("ods", grid(numbers(PEOPLE), LABELS)),
}


def add(folder: Path, file: Path, name: str, tool: str = "convert") -> Case:
    for kind in TOOLS:
        (folder / "corpus" / kind).mkdir(parents=True, exist_ok=True)
    words = [str(file), "--tool", tool, "--as", name, "--about", "A program.", "--year", "2024"]
    add_case.main(words, folder=folder / "corpus")
    kind = next(kind for kind, tools in TOOLS.items() if tool in tools)
    return Case(folder / "corpus" / kind / f"{name}.json")


@pytest.mark.parametrize("name", FILES)
def test_values_are_made_up_and_headings_and_codes_stay(name: str, tmp_path: Path) -> None:
    source = tmp_path / name
    source.write_bytes(FILES[name])
    case = add(tmp_path, source, "case")
    assert case.body == {"about": "A program.", "tool": "convert", "year": 2024}
    assert case.answer is None
    before, after = (reading.open_table(path) for path in (source, case.file))
    if before.kind == "pipe":
        text = case.file.read_text()
        line = text.splitlines()[1].split("|")
        assert [field.count("|") for field in text.split("\n")] == [14, 109, 109]
        assert (line[4:9], line[14]) == (lar_lines(PEOPLE)[1].split("|")[4:9], "CA")
    else:
        text = json.dumps(after.texts.to_dict(as_series=False), ensure_ascii=False)
        assert after.headers == before.headers
        assert (after.kinds.equals(before.kinds), after.header) == (True, before.header)
        line = [str(value) for value in after.texts.row(0)]
    assert [word for word in WORDS if word in text or word.encode() in case.file.read_bytes()] == []
    assert checkdigit.is_valid_uli(line[2])
    assert line[2].startswith(line[1])
