"""What edits say of themselves: the condition that is checked, in words."""

import pytest

from filing.edits import vocabulary as v

ONE, TWO, THREE = (v.one_of(name, 1) for name in ("loan_type", "hoepa_status", "lien_status"))


@pytest.mark.parametrize(
    ("word", "words"),
    [
        (v.one_of("loan_type", 1, 2, 3), "Loan Type is 1, 2, or 3"),
        (~v.one_of("loan_type", 1, 2), "Loan Type is not 1 or 2"),
        (v.blank("street"), "Street Address is blank"),
        (v.number("income"), "Income is a number"),
        (~v.number("income"), "Income is not a number"),
        (~(v.num("income") > 10_000), "not (Income is more than 10,000)"),
        (v.num("income") != 0, "Income is not 0"),
        (v.num("interest_rate") >= 0.5, "Interest Rate is at least 0.5"),
        (v.num("total_units").is_between(1, 4), "Total Units is between 1 and 4"),
        (
            v.value("tax_id") == v.value("institution.tax_id"),
            "TAXID is the taxpayer identification number in",
        ),
        (v.length("uli") <= 22, "the length of ULI is at most 22"),
        (v.figure("not_accepted") * 100 <= v.figure("loans"), "{not_accepted} times 100 is"),
        (ONE & TWO, "Loan Type is 1 and HOEPA Status is 1"),
        (ONE | TWO | THREE, "Loan Type is 1 or HOEPA Status is 1 or Lien Status is 1"),
        (ONE & TWO | THREE, "(Loan Type is 1 and HOEPA Status is 1) or Lien Status is 1"),
        (ONE & (TWO | THREE), "Loan Type is 1 and (HOEPA Status is 1 or Lien Status is 1)"),
        (~(ONE | TWO), "Loan Type is not 1 and HOEPA Status is not 1"),
        (~(ONE & TWO) & THREE, "(Loan Type is not 1 or HOEPA Status is not 1) and Lien Status"),
        (~((v.num("income") > 1) | ONE), "not (Income is more than 1 or Loan Type is 1)"),
        (v.any_of(ONE), "Loan Type is 1"),
        (v.any_of(ONE) & TWO, "Loan Type is 1 and HOEPA Status is 1"),
        (v.value("tax_id") == "12", "TAXID is 12"),
        (v.value("tax_id") == "", "TAXID is blank"),
        (v.if_then(ONE | TWO, THREE), "if Loan Type is 1 or HOEPA Status is 1, then Lien Status"),
        (v.if_then(ONE, TWO) & THREE, "(if Loan Type is 1, then HOEPA Status is 1) and Lien"),
        (v.iff(ONE, TWO), "Loan Type is 1 if and only if HOEPA Status is 1"),
    ],
)
def test_a_condition_says_what_it_checks(word, words):
    labels = {"ULI": "Universal Loan Identifier (ULI)", "TAXID": v.called("tax_id")}
    for short, label in labels.items():
        words = words.replace(short, label)
    assert word.words.startswith(words)
