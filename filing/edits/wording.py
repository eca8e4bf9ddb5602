"""Clauses about applicants that the texts of several edits share, with the codes of the guide.

They mean the same as `not_natural_person` and `no_co_applicant` of the vocabulary.
"""

NOT_NATURAL_APPLICANT = (
    "the applicant or borrower is not a natural person (Ethnicity of Applicant or Borrower: 1 is "
    "4, Race of Applicant or Borrower: 1 is 7, and Sex of Applicant or Borrower is 4)"
)
NOT_NATURAL_CO_APPLICANT = (
    "the co-applicant or co-borrower is not a natural person (Ethnicity of Co-Applicant or "
    "Co-Borrower: 1 is 4, Race of Co-Applicant or Co-Borrower: 1 is 7, and Sex of Co-Applicant or "
    "Co-Borrower is 4)"
)
NO_CO_APPLICANT = (
    "there is no co-applicant or co-borrower (Ethnicity of Co-Applicant or Co-Borrower: 1 is 5, "
    "Race of Co-Applicant or Co-Borrower: 1 is 8, and Sex of Co-Applicant or Co-Borrower is 5)"
)
