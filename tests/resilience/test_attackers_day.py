"""An attacker's day: what each could do, and that it is found as docs/evidence.md says.

They use plain SQL, by the service's own role (triggers stay on) or as the owner of the tables
(triggers off), and everything that is published: code, rules of fingerprints and hashes.
"""

from __future__ import annotations

import hashlib
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.core.files.storage import FileSystemStorage
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from django.db.models import Model
from django.utils import timezone

from config import audit_log
from config.backups import making, manifests
from filing import submissions, tasks
from filing.access import Caller
from filing.audit import keys, sealing
from filing.audit.chain import EVIDENCE_TABLES
from filing.audit.keys import SigningKey
from filing.errors import NotFound
from filing.models import (
    ChainCheck,
    KeyEndorsement,
    ReceiptKey,
    Seal,
    Signature,
    SignedReceipt,
    StatusChange,
    Submission,
    UnsealedEntry,
)
from filing.receipts import checking, documents, proofs
from tests.filing.receipts.signing import to_be_signed
from tests.tampering import tamper, unguarded

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def key_folder(settings: Any, tmp_path: Path) -> Path:
    settings.RECEIPT_KEY_DIR = tmp_path / "keys"
    return settings.RECEIPT_KEY_DIR


@pytest.fixture
def receipt(submission: Submission, filer: Caller) -> SignedReceipt:
    signature = submissions.sign_submission(to_be_signed(submission), signed=True, by=filer)
    receipt: SignedReceipt = signature.signed_receipt
    return receipt


@pytest.fixture(autouse=True)
def nothing_before(submission: Submission) -> None:
    assert findings() == []


def findings() -> list[str]:
    """Return what the full verification finds, and the daily one then finds something, too."""
    found: list[str] = audit_log.verify_log(full=True).findings
    assert bool(audit_log.verify_daily().findings) == bool(found)
    return found


def run_sql(statement: str, *values: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)


def forged_fingerprint(table: str, *content: Any) -> str:
    """Return a fingerprint by the rule of release 1.0.0, which needed no key."""
    text = json.dumps([table, *content], separators=(",", ":"), default=str)
    return f"2:{hashlib.sha256(text.encode()).hexdigest()}"


class TestDatabaseRole:
    """Who has the password of the service's database role."""

    def test_a_signature_of_nobody_gets_no_receipt(self, submission: Submission) -> None:
        number, at = (
            "549300FORGED00000001-2024-1-1700000000000",
            timezone.now() - timedelta(days=270),
        )
        for claims in ("", json.dumps({"receipt": number, "sha256": "cd" * 32})):
            run_sql("DELETE FROM filing_removalpermit")
            run_sql(
                "INSERT INTO filing_signature (submission_id, receipt, signed_at, signer_id, "
                "signer_username, signer_email, signer_name, sha256, claims, fingerprint) "
                "VALUES (%s, %s, %s, 'u', 'ann', '', '', %s, %s, %s)",
                submission.pk, number, at, "cd" * 32, claims,
                forged_fingerprint("filing_signature", submission.pk, number, at),
            )  # fmt: skip
            tasks.issue_receipts()
            assert not SignedReceipt.objects.exists()
            assert not checking.check_receipt_number(number).genuine
            assert any("The signature " in sentence for sentence in findings())
            tamper("DELETE FROM filing_signature")
            tamper("DELETE FROM filing_unsealedentry")

    @pytest.mark.parametrize(
        "model",
        [Seal, Signature, StatusChange, SignedReceipt, ReceiptKey, KeyEndorsement, ChainCheck],
    )
    def test_no_permit_opens_what_is_evidence(
        self, receipt: SignedReceipt, model: type[Model]
    ) -> None:
        """Nor for the end of the chain alone."""
        table = model._meta.db_table
        run_sql('INSERT INTO filing_removalpermit ("table") VALUES (%s)', table)
        with pytest.raises(DatabaseError, match="is never deleted"), transaction.atomic():
            run_sql(f"DELETE FROM {table}")
        assert any(table in sentence for sentence in findings())

    def test_what_a_permit_opens_is_missed(self, receipt: SignedReceipt) -> None:
        run_sql("INSERT INTO filing_removalpermit (\"table\") VALUES ('filing_trailentry')")
        run_sql("DELETE FROM filing_repetition")
        run_sql("DELETE FROM filing_trailentry")
        run_sql("DELETE FROM filing_removalpermit")
        assert any("the audit log entry" in each and "is missing" in each for each in findings())

    def test_a_key_of_their_own_signs_nothing_that_is_genuine(self, receipt: SignedReceipt) -> None:
        forger = SigningKey(Ed25519PrivateKey.generate(), "forged")
        at = timezone.now()
        run_sql(
            "INSERT INTO filing_receiptkey (kid, x, created_at) VALUES (%s, %s, %s)",
            forger.kid, forger.x, at,
        )  # fmt: skip
        run_sql(
            "INSERT INTO filing_keyendorsement (kid, x, fingerprint) VALUES (%s, %s, %s)",
            forger.kid, forger.x, forged_fingerprint("filing_keyendorsement", forger.kid),
        )  # fmt: skip
        claims = checking.verify_own_proof(receipt.jws) | {"records": 1}
        forged = documents.sign_claims(claims, forger)
        assert not checking.check_receipt(proofs.join_receipt_file(claims, forged)).genuine
        assert forger.kid not in [row.kid for row in keys.list_public_keys()]

    @pytest.mark.parametrize("table", ["seal", "signature", "statuschange", "trailentry"])
    def test_nothing_is_changed_while_the_triggers_stand(
        self, receipt: SignedReceipt, table: str
    ) -> None:
        column = {"seal": "digest", "signature": "sha256"}.get(table, "reason")
        for statement in (
            f"UPDATE filing_{table} SET {column} = 'x'",
            f"DELETE FROM filing_{table}",
        ):
            with pytest.raises(DatabaseError), transaction.atomic():
                run_sql(statement.format(f"filing_{table}"))
        assert findings() == []


