"""The batch files of the corpus: lists of loans and of identifiers, as programs save them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from filing.edits import examples
from tests.corpus.making.plain import LEI, Made
from uliapi import checkdigit

MADE: list[Made] = []
GOOD = "1,30,FixedRate,6.0,2023-11-20,2"
OTHER = "1,30,VariableRate,6.0,2017-11-20,2"
NA = "3,30,FixedRate,6.0,2023-11-20,2"
ANSWERS = {GOOD: "-1.420", OTHER: "2.150", NA: "NA"}
HEADER = "action_taken_type,loan_term,amortization_type,apr,lock_in_date,reverse_mortgage"
TOO_FEW = "error: a line must have 6 columns"
LOAN_IDS = [f"{LEI}{at:010d}" for at in (1, 2, 3)]
ULIS = [examples.numbered_uli(LEI, at) for at in (1, 2, 3)]
LENGTH = "Loan ID is not between 21 and 43 characters long"
SPREADS, DIGITS, VERDICTS = "rate-spreads", "check-digits", "validate-ulis"


def answer(
    tool: str,
    name: str,
    content: str | bytes,
    about: str,
    rows: Sequence[Sequence[str]] = (),
    *,
    refusal: list[str] | None = None,
    ending: str = "csv",
) -> None:
    """Add a list. rows: of the answer, as cells. refusal: the words of one."""
    right: dict[str, Any] = {"rows": [list(row) for row in rows]}
    if refusal:
        right = {"refusal": {"status": 400, "words": refusal}}
    data = content.encode() if isinstance(content, str) else content
    MADE.append(Made(name, ending, data, {"about": about, "tool": tool, "answer": right}))


def spread(line: str) -> list[str]:
    return [*line.split(","), ANSWERS[line]]


def made(loan_id: str) -> list[str]:
    digits = checkdigit.compute_check_digits(loan_id)
    return [loan_id, digits, loan_id + digits]


def quote(line: str) -> str:
    return ",".join(f'"{cell}"' for cell in line.split(","))


text = f"{GOOD}\n{OTHER}\n{NA}\n"
spreads = [spread(GOOD), spread(OTHER), spread(NA)]
headed = [[*HEADER.split(","), "rate_spread"], *spreads]
quoted = "".join(f"{quote(line)}\n" for line in text.split())
digits = [["loanId", "checkDigit", "uli"], *map(made, LOAN_IDS)]
verdicts = [["uli", "isValid"], *([one, "true"] for one in ULIS)]

answer(SPREADS, "spread_plain", text, "Three loans.", spreads)
answer(SPREADS, "spread_crlf", text.replace("\n", "\r\n"), "CRLF.", spreads)
answer(SPREADS, "spread_cr", text.replace("\n", "\r"), "Lines end in CR, as on an old Mac.",
       spreads)  # fmt: skip
answer(SPREADS, "spread_mark", "\ufeff" + text, "A byte order mark.", spreads)
answer(SPREADS, "spread_quoted", quoted, "Every cell in quotes.", spreads)
answer(SPREADS, "spread_comma_in_quotes", f'{GOOD},"Main St, Apt 2"\n',
       "A further column with a comma in quotes.",
       [[*GOOD.split(","), "Main St, Apt 2", "-1.420"]])  # fmt: skip
answer(SPREADS, "spread_header", f"{HEADER}\n{text}", "A line of headings.", headed)
answer(SPREADS, "spread_header_quoted", f"\ufeff{quote(HEADER)}\n{quoted}",
       "Headings and cells in quotes, with a mark, as a spreadsheet program saves them.",
       headed)  # fmt: skip
answer(SPREADS, "spread_blank_line", f"{GOOD}\n\n{OTHER}\n", "A blank line between two loans.",
       [spread(GOOD), ["", TOO_FEW], spread(OTHER)])  # fmt: skip
answer(SPREADS, "spread_no_last_end", text.rstrip(), "No line end after the last line.",
       spreads)  # fmt: skip
spaced = [[*GOOD.replace(",", " , ").split(","), ANSWERS[GOOD]]]
answer(SPREADS, "spread_blanks", GOOD.replace(",", " , "), "Blanks around commas.", spaced)
answer(SPREADS, "spread_semicolons", GOOD.replace(",", ";"), "Semicolons: a line has one column.",
       [[GOOD.replace(",", ";"), TOO_FEW]])  # fmt: skip
answer(SPREADS, "spread_utf_16", text.encode("utf-16"), "Excel, Unicode Text.",
       refusal=["UTF-16"], ending="txt")  # fmt: skip
answer(SPREADS, "spread_windows", f"{GOOD},Ré Street\n".encode("cp1252"),
       "Windows-1252: an accent in a further column.", refusal=["UTF-8"])  # fmt: skip
answer(SPREADS, "spread_empty", "", "An empty file.", [])
answer(SPREADS, "spread_date_of_excel", GOOD.replace("2023-11-20", "11/20/2023"),
       "A date as Excel shows it: the line has its reason.",
       [["1", "30", "FixedRate", "6.0", "11/20/2023", "2",
         "error: lock-in date must be a real date such as 2023-11-20"]])  # fmt: skip
answer(DIGITS, "ids_plain", "\n".join(LOAN_IDS), "Three loan identifiers.", digits, ending="txt")
answer(DIGITS, "ids_quoted", "\n".join(map(quote, LOAN_IDS)), "Identifiers in quotes.", digits)
answer(DIGITS, "ids_mark_and_crlf", "\ufeff" + "\r\n".join(LOAN_IDS) + "\r\n",
       "A byte order mark, CRLF.", digits, ending="txt")  # fmt: skip
answer(DIGITS, "ids_cr", "\r".join(LOAN_IDS), "Lines end in CR.", digits, ending="txt")
answer(DIGITS, "ids_blank_line", f"{LOAN_IDS[0]}\n\n{LOAN_IDS[1]}\n", "A blank line between two.",
       [digits[0], digits[1], ["", "Error", LENGTH], digits[2]], ending="txt")  # fmt: skip
answer(DIGITS, "ids_lower_case", LOAN_IDS[0].lower(), "An identifier in lower case.",
       [digits[0], made(LOAN_IDS[0].lower())], ending="txt")  # fmt: skip
answer(DIGITS, "ids_too_short", "LOAN1\n", "A loan number without the LEI.",
       [digits[0], ["LOAN1", "Error", LENGTH]], ending="txt")  # fmt: skip
answer(VERDICTS, "ulis_plain", "\n".join(ULIS), "Three ULIs.", verdicts, ending="txt")
answer(VERDICTS, "ulis_quoted", "\r\n".join(map(quote, ULIS)), "ULIs in quotes.", verdicts)
answer(VERDICTS, "ulis_wrong", f"{ULIS[0][:-2]}00\n{ULIS[1]}\n", "A slip in the check digits.",
       [verdicts[0], [f"{ULIS[0][:-2]}00", "false"], verdicts[2]], ending="txt")  # fmt: skip
answer(VERDICTS, "ulis_with_blanks", f"  {ULIS[0]} \t\n", "Blanks around a ULI.", verdicts[:2],
       ending="txt")  # fmt: skip
answer(VERDICTS, "ulis_utf_16", ULIS[0].encode("utf-16"), "UTF-16.", refusal=["UTF-16"],
       ending="txt")  # fmt: skip
