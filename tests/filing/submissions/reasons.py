"""A browser of staff who give a reason wherever they are asked for one."""

from __future__ import annotations

from typing import Any

from django.test import Client

REASON = "The filer asks about line 17."


class ReasoningClient(Client):
    """Gives the reason for which staff open records, and then opens them."""

    def get(self, *args: Any, **options: Any) -> Any:
        answer = super().get(*args, **options)
        question = answer.headers.get("Location", "")
        if not question.startswith("/filing/reason/"):
            return answer
        assert self.post(question, {"reason": REASON}).status_code == 303
        return super().get(*args, **options)
