"""Quality edits with a condition: which codes of one column pass, by what stands in another."""

from filing.lar.fields import LAR
from tests.filing.edits.codes import ALWAYS, Row, all_but, by_code, only, require_right_codes

NOT_PURCHASED = (1, 2, 3, 4, 5, 7, 8)
FEW_UNITS = (-1, 0, 1, 2, 3, 4)
MANY_UNITS = (*range(5, 121), 279, 280, 299, 300, 720, 900, 901, 1111, 7777, 8888, 9999)
NUMBERS = range(1, 6)

LOAN: list[Row] = [
    ("Q605-1", ALWAYS, {"loan_type": 2}, "purchaser_type", all_but(1, 3)),
    ("Q605-1", ALWAYS, {"purchaser_type": 1}, "loan_type", only(1)),
    ("Q605-2", ALWAYS, {"loan_type": 1}, "purchaser_type", all_but(2)),
    ("Q605-2", ALWAYS, {"purchaser_type": 2}, "loan_type", only(2, 3, 4)),
    ("Q607", ALWAYS, {"loan_amount": "250000.01"}, "lien_status", all_but(2)),
    ("Q608", ALWAYS, {"application_date": "20301231"}, "action_taken", all_but(1)),
    ("Q609", ALWAYS, {"rate_spread": "10.01"}, "purchaser_type", all_but(1, 2, 3, 4)),
    *(row for code, lien, spread in (("Q610", 1, "6.51"), ("Q611", 2, "8.51"))
     for row in ((code, ALWAYS, {"lien_status": lien, "rate_spread": spread}, "hoepa_status",
     only(1)), (code, ALWAYS, {"lien_status": lien, "rate_spread": spread, "hoepa_status": 2},
     "action_taken", all_but(1)), (code, ALWAYS, {"rate_spread": spread, "hoepa_status": 2},
     "lien_status", all_but(lien)))),
    ("Q612", ALWAYS, {"hoepa_status": 1}, "purchaser_type", all_but(1, 3)),
    *(("Q612", ALWAYS, {"purchaser_type": who}, "hoepa_status", only(2, 3)) for who in (1, 3)),
    ("Q613", ALWAYS, {"business_or_commercial_purpose": 1}, "loan_purpose", only(1, 2, 31, 32, 5)),
    ("Q613", ALWAYS, {"loan_purpose": 4}, "business_or_commercial_purpose", all_but(1)),
    ("Q617", "2018-2019", {"combined_loan_to_value_ratio": "9"}, "loan_type", only()),
    ("Q617", "2020-", {"combined_loan_to_value_ratio": "9"}, "loan_type", all_but(1)),
    *(row for code, column, none in (("Q618", "manufactured_home_secured_property_type", 3),
     ("Q619", "manufactured_home_land_property_interest", 5))
     for row in ((code, ALWAYS, {"construction_method": 2}, column, all_but(none)),
     (code, ALWAYS, {}, "construction_method", all_but(2)))),
    ("Q620", ALWAYS, {"nmlsr_id": "NA"}, "business_or_commercial_purpose", all_but(2)),
    ("Q622", ALWAYS, {"applicant_age": 61}, "reverse_mortgage", all_but(1)),
    ("Q622", ALWAYS, {"applicant_age": 62}, "reverse_mortgage", all_but()),
    ("Q623", ALWAYS, {"income": "200", "loan_amount": "2000000"}, "total_units",
     all_but(*FEW_UNITS)),
    ("Q624", ALWAYS, {"loan_amount": "637000.01"}, "loan_type", all_but(2)),
    ("Q624", ALWAYS, {"loan_amount": "637000.01", "loan_type": 2}, "total_units", all_but(1)),
    ("Q625", ALWAYS, {"loan_amount": "1050000.01"}, "loan_type", all_but(3)),
    ("Q625", ALWAYS, {"loan_amount": "1050000.01", "loan_type": 3}, "total_units",
     all_but(*FEW_UNITS)),
    ("Q626", ALWAYS, {"loan_amount": "1225000.01"}, "purchaser_type", all_but(1, 2, 3, 4)),
    ("Q626", ALWAYS, {"loan_amount": "1225000.01", "purchaser_type": 1}, "total_units",
     all_but(*FEW_UNITS)),
    ("Q627", ALWAYS, {"loan_amount": "99999"}, "total_units", only(*FEW_UNITS)),
    ("Q627", ALWAYS, {"loan_amount": "10000001"}, "total_units", only(*FEW_UNITS)),
    ("Q628", ALWAYS, {"loan_amount": "10000"}, "loan_purpose", all_but(1)),
    ("Q628", ALWAYS, {"loan_amount": "10000", "loan_purpose": 1}, "total_units",
     all_but(*FEW_UNITS)),
    ("Q629", ALWAYS, {"income": "NA"}, "loan_purpose", all_but(1, 2, 4)),
    ("Q629", ALWAYS, {"income": "NA", "loan_purpose": 1}, "action_taken", all_but(*NOT_PURCHASED)),
    ("Q629", ALWAYS, {"income": "NA", "loan_purpose": 1}, "total_units", all_but(*FEW_UNITS)),
    ("Q630", ALWAYS, {}, "total_units", all_but(*MANY_UNITS)),
    ("Q630", ALWAYS, {"total_units": 5}, "hoepa_status", only(3)),
    ("Q631", ALWAYS, {"total_units": 5}, "loan_type", all_but(2, 3, 4)),
    *(("Q631", ALWAYS, {"loan_type": kind}, "total_units", only(*FEW_UNITS)) for kind in (2, 3, 4)),
    *(row for code, who in (("Q642-1", ""), ("Q642-2", "co_"))
     for score, model in [(f"{who}applicant_credit_score", f"{who}applicant_credit_score_type")]
     for row in ((code, ALWAYS, {score: 7777}, model, only(7, 8)),
     (code, ALWAYS, {model: 1}, score, all_but(7777)))),
    ("Q645-2", "2019-", {"loan_amount": "999.99"}, "loan_purpose", all_but(1)),
    ("Q648", "2020-", {"uli": "OTHER12345OTHER1234500"}, "action_taken", all_but()),
    ("Q648", "2020-", {"uli": "OTHER12345OTHER12345000"}, "action_taken", all_but(*NOT_PURCHASED)),
    *((code, "2020-", {"combined_loan_to_value_ratio": value}, "action_taken", of)
     for code, value, of in (("Q653-1", "250.01", all_but(1, 2, 8)),
     ("Q653-1", "-0.01", all_but(1, 2, 8)), ("Q653-1", "250", all_but()),
     ("Q653-2", "1000.01", all_but(3, 4, 5, 6, 7)), ("Q653-2", "-0.01", all_but(3, 4, 5, 6, 7)),
     ("Q653-2", "1000", all_but()))),
    ("Q654", "2020-", {"debt_to_income_ratio": "80.01"}, "action_taken", all_but(1, 2, 8)),
    ("Q655", "2021-", {}, "total_units", only(*FEW_UNITS)),
]  # fmt: skip

