"""The calls of the public tools whose answers the API document shows."""

from __future__ import annotations

import json
from functools import partial

from filing.edits import examples
from filing.lar.years import Period
from tests.flow.recording import JSON_LIMIT, LEI, PUBLIC_UPLOAD_LIMIT, WORKBOOK, Recording

LOAN_ID, ULI = "10Bx939c5543TqA1144M999143X", "10Bx939c5543TqA1144M999143X38"
LOAN = {
    "actionTakenType": 1,
    "loanTerm": 30,
    "amortizationType": "FixedRate",
    "apr": 6.0,
    "lockInDate": "2023-11-20",
    "reverseMortgage": 2,
}
LOANS = """\
1,30,FixedRate,6.0,2023-11-20,2
3,30,FixedRate,6.0,2023-11-20,2
1,99,FixedRate,6.0,2023-11-20,2
"""
APOR = {"Fixed": ("7.40", "7.42"), "Adjustable": ("7.20", "7.25")}
SPREADSHEET = b"""\
Loan ID,Application Date,Loan Type,Loan Amount,State,Zip Code,Income
LOAN2024A1,7/21/2024,1.0,"$110,500.00",California,2116,(36)
"""
TOO_LARGE = {"content": b"1" * (JSON_LIMIT + 1)}


def record(recording: Recording) -> None:
    """Record all operations of the tools."""
    recording.call("GET", "/v2/filing/")
    coverage(recording)
    edits(recording)
    for of_period in ("2024", "2024/quarter/Q1"):
        checks_of_lines(recording, of_period)
        checks_of_files(recording, of_period)
    parsing(recording)
    lar_tool(recording)
    check_digits(recording)
    rate_spreads(recording)


def coverage(recording: Recording) -> None:
    path = "/v2/public/coverage"
    counts = "closed_end_1=310&closed_end_2=300&open_end_1=20&open_end_2=30&records=400"
    bank = "kind=bank&assets=900000000&federal=insured&office=yes&home_loan=yes&low_cra=no"
    recording.call("GET", f"{path}?year=2025&{bank}&{counts}")
    recording.call("GET", f"{path}?kind=bank")
    recording.call("GET", f"{path}?year=2017&kind=bank")
    recording.call("GET", f"{path}?year=2025&kind=bank&assets=many")


def edits(recording: Recording) -> None:
    path = "/v2/public/edits"
    recording.call("GET", f"{path}?year=2024&kind=syntactical")
    recording.call("GET", f"{path}/V613-1")
    recording.call("GET", f"{path}/V999")
    for query in ("kind=x", "year=2017", "quarter=Q1"):
        recording.call("GET", f"{path}?{query}")
        recording.call("GET", f"{path}/V613-1?{query}")


def sheet(period: Period, **changes: str) -> str:
    """Return the line of a transmittal sheet that is correct but for the changes."""
    return examples.write_record_line(
        {**examples.correct_transmittal_sheet(period, LEI, 1), **changes}
    )


def loan(period: Period, **changes: str | int) -> str:
    """Return the line of a loan that is correct but for the changes."""
    return examples.write_record_line({**examples.correct_loan(period, LEI), **changes})


def bad_sheet(period: Period) -> str:
    """Return the line of a transmittal sheet with a formatting error."""
    return sheet(period, calendar_year="20x4")


def bad_loan(period: Period) -> str:
    """Return the line of a loan that triggers an edit."""
    return loan(period, loan_type=3, total_units=6)


def checks_of_lines(recording: Recording, of_period: str) -> None:
    period = Period.parse(of_period.replace("/quarter/", "-"))
    failing = {"ts": sheet(period, total_lines="0"), "lar": bad_loan(period)}
    unread = {"ts": bad_sheet(period), "lar": loan(period, loan_type="x")}
    for key in ("ts", "lar"):
        path = f"/v2/public/{key}/validate/{of_period}"
        recording.call("POST", path, json={key: failing[key]})
        recording.call("POST", path, "Format errors", json={key: unread[key]})
        recording.call("POST", path, json={})
        recording.call("POST", path.replace("2024", "2017"), json={key: failing[key]})
        recording.call("POST", f"{path}?check=x", json={key: failing[key]})
        recording.call("POST", path.replace("2024", "20x4"), json={key: failing[key]})
        recording.call("POST", path, **TOO_LARGE)


def checks_of_files(recording: Recording, of_period: str) -> None:
    period = Period.parse(of_period.replace("/quarter/", "-"))
    path = f"/v2/public/disclosure/validate/{of_period}"
    files = file(sheet(period), bad_loan(period))
    recording.call("POST", path, files=files)
    recording.call("POST", path.replace("2024", "2017"), files=files)
    recording.call("POST", f"{path}?check=x", files=files)
    recording.call("POST", path, data={"other": "1"}, files={"other": b"1"})
    recording.call("POST", path.replace("2024", "20x4"), files=files)
    recording.send_too_large_file(path, PUBLIC_UPLOAD_LIMIT)


def file(*lines: str | bytes) -> dict[str, tuple[str, bytes]]:
    """Return the form with a file of these lines."""
    content = b"\n".join(line.encode() if isinstance(line, str) else line for line in lines)
    return {"file": ("lar.txt", content + b"\n")}


