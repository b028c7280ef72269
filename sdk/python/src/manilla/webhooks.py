"""Verifies deliveries of webhooks."""

from __future__ import annotations

import hashlib
import hmac
import re
import time
from typing import Callable, Literal, Sequence, cast

from .transport import parse_fields
from .types import WebhookEvent

SIGNATURE_HEADER = "X-Webhook-Signature"

#: Far more than the service sends. Anyone can send a body, and it is in memory before its signature can be checked.
BODY_BYTES_MAX = 1_048_576

WebhookFault = Literal["missing_header", "malformed_header", "no_match", "too_old", "unreadable"]

_sentences: dict[WebhookFault, str] = {
    "missing_header": "There is no X-Webhook-Signature header.",
    "malformed_header": "The X-Webhook-Signature header has no t or no v1.",
    "no_match": "No signature matches. Pass the bytes that arrived as the body, and the secret of this subscription.",
    "too_old": "The signature is too old. Does the clock of this machine follow a time server?",
    "unreadable": "The signature is valid, but the body is not an event.",
}


class WebhookVerificationError(Exception):
    """The delivery is not genuine, or too old. Answer 400."""

    def __init__(self, reason: WebhookFault) -> None:
        super().__init__(_sentences[reason])
        self.reason = reason


def verify_webhook(
    raw_body: bytes | str,
    header: str | None,
    secrets: str | Sequence[str],
    *,
    tolerance: float = 300,
    now: float | None = None,
) -> WebhookEvent:
    """Returns the event of a delivery, or raises a :class:`WebhookVerificationError`.

    ``raw_body`` must be the bytes that arrived, because a body that is parsed and written again may differ. While a secret
    is being replaced, pass both. An event that this version does not know is returned unchanged.
    """
    keys = [secrets] if isinstance(secrets, str) else list(secrets)
    if not keys or "" in keys:
        raise ValueError("A webhook secret is empty.")
    sent, given = _parse_header(header)
    body = raw_body.encode() if isinstance(raw_body, str) else bytes(raw_body)
    agrees = False
    # Tries all keys, so that the duration does not show which one matches.
    for key in keys:
        expected = hmac.new(key.encode(), f"{sent}.".encode() + body, hashlib.sha256).hexdigest().encode()
        for one in given:
            agrees = hmac.compare_digest(expected, one.encode(errors="replace")) or agrees
    if not agrees:
        raise WebhookVerificationError("no_match")
    if (time.time() if now is None else now) - int(sent) > tolerance:
        raise WebhookVerificationError("too_old")
    event = parse_fields(body)
    if event is None or not isinstance(event.get("event"), str) or not isinstance(event.get("id"), str):
        raise WebhookVerificationError("unreadable")
    return cast(WebhookEvent, event)


def _parse_header(header: str | None) -> tuple[str, list[str]]:
    if not header:
        raise WebhookVerificationError("missing_header")
    parts = [part.strip().partition("=") for part in header.split(",")]
    times = [value for name, _, value in parts if name == "t"]
    given = [value for name, _, value in parts if name == "v1"]
    if len(times) == 1 and re.fullmatch(r"[0-9]{1,12}", times[0]) and given:
        return times[0], given
    raise WebhookVerificationError("malformed_header")


def receive_webhook(
    raw_body: bytes,
    header: str | None,
    secrets: str | Sequence[str],
    on_event: Callable[[WebhookEvent], object],
    tolerance: float = 300,
) -> int:
    """Returns the status to answer: 200 when ``on_event`` has handled the event, 400 when the delivery is not genuine.

    ``on_event`` stores the event; do the work for it afterwards. An event may arrive again: do nothing for an ``id`` that
    you have. An error of ``on_event`` is raised; answer it with 500, and the service sends the event again.
    """
    try:
        on_event(verify_webhook(raw_body, header, secrets, tolerance=tolerance))
    except WebhookVerificationError:
        return 400
    return 200


def sign_webhook(raw_body: bytes | str, secret: str, *, now: float | None = None) -> str:
    """Returns the signature header of a delivery, for tests of your own endpoint."""
    sent = int(time.time() if now is None else now)
    body = raw_body.encode() if isinstance(raw_body, str) else raw_body
    return f"t={sent},v1={hmac.new(secret.encode(), f'{sent}.'.encode() + body, hashlib.sha256).hexdigest()}"