class TestOwnerOfTheTables:
    """Who can also switch the triggers off."""

    def test_a_signature_that_is_removed_is_missed(self, receipt: SignedReceipt) -> None:
        file = documents.write_receipt_file(receipt)
        with unguarded():
            for name in (Signature.EVIDENCE, StatusChange.EVIDENCE):
                table = EVIDENCE_TABLES[name]
                pks = list(table.rows.values_list("pk", flat=True))
                hashes = [table.hash_entry(entry) for entry in table.read_entries(pks).values()]
                run_sql(
                    'INSERT INTO filing_entryremoval (at, "table", entries, hashes, rule, '
                    "fingerprint) VALUES (%s, %s, %s, %s, 'A rule.', %s)",
                    timezone.now(), name, json.dumps(pks), json.dumps(hashes),
                    forged_fingerprint("filing_entryremoval", name),
                )  # fmt: skip
            run_sql("DELETE FROM filing_signedreceipt")
            run_sql("DELETE FROM filing_signature")
            run_sql("DELETE FROM filing_statuschange")
        found = findings()
        assert any("the signature" in each and "is missing" in each for each in found)
        assert any("The record of a removal" in each for each in found)
        assert checking.check_receipt(file).genuine  # whoever has the receipt can prove it
        with pytest.raises(NotFound):
            checking.check_receipt_number(receipt.signature.receipt)

    def test_other_contents_get_no_receipt(self, receipt: SignedReceipt) -> None:
        """The whole chain is made anew, and the service is left to seal and sign."""
        file, number = documents.write_receipt_file(receipt), receipt.signature.receipt
        tamper("UPDATE filing_submission SET sha256 = %s, lines = 3", "cd" * 32)
        tamper("UPDATE filing_signature SET sha256 = %s", "cd" * 32)
        tamper("DELETE FROM filing_signedreceipt")
        tamper("DELETE FROM filing_chaincheck")
        tamper("DELETE FROM filing_seal")
        for name, table in EVIDENCE_TABLES.items():
            for pk in table.rows.values_list("pk", flat=True):
                tamper(
                    'INSERT INTO filing_unsealedentry ("table", entry) VALUES (%s, %s)', name, pk
                )
        tasks.issue_receipts()
        assert not SignedReceipt.objects.exists()
        assert not checking.check_receipt_number(number).genuine
        assert any(f"The signature {receipt.signature_id}" in each for each in findings())
        path = keys.Path(keys.settings.DATA_DIR, "receipt.json")
        path.write_bytes(file)
        head = checking.find_head_in_file(path)
        assert any("according to receipt" in each for each in audit_log.verify_log(
            full=True, expected=[head]).findings)  # fmt: skip

    def test_a_receipt_that_is_deleted_is_issued_again_with_what_was_signed(
        self, receipt: SignedReceipt
    ) -> None:
        tamper("DELETE FROM filing_signedreceipt")
        tamper("UPDATE filing_submission SET lines = 3")
        tasks.issue_receipts()
        claims = checking.verify_own_proof(SignedReceipt.objects.get().jws)
        assert claims["records"] == checking.verify_own_proof(receipt.jws)["records"] == 60
        assert any("The database differs from signed receipt" in each for each in findings())

    def test_seals_of_their_own_are_of_no_key_of_the_service(
        self, receipt: SignedReceipt, key_folder: Path, settings: Any, tmp_path: Path
    ) -> None:
        tamper("UPDATE filing_trailentry SET reason = 'forged'")
        tamper("DELETE FROM filing_seal")
        tamper("DELETE FROM filing_unsealedentry")
        for name, table in EVIDENCE_TABLES.items():
            for pk in table.rows.values_list("pk", flat=True):
                UnsealedEntry.objects.create(table=name, entry=pk, refused=True)
        secret = settings.SECRET_KEY
        settings.RECEIPT_KEY_DIR, settings.SECRET_KEY = tmp_path / "forged", "of the forger"
        sealing.adopt_entries()
        settings.RECEIPT_KEY_DIR, settings.SECRET_KEY = key_folder, secret
        assert any("which is not of this service" in each for each in findings())


