"""The rate spread in a browser: one loan, and a file that is saved."""

from __future__ import annotations

from tests.browser.conftest import Look

PAGE = "/tools/rate-spread/"
GOOD = "1,30,FixedRate,6.0,2023-11-20,2"


def test_the_term_is_named_for_variable_rates(look: Look) -> None:
    page = look.at(PAGE)
    page.get_by_label("Amortization type").select_option("VariableRate")
    page.get_by_label("Years to first adjustment").fill("5")
    page.get_by_label("Amortization type").select_option("FixedRate")
    assert page.get_by_label("Loan term in years").input_value() == "5"
