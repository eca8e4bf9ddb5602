import re

import pytest
from django.test import Client
from django.urls import reverse


@pytest.mark.parametrize("name", ["home", "help", "swagger", "redoc"])
@pytest.mark.django_db
def test_pages_open_without_an_account(name):
    answer = Client().get(reverse(name))
    assert answer.status_code == 200
    assert answer.content.decode().count("<h1") == 1


@pytest.mark.parametrize("name", ["home", "help"])
@pytest.mark.django_db
def test_every_link_of_a_page_leads_somewhere(name):
    content = Client().get(reverse(name)).content.decode()
    for address in {each.split("#")[0] for each in re.findall('<a[^>]* href="(/[^"]*)"', content)}:
        answer = Client().get(address)
        assert answer.status_code in {200, 302}, address


@pytest.mark.parametrize("signing", [True, False])
@pytest.mark.django_db
def test_the_test_environment_says_so_on_every_page(settings, signing):
    settings.SIGNING_ENABLED = signing
    said = "no evidence of compliance" in " ".join(Client().get("/").content.decode().split())
    assert said is not signing
