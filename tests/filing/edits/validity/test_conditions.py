"""Validity edits with a condition: which codes of one column pass, by what stands in another."""

import itertools

from tests.filing.edits.codes import (
    ALWAYS,
    Row,
    all_but,
    by_code,
    only,
    require_right_codes,
)

DENIALS = (1, 2, 3, 4, 5, 6, 7, 8, 9)
RESULTS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 19, 20, 21, 22, 23, 24)
NOT_ORIGINATED = (2, 3, 4, 5, 7, 8)
NUMBERS = range(1, 6)
OTHERS = range(2, 6)

# The co-applicant's columns have `co_` in front.
WHO = ("", "co_")


def person(who, columns):
    return {f"{who}applicant_{name}": value for name, value in columns.items()}


LOAN: list[Row] = [
    ("V610-2", ALWAYS, {}, "action_taken", all_but(6)),
    ("V610-2", ALWAYS, {"application_date": "NA"}, "action_taken", only(6)),
    ("V612-2", ALWAYS, {"preapproval": 1}, "loan_purpose", only(1)),
    ("V612-2", ALWAYS, {"loan_purpose": 31}, "preapproval", all_but(1)),
    ("V613-2", ALWAYS, {}, "action_taken", all_but(7, 8)),
    *(("V613-2", ALWAYS, {"action_taken": action}, "preapproval", only(1)) for action in (7, 8)),
    ("V613-3", ALWAYS, {"preapproval": 1}, "action_taken", all_but(3, 4, 5, 6)),
    *(("V613-3", ALWAYS, {"action_taken": action}, "preapproval", only(2))
     for action in (3, 4, 5, 6)),
    ("V613-4", ALWAYS, {"preapproval": 1}, "action_taken", only(1, 2, 7, 8)),
    ("V613-4", ALWAYS, {"action_taken": 3}, "preapproval", all_but(1)),
    ("V614-1", ALWAYS, {"preapproval": 1}, "loan_purpose", all_but(2, 31, 32, 4, 5)),
    ("V614-1", ALWAYS, {"loan_purpose": 2}, "preapproval", only(2)),
    ("V614-2", ALWAYS, {"multifamily_affordable_units": "2"}, "preapproval", only(2)),
    ("V614-3", ALWAYS, {"preapproval": 1}, "reverse_mortgage", all_but(1)),
    ("V614-3", ALWAYS, {"reverse_mortgage": 1}, "preapproval", only(2)),
    ("V614-4", ALWAYS, {"preapproval": 1}, "open_end_line_of_credit", all_but(1)),
    ("V614-4", ALWAYS, {"open_end_line_of_credit": 1}, "preapproval", only(2)),
    ("V615-2", ALWAYS, {}, "manufactured_home_land_property_interest", all_but(1, 2, 3, 4)),
    ("V615-2", ALWAYS, {"manufactured_home_land_property_interest": 4}, "construction_method",
     only(2)),
    ("V615-3", ALWAYS, {}, "manufactured_home_secured_property_type", all_but(1, 2)),
    ("V615-3", ALWAYS, {"manufactured_home_secured_property_type": 2}, "construction_method",
     only(2)),
    ("V619-3", ALWAYS, {"application_date": "20301231"}, "action_taken",
     all_but(1, 2, 3, 4, 5, 7, 8)),
]  # fmt: skip

