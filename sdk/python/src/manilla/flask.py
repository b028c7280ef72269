"""For Flask: ``app.post("/webhooks")(webhook_view(secret, on_event))``."""

from __future__ import annotations

from typing import Callable, Sequence

from flask import Response, request

from .types import WebhookEvent
from .webhooks import BODY_BYTES_MAX, SIGNATURE_HEADER, receive_webhook


def webhook_view(secrets: str | Sequence[str], on_event: Callable[[WebhookEvent], object]) -> Callable[[], Response]:
    def manilla_webhook() -> Response:
        body = _read_body()
        if body is None:
            return Response(status=400)
        header = request.headers.get(SIGNATURE_HEADER)
        return Response(status=receive_webhook(body, header, secrets, on_event))

    return manilla_webhook


def _read_body() -> bytes | None:
    """None if it is too large. A proxy may send it in chunks, without its length."""
    if request.content_length is not None:
        return request.get_data(cache=False) if request.content_length <= BODY_BYTES_MAX else None
    body = bytearray()
    while chunk := request.stream.read(BODY_BYTES_MAX + 1 - len(body)):
        body += chunk
        if len(body) > BODY_BYTES_MAX:
            return None
    return bytes(body)
