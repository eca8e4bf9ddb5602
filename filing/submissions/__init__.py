"""Submissions: the actions of filers, workers and staff, and all reads.

Every write to a submission and its history is in this package: the actions of filers, which it
exports, those of staff (`interventions`), and the moves that all of them use.
"""

from filing.submissions.actions import (
    LONGEST_REASON,
    create_submission,
    find_or_create_submission,
    list_signing_facts,
    make_receipt_number,
    normalize_reason,
    require_latest,
    require_signable,
    require_signer,
    require_verifiable,
    sign_submission,
    verify_edits,
)
from filing.submissions.moves import (
    ConcurrentChange,
    discard_submission,
    fail_submission,
    move_submission,
    record_remark,
    require_discardable,
    require_not_discarded,
)
from filing.submissions.reception import ReceivedFile, Reception
from filing.submissions.results import name_submission

__all__ = [
    "LONGEST_REASON",
    "ConcurrentChange",
    "ReceivedFile",
    "Reception",
    "create_submission",
    "discard_submission",
    "fail_submission",
    "find_or_create_submission",
    "list_signing_facts",
    "make_receipt_number",
    "move_submission",
    "name_submission",
    "normalize_reason",
    "record_remark",
    "require_discardable",
    "require_latest",
    "require_not_discarded",
    "require_signable",
    "require_signer",
    "require_verifiable",
    "sign_submission",
    "verify_edits",
]