def parsing(recording: Recording) -> None:
    period = Period(2024)
    lines = {"ts": sheet(period), "lar": loan(period)}
    unread = {"ts": bad_sheet(period), "lar": loan(period, loan_type="x")}
    for path, key in (("/ts/parse", "ts"), ("", "ts"), ("/lar/parse", "lar")):
        call = partial(recording.call, "POST", f"/v2/public{path}")
        call(json={key: lines[key]})
        call("Format errors", json={key: unread[key]})
        call(json={})
        call(**TOO_LARGE)
    for path in ("/v2/public/disclosure/parse", "/v2/public/disclosure/parse/csv"):
        call = partial(recording.call, "POST", path)
        call(files=file(bad_sheet(period), loan(period)))
        call(files={"other": b"1"})
        call(files=file(sheet(period), loan(period), b"2|\xff"))
        call(files=file(WORKBOOK))
        recording.send_too_large_file(path, PUBLIC_UPLOAD_LIMIT)


def lar_tool(recording: Recording) -> None:
    path = "/v2/public/lar"
    recording.call("GET", f"{path}/fields?year=2024&record=ts")
    recording.call("GET", f"{path}/fields?year=2017")
    recording.call("GET", f"{path}/template?format=csv&names=name&year=2024")
    recording.call("GET", f"{path}/template?format=x")
    conversions(recording)
    call = partial(recording.call, "POST", f"{path}/spreadsheet?format=csv")
    call(files=file(sheet(Period(2024)), loan(Period(2024))))
    call(files={"other": b"1"})
    recording.send_too_large_file(f"{path}/spreadsheet", PUBLIC_UPLOAD_LIMIT)


def conversions(recording: Recording) -> None:
    sheet_fields = examples.correct_transmittal_sheet(Period(2024), LEI, 1)
    parts = {
        "sheet": json.dumps(sheet_fields),
        "options": json.dumps(
            {"checkDigit": "loan-id", "fill": {"business_or_commercial_purpose": "2"}}
        ),
    }
    spreadsheet = {"file": ("loans.csv", SPREADSHEET)}
    for word in ("columns", "convert"):
        call = partial(recording.call, "POST", f"/v2/public/lar/{word}")
        call(files=spreadsheet, data=parts)
        call(files=spreadsheet, data={"map": '{"A": "loan_typ"}'})
        call(files={"other": b"1"})
        call(files={"file": ("loans.pdf", b"%PDF-1.7")})
        recording.send_too_large_file(f"/v2/public/lar/{word}", PUBLIC_UPLOAD_LIMIT)
    twice = SPREADSHEET.replace(b"Income", b"Loan Amount")
    recording.call(
        "POST",
        "/v2/public/lar/convert",
        files={"file": ("loans.csv", twice)},
        data=parts,
    )
    recording.call("POST", "/v2/public/lar/convert?year=2017", files=spreadsheet)
    path = "/v2/public/lar/convert?format=txt"
    recording.call("POST", path, "The LAR", files=spreadsheet, data=parts)
    unread = SPREADSHEET.replace(b"7/21/2024", b"21/7/2024")
    recording.call(
        "POST", path, "A cell cannot be read", files={"file": ("loans.csv", unread)}, data=parts
    )


def check_digits(recording: Recording) -> None:
    identifiers = {
        "checkDigit": ("loanId", LOAN_ID, file(LOAN_ID, "A1"), f"{LOAN_ID[:-1]}-"),
        "validate": ("uli", ULI, file(ULI, f"{LOAN_ID}39", "A1"), f"{ULI[:-1]}-"),
    }
    for word, (key, one, several, not_alphanumeric) in identifiers.items():
        path = f"/v2/public/uli/{word}"
        call = partial(recording.call, "POST", path)
        call("One", json={key: one})
        for identifier in ("A1", not_alphanumeric):
            call(json={key: identifier})
        call(json={})
        call(**TOO_LARGE)
        recording.call("POST", f"{path}/csv", "A list", files=several)
        recording.call("POST", f"{path}/csv", files={"other": b"1"})
        recording.send_too_large_file(f"{path}/csv", PUBLIC_UPLOAD_LIMIT)


def rate_spreads(recording: Recording) -> None:
    for name, rates in APOR.items():
        table = recording.service.data_dir / f"YieldTable{name}.txt"
        table.write_text(
            "".join(
                "|".join([monday, *[rate] * 50]) + "\n"
                for monday, rate in zip(("11/13/2023", "11/20/2023"), rates, strict=True)
            )
        )
        recording.service.manage("load_apor", str(table))
    path = "/public/rateSpread"
    call = partial(recording.call, "POST", path)
    call("A spread", json=LOAN)
    call("None", json={**LOAN, "actionTakenType": 3})
    recording.call("POST", f"{path}?explain=true", "Explained", json=LOAN)
    call(json={**LOAN, "loanTerm": 99})
    call(json={**LOAN, "lockInDate": "2016-01-06"})
    call(**TOO_LARGE)
    recording.call("POST", f"{path}/csv", "A file", files={"file": ("loans.csv", LOANS.encode())})
    recording.call("POST", f"{path}/csv", files={"other": b"1"})
    recording.send_too_large_file(f"{path}/csv", PUBLIC_UPLOAD_LIMIT)
    recording.call("GET", f"{path}/apor/fixed.csv")
    recording.call("GET", f"{path}/apor/other.csv")
