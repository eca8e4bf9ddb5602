"""Computing anew and showing an earlier version, in the admin."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from django.urls import reverse

from filing.jobs import loop
from graphs import answers, computing
from graphs.models import Computation, Shown

pytestmark = pytest.mark.django_db
ADD = "/admin/graphs/computation/add/"


def member(group: str) -> Client:
    user = User.objects.create(username=group.replace(" ", "-"), is_staff=True)
    user.groups.add(Group.objects.get(name=group))
    client = Client()
    client.force_login(user)
    return client


def test_an_operator_computes_anew_with_a_reason(computed: Computation) -> None:
    client = member("operator")
    assert "Enter a reason" in client.post(ADD, {"reason": " "}).content.decode()
    answer = client.post(ADD, {"reason": "The panel was corrected."})
    asked = Computation.objects.latest("pk")
    assert answer["Location"] == reverse("admin:graphs_computation_change", args=[asked.pk])
    assert (asked.actor_username, asked.reason, asked.force, asked.job.state) == (
        *("operator", "The panel was corrected."),
        *(True, "queued"),
    )
    client.post(ADD, {"reason": "Once more."})
    assert Computation.objects.latest("pk") == asked  # one at a time
    page = client.get("/admin/graphs/computation/").content.decode()
    assert "The panel was corrected." in page
    page = client.get(f"/admin/graphs/computation/{computed.pk}/change/").content.decode()
    assert "annual filings, imported from 2023.parquet" in page


def test_the_page_of_a_computation_keeps_itself_current_until_it_is_done(
    computed: Computation,
) -> None:
    client = member("operator")
    address = client.post(ADD, {"reason": "The panel was corrected."})["Location"]
    asked = Computation.objects.latest("pk")
    page = " ".join(client.get(address).content.decode().split())
    message = page.split("messagelist")[1].split("</ul>")[0]
    assert f"Your computation is version {asked.pk}." in message
    assert "queued" not in message  # it stays where it is when the state changes
    assert '<div class="readonly">queued</div>' in page
    assert f'hx-get="{address}"' in page
    assert "htmx.min.js" in page
    assert "Show this version" not in page
    loop.run_job(asked.job_id)
    page = " ".join(client.get(address, headers={"HX-Request": "true"}).content.decode().split())
    assert '<div class="readonly">computed</div>' in page
    assert f'role="status">Version {asked.pk}: computed.</p>' in page
    assert '<div class="readonly">1, by the panel of 2023</div>' in page
    assert "hx-get" not in page
    earlier = client.get(reverse("admin:graphs_computation_change", args=[computed.pk]))
    assert "Show this version" in earlier.content.decode()


def test_an_operator_shows_an_earlier_version_again(computed: Computation) -> None:
    newer = computing.compute_graphs_now(force=True)
    client = member("operator")
    address = reverse("admin:graphs_computation_show")
    preview = client.get(f"{address}?pk={computed.pk}")
    assert f"It is shown to readers instead of version {newer.pk}." in preview.content.decode()
    told = {"chosen": preview.context["chosen"], "reason": "The newer one is wrong."}
    client.post(address, told)
    shown = Shown.objects.get()
    assert (shown.computation, shown.actor_username) == (computed, "operator")
    assert answers.find_version().number == computed.pk


def test_nobody_adds_a_computation_by_saving_one_as_new(computed: Computation) -> None:
    page = reverse("admin:graphs_computation_change", args=[computed.pk])
    for group in ("help desk", "operator", "administrator"):
        assert member(group).post(page, {"_saveasnew": "1"}).status_code == 403
    assert Computation.objects.count() == 1
