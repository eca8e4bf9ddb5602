import pytest
from django.test import Client
from django.urls import reverse
from drf_spectacular.generators import SchemaGenerator

pytestmark = pytest.mark.any_database


@pytest.mark.django_db
def test_every_call_and_every_shape_stands_in_the_reference():
    document = SchemaGenerator().get_schema(request=None, public=True)
    page = Client().get(reverse("redoc")).content.decode()
    calls = [each for methods in document["paths"].values() for each in methods.values()]
    assert calls
    for call in calls:
        assert f'id="{call["operationId"]}"' in page
    for shape in document["components"]["schemas"]:
        assert f'id="shape-{shape}"' in page
    named = {part.split('"')[0] for part in page.split('href="#')[1:]}
    assert not {name for name in named if f'id="{name}"' not in page}


@pytest.mark.django_db
@pytest.mark.parametrize("accepted", ["", "*/*", "text/html,*/*;q=0.8", "application/json"])
def test_the_document_is_json_whatever_is_accepted(accepted):
    answer = Client().get(reverse("openapi"), headers={"accept": accepted} if accepted else {})
    assert answer.status_code == 200
    assert answer.json()["openapi"].startswith("3.")
