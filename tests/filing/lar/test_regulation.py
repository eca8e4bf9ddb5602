"""The paragraphs of Regulation C that ask for each field."""

import pytest

from filing.lar.fields import LAR, TRANSMITTAL_SHEET
from filing.lar.regulation import RECORD_PARAGRAPHS, SHEET_PARAGRAPHS


def test_every_field_but_the_record_identifier_has_a_paragraph():
    assert {field.name for field in LAR} - set(RECORD_PARAGRAPHS) == {"record_id"}
    assert {field.name for field in TRANSMITTAL_SHEET} - set(SHEET_PARAGRAPHS) == {"record_id"}


@pytest.mark.parametrize(
    ("name", "paragraph"),
    [
        ("uli", "1003.4(a)(1)(i)"),
        ("application_date", "1003.4(a)(1)(ii)"),
        ("action_taken_date", "1003.4(a)(8)(ii)"),
        ("street", "1003.4(a)(9)(i)"),
        ("census_tract", "1003.4(a)(9)(ii)(C)"),
        ("co_applicant_sex_observed", "1003.4(a)(10)(i)"),
        ("applicant_age", "1003.4(a)(10)(ii)"),
        ("income", "1003.4(a)(10)(iii)"),
        ("co_applicant_credit_score_type_free_form", "1003.4(a)(15)"),
        ("denial_reason_free_form", "1003.4(a)(16)"),
        ("total_points_and_fees", "1003.4(a)(17)(ii)"),
        ("other_non_amortizing_features", "1003.4(a)(27)(iv)"),
        ("initially_payable_to_institution", "1003.4(a)(33)(ii)"),
        ("aus_result_5", "1003.4(a)(35)"),
        ("business_or_commercial_purpose", "1003.4(a)(38)"),
    ],
)
def test_a_field_has_the_paragraph_of_its_data_point(name, paragraph):
    assert RECORD_PARAGRAPHS[name] == paragraph
