"""Write the workbooks of the corpus: `python -m tests.corpus.making.make_corpus`.

They have the time and the library in them: those that exist stay, unless `--all` is given, and
only their JSON is written.
"""

from __future__ import annotations

import sys

from tests.corpus.case_files import FOLDER
from tests.corpus.making.workbooks import MADE


def main() -> None:
    for made in MADE:
        file = FOLDER / "spreadsheets" / f"{made.name}.{made.ending}"
        former = file.read_bytes() if file.exists() and "--all" not in sys.argv else made.content
        made.write("spreadsheets")
        file.write_bytes(former)


if __name__ == "__main__":
    main()
