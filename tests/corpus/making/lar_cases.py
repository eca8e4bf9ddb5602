"""The LAR texts of the corpus: for each, what happened to it, and what is found in it."""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Sequence
from typing import Any

from tests.corpus.making.plain import LEI, YEAR, Made, lar_lines, loans

MADE: list[Made] = []
UTF_16 = ["UTF-16", "UTF-8"]
TS_FIELDS, LAR_FIELDS = "Incorrect Number of TS Fields", "Incorrect Number of LAR Fields"


def check(
    name: str,
    content: bytes,
    about: str,
    *,
    errors: Sequence[str] = (),
    edits: Sequence[str] = (),
    file_edits: Sequence[str] = (),
    refusal: list[str] | None = None,
    ending: str = "txt",
    alone: dict[str, Any] | None = None,
) -> None:
    """Add a LAR that is checked.

    errors: lines with formatting errors, each with its field. edits: codes with ULIs. refusal: the
    words of one. alone: the answer of the client without the year, if it differs.
    """
    answer: dict[str, Any] = {
        "formatErrors": list(errors),
        "edits": sorted(edits),
        "fileEdits": sorted(file_edits),
    }
    if refusal:
        answer = refused(*refusal)
    if alone:
        answer["withoutYear"] = alone
    body = {"about": about, "tool": "check", "year": YEAR, "answer": answer}
    MADE.append(Made(name, ending, content, body))


def refused(*words: str) -> dict[str, Any]:
    return {"refusal": {"status": 400, "words": list(words)}}


plain = loans()
ulis = [loan["uli"] for loan in plain]
sheet, first, second, third = lines = lar_lines(plain)
text = "\n".join(lines)


def joined(*some: str) -> bytes:
    return "\n".join(some).encode()


def cells(line: str, **changes: str) -> str:
    """Return a line with other fields, by `f` and their number."""
    parts = line.split("|")
    for key, value in changes.items():
        parts[int(key[1:]) - 1] = value
    return "|".join(parts)


# --- Encodings, line ends, quotes: read as they are ----------------------------------------------

check("as_it_should_be", text.encode(), "A LAR without a fault.")
check("byte_order_mark", text.encode("utf-8-sig"), "Saved by Notepad: a byte order mark.")
check("crlf", text.replace("\n", "\r\n").encode(), "Saved on Windows: CRLF.")
check("cr", text.replace("\n", "\r").encode(), "Saved on an old Mac: CR.")
check("line_end_after_the_last", f"{text}\n".encode(), "A line end after the last line.")
check("blank_lines_at_the_end", f"{text}\n\n\r\n  \n".encode(), "Blank lines at the end.")
check("mark_and_crlf", ("\ufeff" + text.replace("\n", "\r\n") + "\r\n").encode(),
      "A byte order mark, CRLF, and a last line end.")  # fmt: skip
check("quoted", joined(*("|".join(f'"{cell}"' for cell in line.split("|")) for line in lines)),
      "Every field in quotes, as an export to CSV with pipes writes it.")  # fmt: skip
check("lines_quoted", joined(*(f'"{line}"' for line in lines)),
      "Every line in quotes, as a spreadsheet program writes column A.")  # fmt: skip
check("one_more_pipe", joined(*(f"{line}|" for line in lines)),
      "A pipe after the last field of each line.")  # fmt: skip
check("blanks_around_fields", text.replace("|", " | ").encode(), "Blanks around each pipe.")
check("blank_before_the_first", f" {text}".encode(), "A blank before the first line.")
check("control_characters", text.replace("Oak", "O\x02ak\x1b").encode(),
      "Control characters in a street, from a terminal.")  # fmt: skip
check("lower_case_lei", joined(sheet, *(cells(line, f2=LEI.lower()) for line in lines[1:])),
      "The LEI of the records in lower case.")  # fmt: skip
check("accents", text.replace("Oak", "Peña").encode(), "Letters outside ASCII, in UTF-8.")
check("end_of_file_mark", f"{text}\n\x1a".encode(), "An end-of-file character of DOS.")
check("one_quotation_mark", text.replace("7 Oak Ave", '7 "Oak Ave').encode(),
      "A quotation mark that does not close, in a street.")  # fmt: skip

