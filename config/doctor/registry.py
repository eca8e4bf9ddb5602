"""The parts of an installation, in the order of the page."""

from __future__ import annotations

from config.doctor.findings import Needs, Part
from config.doctor.parts import (
    data,
    database,
    evidence,
    files,
    others,
    queue,
    receipts,
    scanner,
    site,
)

PARTS = (
    Part("settings", site.settings_of_site),
    Part("software", site.software),
    Part("folders", site.folders),
    Part("static files", site.static_files),
    Part("database", database.database),
    Part("migrations", database.migrations, needs=Needs.DATABASE),
    Part("clock", database.clock, needs=Needs.DATABASE),
    Part("broker", queue.broker),
    Part("workers", queue.workers),
    Part("beat", queue.beat),
    Part("jobs", queue.jobs, needs=Needs.TABLES),
    Part("work", queue.work, needs=Needs.TABLES),
    Part("storage", files.storage),
    Part("virus scan", scanner.scanner),
    Part("backup", files.backup),
    Part("audit log", evidence.audit_log, needs=Needs.TABLES),
    Part("receipts", receipts.receipts, needs=Needs.TABLES),
    Part("web", site.web),
    Part("proxy", site.proxy, is_outside=True),
    Part("email", others.email, is_outside=True),
    Part("identity", others.identity, is_outside=True),
    Part("periods", data.periods, needs=Needs.TABLES),
    Part("filing years", data.years, needs=Needs.TABLES),
    Part("filings", data.filings, needs=Needs.TABLES),
    Part("reference", data.reference, needs=Needs.TABLES),
    Part("published", data.published, needs=Needs.TABLES),
)
