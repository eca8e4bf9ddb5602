"""Coded columns: whatever code is typed, the codes on the published list pass and no others."""

from tests.filing.edits.codes import ALWAYS, Row, by_code, only, require_right_codes

ETHNICITIES = (1, 11, 12, 13, 14, 2)
RACES = (1, 2, 21, 22, 23, 24, 25, 26, 27, 3, 4, 41, 42, 43, 44, 5)
DENIALS = (1, 2, 3, 4, 5, 6, 7, 8, 9)
RESULTS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 19, 20, 21, 22, 23, 24)
ADULTS = tuple(range(18, 101))
SCORES_IN_RANGE = (300, 720, 900)
POSITIVE = (*range(1, 121), 279, 280, 299, 300, 720, 900, 901, 1111, 7777, 8888, 9999)

APPLICANTS = ("applicant", "co_applicant")

# Code, first and last year, column, the codes that pass.
LISTS: list[tuple[str, str, str, tuple[int, ...]]] = [
    ("S300", ALWAYS, "record_id", (2,)),
    ("V611", ALWAYS, "loan_type", (1, 2, 3, 4)),
    ("V612-1", ALWAYS, "loan_purpose", (1, 2, 31, 32, 4, 5)),
    ("V613-1", ALWAYS, "preapproval", (1, 2)),
    ("V615-1", ALWAYS, "construction_method", (1, 2)),
    ("V616", ALWAYS, "occupancy_type", (1, 2, 3)),
    ("V618", ALWAYS, "action_taken", (1, 2, 3, 4, 5, 6, 7, 8)),
    ("V628-1", ALWAYS, "applicant_ethnicity_1", (*ETHNICITIES, 3, 4)),
    ("V631-1", ALWAYS, "co_applicant_ethnicity_1", (*ETHNICITIES, 3, 4, 5)),
    *(("V628-2", ALWAYS, f"applicant_ethnicity_{n}", (0, *ETHNICITIES)) for n in range(2, 6)),
    *(("V631-2", ALWAYS, f"co_applicant_ethnicity_{n}", (0, *ETHNICITIES)) for n in range(2, 6)),
    ("V629-1", ALWAYS, "applicant_ethnicity_observed", (1, 2, 3)),
    ("V632-1", ALWAYS, "co_applicant_ethnicity_observed", (1, 2, 3, 4)),
    ("V635-1", ALWAYS, "applicant_race_1", (*RACES, 6, 7)),
    ("V638-1", ALWAYS, "co_applicant_race_1", (*RACES, 6, 7, 8)),
    *(("V635-2", ALWAYS, f"applicant_race_{n}", (0, *RACES)) for n in range(2, 6)),
    *(("V638-2", ALWAYS, f"co_applicant_race_{n}", (0, *RACES)) for n in range(2, 6)),
    ("V636-1", ALWAYS, "applicant_race_observed", (1, 2, 3)),
    ("V639-1", ALWAYS, "co_applicant_race_observed", (1, 2, 3, 4)),
    ("V642-1", ALWAYS, "applicant_sex", (1, 2, 3, 4, 6)),
    ("V642-2", ALWAYS, "applicant_sex_observed", (1, 2, 3)),
    ("V646-1", ALWAYS, "co_applicant_sex", (1, 2, 3, 4, 5, 6)),
    ("V646-2", ALWAYS, "co_applicant_sex_observed", (1, 2, 3, 4)),
    ("V651-1", ALWAYS, "applicant_age", POSITIVE),
    ("V652-1", ALWAYS, "co_applicant_age", POSITIVE),
    ("V656-1", ALWAYS, "purchaser_type", (0, 1, 2, 3, 4, 5, 6, 71, 72, 8, 9)),
    ("V658-1", ALWAYS, "hoepa_status", (1, 2, 3)),
    ("V659", ALWAYS, "lien_status", (1, 2)),
    ("V660-2", "2018-2021", "applicant_credit_score_type", (1, 2, 3, 4, 5, 6, 7, 8, 9, 1111)),
    ("V660-2", "2022-2023", "applicant_credit_score_type", (*range(1, 10), 11, 1111)),
    ("V660-2", "2024-", "applicant_credit_score_type", (*range(1, 10), *range(11, 16), 1111)),
    ("V665-2", "2018-2021", "co_applicant_credit_score_type", (*range(1, 11), 1111)),
    ("V665-2", "2022-2023", "co_applicant_credit_score_type", (*range(1, 12), 1111)),
    ("V665-2", "2024-", "co_applicant_credit_score_type", (*range(1, 16), 1111)),
    ("V669-1", ALWAYS, "denial_reason_1", (*DENIALS, 10, 1111)),
    *(("V669-2", ALWAYS, f"denial_reason_{n}", (0, *DENIALS)) for n in (2, 3, 4)),
    ("V684", ALWAYS, "balloon_payment", (1, 2, 1111)),
    ("V685", ALWAYS, "interest_only_payments", (1, 2, 1111)),
    ("V686", ALWAYS, "negative_amortization", (1, 2, 1111)),
    ("V687", ALWAYS, "other_non_amortizing_features", (1, 2, 1111)),
    ("V689-1", ALWAYS, "manufactured_home_secured_property_type", (1, 2, 3, 1111)),
    ("V690-1", ALWAYS, "manufactured_home_land_property_interest", (1, 2, 3, 4, 5, 1111)),
    ("V691", ALWAYS, "total_units", POSITIVE),
    ("V693-1", ALWAYS, "submission_of_application", (1, 2, 3, 1111)),
    ("V694-1", ALWAYS, "initially_payable_to_institution", (1, 2, 3, 1111)),
    ("V696-1", "2018-2020", "aus_1", (1, 2, 3, 4, 5, 6, 1111)),
    ("V696-1", "2021-", "aus_1", (1, 2, 3, 4, 5, 6, 7, 1111)),
    *(("V696-1", "2018-2020", f"aus_{n}", (0, 1, 2, 3, 4, 5)) for n in range(2, 6)),
    *(("V696-1", "2021-", f"aus_{n}", (0, 1, 2, 3, 4, 5, 7)) for n in range(2, 6)),
    ("V696-2", ALWAYS, "aus_result_1", (*RESULTS, 17, 1111)),
    *(("V696-2", ALWAYS, f"aus_result_{n}", (0, *RESULTS)) for n in range(2, 6)),
    ("V706", ALWAYS, "reverse_mortgage", (1, 2, 1111)),
    ("V707", ALWAYS, "open_end_line_of_credit", (1, 2, 1111)),
    ("V708", ALWAYS, "business_or_commercial_purpose", (1, 2, 1111)),
    ("Q614", "2018-2019", "applicant_age", (*ADULTS, 8888)),
    ("Q614-1", "2020-", "applicant_age", (*ADULTS, 8888)),
    ("Q614-2", "2020-", "co_applicant_age", (*ADULTS, 8888, 9999)),
    *(
        (code, "2020-", f"{who}_credit_score", (*SCORES_IN_RANGE, 1111, 7777, 8888, 9999))
        for code, who in zip(("Q649-1", "Q649-2"), APPLICANTS, strict=True)
    ),
]
ROWS: list[Row] = [(code, years, {}, field, only(*codes)) for code, years, field, codes in LISTS]


@by_code(ROWS)
def test_the_codes_of_the_list_pass_and_no_others(code, rows):
    require_right_codes(rows)