# --- Encodings and kinds that are refused --------------------------------------------------------

check("windows_1252", text.encode("cp1252"), "Windows-1252: an accent in a street.",
      refusal=["line 2", "UTF-8"])  # fmt: skip
check("utf_16_with_mark", text.encode("utf-16"), "Notepad's Unicode: UTF-16 with a mark.",
      refusal=UTF_16)  # fmt: skip
check("utf_16_big_endian", b"\xfe\xff" + text.encode("utf-16-be"), "UTF-16, big endian.",
      refusal=UTF_16)  # fmt: skip
check("utf_16_without_mark", text.encode("utf-16-le"), "UTF-16 without a mark.",
      refusal=UTF_16)  # fmt: skip
check("utf_32", text.encode("utf-32"), "UTF-32.", refusal=["UTF-32"])
check("nul_bytes", text.replace("Oak", "O\0k").encode(), "A NUL byte in the third line.",
      refusal=["line 3", "NUL"])  # fmt: skip
check("nul_bytes_at_the_end", text.encode() + b"\n" + bytes(200),
      "A copy that broke off: the end is NUL bytes.", refusal=["line 5", "NUL"])  # fmt: skip


def zipped() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("lar.txt", text)
    return data.getvalue()


check("zip", zipped(), "A zip archive with the LAR in it.", ending="zip",
      refusal=["zip", "unpack"])  # fmt: skip
check("gzip", gzip.compress(text.encode(), mtime=0), "A gzip archive.", ending="gz",
      refusal=["gzip"])  # fmt: skip
check("pdf", b"%PDF-1.4\n" + text.encode(), "A LAR printed as a PDF.", ending="pdf",
      refusal=["PDF"])  # fmt: skip

# --- Lines that are no record --------------------------------------------------------------------

NO_SHEET = f"1 {TS_FIELDS}"

check("empty", b"", "An empty file.", errors=[NO_SHEET])
check("blank_lines_alone", b"\n\n  \r\n", "A file of blank lines.", errors=[NO_SHEET])  # fmt: skip
check("no_transmittal_sheet", joined(*lines[1:]), "The transmittal sheet was left out.",
      errors=[NO_SHEET])  # fmt: skip
check("transmittal_sheet_last", joined(*lines[1:], sheet), "The transmittal sheet at the end.",
      errors=[NO_SHEET, f"4 {LAR_FIELDS}"])  # fmt: skip
check("two_transmittal_sheets", joined(sheet, *lines), "The transmittal sheet twice.",
      errors=[f"2 {LAR_FIELDS}"])  # fmt: skip
check("two_files_in_one", joined(sheet, first, sheet, second, third),
      "The files of two branches, one after the other.", errors=[f"3 {LAR_FIELDS}"])  # fmt: skip
check("header_line", joined("Record Identifier|LEI|ULI", *lines), "A line of headings first.",
      errors=[NO_SHEET, f"2 {LAR_FIELDS}"])  # fmt: skip
check("blank_line_first", f"\n{text}".encode(), "A blank line before the transmittal sheet.",
      errors=[NO_SHEET, f"2 {LAR_FIELDS}"])  # fmt: skip
check("blank_line_between", joined(sheet, first, "", second, third),
      "A blank line between two records.", errors=[f"3 {LAR_FIELDS}"])  # fmt: skip
check("web_page", f"<html><body><pre>\n{text}\n</pre></body></html>".encode(),
      "Saved from a browser as a web page.", refusal=["web page"])  # fmt: skip
check("email_signature", f"{text}\n--\nSent from my phone".encode(),
      "Copied out of an email, with the signature.",
      errors=[f"5 {LAR_FIELDS}", f"6 {LAR_FIELDS}"])  # fmt: skip
check("wrapped_line", joined(sheet, first[:200], first[200:], second, third),
      "A mail program wrapped a line.", errors=[f"2 {LAR_FIELDS}", f"3 {LAR_FIELDS}"])  # fmt: skip
