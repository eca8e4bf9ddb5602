"""Submissions: the actions of filers, workers and staff, and all reads.

Every write to a submission and its history is in this package: the actions of filers, which it
exports, those of staff (`interventions`), and the moves that all of them use.
"""

from filing.submissions.actions import (
    LONGEST_REASON,
    create,
    one_line,
    receipt,
    require_change,
    require_latest,
    require_signable,
    require_signer,
    require_verifiable,
    sign,
    verify,
    waiting_or_new,
)
from filing.submissions.discarding import (
    discard_submission,
    require_discardable,
    require_not_discarded,
)
from filing.submissions.moves import Overtaken, fail, move, remark
from filing.submissions.reception import Reception, Upload, abandon_upload
from filing.submissions.results import name_of

__all__ = [
    "LONGEST_REASON",
    "Overtaken",
    "Reception",
    "Upload",
    "abandon_upload",
    "create",
    "discard_submission",
    "fail",
    "move",
    "name_of",
    "one_line",
    "receipt",
    "remark",
    "require_change",
    "require_discardable",
    "require_latest",
    "require_not_discarded",
    "require_signable",
    "require_signer",
    "require_verifiable",
    "sign",
    "verify",
    "waiting_or_new",
]
