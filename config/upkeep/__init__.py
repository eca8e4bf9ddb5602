"""What operators do for the installation in the admin: verify evidence, rotate keys, back up.

Each is a task that a worker runs, with the same functions as the commands.
"""

VERIFY_LOG, VERIFY_RECEIPTS = "verify-log", "verify-receipts"
BACK_UP, VERIFY_BACKUP, DRILL = "back-up", "verify-backup", "restore-drill"
# The kinds of tasks, whose names are those of their jobs.
LABELS = {
    VERIFY_LOG: "Verify the audit log",
    VERIFY_RECEIPTS: "Verify all receipts",
    BACK_UP: "Back up now",
    VERIFY_BACKUP: "Verify the backup",
    DRILL: "Restore drill",
}
