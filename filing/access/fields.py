"""Which field is shown to whom: the one table for every API, page, export and the admin.

A field without a line is shown to no one, so a new one is denied until somebody decides.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from enum import IntEnum
from functools import cache
from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.db.models import DateTimeField, Model

from filing.models import (
    AccessRequest,
    Attempt,
    Case,
    Delegation,
    EditResult,
    EndedRight,
    Filing,
    Identity,
    Institution,
    InstitutionEvent,
    Invitation,
    Job,
    KeyRotation,
    LegalHold,
    ListExport,
    ListSchedule,
    Mail,
    Membership,
    Note,
    OperatorTask,
    Organization,
    OrganizationMember,
    PeopleList,
    PersonalToken,
    ProducedList,
    RecordCounts,
    RecordProposal,
    RemindedInstitution,
    Reminder,
    ResumableUpload,
    SecondFactor,
    Signature,
    StatusChange,
    Submission,
    TrailEntry,
    Webhook,
    WebhookAttempt,
    WebhookDelivery,
)

Row = TypeVar("Row", bound=Model)


class Readers(IntEnum):
    """Who reads a field. Each one reads what those below it read, and its own fields.

    STAFF are all staff roles, in the admin and by their token. OWNER is the person whose row it
    is. FILERS are those who act for the institution.
    """

    NO_ONE = 0
    STAFF = 1
    OWNER = 2
    FILERS = 3
    ANYONE = 4


_NO_ONE, _STAFF, _OWNER, _FILERS, _ANYONE = Readers

# Of each table, the fields by their widest readers. Records are in files: filers read them, and
# staff for a reason (`filing.submissions.who_looked`).
FIELDS: dict[type[Model], dict[Readers, str]] = {
    Institution: {
        _ANYONE: "activity_year lei name agency email_domains quarterly_filer is_test"
        " institution_type institution_id_2017 rssd city state assets other_lender_code"
        " parent_rssd parent_name top_holder_rssd top_holder_name hmda_filer"
        " quarterly_filer_has_filed_q1 quarterly_filer_has_filed_q2 quarterly_filer_has_filed_q3",
        _FILERS: "tax_id",
        _STAFF: "id notes",
    },
    Filing: {
        _FILERS: "institution period status required started_at completed_at",
        _STAFF: "id opening",
    },
    Submission: {
        _FILERS: "filing sequence_number status created_at changed_at file_name size sha256"
        " uploaded_at lines transmittal_sheet format_errors quality_exists macro_exists"
        " quality_verified macro_verified rules_run failure files_removed_at files_removed_rule"
        " discarded_at totals",
        _STAFF: "id",
        _NO_ONE: "raw_file parse_folder edits_folder census_run",
    },
    RecordCounts: {
        _STAFF: "submission agency city state open_end closed_end line_exempt open_end_originated"
        " closed_end_originated single_family manufactured multifamily denial_1 denial_2 denial_3"
        " denial_4 denial_5 denial_6 denial_7 denial_8 denial_9 denial_exempt with_exemption"
        " quarter_1 quarter_2 quarter_3 quarter_4 counties changed",
    },
    # Anyone who has a receipt number or the hash of a file may check it.
    Signature: {
        _ANYONE: "receipt signed_at sha256",
        _FILERS: "submission signer_username signer_email signer_name",
        _STAFF: "id signer_id fingerprint",
        _NO_ONE: "claims",
    },
    EditResult: {
        _FILERS: "submission code kind level total listed figures not_run",
        _STAFF: "id",
        _NO_ONE: "position",
    },
    StatusChange: {
        _FILERS: "submission before after event at actor_username actor_email actor_name reason",
        _STAFF: "id actor_id address request_id fingerprint",
    },
    ResumableUpload: {
        _FILERS: "submission key file_name length offset lines outcome created_at used_at",
        _NO_ONE: "id actor_id actor_username actor_email",
    },
    Job: {
        _FILERS: "submission rows_done rows_total",
        _STAFF: "id stage state large owner lease_until heartbeat attempts not_before queued_at"
        " fair_queued_at started_at finished_at last_error request_id",
    },
    Attempt: {
        _STAFF: "id job number owner started_at ended_at outcome rows error fingerprint",
    },
    Webhook: {
        _FILERS: "id lei url actor_username actor_email added_at disabled_at disabled_reason"
        " succeeded_at failures failing_since",
        _STAFF: "deleted_at",
        _NO_ONE: "actor_id secret former_secret former_until paused_until",
    },
    WebhookDelivery: {
        _FILERS: "id webhook message_id type about body job state tries made_at ended_at",
    },
    WebhookAttempt: {
        _FILERS: "delivery started_at milliseconds status answer error",
        _STAFF: "id",
    },
    Membership: {
        _FILERS: "user lei source is_preparer is_signer administrator_since added_at added_by until"
        " confirmed_at",
        _OWNER: "checked_at",
        _STAFF: "id email",
    },
    PeopleList: {_FILERS: "lei joins_by_domain confirmed_at confirmed_by", _STAFF: "id"},
    Organization: {
        _FILERS: "name code email_domain made_at made_by ended_at ended_by reason",
        _STAFF: "id",
    },
    OrganizationMember: {
        _FILERS: "id organization user is_preparer is_signer administrator_since added_at added_by"
        " until ended_at ended_by reason",
    },
    Delegation: {
        _FILERS: "id organization lei may_sign periods until agreed_at agreed_by ended_at ended_by"
        " reason",
    },
    Invitation: {
        _FILERS: "id lei organization email is_administrator is_preparer is_signer until invited_by"
        " inviter invited_at expires_at answer answered_at accepted_by reason",
        _NO_ONE: "seed sha256",
    },
    AccessRequest: {
        _FILERS: "id user lei kind asked_at state answered_by answered_at reason contact_email"
        " expires_at",
        _NO_ONE: "seed sha256",
    },
    PersonalToken: {
        _OWNER: "id user name start leis scopes is_prepare_only made_at expires_at last_used_at"
        " revoked_at",
        _NO_ONE: "sha256",
    },
    SecondFactor: {_OWNER: "user kind name added_at last_used_at", _NO_ONE: "id secret counter"},
    User: {
        _FILERS: "email first_name last_name",  # on the list of the institution's people
        _OWNER: "username",
        _STAFF: "id is_active is_staff is_superuser last_login date_joined",
        _NO_ONE: "password",
    },
    Identity: {
        _STAFF: "user issuer subject email_verified added_at signed_in_at used_at",
        _NO_ONE: "id",
    },
    EndedRight: {_STAFF: "id user lei ended_at ended_by by_staff reason given_again_at"},
    Case: {
        _STAFF: "id state opened_at user name email lei institution text closed_at closed_by"
        " answer",
    },
    # The institution reads its proposals; who of the staff answers is for staff.
    RecordProposal: {
        _FILERS: "id kind state lei activity_year changes accepted reason at answer answered_at"
        " case",
        _STAFF: "actor_username actor_email user answered_by",
        _NO_ONE: "actor_id log_entries",
    },
    Mail: {
        _STAFF: "id kind to subject text submission institution job made_at sent_at",
        _NO_ONE: "key",
    },
    Note: {
        _STAFF: "id at actor_username actor_email reason content_type object_id",
        _NO_ONE: "actor_id",
    },
    InstitutionEvent: {
        _STAFF: "id kind lei other_lei effective_on facts at actor_username actor_email reason"
        " undone_at undone_by undo_reason",
        _NO_ONE: "actor_id",
    },
    LegalHold: {
        _STAFF: "id at actor_username actor_email reason lei filing lifted_at lifted_by"
        " lifted_reason",
        _NO_ONE: "actor_id",
    },
    Reminder: {
        _STAFF: "id year quarter text job emails at actor_username actor_email reason",
        _NO_ONE: "actor_id",
    },
    ListSchedule: {_STAFF: "id kind form hour is_on added_at"},
    ProducedList: {
        _STAFF: "id schedule day run job stored_as rows size emails done_at removed_at",
    },
    RemindedInstitution: {_STAFF: "id reminder lei outcome addresses at"},
    OperatorTask: {
        _STAFF: "id at actor_username actor_email reason kind about job is_sound summary details",
        _NO_ONE: "actor_id",
    },
    KeyRotation: {
        _STAFF: "id at actor_username actor_email reason decision decided_at decided_by"
        " decided_reason kid problem",
        _NO_ONE: "actor_id",
    },
    ListExport: {
        _STAFF: "id at actor_username actor_email reason user source query format job size",
        _NO_ONE: "actor_id stored_as",
    },
    # Filers read entries on their organizations, and who wrote them.
    TrailEntry: {
        _FILERS: "at event actor_username actor_email lei about reason",
        _STAFF: "id actor_id address request_id fingerprint",
    },
}
_READERS = {
    model: {name: readers for readers, names in lines.items() for name in names.split()}
    for model, lines in FIELDS.items()
}


def readers_of(model: type[Model], name: str) -> Readers:
    """Return the widest readers of a field; no one if the table has no line for it."""
    return _READERS[model].get(name, Readers.NO_ONE)


def may_read_field(reader: Readers, model: type[Model], name: str) -> bool:
    """Tell whether a reader may read a field of a table."""
    return readers_of(model, name) >= reader


@cache
def hidden_fields(model: type[Model], reader: Readers) -> tuple[str, ...]:
    """Return the fields of a table that a reader may not read."""
    columns = (field.name for field in model._meta.concrete_fields)
    return tuple(name for name in columns if not may_read_field(reader, model, name))


def visible_fields(model: type[Model], names: Iterable[Any], reader: Readers) -> list[Any]:
    """Return names of a list or page without the fields that a reader may not read.

    Names that are no field, such as computed columns, stay, and so does a table without lines.
    """
    hidden = hidden_fields(model, reader) if model in FIELDS else ()
    return [name for name in names if name not in hidden]


def as_read_by(reader: Readers, row: Row) -> Row:
    """Return a row for a serializer: a copy in which hidden fields are blank, never to be saved."""
    names = hidden_fields(type(row), reader)
    if not names:
        return row
    visible_row = copy(row)
    for name in names:
        field: Any = row._meta.get_field(name)
        if not field.primary_key:
            blank = None if isinstance(field, DateTimeField) else field.get_default()
            setattr(visible_row, field.attname, blank)
    return visible_row
