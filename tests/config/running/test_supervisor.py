"""Starting the whole service where something stands in its way."""

from __future__ import annotations

import socket

import pytest

from config.running.supervisor import DidNotStart, Supervisor, free_port


def test_a_port_that_is_in_use_is_named_at_once_with_the_way_out(tmp_path):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        stack = Supervisor(data_dir=tmp_path, port=port)
        with pytest.raises(DidNotStart, match=rf"Port {port} .* in use.*make run PORT="):
            stack.start()
        assert stack.process is None


def test_a_web_process_that_ends_before_it_answers_is_named_with_its_last_words(tmp_path):
    stack = Supervisor(data_dir=tmp_path, port=free_port())
    stack.environment["DATABASE_URL"] = "nonsense"
    with pytest.raises(DidNotStart, match="DATABASE_URL='nonsense' must begin with"):
        stack.start()
    assert stack.process is not None
    assert stack.process.poll() is not None  # all others ended with it