ACTION: list[Row] = [
    ("V656-2", ALWAYS, {"purchaser_type": 1}, "action_taken", all_but(*NOT_ORIGINATED)),
    ("V658-2", ALWAYS, {"hoepa_status": 2}, "action_taken", all_but(*NOT_ORIGINATED)),
    *(row for action in NOT_ORIGINATED for row in (("V656-2", ALWAYS, {"action_taken": action},
     "purchaser_type", only(0)), ("V658-2", ALWAYS, {"action_taken": action}, "hoepa_status",
     only(3)))),
    *((code, ALWAYS, {field: value}, "action_taken", all_but(*actions))
     for code, field, value, actions in (("V657-2", "rate_spread", "0.25", (3, 4, 5, 6, 7)),
     ("V663", "applicant_credit_score", 720, (4, 5, 6)),
     ("V664", "co_applicant_credit_score", 720, (4, 5, 6)),
     ("V670-1", "denial_reason_1", 10, (3, 7)),
     ("V672-6", "total_loan_costs", "5", NOT_ORIGINATED),
     ("V673-2", "total_points_and_fees", "5", (6, *NOT_ORIGINATED)),
     ("V674-5", "origination_charges", "5", NOT_ORIGINATED),
     ("V675-5", "discount_points", "5", NOT_ORIGINATED),
     ("V675-5", "discount_points", "", NOT_ORIGINATED),
     ("V676-5", "lender_credits", "5", NOT_ORIGINATED),
     ("V676-5", "lender_credits", "", NOT_ORIGINATED),
     ("V677-2", "interest_rate", "5", (3, 4, 5, 7)),
     ("V678-2", "prepayment_penalty_term", "5", (6,)),
     ("V679-2", "debt_to_income_ratio", "5", (4, 5, 6)),
     ("V681-2", "combined_loan_to_value_ratio", "5", (4, 5, 6)),
     ("V688-2", "property_value", "5", (4, 5)), ("V693-2", "submission_of_application", 1, (6,)),
     ("V694-2", "initially_payable_to_institution", 1, (6,)), ("V704-1", "aus_1", 1, (6,)),
     ("V704-2", "aus_result_1", 1, (6,)))),
    ("V670-3", "2019-", {"denial_reason_1": 1}, "action_taken", all_but(1, 2, 4, 5, 6, 8)),
    ("V694-3", "2019-", {"initially_payable_to_institution": 3}, "action_taken", all_but(1)),
    ("V670-2", "2019-", {"denial_reason_1": 9}, "action_taken", only(3, 7)),
    ("V670-2", "2019-", {"action_taken": 1}, "denial_reason_1", all_but(*DENIALS)),
    ("V670-3", "2019-", {"action_taken": 8}, "denial_reason_1", only(10, 1111)),
    ("V670-4", ALWAYS, {"denial_reason_1": 10}, "action_taken", only(1, 2, 4, 5, 6, 8)),
    ("V670-4", ALWAYS, {"action_taken": 3}, "denial_reason_1", all_but(10)),
    *(("V670-1", ALWAYS, {"action_taken": action}, "denial_reason_1", only(*DENIALS, 1111))
     for action in (3, 7)),
    ("V693-2", ALWAYS, {"action_taken": 6}, "submission_of_application", only(3, 1111)),
    ("V693-3", ALWAYS, {"submission_of_application": 3}, "action_taken", only(6)),
    ("V693-3", ALWAYS, {"action_taken": 1}, "submission_of_application", all_but(3)),
    ("V694-2", ALWAYS, {"action_taken": 6}, "initially_payable_to_institution", only(3, 1111)),
    ("V694-3", "2019-", {}, "initially_payable_to_institution", only(1, 2, 1111)),
    ("V704-1", ALWAYS, {"action_taken": 6}, "aus_1", only(6, 1111)),
    ("V704-2", ALWAYS, {"action_taken": 6}, "aus_result_1", only(17, 1111)),
    *(row for who, code in zip(WHO, ("V663", "V664"), strict=True)
     for score, model in [(f"{who}applicant_credit_score", f"{who}applicant_credit_score_type")]
     for action in (4, 5, 6) for row in ((code, ALWAYS, {"action_taken": action, model: 9}, score,
     only(1111, 8888)), (code, ALWAYS, {"action_taken": action, score: 8888}, model,
     only(9, 1111)))),
]  # fmt: skip

FLAGS: list[Row] = [
    (code, ALWAYS, {field: value}, flag, all_but(1))
    for flag, codes in (
        (
            "reverse_mortgage",
            (
                *(("V657-3", "rate_spread"), ("V672-3", "total_loan_costs")),
                *(("V673-3", "total_points_and_fees"), ("V674-2", "origination_charges")),
                *(("V675-2", "discount_points"), ("V676-2", "lender_credits")),
                *(("V678-3", "prepayment_penalty_term"), ("V682-2", "loan_term")),
            ),
        ),
        (
            "open_end_line_of_credit",
            (
                *(("V672-4", "total_loan_costs"), ("V674-3", "origination_charges")),
                *(("V675-3", "discount_points"), ("V676-3", "lender_credits")),
            ),
        ),
        (
            "business_or_commercial_purpose",
            (
                *(("V672-5", "total_loan_costs"), ("V673-4", "total_points_and_fees")),
                *(("V674-4", "origination_charges"), ("V675-4", "discount_points")),
                *(("V676-4", "lender_credits"), ("V678-4", "prepayment_penalty_term")),
            ),
        ),
    )
    for code, field in codes
    for value in ("5", *([""] if field in {"discount_points", "lender_credits"} else []))
]

