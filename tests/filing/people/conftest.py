"""Two people of the test institution."""

import pytest
from django.contrib.auth.models import User

from filing.models import Institution
from tests import make
from tests.filing.people.test_invitations import add_user


@pytest.fixture
def ada(institution: Institution) -> User:
    """Return an administrator of the institution, who prepares and signs, too."""
    return make.member(add_user("ada"), administrator=True).user


@pytest.fixture
def ben() -> User:
    """Return someone with an address of the institution's domain, and no right."""
    return add_user("ben")
