import pytest
from django.test import Client


@pytest.mark.parametrize("signing", [True, False])
@pytest.mark.django_db
def test_the_test_environment_says_so_on_every_page(settings, signing):
    settings.SIGNING_ENABLED = signing
    said = "no evidence of compliance" in " ".join(Client().get("/").content.decode().split())
    assert said is not signing
