"""Write the described files of the corpus: `python -m tests.corpus.making.make_corpus`.

Text files come out the same each time. Workbooks and archives have the time and the library in
them: those that exist stay, unless `--all` is given.
"""

from __future__ import annotations

import sys

from tests.corpus.case_files import FOLDER, write_description
from tests.corpus.making import batch_cases, lar_cases, public_cases, spreadsheet_cases
from tests.corpus.making.plain import GIVEN, Made

STAY = ("xlsx", "xlsm", "xls", "ods", "zip", "gz")
MADE: dict[str, list[Made]] = {
    "spreadsheets": spreadsheet_cases.MADE,
    "lar": lar_cases.MADE,
    "batch": batch_cases.MADE,
    "public": public_cases.MADE,
}


def main() -> None:
    write_description(FOLDER / "transmittal_sheet.json", GIVEN)
    for folder, cases in MADE.items():
        for made in cases:
            file = FOLDER / folder / f"{made.name}.{made.ending}"
            former = file.read_bytes() if made.ending in STAY and file.exists() else None
            made.write(folder)
            if former is not None and "--all" not in sys.argv:
                file.write_bytes(former)


if __name__ == "__main__":
    main()
