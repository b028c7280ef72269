"""Money in, money out and a webhook, against a running staging server: MANILLA_API_KEY and MANILLA_BASE_URL name it."""

from __future__ import annotations

import os
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

from manilla import ConflictError, Manilla, NotFoundError, last_response, naira
from manilla.types import TransferRequest, WebhookEvent
from manilla.webhooks import SIGNATURE_HEADER, receive_webhook

client = Manilla(os.environ["MANILLA_API_KEY"])
run = f"PY-{int(time.time() * 1000)}"
events: list[WebhookEvent] = []
secret = ""


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(receive_webhook(body, self.headers.get(SIGNATURE_HEADER), secret, events.append))
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        return None


receiver = HTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=receiver.serve_forever, daemon=True).start()
webhook = client.webhooks.create(
    {"url": f"http://127.0.0.1:{receiver.server_port}/webhooks", "events": ["transfer.success", "deposit.success"]}
)
secret = webhook["secret"]

order = client.virtual_accounts.open_dynamic({"amount": naira("5,000.00"), "reference": f"{run}-ORDER"})
deposit = client.sandbox.deposit({"accountNumber": order["accountNumber"], "amount": 500_000})
assert client.deposits.validate(deposit["reference"])["exists"]

request: TransferRequest = {
    "reference": f"{run}-PAYOUT",
    "amount": naira("1500.00"),
    "bankSlug": "guaranty-trust-bank",
    "accountNumber": "0123456789",
    "accountName": "ADA OBI",
}
sent = client.transfers.initiate(request)
assert (sent["status"], last_response(sent).replayed) == ("queued", False), sent
assert last_response(client.transfers.initiate(request)).replayed
try:
    client.transfers.initiate({**request, "amount": 1})
    raise AssertionError("a second payment under the reference was accepted")
except ConflictError:
    pass
assert client.transfers.wait_for(request["reference"])["status"] == "SUCCESS"

bulk: list[TransferRequest] = [{**request, "reference": f"{run}-BULK-{at}"} for at in range(3)]
assert client.transfers.initiate_many(bulk)["accepted"] == 3
references = [one["reference"] for one in client.transfers.list({"limit": 2})]
assert references == [one["reference"] for one in reversed(bulk)] + [request["reference"]], references
try:
    client.transfers.get("NO-SUCH")
    raise AssertionError("a transfer that is not there was found")
except NotFoundError as error:
    assert error.request_id

end = time.monotonic() + 60
while {"transfer.success", "deposit.success"} - {event["event"] for event in events}:
    assert time.monotonic() < end, events
    time.sleep(0.05)
print("done")
