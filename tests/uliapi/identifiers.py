"""Loan identifiers, with what the calculator answers."""

from __future__ import annotations

LOAN_ID = "10Bx939c5543TqA1144M999143X"
L_LENGTH = "Loan ID is not between 21 and 43 characters long"
L_CHARACTERS = "Loan ID is not alphanumeric"
U_LENGTH = "ULI is not between 23 and 45 characters long"
U_CHARACTERS = "ULI is not alphanumeric"
GENERATED = [
    ("", L_LENGTH),
    ("A" * 20, L_LENGTH),
    ("A" * 44, L_LENGTH),
    ("A" * 20 + "-", L_CHARACTERS),
    ("A" * 43, None),
    ("A" * 42 + "-", L_CHARACTERS),
    ("A" * 43 + "-", L_LENGTH),  # of two faults the length
    ("-", L_LENGTH),
    ("é" * 21, L_CHARACTERS),
    ("é" * 20, L_LENGTH),
    ("\N{FULLWIDTH DIGIT ONE}" * 30, L_CHARACTERS),
    ("AAAAAAAAAAAA AAAAAAAAAAAA", L_CHARACTERS),
    ("\N{GRINNING FACE}" * 43, L_CHARACTERS),
    ("A" * 21, None),
]


VALIDATED = [
    ("", U_LENGTH),
    ("A" * 22, U_LENGTH),
    ("A" * 46, U_LENGTH),
    ("A" * 21 + "-", U_CHARACTERS),  # of two faults the characters
    ("A" * 46 + "-", U_CHARACTERS),
    ("-", U_CHARACTERS),
    ("é" * 23, U_CHARACTERS),
    (f"{LOAN_ID} 38", U_CHARACTERS),
    (f"{LOAN_ID}38", "true"),
    (f"{LOAN_ID}39", "false"),
    ("A" * 45, "false"),
    ("a" * 23, "false"),
]


def digits_of(loan_id: str) -> str:
    return f"{98 - int(''.join(str(int(c, 36)) for c in loan_id)) * 100 % 97:02d}"
