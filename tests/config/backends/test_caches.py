"""The cache believes only what this service wrote, and runs nothing of what it reads."""

from __future__ import annotations

import os
import pickle
import time
import uuid
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import redis
from django.core.cache import BaseCache
from django.utils.module_loading import import_string

from config import server_addresses

REDIS = os.environ.get("CACHE_URL", "")
PLACES = ["folder", *(["redis"] if REDIS.startswith("redis") else [])]
Plant = Callable[[str, bytes], object]


class Attack:
    """A value that makes a folder where it is unpickled."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.folder),)


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[BaseCache, Plant]:
    """Return a cache, and what puts bytes of others at a key of it."""
    url = REDIS if request.param == "redis" else f"file://{tmp_path}/cache"
    made = server_addresses.cache_settings(url)
    cache = import_string(made.pop("BACKEND"))(made.pop("LOCATION"), made)
    if request.param == "folder":

        def write(key: str, content: bytes) -> None:
            Path(cache._key_to_file(key)).write_bytes(content)

        return cache, write
    server = redis.Redis.from_url(REDIS)
    return cache, lambda key, content: server.set(cache.make_key(key), content, ex=60)


@pytest.fixture
def key() -> str:
    return f"databrowser:{uuid.uuid4()}"


@pytest.mark.parametrize("value", [{"a": [1, 2.5, "ü", None]}, "<svg/>", [], 0, "x" * 500_000])
def test_what_is_stored_is_read_again(
    place: tuple[BaseCache, Plant], key: str, value: object
) -> None:
    cache, _ = place
    cache.set(key, value, 60)
    assert cache.get(key, "missing") == value
    assert cache.add(key, "other", 60) is False
    cache.delete(key)
    assert cache.get(key, "missing") == "missing"
    assert cache.add(key, value, None) is True
    assert cache.get(key) == value
    cache.set(key, value, 0)
    assert cache.get(key, "missing") == "missing"


@pytest.mark.parametrize("form", ["value", "expiry", "django", "text"])
def test_a_planted_pickle_is_not_loaded(
    place: tuple[BaseCache, Plant], key: str, form: str, tmp_path: Path
) -> None:
    cache, plant = place
    bomb = pickle.dumps(Attack(tmp_path / "attacked"))
    far = time.time() + 60
    contents = {
        "value": bomb,
        "expiry": bomb + zlib.compress(bomb),
        "django": pickle.dumps(far) + zlib.compress(bomb),
        "text": f"{far}\n".encode() + bomb,
    }
    cache.set(key, "first", 60)
    plant(key, contents[form])
    assert cache.get(key, "missing") == "missing"
    assert not (tmp_path / "attacked").exists()
    cache.set(key, "second", 60)
    assert cache.get(key) == "second"


def test_a_value_of_another_key_or_changed_is_not_believed(
    place: tuple[BaseCache, Plant], key: str
) -> None:
    cache, plant = place
    cache.set(f"{key}-other", {"token": "https://attacker.example"}, 60)
    if (name := getattr(cache, "_key_to_file", None)) is not None:
        content: Any = Path(name(f"{key}-other")).read_bytes()
    else:
        content = redis.Redis.from_url(REDIS).get(cache.make_key(f"{key}-other"))
    plant(key, content)
    assert cache.get(key) is None
    plant(key, content.replace(b".", b"x", 1))
    assert cache.get(key) is None
    plant(key, b"[1]")
    assert cache.get(key) is None
