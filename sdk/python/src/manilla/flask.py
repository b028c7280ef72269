"""For Flask: ``app.post("/webhooks")(webhook_view(secret, on_event))``."""

from __future__ import annotations

from typing import Callable, Sequence

from flask import Response, request

from .types import WebhookEvent
from .webhooks import SIGNATURE_HEADER, receive_webhook


def webhook_view(secrets: str | Sequence[str], on_event: Callable[[WebhookEvent], object]) -> Callable[[], Response]:
    def manilla_webhook() -> Response:
        header = request.headers.get(SIGNATURE_HEADER)
        return Response(status=receive_webhook(request.get_data(cache=False), header, secrets, on_event))

    return manilla_webhook