check("cut_off", text[:-40].encode(), "A copy that broke off in the last line.",
      errors=[f"4 {LAR_FIELDS}"])  # fmt: skip
check("transmittal_sheet_alone", joined(cells(sheet, f13="0")),
      "A transmittal sheet without records.", edits=[f"V606 {LEI}"])  # fmt: skip

# --- Separators and fields -----------------------------------------------------------------------

EACH = [NO_SHEET, *(f"{line} {LAR_FIELDS}" for line in (2, 3, 4))]
for word, mark in (("commas", ","), ("semicolons", ";"), ("tabs", "\t"), ("tildes", "~"),
                   ("broken_bars", "¦")):  # fmt: skip
    check(word, text.replace("|", mark).encode(),
          f"{word.replace('_', ' ').capitalize()} in place of pipes.", errors=EACH)  # fmt: skip
check("missing_field", joined(sheet, first, second.replace("|Los Angeles", "", 1), third),
      "A record without its city.", errors=[f"3 {LAR_FIELDS}"])  # fmt: skip
check("pipe_in_a_street", text.replace("7 Oak", "7|Oak").encode(), "A pipe within a street.",
      errors=[f"3 {LAR_FIELDS}"])  # fmt: skip
check("short_transmittal_sheet", joined("|".join(sheet.split("|")[:13]), *lines[1:]),
      "A transmittal sheet without its last two fields.", errors=[NO_SHEET])  # fmt: skip
for name, number, value, field, about in (
    ("dates_with_dashes", 4, "2024-01-05", "Application Date", "A date with dashes."),
    ("codes_in_words", 5, "Conventional", "Loan Type", "A word for a code."),
    ("na_in_lower_case", 57, "n/a", "Income", "NA as n/a."),
    ("dollar_sign", 10, "$205,000", "Loan Amount", "A dollar sign and a comma."),
):  # fmt: skip
    check(name, joined(sheet, first, cells(second, **{f"f{number}": value}), third), about,
          errors=[f"3 {field}"])  # fmt: skip

# --- Records that are read, and are not right ----------------------------------------------------

check("wrong_year", joined(cells(sheet, f3="2023"), *lines[1:]),
      "The transmittal sheet of the year before.", edits=[f"S302 {LEI}"],
      alone={"formatErrors": []})  # fmt: skip
check("exponent_uli", joined(sheet, first, cells(second, f3="5.299E+27"), third),
      "A ULI that went through a spreadsheet program.", edits=["V608-2 5.299E+27"])  # fmt: skip
check("wrong_total", joined(cells(sheet, f13="7"), *lines[1:]),
      "A transmittal sheet that counts other records.", file_edits=["S304", "Q600"])  # fmt: skip
check("repeated_record", joined(*lines, first), "A record twice.",
      file_edits=["S304", "S305", "S306"])  # fmt: skip
check("other_lei", joined(sheet, cells(first, f2="529900EXAMPLELEI0002"), second, third),
      "A record of another institution.", edits=[f"S301 {ulis[0]}", f"Q648 {ulis[0]}"])  # fmt: skip
check("code_of_no_year", joined(sheet, first, second, cells(third, f5="9")), "A loan type 9.",
      edits=[f"V611 {ulis[2]}"])  # fmt: skip
check("wrong_check_digits", joined(sheet, first, second, cells(third, f3=ulis[2][:-2] + "00")),
      "A slip in the check digits.", edits=[f"V609 {ulis[2][:-2]}00"])  # fmt: skip
check("lower_case_state", joined(sheet, first, second, cells(third, f15="ca")),
      "A state in lower case.", edits=[f"V623 {ulis[2]}"])  # fmt: skip
check("lost_zeros", joined(sheet, first, second,
                           cells(third, f16="2138", f17="6037", f18="6037123456")),
      "Zip code, county and tract without their zeros.",
      edits=[f"V624 {ulis[2]}", f"V625-1 {ulis[2]}"])  # fmt: skip
check("tax_id_without_dash", joined(cells(sheet, f14="123456789"), *lines[1:]),
      "A tax identification number without its dash.", edits=[f"V607 {LEI}"])  # fmt: skip
