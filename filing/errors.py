"""Refusals of actions, each with the HTTP status that an API answers."""

from __future__ import annotations

# Texts that programs match: an API answers them alone, and what follows them as the detail.
PERIOD_CLOSED = "The provided year or quarter is no longer available for filing"
INVALID_FORMAT = "Invalid file format"


class Refusal(Exception):
    """The action cannot be done now, or not with this input. The message is for the caller.

    seconds: after which trying again may help; 0 where it does not. literal: the message of an API,
    where programs match it; detail: the rest of the message, a sentence.
    """

    status = 400
    seconds = 0

    def __init__(
        self, message: str, seconds: int = 0, *, literal: str = "", detail: str = ""
    ) -> None:
        super().__init__(message)
        self.message = message
        self.seconds = seconds or self.seconds
        self.literal, self.detail = literal or message, detail


class BadInput(Refusal):
    """The input cannot be used."""


class InvalidFormat(BadInput):
    """The file cannot be used. fault: what is wrong with it, in lower case."""

    def __init__(self, fault: str) -> None:
        detail = f"{fault[:1].upper()}{fault[1:]}"
        super().__init__(f"{INVALID_FORMAT}: {fault}", literal=INVALID_FORMAT, detail=detail)


class NotReady(Refusal):
    """The object is not in the state that the action needs."""


class PeriodClosed(Refusal):
    """The filing period is unknown, not open yet, or closed."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"{PERIOD_CLOSED}. {reason}", literal=PERIOD_CLOSED, detail=reason)


class AlreadyExists(Refusal):
    """The object already exists."""


class MissingParent(Refusal):
    """The object that the action needs does not exist."""


class NotFound(Refusal):
    """The requested object does not exist."""

    status = 404


class Gone(Refusal):
    """The requested object existed, and will not be given again."""

    status = 410


class Forbidden(Refusal):
    """The caller is known, but not allowed to do this."""

    status = 403


class InWork(Refusal):
    """The same request is being worked on."""

    status = 409
    seconds = 1


class OtherRequest(Refusal):
    """The idempotency key belongs to another request."""

    status = 422


class TooLarge(Refusal):
    """The input has more bytes than the site accepts."""

    status = 413


class Conflict(Refusal):
    """The request does not fit the state of the object, which the caller can ask for."""

    status = 409


class Interrupted(Refusal):
    """The body of the request stopped arriving: the fault of its sender or the line, not ours."""

    status = 408

    def __init__(self) -> None:
        super().__init__(
            "The request did not arrive completely: its sender stopped sending. Send it again."
        )


class LengthRequired(Refusal):
    """The request does not say how long its body is."""

    status = 411


class WrongVersion(Refusal):
    """The caller speaks another version of the protocol."""

    status = 412


class WrongContentType(Refusal):
    """The body has another type than the action needs."""

    status = 415


class Locked(Refusal):
    """Another request is changing the object."""

    status = 423


class WrongChecksum(Refusal):
    """The bytes are not those of which the caller sent the checksum."""

    status = 460  # Source: tus resumable upload protocol 1.0, section Checksum


class Busy(Refusal):
    """The service does as much of this as it can."""

    status = 503


class LostLease(Exception):
    """Another worker has taken over the job: discard the results."""


class Hopeless(Exception):
    """A job that no retry can complete; the message says why."""
