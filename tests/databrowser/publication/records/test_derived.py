"""Product, dwelling, ethnicity, race and sex: worked by hand from the published rules."""

from __future__ import annotations

from tests.databrowser.publication.loans import codes, published


def test_the_product_is_the_type_and_the_lien():
    cases = {
        (1, 1): "Conventional:First Lien",
        (1, 2): "Conventional:Subordinate Lien",
        (2, 1): "FHA:First Lien",
        (3, 2): "VA:Subordinate Lien",
        (4, 1): "FSA/RHS:First Lien",
        (4, 2): "FSA/RHS:Subordinate Lien",
        (5, 1): "N/A",
        (1, 3): "N/A",
    }
    changes = [{"loan_type": kind, "lien_status": lien} for kind, lien in cases]
    assert published("derived_loan_product_type", changes) == [*cases.values()]


def test_the_dwelling_is_its_units_and_how_it_was_built():
    cases = {
        (1, 1): "Single Family (1-4 Units):Site-Built",
        (4, 2): "Single Family (1-4 Units):Manufactured",
        (5, 1): "Multifamily:Site-Built",
        (200, 2): "Multifamily:Manufactured",
        (0, 1): "Single Family (1-4 Units):Site-Built",
        (5, 3): "N/A",
    }
    changes = [{"total_units": units, "construction_method": how} for units, how in cases]
    assert published("derived_dwelling_category", changes) == [*cases.values()]


# The codes of the applicant, those of the co-applicant, and what comes of them.
ETHNICITIES = [
    ((), (5,), "Free Form Text Only"),
    ((), (1,), "Free Form Text Only"),
    ((3,), (5,), "Ethnicity Not Available"),
    ((4,), (1,), "Ethnicity Not Available"),
    ((1,), (5,), "Hispanic or Latino"),
    ((14,), (3,), "Hispanic or Latino"),
    ((1, 11, 12), (5,), "Hispanic or Latino"),
    ((11,), (12,), "Hispanic or Latino"),
    ((2,), (5,), "Not Hispanic or Latino"),
    ((2,), (2,), "Not Hispanic or Latino"),
    ((2,), (), "Not Hispanic or Latino"),
    ((2,), (1,), "Joint"),
    ((2,), (2, 13), "Joint"),
    ((1,), (2,), "Joint"),
    ((1,), (1, 2), "Joint"),
    ((1, 2), (5,), "Joint"),  # alone, but of both
    ((2, 1), (5,), "Joint"),
    ((2, 2), (5,), "Ethnicity Not Available"),
]


def test_the_ethnicity_is_that_of_both_applicants_together():
    changes = [
        codes("applicant_ethnicity", *one) | codes("co_applicant_ethnicity", *other)
        for one, other, _ in ETHNICITIES
    ]
    assert published("derived_ethnicity", changes) == [each for *_, each in ETHNICITIES]


RACES = [
    ((), (8,), "Free Form Text Only"),
    ((6,), (8,), "Race Not Available"),
    ((7,), (5,), "Race Not Available"),
    ((5,), (8,), "White"),
    ((5,), (5,), "White"),
    ((5,), (6,), "White"),
    ((5,), (7,), "White"),
    ((5,), (), "Joint"),  # the co-applicant's race is a free-form text
    ((5,), (3,), "Joint"),
    ((5,), (5, 3), "Joint"),
    ((5, 5), (8,), "Joint"),  # a repeated code
    ((2,), (8,), "Asian"),
    ((21, 27, 2), (8,), "Asian"),
    ((5, 2), (8,), "Asian"),  # White beside it changes nothing
    ((2, 5, 5), (8,), "Asian"),
    ((2,), (3,), "Asian"),
    ((2,), (5,), "Joint"),
    ((2,), (3, 5), "Joint"),
    ((2,), (3, 1, 4, 5), "Joint"),  # White stands in the fourth
    ((44,), (8,), "Native Hawaiian or Other Pacific Islander"),
    ((5, 41), (8,), "Native Hawaiian or Other Pacific Islander"),
    ((3,), (8,), "Black or African American"),
    ((3, 5), (8,), "Black or African American"),
    ((5, 3), (8,), "Black or African American"),
    ((3, 5, 5), (8,), "Joint"),
    ((3, 3), (8,), "Joint"),
    ((3,), (5,), "Joint"),
    ((1,), (8,), "American Indian or Alaska Native"),
    ((5, 1), (8,), "American Indian or Alaska Native"),
    ((1, 5), (1,), "American Indian or Alaska Native"),
    ((1, 1, 5), (8,), "Joint"),
    ((1, 3), (8,), "2 or more minority races"),
    ((2, 4, 5), (8,), "2 or more minority races"),
    ((2, 3), (5,), "Joint"),
    ((5, 0, 3), (8,), "Joint"),  # a blank between
]


def test_the_race_is_that_of_both_applicants_together():
    changes = [
        codes("applicant_race", *one) | codes("co_applicant_race", *other)
        for one, other, _ in RACES
    ]
    assert published("derived_race", changes) == [each for *_, each in RACES]


def test_the_sex_is_that_of_both_applicants_together():
    cases = {
        (1, 5): "Male",
        (1, 1): "Male",
        (1, 3): "Male",
        (1, 2): "Joint",
        (1, 6): "Joint",
        (2, 5): "Female",
        (2, 2): "Female",
        (2, 1): "Joint",
        (2, 6): "Joint",
        (6, 5): "Joint",
        (3, 1): "Sex Not Available",
        (4, 4): "Sex Not Available",
        (5, 1): "Sex Not Available",
    }
    changes = [{"applicant_sex": one, "co_applicant_sex": other} for one, other in cases]
    assert published("derived_sex", changes) == [*cases.values()]
