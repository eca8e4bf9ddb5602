"""Starting the whole service where something stands in its way."""

import socket

import pytest

from config.running.supervisor import DidNotStart, Supervisor


def test_a_port_that_is_in_use_is_named_at_once_with_the_way_out(tmp_path):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        stack = Supervisor(data_dir=tmp_path, port=port)
        with pytest.raises(DidNotStart, match=rf"Port {port} .* in use.*make run PORT="):
            stack.start()
        assert stack.process is None