# Underwriting systems: which results each of them gives.
RESULTS: dict[str, tuple[int, dict[str, tuple[int, ...]]]] = {
    "Q632": (3, {"2018": (8, 13), "2019-": (1, 2, 3, 4, 8, 13, 16, 18, 19)}),
    "Q633": (
        4,
        {
            "2018": (5, 8, 10, 13, 14, 15, 16),
            "2019-": (3, 4, 10, 15, 16, 18, 19, 20, 21, 22, 23, 24),
        },
    ),
    "Q643": (
        1,
        {"2018": (1, 2, 3, 4, 5, 6, 7, 15), "2019-": (1, 2, 3, 4, 5, 6, 7, 15, 16)},
    ),
    "Q644": (2, {"2018": (8, 9, 10, 11, 12), "2019-": (8, 9, 10, 11, 12, 13, 16)}),
}
NO_OTHER_SYSTEM = {"aus_1": 6, "aus_result_1": 17}
UNDERWRITING: list[Row] = [
    row
    for code, (system, years_and_results) in RESULTS.items()
    for years, results in years_and_results.items()
    for n in NUMBERS
    for row in (
        (code, years, NO_OTHER_SYSTEM | {f"aus_{n}": system}, f"aus_result_{n}", only(*results)),
        (code, years, NO_OTHER_SYSTEM | {f"aus_result_{n}": 17}, f"aus_{n}", all_but(system)),
    )
]

EXEMPT_CODED = (
    *("applicant_credit_score_type", "co_applicant_credit_score_type"),
    *("denial_reason_1", "denial_reason_2", "denial_reason_3", "denial_reason_4"),
    *("balloon_payment", "interest_only_payments", "negative_amortization"),
    *("other_non_amortizing_features", "manufactured_home_secured_property_type"),
    *("manufactured_home_land_property_interest", "submission_of_application"),
    *("initially_payable_to_institution", "reverse_mortgage", "open_end_line_of_credit"),
    *(f"{name}_{n}" for name in ("aus", "aus_result") for n in NUMBERS),
    "business_or_commercial_purpose",
)
CODED = [f.name for f in LAR if f.dtype.is_integer()]

# Columns without an exemption code: 1111 is a mistake there. Validity edits find the other ones.
NEVER_EXEMPT = (
    *("total_units", "purchaser_type", "hoepa_status", "lien_status", "loan_type"),
    *("loan_purpose", "construction_method", "occupancy_type", "preapproval", "action_taken"),
    *("applicant_ethnicity_observed", "co_applicant_ethnicity_observed"),
    *(f"applicant_ethnicity_{n}" for n in NUMBERS),
    *(f"{who}applicant_race_{n}" for who in ("", "co_") for n in NUMBERS),
    *(f"{who}applicant_race_observed" for who in ("", "co_")),
    *(f"{who}applicant_{what}" for who in ("", "co_") for what in ("sex", "sex_observed", "age")),
    *(f"{name}_{n}" for name in ("aus", "aus_result") for n in NUMBERS if n > 1),
)
EXEMPTION: list[Row] = [
    *(("Q646", "2025-", {}, name, all_but(1111) if name in EXEMPT_CODED else all_but())
     for name in CODED),
    *(("Q647", "2025-", {"ts.federal_agency": 7}, name, all_but(1111)) for name in EXEMPT_CODED),
    *(("Q647", "2025-", {"ts.federal_agency": agency}, name, all_but())
     for agency in (1, 2, 3, 5, 9) for name in ("aus_1", "co_applicant_credit_score_type")),
    *(("Q657", "2021-", {}, name, all_but(1111) if name in NEVER_EXEMPT else all_but())
     for name in CODED),
]  # fmt: skip

ROWS: list[Row] = [*LOAN, *UNDERWRITING, *EXEMPTION]


@by_code(ROWS)
def test_a_condition_asks_for_these_codes_and_no_others(code, rows):
    require_right_codes(rows)