class TestBackup:
    """Who has a backup, and can change it."""

    def test_a_changed_backup_is_restored_only_if_its_key_is_named(
        self, receipt: SignedReceipt, tmp_path: Path
    ) -> None:
        target = FileSystemStorage(tmp_path / "target")
        backup = making.make_backup(target)
        folder = tmp_path / "target" / "backups" / backup.id
        words = (backup.id, f"--from=file://{tmp_path}/target", "--check")
        database = folder / "database"
        database.write_bytes(database.read_bytes() + b"a superuser")
        with pytest.raises(CommandError):
            call_command("restore", *words)
        content = json.loads((folder / "manifest.json").read_bytes())
        forger = SigningKey(Ed25519PrivateKey.generate(), "forged")
        forged = database.read_bytes()
        content["database"] = {
            "size": len(forged), "sha256": hashlib.sha256(forged).hexdigest(),
        }  # fmt: skip
        for kid in (backup.kid, forger.kid):
            signed = json.dumps(content | {"kid": kid, "x": forger.x}).encode()
            (folder / "manifest.json").write_bytes(signed)
            (folder / "manifest.sig").write_bytes(forger.private.sign(signed))
            with pytest.raises(CommandError):
                call_command("restore", *words)
        assert manifests.read_signed_manifest(target, backup.id, trusted=forger.kid)

    def test_a_key_that_was_added_to_the_database_signs_no_backup(
        self, receipt: SignedReceipt, tmp_path: Path
    ) -> None:
        forger = SigningKey(Ed25519PrivateKey.generate(), "forged")
        ReceiptKey.objects.create(kid=forger.kid, x=forger.x)
        target = FileSystemStorage(tmp_path / "target")
        backup = making.make_backup(target)
        assert backup.keys == [keys.require_signing_key().kid]
        folder = tmp_path / "target" / "backups" / backup.id
        signed = (
            (folder / "manifest.json")
            .read_bytes()
            .replace(backup.kid.encode(), forger.kid.encode())
        )
        (folder / "manifest.json").write_bytes(signed)
        (folder / "manifest.sig").write_bytes(forger.private.sign(signed))
        with pytest.raises(manifests.Damaged, match="does not know"):
            manifests.read_signed_manifest(target, backup.id)


class TestStolenKeys:
    """Who has one key, and no machine."""

    def test_the_key_of_receipts_forges_none_with_a_number_that_was_given(
        self, receipt: SignedReceipt
    ) -> None:
        claims = checking.verify_own_proof(receipt.jws) | {"sha256": "cd" * 32}
        stolen = keys.require_signing_key()
        forged = proofs.join_receipt_file(claims, documents.sign_claims(claims, stolen))
        answer = checking.check_receipt(forged)
        assert (answer.genuine, "another receipt" in answer.message) == (False, True)

    def test_the_key_of_receipts_and_the_database_make_no_entries(
        self, receipt: SignedReceipt, settings: Any
    ) -> None:
        """Entries need SECRET_KEY, which is not that key."""
        secret, settings.SECRET_KEY = settings.SECRET_KEY, "not known to the thief"
        row = StatusChange(submission=receipt.signature.submission, after=15, event="SIGNED")
        row.save()
        settings.SECRET_KEY = secret
        assert any("The status change" in each for each in findings())

    def test_the_secret_key_and_the_database_change_nothing_that_is_sealed(
        self, receipt: SignedReceipt
    ) -> None:
        """What they add looks as if the service had written it; heads elsewhere date it."""
        signature = receipt.signature
        signature.sha256 = "cd" * 32
        Signature._meta.get_field("fingerprint").pre_save(signature, False)
        tamper(
            "UPDATE filing_signature SET sha256 = %s, fingerprint = %s",
            signature.sha256, signature.fingerprint,
        )  # fmt: skip
        assert any("its entries are not those that were sealed" in each for each in findings())
        assert Seal.objects.exists()

    def test_the_secret_key_and_the_database_date_no_signature_back(
        self, submission: Submission, key_folder: Path
    ) -> None:
        sealing.seal_entries()
        at = timezone.now() - timedelta(days=280)
        to_be_signed(submission)
        Submission.objects.update(status=15)
        StatusChange.objects.create(
            submission=submission, before=14, after=15, event="SIGNED", at=at
        )
        signature = Signature(
            submission=submission, receipt=f"{submission.lei}-2024-1-1700000000000",
            signed_at=at, sha256="ab" * 32,
        )  # fmt: skip
        signature.claims = documents.write_claims(signature, unchecked={})
        signature.save(force_insert=True)
        for _ in range(2):  # before and after the workers have tried to seal it
            tasks.issue_receipts()
            assert not SignedReceipt.objects.exists()
            assert not checking.check_receipt_number(signature.receipt).genuine
            sealing.seal_entries()
        assert any(f"The signature {signature.pk} was not written" in each for each in findings())
