"""For FastAPI and Starlette: ``app.post("/webhooks")(webhook_endpoint(secret, on_event))``."""

from __future__ import annotations

from typing import Awaitable, Callable, Sequence

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from .types import WebhookEvent
from .webhooks import BODY_BYTES_MAX, SIGNATURE_HEADER, receive_webhook


def webhook_endpoint(
    secrets: str | Sequence[str], on_event: Callable[[WebhookEvent], object]
) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > BODY_BYTES_MAX:
                return Response(status_code=400)
        header = request.headers.get(SIGNATURE_HEADER)
        return Response(status_code=await run_in_threadpool(receive_webhook, bytes(body), header, secrets, on_event))

    return endpoint
