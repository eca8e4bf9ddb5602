"""Submissions: the actions of filers, workers and staff, and all reads.

Every write to a submission and its history is in this package: the actions of filers, which it
exports, those of staff (`interventions`), and the moves that all of them use.
"""

from filing.submissions.actions import (
    create,
    receipt,
    require_signable,
    require_signer,
    require_verifiable,
    sign,
    verify,
    waiting_or_new,
)
from filing.submissions.moves import Overtaken, fail, move, remark
from filing.submissions.reception import Upload, abandon_upload, receive, receiving
from filing.submissions.results import name_of

__all__ = [
    "Overtaken",
    "Upload",
    "abandon_upload",
    "create",
    "fail",
    "move",
    "name_of",
    "receipt",
    "receive",
    "receiving",
    "remark",
    "require_signable",
    "require_signer",
    "require_verifiable",
    "sign",
    "verify",
    "waiting_or_new",
]