OLD_MODELS = (1, 2, 3, 4, 5, 6, 7)
MODELS = {
    "2018-2021": OLD_MODELS,
    "2022-2023": (*OLD_MODELS, 11),
    "2024-": (*OLD_MODELS, 11, 12, 13, 14, 15),
}
FREE = "credit_score_type_free_form"
CREDIT_SCORE: list[Row] = [
    *(row for who, code in zip(WHO, ("V661", "V666-1"), strict=True)
     for score, model in [(f"{who}applicant_credit_score", f"{who}applicant_credit_score_type")]
     for row in ((code, ALWAYS, {score: 8888}, model, only(9)),
     (code, ALWAYS, {score: 720}, model, all_but(9)),
     (code, ALWAYS, {model: 9}, score, only(8888)),
     (code, ALWAYS, {model: 1}, score, all_but(8888)))),
    ("V666-2", ALWAYS, {}, "co_applicant_credit_score_type", only(10)),
    ("V666-2", ALWAYS, {}, "co_applicant_credit_score", only(9999)),
    ("V666-2", ALWAYS, {"co_applicant_credit_score": 720}, "co_applicant_credit_score_type",
     all_but(10)),
    ("V666-2", ALWAYS, {"co_applicant_credit_score_type": 1}, "co_applicant_credit_score",
     all_but(9999)),
    *(row for years, models in MODELS.items()
     for row in (("V662-1", years, {}, "applicant_credit_score_type", only(*models, 9, 1111)),
     ("V662-1", years, {f"applicant_{FREE}": "Other"}, "applicant_credit_score_type",
     all_but(*models, 9, 1111)))),
    ("V667-1", ALWAYS, {}, "co_applicant_credit_score_type", only(*MODELS["2024-"], 9, 10, 1111)),
    ("V667-1", ALWAYS, {f"co_applicant_{FREE}": "Other"}, "co_applicant_credit_score_type",
     all_but(*MODELS["2024-"], 9, 10, 1111)),
    *((code, ALWAYS, person(who, {FREE: text}), f"{who}applicant_credit_score_type", codes)
     for who, code in zip(WHO, ("V662-2", "V667-2"), strict=True)
     for text, codes in (("", all_but(8)), ("Other", only(8)))),
    *((code, years, person(who, {"credit_score": score}), f"{who}applicant_credit_score_type", of)
     for who, low, late in (("", "V720-1", "V720-3"), ("co_", "V720-2", "V720-4"))
     for code, years, score, of in ((low, "2022-2023", 279, all_but(1, 2, 3, 4, 5, 6, 11)),
     (low, "2024-", 279, all_but(1, 2, 3, 4, 5, 6, 11, 12)), (low, "2022-", 280, all_but()),
     (late, "2024-", 299, all_but(13, 14, 15)), (late, "2024-", 300, all_but()))),
]  # fmt: skip

DENIAL: list[Row] = [
    *(("V669-3", ALWAYS, {"denial_reason_1": 0, f"denial_reason_{one}": 7}, f"denial_reason_{two}",
     all_but(7)) for one, two in itertools.permutations(range(1, 5), 2)),
    *(("V669-3", ALWAYS, {"denial_reason_1": reason}, "denial_reason_2", all_but(reason))
     for reason in (*DENIALS, 10, 1111)),
    ("V669-3", ALWAYS, {"denial_reason_1": 11}, "denial_reason_2", all_but()),
    *(row for n in (2, 3, 4) for row in (("V669-4", ALWAYS, {f"denial_reason_{n}": 1},
     "denial_reason_1", all_but(10, 1111)),
     ("V669-4", ALWAYS, {"denial_reason_1": 10}, f"denial_reason_{n}", only(0)),
     ("V711", ALWAYS, {f"denial_reason_{n}": 1}, "denial_reason_1", all_but(1111)),
     ("V711", ALWAYS, {"denial_reason_1": 1111}, f"denial_reason_{n}", only(0)))),
    *(row for n in range(1, 5) for row in (("V671-1", ALWAYS, {}, f"denial_reason_{n}",
     all_but(9)), ("V671-2", ALWAYS, {"denial_reason_free_form": "Other"}, f"denial_reason_{n}",
     only(9)))),
]  # fmt: skip

