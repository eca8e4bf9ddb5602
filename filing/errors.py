"""Refusals: what an action answers when it cannot be done, with the status an API gives it."""

from __future__ import annotations


class Refusal(Exception):
    """An action that cannot be done now, or with this input. The message is for the caller."""

    status = 400

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class BadInput(Refusal):
    """What was sent cannot be used."""


class NotReady(Refusal):
    """The thing is not in the state that the action needs."""


class PeriodClosed(Refusal):
    """The filing period is unknown, not open yet, or closed."""

    def __init__(self, reason: str) -> None:
        # Programs match the first sentence; the one that follows tells a person what is the matter.
        super().__init__(
            f"The provided year or quarter is no longer available for filing. {reason}"
        )


class AlreadyExists(Refusal):
    """There is one already."""


class MissingParent(Refusal):
    """What the action would belong to does not exist."""


class NotFound(Refusal):
    """What was asked for does not exist."""

    status = 404


class Forbidden(Refusal):
    """Known, but not allowed."""

    status = 403


class TooLarge(Refusal):
    """More bytes than the site takes."""

    status = 413


class LostLease(Exception):
    """Somebody else has taken over the job: whatever was made for it must not be kept."""


class Hopeless(Exception):
    """A job that no number of attempts will do; the message says why."""
