"""The webhook helpers in the frameworks that are installed, and the fake for users' own tests."""

from __future__ import annotations

import importlib.util
import io
import unittest
from typing import Any

from manilla import ConflictError, ManillaError, WebhookVerificationError, last_response, sign_webhook, verify_webhook
from manilla.testing import FakeManilla, Refuse
from manilla.types import TransferRequest, WebhookEvent
from manilla.webhooks import SIGNATURE_HEADER

SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
BODY = b'{"id":"evt_1","event":"transfer.success","reference":"PAYOUT-1","data":{}}'
SIGNED = {SIGNATURE_HEADER: sign_webhook(BODY, SECRET)}
FORGED = {SIGNATURE_HEADER: sign_webhook(BODY, "whsec_other")}


def has(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


class Receivers(unittest.TestCase):
    def setUp(self) -> None:
        self.events: list[WebhookEvent] = []

    def check(self, post: Any) -> None:
        """``post(body, headers)`` returns the status."""
        self.assertEqual(post(BODY, SIGNED), 200)
        self.assertEqual(post(BODY, FORGED), 400)
        self.assertEqual(post(BODY, {}), 400)
        self.assertEqual(post(BODY + b" ", SIGNED), 400)
        self.assertEqual([event["id"] for event in self.events], ["evt_1"])

    def check_large(self, post: Any) -> None:
        """Django has a limit of its own, 2.5 MB."""
        large = b'{"id":"evt_2","event":"transfer.success","data":"' + b"x" * 1_048_576 + b'"}'
        self.assertEqual(post(large, {SIGNATURE_HEADER: sign_webhook(large, SECRET)}), 400)
        self.assertEqual(len(self.events), 1)

    @unittest.skipUnless(has("fastapi") and has("httpx"), "FastAPI is not installed")
    def test_fastapi(self) -> None:
        from fastapi import FastAPI
        from fastapi.testclient import TestClient

        from manilla.fastapi import webhook_endpoint

        app = FastAPI()
        app.post("/webhooks")(webhook_endpoint(SECRET, self.events.append))
        client = TestClient(app)
        self.check(lambda body, headers: client.post("/webhooks", content=body, headers=headers).status_code)
        self.check_large(lambda body, headers: client.post("/webhooks", content=body, headers=headers).status_code)

    @unittest.skipUnless(has("flask"), "Flask is not installed")
    def test_flask(self) -> None:
        from flask import Flask

        from manilla.flask import webhook_view

        app = Flask(__name__)
        app.post("/webhooks")(webhook_view(SECRET, self.events.append))
        client = app.test_client()
        self.check(lambda body, headers: client.post("/webhooks", data=body, headers=headers).status_code)
        self.check_large(lambda body, headers: client.post("/webhooks", data=body, headers=headers).status_code)
        chunked = {"wsgi.input_terminated": True, "CONTENT_LENGTH": "", "HTTP_TRANSFER_ENCODING": "chunked"}

        def post_chunked(body: bytes, headers: dict[str, str]) -> int:
            stream = io.BytesIO(body)
            answer = client.post("/webhooks", input_stream=stream, headers=headers, environ_overrides=chunked)
            return answer.status_code

        self.events.clear()
        self.check(post_chunked)
        self.check_large(post_chunked)

    @unittest.skipUnless(has("django"), "Django is not installed")
    def test_django(self) -> None:
        from django.conf import settings

        if not settings.configured:
            settings.configure(ALLOWED_HOSTS=["*"])
        from django.test import RequestFactory

        from manilla.django import webhook_view

        view = webhook_view(SECRET, self.events.append)

        def post(body: bytes, headers: dict[str, str]) -> int:
            request = RequestFactory().post("/webhooks", body, content_type="application/json", headers=headers)
            return view(request).status_code

        self.check(post)

    def test_rotation(self) -> None:
        self.assertEqual(verify_webhook(BODY, SIGNED[SIGNATURE_HEADER], ["whsec_new", SECRET])["id"], "evt_1")
        with self.assertRaises(ValueError):
            verify_webhook(BODY, SIGNED[SIGNATURE_HEADER], "")
        with self.assertRaises(WebhookVerificationError):
            verify_webhook(BODY, sign_webhook(BODY, SECRET, now=1), SECRET)


REQUEST: TransferRequest = {
    "reference": "PAYOUT-1",
    "amount": 150_000,
    "bankSlug": "guaranty-trust-bank",
    "accountNumber": "0123456789",
    "accountName": "ADA OBI",
}


class Fake(unittest.TestCase):
    def test_payment_whose_answer_is_lost_is_sent_once(self) -> None:
        fake = FakeManilla()
        fake.fail("lost")
        sent = fake.client.transfers.initiate(REQUEST)
        self.assertEqual((sent["status"], last_response(sent).recovered), ("queued", True))
        names = [name for name, _ in fake.requests]
        self.assertEqual(names, ["POST /v1/transfers/initiate", "GET /v1/transfers/PAYOUT-1"])
        with self.assertRaises(ManillaError) as raised:  # Nothing settles it.
            fake.client.transfers.wait_for("PAYOUT-1")
        self.assertEqual(raised.exception.code, "STILL_PENDING")
        fake.settle("PAYOUT-1", "SUCCESS")
        self.assertEqual(fake.client.transfers.wait_for("PAYOUT-1")["status"], "SUCCESS")
        self.assertEqual([one["reference"] for one in fake.client.transfers.list()], ["PAYOUT-1"])

    def test_another_payment_under_a_reference_is_a_conflict(self) -> None:
        fake = FakeManilla()
        fake.client.transfers.initiate(REQUEST)
        self.assertTrue(last_response(fake.client.transfers.initiate(REQUEST)).replayed)
        with self.assertRaises(ConflictError):
            fake.client.transfers.initiate({**REQUEST, "amount": 1})
        with self.assertRaises(ConflictError):
            fake.client.momo.transfers.initiate(
                {"reference": "PAYOUT-1", "amount": 150_000, "phoneNumber": "+2348030000000"}
            )
        self.assertEqual(list(fake.client.momo.transfers.list()), [])

    def test_refusals_and_answers(self) -> None:
        fake = FakeManilla()
        fake.fail(Refuse(429, "RATE_LIMIT_EXCEEDED", "Later.", retry_after_seconds=7))
        with self.assertRaises(ManillaError) as raised:
            fake.client.balance.get()
        self.assertEqual((raised.exception.kind, raised.exception.retry_after_seconds), ("rate_limit", 7))
        fake.answer("GET /v1/banks", {"banks": []})
        self.assertEqual(fake.client.banks.list(), {"banks": []})


if __name__ == "__main__":
    unittest.main()
