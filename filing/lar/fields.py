"""The fields of the Loan Application Register and of its transmittal sheet, in file order.

One layout serves every filing year: 110 columns for a loan, 15 for the transmittal sheet (TS).
The parser, the edits, JSON, and the documentation read the fields here.

Source: Filing Instructions Guide for HMDA data, tables "Transmittal sheet" and "Loan/Application
Register"; Regulation C, 12 CFR 1003.4(a).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

import polars as pl


class Parse(Enum):
    """How the text of a column is read."""

    INTEGER = auto()  # 32 bits, sign and leading zeros allowed
    CODE = auto()  # like INTEGER: an unknown code parses, and an edit reports it
    CODE_OR_BLANK = auto()  # blank is stored as 0, and a typed 0 means blank
    AGENCY = auto()  # the one coded column in which an unknown code does not parse
    DECIMAL = auto()
    INTEGER_OR_NA = auto()  # an integer of any size
    INTEGER_NA_OR_EXEMPT = auto()
    DECIMAL_NA_OR_EXEMPT = auto()
    DECIMAL_NA_EXEMPT_OR_BLANK = auto()
    DATE = auto()
    DATE_OR_NA = auto()
    NO_SPACE = auto()  # anything without a space or a comma
    TEXT = auto()  # anything


# The columns that are 32-bit integers once they are parsed; all others stay text.
INTEGERS = frozenset(
    {Parse.INTEGER, Parse.CODE, Parse.CODE_OR_BLANK, Parse.AGENCY, Parse.DATE},
)

# Numbers that stay text: whole ones of any size, and decimals.
WHOLE_NUMBERS = frozenset({Parse.INTEGER_OR_NA, Parse.INTEGER_NA_OR_EXEMPT})
DECIMALS = frozenset(
    {Parse.DECIMAL, Parse.DECIMAL_NA_OR_EXEMPT, Parse.DECIMAL_NA_EXEMPT_OR_BLANK},
)
DATES = frozenset({Parse.DATE, Parse.DATE_OR_NA})

_ACCEPTS = {
    Parse.INTEGER: "Integer",
    Parse.INTEGER_OR_NA: "Integer, or NA",
    Parse.INTEGER_NA_OR_EXEMPT: "Integer, NA, or Exempt",
    Parse.DECIMAL: "Numeric",
    Parse.DECIMAL_NA_OR_EXEMPT: "Numeric, NA, or Exempt",
    Parse.DECIMAL_NA_EXEMPT_OR_BLANK: "Numeric, NA, Exempt, or Blank",
    Parse.DATE: "Date as YYYYMMDD",
    Parse.DATE_OR_NA: "Date as YYYYMMDD, or NA",
    Parse.NO_SPACE: "Letters and digits only",
    Parse.TEXT: "Text",
}

# No amount or ratio is longer; all shorter ones are finite as floating-point numbers.
MAX_NUMBER_LENGTH = 100
MAX_EXPONENT_DIGITS = 2
DECIMAL_LIMIT = (
    f"A number has at most {MAX_NUMBER_LENGTH} characters, and at most {MAX_EXPONENT_DIGITS} "
    "digits in its exponent, as in 1.5e10."
)
_WHOLE_LIMIT = f"A whole number has at most {MAX_NUMBER_LENGTH} characters."
_LIMITS = {
    Parse.INTEGER: f"A whole number is between {-(2**31)} and {2**31 - 1}.",
    Parse.INTEGER_OR_NA: _WHOLE_LIMIT,
    Parse.INTEGER_NA_OR_EXEMPT: _WHOLE_LIMIT,
    Parse.DECIMAL: DECIMAL_LIMIT,
    Parse.DECIMAL_NA_OR_EXEMPT: DECIMAL_LIMIT,
    Parse.DECIMAL_NA_EXEMPT_OR_BLANK: DECIMAL_LIMIT,
}
# The limits of numbers, by what the columns that have them accept.
NUMBER_LIMITS = {_ACCEPTS[parse]: limit for parse, limit in _LIMITS.items()}
ABOUT_LIMITS = f"{DECIMAL_LIMIT} {_WHOLE_LIMIT} A number beyond its limit is a formatting error."


@dataclass(frozen=True, slots=True)
class Field:
    """One column of a record.

    number: 1-based position in the line. name: the name in code, everywhere. label: the name a
    filer sees beside an edit. json: the path of the value in the nested JSON of the record.
    parser_label: the name in format errors if it is not the label. codes: the codes that have a
    meaning, all years together. exempt: how the partial exemption is written in this column.
    """

    number: int
    name: str
    label: str
    json: str
    parse: Parse
    parser_label: str = ""
    codes: tuple[int, ...] = ()
    exempt: str | int | None = None

    @property
    def error_label(self) -> str:
        """The name of the column in a format error."""
        return self.parser_label or self.label

    @property
    def dtype(self) -> type[pl.DataType]:
        """The polars type of the parsed column."""
        return pl.Int32 if self.parse in INTEGERS else pl.String

    @property
    def accepts(self) -> str:
        """What the column accepts, in the words of format errors."""
        if self.parse in {Parse.CODE, Parse.CODE_OR_BLANK, Parse.AGENCY}:
            codes = ", ".join(map(str, self.codes))
            return f"Integer: {codes}" + (" or Blank" if self.parse is Parse.CODE_OR_BLANK else "")
        return _ACCEPTS[self.parse]

    @property
    def limit(self) -> str:
        """The limit of a number of the column, in a sentence; or a blank."""
        return _LIMITS.get(self.parse, "")


# fmt: off
TRANSMITTAL_SHEET: tuple[Field, ...] = (
    Field(1, "record_id", "Record Identifier", "id", Parse.INTEGER, parser_label="Transmittal Sheet Record Identifier", codes=(1,)),
    Field(2, "institution_name", "Financial Institution Name", "institutionName", Parse.TEXT),
    Field(3, "calendar_year", "Calendar Year", "year", Parse.INTEGER),
    Field(4, "calendar_quarter", "Calendar Quarter", "quarter", Parse.INTEGER, codes=(1, 2, 3, 4)),
    Field(5, "contact_name", "Contact Person's Name", "contact.name", Parse.TEXT),
    Field(6, "contact_phone", "Contact Person's Phone Number", "contact.phone", Parse.TEXT),
    Field(7, "contact_email", "Contact Person's E-mail Address", "contact.email", Parse.TEXT),
    Field(8, "contact_street", "Contact Person's Office Street Address", "contact.address.street", Parse.TEXT),
    Field(9, "contact_city", "Contact Person's Office City", "contact.address.city", Parse.TEXT),
    Field(10, "contact_state", "Contact Person's Office State", "contact.address.state", Parse.TEXT),
    Field(11, "contact_zip_code", "Contact Person's Office Zip Code", "contact.address.zipCode", Parse.TEXT),
    Field(12, "federal_agency", "Federal Agency", "agency", Parse.AGENCY, codes=(1, 2, 3, 5, 7, 9)),
    Field(13, "total_lines", "Total Number of Entries Contained in Submission", "totalLines", Parse.INTEGER),
    Field(14, "tax_id", "Federal Taxpayer Identification Number", "taxId", Parse.TEXT),
    Field(15, "lei", "Legal Entity Identifier (LEI)", "LEI", Parse.TEXT),
)

LAR: tuple[Field, ...] = (
    Field(1, "record_id", "Record Identifier", "larIdentifier.id", Parse.INTEGER, parser_label="LAR Record Identifier", codes=(2,)),
    Field(2, "lei", "Legal Entity Identifier (LEI)", "larIdentifier.LEI", Parse.NO_SPACE, parser_label="LEI"),
    Field(3, "uli", "Universal Loan Identifier (ULI)", "loan.ULI", Parse.NO_SPACE, parser_label="ULI"),
    Field(4, "application_date", "Application Date", "loan.applicationDate", Parse.DATE_OR_NA),
    Field(5, "loan_type", "Loan Type", "loan.loanType", Parse.CODE, codes=(1, 2, 3, 4)),
    Field(6, "loan_purpose", "Loan Purpose", "loan.loanPurpose", Parse.CODE, codes=(1, 2, 31, 32, 4, 5)),
    Field(7, "preapproval", "Preapproval", "larAction.preapproval", Parse.CODE, codes=(1, 2)),
    Field(8, "construction_method", "Construction Method", "loan.constructionMethod", Parse.CODE, codes=(1, 2)),
    Field(9, "occupancy_type", "Occupancy Type", "loan.occupancy", Parse.CODE, codes=(1, 2, 3)),
    Field(10, "loan_amount", "Loan Amount", "loan.amount", Parse.DECIMAL),
    Field(11, "action_taken", "Action Taken", "larAction.actionTakenType", Parse.CODE, codes=(1, 2, 3, 4, 5, 6, 7, 8)),
    Field(12, "action_taken_date", "Action Taken Date", "larAction.actionTakenDate", Parse.DATE),
    Field(13, "street", "Street Address", "geography.street", Parse.TEXT, exempt="Exempt"),
    Field(14, "city", "City", "geography.city", Parse.TEXT, exempt="Exempt"),
    Field(15, "state", "State", "geography.state", Parse.TEXT),
    Field(16, "zip_code", "Zip Code", "geography.zipCode", Parse.TEXT, exempt="Exempt"),
    Field(17, "county", "County", "geography.county", Parse.TEXT),
    Field(18, "census_tract", "Census Tract", "geography.tract", Parse.TEXT),
    Field(19, "applicant_ethnicity_1", "Ethnicity of Applicant or Borrower: 1", "applicant.ethnicity.ethnicity1", Parse.CODE_OR_BLANK, codes=(1, 11, 12, 13, 14, 2, 3, 4)),
    Field(20, "applicant_ethnicity_2", "Ethnicity of Applicant or Borrower: 2", "applicant.ethnicity.ethnicity2", Parse.CODE_OR_BLANK, codes=(1, 11, 12, 13, 14, 2)),
    Field(21, "applicant_ethnicity_3", "Ethnicity of Applicant or Borrower: 3", "applicant.ethnicity.ethnicity3", Parse.CODE_OR_BLANK, codes=(1, 11, 12, 13, 14, 2)),
    Field(22, "applicant_ethnicity_4", "Ethnicity of Applicant or Borrower: 4", "applicant.ethnicity.ethnicity4", Parse.CODE_OR_BLANK, codes=(1, 11, 12, 13, 14, 2)),
    Field(23, "applicant_ethnicity_5", "Ethnicity of Applicant or Borrower: 5", "applicant.ethnicity.ethnicity5", Parse.CODE_OR_BLANK, codes=(1, 11, 12, 13, 14, 2)),
    Field(24, "applicant_ethnicity_free_form", "Ethnicity of Applicant or Borrower: Free Form Text Field for Other Hispanic or Latino", "applicant.ethnicity.otherHispanicOrLatino", Parse.TEXT),
    Field(25, "co_applicant_ethnicity_1", "Ethnicity of Co-Applicant or Co-Borrower: 1", "coApplicant.ethnicity.ethnicity1", Parse.CODE_OR_BLANK, codes=(1, 11, 12, 13, 14, 2, 3, 4, 5)),
    Field(26, "co_applicant_ethnicity_2", "Ethnicity of Co-Applicant or Co-Borrower: 2", "coApplicant.ethnicity.ethnicity2", Parse.CODE_OR_BLANK, codes=(1, 11, 12, 13, 14, 2)),
    Field(27, "co_applicant_ethnicity_3", "Ethnicity of Co-Applicant or Co-Borrower: 3", "coApplicant.ethnicity.ethnicity3", Parse.CODE_OR_BLANK, codes=(1, 11, 12, 13, 14, 2)),
    Field(28, "co_applicant_ethnicity_4", "Ethnicity of Co-Applicant or Co-Borrower: 4", "coApplicant.ethnicity.ethnicity4", Parse.CODE_OR_BLANK, codes=(1, 11, 12, 13, 14, 2)),
    Field(29, "co_applicant_ethnicity_5", "Ethnicity of Co-Applicant or Co-Borrower: 5", "coApplicant.ethnicity.ethnicity5", Parse.CODE_OR_BLANK, codes=(1, 11, 12, 13, 14, 2)),
    Field(30, "co_applicant_ethnicity_free_form", "Ethnicity of Co-Applicant or Co-Borrower: Free Form Text Field for Other Hispanic or Latino", "coApplicant.ethnicity.otherHispanicOrLatino", Parse.TEXT),
    Field(31, "applicant_ethnicity_observed", "Ethnicity of Applicant or Borrower Collected on the Basis of Visual Observation or Surname", "applicant.ethnicity.ethnicityObserved", Parse.CODE, codes=(1, 2, 3)),
    Field(32, "co_applicant_ethnicity_observed", "Ethnicity of Co-Applicant or Co-Borrower Collected on the Basis of Visual Observation or Surname", "coApplicant.ethnicity.ethnicityObserved", Parse.CODE, codes=(1, 2, 3, 4)),
    Field(33, "applicant_race_1", "Race of Applicant or Borrower: 1", "applicant.race.race1", Parse.CODE_OR_BLANK, codes=(1, 2, 21, 22, 23, 24, 25, 26, 27, 3, 4, 41, 42, 43, 44, 5, 6, 7)),
    Field(34, "applicant_race_2", "Race of Applicant or Borrower: 2", "applicant.race.race2", Parse.CODE_OR_BLANK, codes=(1, 2, 21, 22, 23, 24, 25, 26, 27, 3, 4, 41, 42, 43, 44, 5)),
    Field(35, "applicant_race_3", "Race of Applicant or Borrower: 3", "applicant.race.race3", Parse.CODE_OR_BLANK, codes=(1, 2, 21, 22, 23, 24, 25, 26, 27, 3, 4, 41, 42, 43, 44, 5)),
    Field(36, "applicant_race_4", "Race of Applicant or Borrower: 4", "applicant.race.race4", Parse.CODE_OR_BLANK, codes=(1, 2, 21, 22, 23, 24, 25, 26, 27, 3, 4, 41, 42, 43, 44, 5)),
    Field(37, "applicant_race_5", "Race of Applicant or Borrower: 5", "applicant.race.race5", Parse.CODE_OR_BLANK, codes=(1, 2, 21, 22, 23, 24, 25, 26, 27, 3, 4, 41, 42, 43, 44, 5)),
    Field(38, "applicant_race_native_free_form", "Race of Applicant or Borrower: Free Form Text Field for American Indian or Alaska Native Enrolled or Principal Tribe", "applicant.race.otherNativeRace", Parse.TEXT),
    Field(39, "applicant_race_asian_free_form", "Race of Applicant or Borrower: Free Form Text Field for Other Asian", "applicant.race.otherAsianRace", Parse.TEXT),
    Field(40, "applicant_race_pacific_free_form", "Race of Applicant or Borrower: Free Form Text Field for Other Pacific Islander", "applicant.race.otherPacificIslanderRace", Parse.TEXT),
    Field(41, "co_applicant_race_1", "Race of Co-Applicant or Co-Borrower: 1", "coApplicant.race.race1", Parse.CODE_OR_BLANK, codes=(1, 2, 21, 22, 23, 24, 25, 26, 27, 3, 4, 41, 42, 43, 44, 5, 6, 7, 8)),
    Field(42, "co_applicant_race_2", "Race of Co-Applicant or Co-Borrower: 2", "coApplicant.race.race2", Parse.CODE_OR_BLANK, codes=(1, 2, 21, 22, 23, 24, 25, 26, 27, 3, 4, 41, 42, 43, 44, 5)),
    Field(43, "co_applicant_race_3", "Race of Co-Applicant or Co-Borrower: 3", "coApplicant.race.race3", Parse.CODE_OR_BLANK, codes=(1, 2, 21, 22, 23, 24, 25, 26, 27, 3, 4, 41, 42, 43, 44, 5)),
    Field(44, "co_applicant_race_4", "Race of Co-Applicant or Co-Borrower: 4", "coApplicant.race.race4", Parse.CODE_OR_BLANK, codes=(1, 2, 21, 22, 23, 24, 25, 26, 27, 3, 4, 41, 42, 43, 44, 5)),
    Field(45, "co_applicant_race_5", "Race of Co-Applicant or Co-Borrower: 5", "coApplicant.race.race5", Parse.CODE_OR_BLANK, codes=(1, 2, 21, 22, 23, 24, 25, 26, 27, 3, 4, 41, 42, 43, 44, 5)),
    Field(46, "co_applicant_race_native_free_form", "Race of Co-Applicant or Co-Borrower: Free Form Text Field for American Indian or Alaska Native Enrolled or Principal Tribe", "coApplicant.race.otherNativeRace", Parse.TEXT),
    Field(47, "co_applicant_race_asian_free_form", "Race of Co-Applicant or Co-Borrower: Free Form Text Field for Other Asian", "coApplicant.race.otherAsianRace", Parse.TEXT),
    Field(48, "co_applicant_race_pacific_free_form", "Race of Co-Applicant or Co-Borrower: Free Form Text Field for Other Pacific Islander", "coApplicant.race.otherPacificIslanderRace", Parse.TEXT),
    Field(49, "applicant_race_observed", "Race of Applicant or Borrower Collected on the Basis of Visual Observation or Surname", "applicant.race.raceObserved", Parse.CODE, codes=(1, 2, 3)),
    Field(50, "co_applicant_race_observed", "Race of Co-Applicant or Co-Borrower Collected on the Basis of Visual Observation or Surname", "coApplicant.race.raceObserved", Parse.CODE, codes=(1, 2, 3, 4)),
    Field(51, "applicant_sex", "Sex of Applicant or Borrower", "applicant.sex.sex", Parse.CODE, codes=(1, 2, 3, 4, 6)),
    Field(52, "co_applicant_sex", "Sex of Co-Applicant or Co-Borrower", "coApplicant.sex.sex", Parse.CODE, codes=(1, 2, 3, 4, 5, 6)),
    Field(53, "applicant_sex_observed", "Sex of Applicant or Borrower Collected on the Basis of Visual Observation or Surname", "applicant.sex.sexObserved", Parse.CODE, codes=(1, 2, 3)),
    Field(54, "co_applicant_sex_observed", "Sex of Co-Applicant or Co-Borrower Collected on the Basis of Visual Observation or Surname", "coApplicant.sex.sexObserved", Parse.CODE, codes=(1, 2, 3, 4)),
    Field(55, "applicant_age", "Age of Applicant or Borrower", "applicant.age", Parse.INTEGER),
    Field(56, "co_applicant_age", "Age of Co-Applicant or Co-Borrower", "coApplicant.age", Parse.INTEGER),
    Field(57, "income", "Income", "income", Parse.INTEGER_OR_NA),
    Field(58, "purchaser_type", "Type of Purchaser", "purchaserType", Parse.CODE, codes=(0, 1, 2, 3, 4, 5, 6, 71, 72, 8, 9)),
    Field(59, "rate_spread", "Rate Spread", "loan.rateSpread", Parse.DECIMAL_NA_OR_EXEMPT, exempt="Exempt"),
    Field(60, "hoepa_status", "HOEPA Status", "hoepaStatus", Parse.CODE, codes=(1, 2, 3)),
    Field(61, "lien_status", "Lien Status", "lienStatus", Parse.CODE, codes=(1, 2)),
    Field(62, "applicant_credit_score", "Credit Score of Applicant or Borrower", "applicant.creditScore", Parse.INTEGER, exempt=1111),
    Field(63, "co_applicant_credit_score", "Credit Score of Co-Applicant or Co-Borrower", "coApplicant.creditScore", Parse.INTEGER, exempt=1111),
    Field(64, "applicant_credit_score_type", "Applicant or Borrower, Name and Version of Credit Scoring Model", "applicant.creditScoreType", Parse.CODE, codes=(1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 1111), exempt=1111),
    Field(65, "applicant_credit_score_type_free_form", "Applicant or Borrower, Name and Version of Credit Scoring Model: Conditional Free Form Text Field for Code 8", "applicant.otherCreditScoreModel", Parse.TEXT),
    Field(66, "co_applicant_credit_score_type", "Co-Applicant or Co-Borrower, Name and Version of Credit Scoring Model", "coApplicant.creditScoreType", Parse.CODE, codes=(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 1111), exempt=1111),
    Field(67, "co_applicant_credit_score_type_free_form", "Co-Applicant or Co-Borrower, Name and Version of Credit Scoring Model: Conditional Free Form Text Field for Code 8", "coApplicant.otherCreditScoreModel", Parse.TEXT),
    Field(68, "denial_reason_1", "Reason for Denial: 1", "denial.denialReason1", Parse.CODE, codes=(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1111), exempt=1111),
    Field(69, "denial_reason_2", "Reason for Denial: 2", "denial.denialReason2", Parse.CODE_OR_BLANK, codes=(1, 2, 3, 4, 5, 6, 7, 8, 9), exempt=1111),
    Field(70, "denial_reason_3", "Reason for Denial: 3", "denial.denialReason3", Parse.CODE_OR_BLANK, codes=(1, 2, 3, 4, 5, 6, 7, 8, 9), exempt=1111),
    Field(71, "denial_reason_4", "Reason for Denial: 4", "denial.denialReason4", Parse.CODE_OR_BLANK, codes=(1, 2, 3, 4, 5, 6, 7, 8, 9), exempt=1111),
    Field(72, "denial_reason_free_form", "Reason for Denial: Conditional Free Form Text Field for Code 9", "denial.otherDenialReason", Parse.TEXT),
    Field(73, "total_loan_costs", "Total Loan Costs", "loanDisclosure.totalLoanCosts", Parse.DECIMAL_NA_OR_EXEMPT, exempt="Exempt"),
    Field(74, "total_points_and_fees", "Total Points and Fees", "loanDisclosure.totalPointsAndFees", Parse.DECIMAL_NA_OR_EXEMPT, exempt="Exempt"),
    Field(75, "origination_charges", "Origination Charges", "loanDisclosure.originationCharges", Parse.DECIMAL_NA_OR_EXEMPT, exempt="Exempt"),
    Field(76, "discount_points", "Discount Points", "loanDisclosure.discountPoints", Parse.DECIMAL_NA_EXEMPT_OR_BLANK, exempt="Exempt"),
    Field(77, "lender_credits", "Lender Credits", "loanDisclosure.lenderCredits", Parse.DECIMAL_NA_EXEMPT_OR_BLANK, exempt="Exempt"),
    Field(78, "interest_rate", "Interest Rate", "loan.interestRate", Parse.DECIMAL_NA_OR_EXEMPT, exempt="Exempt"),
    Field(79, "prepayment_penalty_term", "Prepayment Penalty Term", "loan.prepaymentPenaltyTerm", Parse.INTEGER_NA_OR_EXEMPT, exempt="Exempt"),
    Field(80, "debt_to_income_ratio", "Debt-to-Income Ratio", "loan.debtToIncomeRatio", Parse.DECIMAL_NA_OR_EXEMPT, exempt="Exempt"),
    Field(81, "combined_loan_to_value_ratio", "Combined Loan-to-Value Ratio", "loan.combinedLoanToValueRatio", Parse.DECIMAL_NA_OR_EXEMPT, exempt="Exempt"),
    Field(82, "loan_term", "Loan Term", "loan.loanTerm", Parse.INTEGER_NA_OR_EXEMPT, exempt="Exempt"),
    Field(83, "introductory_rate_period", "Introductory Rate Period", "loan.introductoryRatePeriod", Parse.INTEGER_NA_OR_EXEMPT, exempt="Exempt"),
    Field(84, "balloon_payment", "Balloon Payment", "nonAmortizingFeatures.balloonPayment", Parse.CODE, parser_label="Balloon Payments", codes=(1, 2, 1111), exempt=1111),
    Field(85, "interest_only_payments", "Interest-Only Payments", "nonAmortizingFeatures.interestOnlyPayment", Parse.CODE, codes=(1, 2, 1111), exempt=1111),
    Field(86, "negative_amortization", "Negative Amortization", "nonAmortizingFeatures.negativeAmortization", Parse.CODE, codes=(1, 2, 1111), exempt=1111),
    Field(87, "other_non_amortizing_features", "Other Non-amortizing Features", "nonAmortizingFeatures.otherNonAmortizingFeatures", Parse.CODE, parser_label="Other Non-Amortizing Features", codes=(1, 2, 1111), exempt=1111),
    Field(88, "property_value", "Property Value", "property.propertyValue", Parse.DECIMAL_NA_OR_EXEMPT, exempt="Exempt"),
    Field(89, "manufactured_home_secured_property_type", "Manufactured Home Secured Property Type", "property.manufacturedHomeSecuredProperty", Parse.CODE, codes=(1, 2, 3, 1111), exempt=1111),
    Field(90, "manufactured_home_land_property_interest", "Manufactured Home Land Property Interest", "property.manufacturedHomeLandPropertyInterest", Parse.CODE, codes=(1, 2, 3, 4, 5, 1111), exempt=1111),
    Field(91, "total_units", "Total Units", "property.totalUnits", Parse.INTEGER),
    Field(92, "multifamily_affordable_units", "Multifamily Affordable Units", "property.multiFamilyAffordableUnits", Parse.INTEGER_NA_OR_EXEMPT, exempt="Exempt"),
    Field(93, "submission_of_application", "Submission of Application", "applicationSubmission", Parse.CODE, codes=(1, 2, 3, 1111), exempt=1111),
    Field(94, "initially_payable_to_institution", "Initially Payable to Your Institution", "payableToInstitution", Parse.CODE, codes=(1, 2, 3, 1111), exempt=1111),
    Field(95, "nmlsr_id", "NMLSR ID", "larIdentifier.NMLSRIdentifier", Parse.TEXT, exempt="Exempt"),
    Field(96, "aus_1", "Automated Underwriting System: 1", "AUS.aus1", Parse.CODE, codes=(1, 2, 3, 4, 5, 6, 7, 1111), exempt=1111),
    Field(97, "aus_2", "Automated Underwriting System: 2", "AUS.aus2", Parse.CODE_OR_BLANK, codes=(1, 2, 3, 4, 5, 7), exempt=1111),
    Field(98, "aus_3", "Automated Underwriting System: 3", "AUS.aus3", Parse.CODE_OR_BLANK, codes=(1, 2, 3, 4, 5, 7), exempt=1111),
    Field(99, "aus_4", "Automated Underwriting System: 4", "AUS.aus4", Parse.CODE_OR_BLANK, codes=(1, 2, 3, 4, 5, 7), exempt=1111),
    Field(100, "aus_5", "Automated Underwriting System: 5", "AUS.aus5", Parse.CODE_OR_BLANK, codes=(1, 2, 3, 4, 5, 7), exempt=1111),
    Field(101, "aus_free_form", "Automated Underwriting System: Conditional Free Form Text Field for Code 5", "AUS.otherAUS", Parse.TEXT),
    Field(102, "aus_result_1", "Automated Underwriting System Result: 1", "ausResult.ausResult1", Parse.CODE, codes=(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 1111), exempt=1111),
    Field(103, "aus_result_2", "Automated Underwriting System Result: 2", "ausResult.ausResult2", Parse.CODE_OR_BLANK, codes=(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 19, 20, 21, 22, 23, 24), exempt=1111),
    Field(104, "aus_result_3", "Automated Underwriting System Result: 3", "ausResult.ausResult3", Parse.CODE_OR_BLANK, codes=(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 19, 20, 21, 22, 23, 24), exempt=1111),
    Field(105, "aus_result_4", "Automated Underwriting System Result: 4", "ausResult.ausResult4", Parse.CODE_OR_BLANK, codes=(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 19, 20, 21, 22, 23, 24), exempt=1111),
    Field(106, "aus_result_5", "Automated Underwriting System Result: 5", "ausResult.ausResult5", Parse.CODE_OR_BLANK, codes=(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 19, 20, 21, 22, 23, 24), exempt=1111),
    Field(107, "aus_result_free_form", "Automated Underwriting System Result: Conditional Free Form Text Field for Code 16", "ausResult.otherAusResult", Parse.TEXT),
    Field(108, "reverse_mortgage", "Reverse Mortgage", "reverseMortgage", Parse.CODE, codes=(1, 2, 1111), exempt=1111),
    Field(109, "open_end_line_of_credit", "Open-End Line of Credit", "lineOfCredit", Parse.CODE, codes=(1, 2, 1111), exempt=1111),
    Field(110, "business_or_commercial_purpose", "Business or Commercial Purpose", "businessOrCommercialPurpose", Parse.CODE, parser_label="Buisness or Commercial Purpose", codes=(1, 2, 1111), exempt=1111),
)
# fmt: on

TS_BY_NAME = {field.name: field for field in TRANSMITTAL_SHEET}
LAR_BY_NAME = {field.name: field for field in LAR}

# Leads the name of a field of the transmittal sheet where fields of loans are named, too.
SHEET_PREFIX = "ts."

# The code of the partial exemption in a coded column.
EXEMPT_CODE = 1111

# In place of a column if an edit concerns the whole record.
WHOLE_ROW = "all"
WHOLE_ROW_LABEL = "All data fields in the LAR"

AGENCIES = {1: "OCC", 2: "FRS", 3: "FDIC", 5: "NCUA", 7: "HUD", 9: "CFPB"}
AGENCY_NAMES = {
    1: "Office of the Comptroller of the Currency",
    2: "Federal Reserve System",
    3: "Federal Deposit Insurance Corporation",
    5: "National Credit Union Administration",
    7: "United States Department of Housing and Urban Development",
    9: "Consumer Financial Protection Bureau",
}

# fmt: off
# Postal abbreviation to two-digit FIPS code: 50 states, DC and the territories.
STATES = {
    "AK": "02", "AL": "01", "AR": "05", "AS": "60", "AZ": "04", "CA": "06", "CO": "08",
    "CT": "09", "DC": "11", "DE": "10", "FL": "12", "FM": "64", "GA": "13", "GU": "66",
    "HI": "15", "IA": "19", "ID": "16", "IL": "17", "IN": "18", "KS": "20", "KY": "21",
    "LA": "22", "MA": "25", "MD": "24", "ME": "23", "MH": "68", "MI": "26", "MN": "27",
    "MO": "29", "MP": "69", "MS": "28", "MT": "30", "NC": "37", "ND": "38", "NE": "31",
    "NH": "33", "NJ": "34", "NM": "35", "NV": "32", "NY": "36", "OH": "39", "OK": "40",
    "OR": "41", "PA": "42", "PR": "72", "PW": "70", "RI": "44", "SC": "45", "SD": "46",
    "TN": "47", "TX": "48", "UT": "49", "VA": "51", "VI": "78", "VT": "50", "WA": "53",
    "WI": "55", "WV": "54", "WY": "56",
}
# fmt: on


def records_in(lines: int) -> int:
    """Return the number of records in a file with so many lines: all but the transmittal sheet."""
    return max(lines - 1, 0)
