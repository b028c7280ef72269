"""The errors of the SDK: each has the code, the invalid fields, the request id, and whether a write may have taken effect."""

from __future__ import annotations

from typing import Literal, Mapping, Sequence

from .types import BulkTransferResult, FieldError

Kind = Literal[
    "argument",
    "authentication",
    "permission",
    "not_found",
    "conflict",
    "rate_limit",
    "invalid_request",
    "server",
    "timeout",
    "connection",
    "unreadable",
]


class ManillaError(Exception):
    """Every error that the SDK raises.

    ``unclear`` is true if the outcome of a write is unknown: it may have taken effect. Read the record by its reference
    before you do anything else about it.
    """

    def __init__(
        self,
        kind: Kind,
        code: str,
        message: str,
        *,
        status: int = 0,
        headers: Mapping[str, str] | None = None,
        details: Sequence[FieldError] = (),
        request_id: str = "",
        retry_after_seconds: int | None = None,
        unclear: bool = False,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.code = code
        self.message = message
        #: The HTTP status; 0 if no answer came.
        self.status = status
        #: The headers of the answer, with names in lower case; empty if no answer came.
        self.headers: Mapping[str, str] = headers or {}
        self.details = list(details)
        #: Quote it when you report a problem.
        self.request_id = request_id
        #: The value of ``Retry-After``.
        self.retry_after_seconds = retry_after_seconds
        self.unclear = unclear
        #: For a bulk call that failed in a later part: the results of the earlier parts.
        self.results: list[BulkTransferResult] | None = None

    def __str__(self) -> str:
        about = f" (request {self.request_id})" if self.request_id else ""
        return f"{self.code}: {self.message}{about}"


class ArgumentError(ManillaError):
    """The arguments are invalid; nothing was sent."""

    def __init__(self, message: str) -> None:
        super().__init__("argument", "INVALID_ARGUMENT", message)


class AuthenticationError(ManillaError):
    """401: the key is missing, wrong, revoked, expired, or of the other environment."""


class PermissionDeniedError(ManillaError):
    """403: the key may not do this, or payouts are paused."""


class NotFoundError(ManillaError):
    pass


class ConflictError(ManillaError):
    """409: a record contradicts the request, for instance another payment with the same reference."""


class RateLimitError(ManillaError):
    """429: wait ``retry_after_seconds``, then send the same request again."""


class InvalidRequestError(ManillaError):
    """Any other 3xx or 4xx: correct the request. ``details`` names the invalid fields."""


class ServerError(ManillaError):
    pass


class APITimeoutError(ManillaError):
    """No complete answer arrived in time, or a payment was still pending when ``wait_for`` ended."""


class APIConnectionError(ManillaError):
    """The connection failed, or broke before the answer was complete."""


class UnreadableAnswerError(ManillaError):
    """The answer is a success, but its body is not JSON with ``data``: it may be the page of a proxy."""


_classes: dict[Kind, type[ManillaError]] = {
    "authentication": AuthenticationError,
    "permission": PermissionDeniedError,
    "not_found": NotFoundError,
    "conflict": ConflictError,
    "rate_limit": RateLimitError,
    "invalid_request": InvalidRequestError,
    "server": ServerError,
    "timeout": APITimeoutError,
    "connection": APIConnectionError,
    "unreadable": UnreadableAnswerError,
}


def error_of(
    kind: Kind,
    code: str,
    message: str,
    *,
    status: int = 0,
    headers: Mapping[str, str] | None = None,
    details: Sequence[FieldError] = (),
    request_id: str = "",
    retry_after_seconds: int | None = None,
) -> ManillaError:
    return _classes[kind](
        kind,
        code,
        message,
        status=status,
        headers=headers,
        details=details,
        request_id=request_id,
        retry_after_seconds=retry_after_seconds,
    )


def kind_of(status: int, code: str) -> Kind:
    if status >= 500:
        return "server"
    if status == 401:
        return "authentication"
    if status == 403:
        return "permission"
    if status == 404 or code in ("TRANSFER_NOT_FOUND", "COLLECTION_NOT_FOUND"):
        return "not_found"
    if status == 409:
        return "conflict"
    return "rate_limit" if status == 429 else "invalid_request"