SECURED = "manufactured_home_secured_property_type"
LAND = "manufactured_home_land_property_interest"
DWELLING: list[Row] = [
    *(row for units, method, column, none in (("V689-2", "V689-3", SECURED, 3),
     ("V690-2", "V690-3", LAND, 5)) for row in ((units, ALWAYS,
     {"multifamily_affordable_units": "2"}, column, only(none, 1111)),
     (method, ALWAYS, {}, column, only(none, 1111)),
     (method, ALWAYS, {column: 1}, "construction_method", all_but(1)))),
    ("V692-2", ALWAYS, {"multifamily_affordable_units": "2"}, "total_units",
     all_but(-1, 0, 1, 2, 3, 4)),
    ("V692-3", ALWAYS, {"multifamily_affordable_units": "7"}, "total_units", all_but(5, 6)),
]  # fmt: skip

NO_SYSTEM = {"aus_1": 6, "aus_result_1": 17}
EXEMPT_SYSTEM = {"aus_1": 1111, "aus_result_1": 1111}
OTHER_SYSTEMS = [f"{name}_{n}" for name in ("aus", "aus_result") for n in OTHERS]
UNDERWRITING: list[Row] = [
    *(row for n in NUMBERS for row in (("V699", "2018", {f"aus_{n}": 5}, f"aus_result_{n}",
     only(*range(1, 17))), ("V699", "2019-", {f"aus_{n}": 5}, f"aus_result_{n}", only(*RESULTS)),
     ("V699", ALWAYS, {f"aus_result_{n}": 17}, f"aus_{n}", all_but(5)),
     ("V702-1", ALWAYS, {}, f"aus_{n}", all_but(5)),
     ("V702-2", ALWAYS, {"aus_free_form": "Other"}, f"aus_{n}", only(5)),
     ("V703-1", ALWAYS, {}, f"aus_result_{n}", all_but(16)),
     ("V703-2", ALWAYS, {"aus_result_free_form": "Other"}, f"aus_result_{n}", only(16)))),
    *(row for n in OTHERS for row in (("V696-3", ALWAYS, {f"aus_{n}": 1}, f"aus_result_{n}",
     all_but(0)), ("V696-3", ALWAYS, {}, f"aus_result_{n}", only(0)),
     ("V696-3", ALWAYS, {f"aus_result_{n}": 1}, f"aus_{n}", all_but(0)),
     ("V696-3", ALWAYS, {}, f"aus_{n}", only(0)),
     ("V701", ALWAYS, {}, f"aus_result_{n}", only(0)),
     ("V701", ALWAYS, {f"aus_result_{n}": 1}, f"aus_{n}", all_but(0)))),
    ("V700-1", ALWAYS, {"aus_1": 6}, "aus_result_1", only(17)),
    ("V700-1", ALWAYS, {}, "aus_1", all_but(6)),
    ("V700-2", ALWAYS, {"aus_result_1": 17}, "aus_1", only(6)),
    ("V700-2", ALWAYS, {}, "aus_result_1", all_but(17)),
    *((code, ALWAYS, NO_SYSTEM, field, only(0)) for code in ("V700-1", "V700-2")
     for field in OTHER_SYSTEMS),
    *(("V713", ALWAYS, EXEMPT_SYSTEM, field, only(0)) for field in OTHER_SYSTEMS),
    *(("V713", ALWAYS, {}, field, all_but()) for field in OTHER_SYSTEMS),
    *(("V713", ALWAYS, {}, field, all_but(1111)) for field in EXEMPT_SYSTEM),
    *(("V713", ALWAYS, EXEMPT_SYSTEM, field, only(1111)) for field in EXEMPT_SYSTEM),
]  # fmt: skip

# What is exempt together.
SCORES = (
    *("applicant_credit_score", "applicant_credit_score_type"),
    *("co_applicant_credit_score", "co_applicant_credit_score_type"),
)
FEATURES = (
    *("balloon_payment", "interest_only_payments"),
    *("negative_amortization", "other_non_amortizing_features"),
)
APPLICATION = ("submission_of_application", "initially_payable_to_institution")
EXEMPTION: list[Row] = [
    row
    for code, columns in (("V710", SCORES), ("V714", APPLICATION), ("V715", FEATURES))
    for field in columns
    for row in (
        (code, ALWAYS, {}, field, all_but(1111)),
        (code, ALWAYS, dict.fromkeys(columns, 1111), field, only(1111)),
    )
]

ROWS: list[Row] = [
    *(*LOAN, *ACTION, *FLAGS, *CREDIT_SCORE, *DENIAL, *DWELLING, *UNDERWRITING, *EXEMPTION),
]


@by_code(ROWS)
def test_a_condition_asks_for_these_codes_and_no_others(code, rows):
    require_right_codes(rows)
