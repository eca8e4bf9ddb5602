"""The queue: what a message may be."""

from __future__ import annotations

import os
import uuid
from pathlib import Path

import pytest
from kombu import Connection, Queue
from kombu.exceptions import ContentDisallowed

from config import server_addresses
from config.celery import app
from tests.config.backends.test_caches import Attack

pytestmark = pytest.mark.servers

BROKER = os.environ.get("CELERY_BROKER_URL", "")
PLACES = ["folder", *(["redis"] if BROKER.startswith("redis") else [])]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("serializer", ["pickle", "yaml"])
def test_a_message_that_is_not_json_is_not_read(
    place: str, serializer: str, tmp_path: Path
) -> None:
    address = BROKER if place == "redis" else f"filesystem://{tmp_path}/queue"
    url, options = server_addresses.broker_settings(address)
    body = Attack(tmp_path / "attacked") if serializer == "pickle" else [1]
    with Connection(url, transport_options=options) as connection:
        queue = Queue(uuid.uuid4().hex)(connection.default_channel)
        queue.declare()
        connection.Producer().publish(body, routing_key=queue.name, serializer=serializer)
        consumer = app.amqp.TaskConsumer(connection.default_channel, queues=[queue])
        consumer.register_callback(lambda *message: None)
        with consumer, pytest.raises(ContentDisallowed):
            connection.drain_events(timeout=5)
        queue.delete()
    assert not (tmp_path / "attacked").exists()
