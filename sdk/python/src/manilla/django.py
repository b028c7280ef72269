"""For Django: ``path("webhooks", webhook_view(secret, on_event))``."""

from __future__ import annotations

from typing import Callable, Sequence

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from .types import WebhookEvent
from .webhooks import SIGNATURE_HEADER, receive_webhook


def webhook_view(
    secrets: str | Sequence[str], on_event: Callable[[WebhookEvent], object]
) -> Callable[[HttpRequest], HttpResponse]:
    @csrf_exempt
    @require_POST
    def manilla_webhook(request: HttpRequest) -> HttpResponse:
        header = request.headers.get(SIGNATURE_HEADER)
        return HttpResponse(status=receive_webhook(request.body, header, secrets, on_event))

    return manilla_webhook
