"""The Python client of the Manilla payments API."""

from .caller import last_response
from .client import Manilla
from .errors import (
    APIConnectionError,
    APITimeoutError,
    ArgumentError,
    AuthenticationError,
    ConflictError,
    InvalidRequestError,
    ManillaError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    ServerError,
    UnreadableAnswerError,
)
from .money import format_naira, naira
from .pages import List, Page
from .transport import (
    AnswerMeta,
    CallOptions,
    Clock,
    HttpRequest,
    HttpResponse,
    Transport,
    __version__,
    http_transport,
)
from .webhooks import WebhookVerificationError, sign_webhook, verify_webhook

__all__ = [
    "APIConnectionError",
    "APITimeoutError",
    "AnswerMeta",
    "ArgumentError",
    "AuthenticationError",
    "CallOptions",
    "Clock",
    "ConflictError",
    "HttpRequest",
    "HttpResponse",
    "InvalidRequestError",
    "List",
    "Manilla",
    "ManillaError",
    "NotFoundError",
    "Page",
    "PermissionDeniedError",
    "RateLimitError",
    "ServerError",
    "Transport",
    "UnreadableAnswerError",
    "WebhookVerificationError",
    "__version__",
    "format_naira",
    "http_transport",
    "last_response",
    "naira",
    "sign_webhook",
    "verify_webhook",
]
