"""What tests begin with. Each takes what matters to the test; the rest is as it usually is.

bank = make.institution(name="First Bank")
filing = make.filing(quarter="Q1")  # of `LEI`, with its institution and open period
submission = make.signed(make.filing())
ann = make.user("ann", lei=LEI)
make.browser(ann).get("/filing/")
make.program("ann", leis=[LEI]).get("/v2/filing/institutions")
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, timedelta
from typing import Any, TypeVar

from django.contrib.auth.models import Group, User
from django.db.models import Model
from django.test import Client
from django.utils import timezone

from config.identity import tokens
from filing import submissions
from filing.access import Caller
from filing.lar.years import Period
from filing.models import (
    Filing,
    FilingPeriod,
    Identity,
    Institution,
    Membership,
    Signature,
    Submission,
)
from filing.statuses import FilingStatus, Status

LEI = "529900TESTBANK000042"
NAME = "Test Bank"
_TOKEN_SECONDS = 600

Row = TypeVar("Row", bound=Model)


def institution(lei: str = LEI, *, year: int = 2024, **facts: Any) -> Institution:
    """Return the record of an institution for a year, made if it is missing."""
    usual = {"name": NAME, "agency": 9, "tax_id": "12-3456789", "quarterly_filer": True}
    usual |= {"email_domains": ["bank.example"]}
    made, _ = Institution.objects.get_or_create(activity_year=year, lei=lei, defaults=usual | facts)
    return made


def panel(number: int, *, name: str = "Bank", year: int = 2024) -> list[Institution]:
    """Return so many institutions, made at once, which are numbered from 0."""
    return Institution.objects.bulk_create(
        Institution(
            activity_year=year, lei=f"529900TESTBANK{each:06d}", name=f"{name} {each}", agency=9
        )
        for each in range(number)
    )


def period(year: int = 2024, quarter: str = "", **days: date) -> FilingPeriod:
    """Return a filing period, made if it is missing: open, and timely until 2030."""
    usual = {"opens": date(2020, 1, 1), "timely_until": date(2030, 1, 1)}
    usual |= {"closes": date(2040, 1, 1)}
    made, _ = FilingPeriod.objects.get_or_create(year=year, quarter=quarter, defaults=usual | days)
    return made


def filing(lei: str = LEI, *, year: int = 2024, quarter: str = "", **facts: Any) -> Filing:
    """Return the filing of an institution for a period; all three are made if they are missing."""
    key = {"institution": institution(lei, year=year), "period": period(year, quarter)}
    made, _ = Filing.objects.get_or_create(**key, defaults=facts)
    return made


def submission(of: Filing | None = None, *, number: int = 0, **facts: Any) -> Submission:
    """Return a new submission, the next of its filing. What happened before is not recorded."""
    of = of or filing()
    number = number or of.submissions.count() + 1
    return Submission.objects.create(filing=of, sequence_number=number, **facts)


def at(made: Submission, status: Status, **facts: Any) -> Submission:
    """Put a submission at a status, without the changes that lead to it."""
    return change(made, status=status, **facts)


def change(row: Row, **facts: Any) -> Row:
    """Change columns of a row where it lies, as no code of the service does."""
    type(row)._base_manager.filter(pk=row.pk).update(**facts)
    row.refresh_from_db()
    return row


def signed(
    of: Filing | Submission | None = None, *, signed_at: datetime | None = None, **facts: Any
) -> Submission:
    """Return a submission with its signature, of a filing that is completed by it."""
    made = of if isinstance(of, Submission) else submission(of)
    signed_at = signed_at or timezone.now()
    receipt = facts.pop("receipt", f"{made}-{int(signed_at.timestamp() * 1000)}")
    Signature.objects.create(submission=made, receipt=receipt, signed_at=signed_at, **facts)
    change(made.filing, status=FilingStatus.COMPLETED, completed_at=signed_at)
    return at(made, Status.SIGNED)


def caller(name: str = "ann", *, leis: Iterable[str] = (LEI,), **facts: Any) -> Caller:
    """Return who calls, as the code below the API sees it."""
    usual = {"id": f"{name}-1", "username": name, "email": f"{name}@bank.example"}
    return Caller(**usual | facts, leis=frozenset(leis))


def user(
    name: str = "ann", *, lei: str = "", email: str = "", is_verified: bool = False, **rights: Any
) -> User:
    """Return someone with an account, who may file for an institution. rights: of a membership."""
    made = User.objects.create_user(name, email or f"{name}@bank.example")
    if is_verified:
        verify(made)
    if lei:
        member(made, lei, **rights)
    return made


def verify(person: User) -> User:
    """Let the email address of someone be verified, and return them."""
    Identity.objects.filter(pk=tokens.known_identity(person).pk).update(email_verified=True)
    return person


def member(person: User, lei: str = LEI, **rights: Any) -> Membership:
    """Let someone file for an institution. administrator: may look after its people, too."""
    if rights.pop("administrator", False):
        rights["administrator_since"] = timezone.now() - timedelta(days=1)
    return Membership.objects.create(user=person, lei=lei, **rights)


def staff(group: str = "operator", **facts: Any) -> User:
    """Return one of the staff, by the name of the group."""
    usual = {"username": group.replace(" ", "-"), "is_staff": True}
    made = User.objects.create(**usual | facts)
    made.groups.add(Group.objects.get(name=group))
    return made


def browser(person: User, **options: Any) -> Client:
    """Return a browser in which someone is signed in."""
    client = Client(**options)
    client.force_login(person)
    return client


def bearer(
    person: User | str = "ann", *, leis: Iterable[str] = (), roles: Iterable[str] = (), **facts: Any
) -> dict[str, str]:
    """Return the header with a token: of an account here, or of another provider for the LEIs."""
    if isinstance(person, User):
        claims = tokens.claims_of_user(person)
    else:
        usual = {"username": person, "email": f"{person}@bank.example"}
        sub = facts.pop("sub", f"{person}-1")
        claims = tokens.identity_claims(sub, **usual | facts, leis=leis, roles=roles)
    return {"Authorization": f"Bearer {tokens.issue_token(claims, seconds=_TOKEN_SECONDS)}"}


def program(
    person: User | str = "ann", *, leis: Iterable[str] = (), roles: Iterable[str] = (), **facts: Any
) -> Client:
    """Return a client of the API with a token, as `bearer` makes it."""
    return Client(headers=bearer(person, leis=leis, roles=roles, **facts))


def begun(of: Filing | None = None, *, by: Caller | None = None) -> Submission:
    """Return a new submission as the service begins one, with its first status change."""
    of = of or filing()
    lei = of.institution.lei
    return submissions.create_submission(
        lei=lei, period=Period.parse(str(of.period)), by=by or caller(leis=(lei,))
    )
