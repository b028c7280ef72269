"""Runs sdk/vectors against the SDK: `python -m unittest` in sdk/python, with Node to play the server."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
import unittest
import urllib.request
from pathlib import Path
from typing import Any
from unittest import mock

import manilla
from manilla import CallOptions, Manilla, ManillaError

VECTORS = Path(__file__).resolve().parents[2] / "vectors"
KEY = "sk_test_" + "0" * 40


def vectors(name: str) -> Any:
    return json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8"))


class FakeClock:
    def __init__(self) -> None:
        self.at = 0.0
        self.waits: list[int] = []

    def now(self) -> float:
        return self.at

    def wait(self, seconds: float) -> None:
        self.at += seconds
        self.waits.append(round(seconds * 1000))


class ScriptServer:
    def __init__(self) -> None:
        command = [os.environ.get("NODE", "node"), str(VECTORS / "server.mjs"), "--port", "0"]
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.child.stdout is not None
        self.address = self.child.stdout.readline().decode().strip()

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(urllib.request.Request(self.address + path, data, method=method)) as answer:
            return json.load(answer)

    def close(self) -> None:
        assert self.child.stdin is not None and self.child.stdout is not None
        self.child.stdin.close()
        self.child.wait()
        self.child.stdout.close()


METHODS: dict[str, Any] = {
    "listDeposits": lambda c, a, o: c.deposits.list(a["query"], o),
    "getDeposit": lambda c, a, o: c.deposits.get(a["path"]["reference"], o),
    "validateDeposit": lambda c, a, o: c.deposits.validate(a["path"]["reference"], o),
    "createCustomer": lambda c, a, o: c.customers.create(a["body"], o),
    "listCustomers": lambda c, a, o: c.customers.list(a["query"], o),
    "getCustomer": lambda c, a, o: c.customers.get(a["path"]["reference"], o),
    "updateCustomer": lambda c, a, o: c.customers.update(a["path"]["reference"], a["body"], o),
    "openStaticAccount": lambda c, a, o: c.virtual_accounts.open_static(a["body"], o),
    "openDynamicAccount": lambda c, a, o: c.virtual_accounts.open_dynamic(a["body"], o),
    "listVirtualAccounts": lambda c, a, o: c.virtual_accounts.list(a["query"], o),
    "getVirtualAccount": lambda c, a, o: c.virtual_accounts.get(a["path"]["accountNumber"], o),
    "closeVirtualAccount": lambda c, a, o: c.virtual_accounts.close(a["path"]["accountNumber"], o),
    "initiateTransfer": lambda c, a, o: c.transfers.initiate(a["body"], o),
    "initiateTransfers": lambda c, a, o: c.transfers.initiate_many(a["body"]["transfers"], o),
    "listTransfers": lambda c, a, o: c.transfers.list(a["query"], o),
    "getTransfer": lambda c, a, o: c.transfers.get(a["path"]["reference"], o),
    "initiateMomoTransfer": lambda c, a, o: c.momo.transfers.initiate(a["body"], o),
    "listMomoTransfers": lambda c, a, o: c.momo.transfers.list(a["query"], o),
    "getMomoTransfer": lambda c, a, o: c.momo.transfers.get(a["path"]["reference"], o),
    "initiateMomoCollection": lambda c, a, o: c.momo.collections.initiate(a["body"], o),
    "listMomoCollections": lambda c, a, o: c.momo.collections.list(a["query"], o),
    "verifyCollectionOtp": lambda c, a, o: c.momo.collections.verify_otp(a["body"], o),
    "getMomoCollection": lambda c, a, o: c.momo.collections.get(a["path"]["reference"], o),
    "listMomoOperators": lambda c, a, o: c.momo.operators(a["query"], o),
    "resolvePhoneNumber": lambda c, a, o: c.momo.resolve(a["query"], o),
    "listBanks": lambda c, a, o: c.banks.list(a["query"], o),
    "resolveBankAccount": lambda c, a, o: c.banks.resolve(a["query"], o),
    "getBalance": lambda c, a, o: c.balance.get(o),
    "listLedgerEntries": lambda c, a, o: c.balance.ledger(a["query"], o),
    "getFee": lambda c, a, o: c.transfers.fee(a["query"]["amount"], a["query"].get("currency"), o),
    "createWebhook": lambda c, a, o: c.webhooks.create(a["body"], o),
    "listWebhooks": lambda c, a, o: c.webhooks.list(a["query"], o),
    "getWebhook": lambda c, a, o: c.webhooks.get(a["path"]["id"], o),
    "updateWebhook": lambda c, a, o: c.webhooks.update(a["path"]["id"], a["body"], o),
    "deleteWebhook": lambda c, a, o: c.webhooks.delete(a["path"]["id"], o),
    "rotateWebhookSecret": lambda c, a, o: c.webhooks.rotate_secret(a["path"]["id"], a["body"], o),
    "testWebhook": lambda c, a, o: c.webhooks.test(a["path"]["id"], o),
    "listEvents": lambda c, a, o: c.events.list(a["query"], o),
    "listWebhookDeliveries": lambda c, a, o: c.webhooks.deliveries.list(a["query"], o),
    "getWebhookDelivery": lambda c, a, o: c.webhooks.deliveries.get(a["path"]["eventId"], o),
    "retryWebhookDelivery": lambda c, a, o: c.webhooks.deliveries.retry(a["path"]["eventId"], a["body"], o),
    "retryWebhookDeliveries": lambda c, a, o: c.webhooks.deliveries.retry_many(a["body"], o),
    "simulateDeposit": lambda c, a, o: c.sandbox.deposit(a["body"], o),
    "settleDeposit": lambda c, a, o: c.sandbox.settle_deposit(a["path"]["reference"], a["body"], o),
    "completeTransfer": lambda c, a, o: c.sandbox.complete_transfer(a["path"]["reference"], a["body"], o),
    "completeMomoTransfer": lambda c, a, o: c.sandbox.complete_momo_transfer(a["path"]["reference"], a["body"], o),
    "completeMomoCollection": lambda c, a, o: c.sandbox.complete_momo_collection(a["path"]["reference"], a["body"], o),
    "triggerWebhookEvent": lambda c, a, o: c.sandbox.trigger_event(a["body"]["event"], o),
    "fundBalance": lambda c, a, o: c.sandbox.fund(a["body"]["amount"], a["body"].get("currency"), o),
    "iterateEvents": lambda c, a, o: c.events.iterate(a["query"], o),
    "rawRequest": lambda c, a, o: c.raw_request(a["method"], a["rawPath"], a["params"], o),
    "waitForTransfer": lambda c, a, o: c.transfers.wait_for(a["reference"], wait=a["waitMs"] / 1000, options=o),
    "waitForMomoTransfer": lambda c, a, o: c.momo.transfers.wait_for(a["reference"], wait=a["waitMs"] / 1000, options=o),
    "waitForMomoCollection": lambda c, a, o: c.momo.collections.wait_for(
        a["reference"], wait=a["waitMs"] / 1000, options=o
    ),
}


def repeated(repeat: Any) -> list[Any]:
    items = []
    for at in range(repeat["count"]):
        item = json.loads(json.dumps(repeat["item"]).replace("{i}", str(at)))
        if "itemBytes" in repeat:
            item["metadata"] = {f"filler-{n}": "x" * 500 for n in range((repeat["itemBytes"] - 300) // 520)}
        items.append(item)
    return items


def picked(told: Any, wanted: Any) -> Any:
    """Returns the headers that a vector expects, and any other value unchanged."""
    return {name: told[name] for name in wanted} if isinstance(wanted, dict) else told


def snake(name: str) -> str:
    return re.sub(r"([A-Z])", lambda match: "_" + match[1].lower(), name)


class Vectors(unittest.TestCase):
    maxDiff = None
    server: ScriptServer

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = ScriptServer()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.server.close()

    def play(self, scenario: Any) -> dict[str, Any]:
        call = {"path": {}, "query": {}, "body": {}, **scenario["call"]}
        if "repeat" in call:
            call["body"] = {"transfers": repeated(call["repeat"])}
        given = scenario.get("options", {})
        script = self.server.ask("POST", "/__scripts", {"steps": scenario["script"]})
        clock = FakeClock()
        client = Manilla(
            KEY,
            base_url=script["baseUrl"],
            timeout=given.get("timeoutMs", 30_000) / 1000,
            total_timeout=given.get("totalTimeoutMs", 120_000) / 1000,
            clock=clock,
        )
        options = CallOptions(request_id=given.get("requestId"))
        result: Any = None
        error: ManillaError | None = None
        try:
            result = METHODS[call["operation"]](client, call, options)
            if isinstance(result, manilla.List) or call.get("iterate"):
                if call.get("iterate"):
                    items = []
                    for item in result:
                        items.append(item[call["collect"]])
                        if len(items) == call.get("stopAfter"):
                            break
                    result = items
                else:
                    page = result.page()
                    name = next(iter(scenario["expected"].get("data", {"items": []})))
                    result = manilla.caller.keep_meta(
                        {name: page.items, "items": page.items, "pagination": page.pagination}, page.last_response
                    )
        except ManillaError as raised:
            error = raised
        played = self.server.ask("DELETE", f"/__scripts/{script['id']}")
        return {**played, "result": result, "error": error, "waits": clock.waits, "call": call}

    def check(self, scenario: Any) -> None:
        expected = scenario["expected"]
        ran = self.play(scenario)
        requests, result, error = ran["requests"], ran["result"], ran["error"]
        if "error" not in expected and error is not None:
            raise error
        self.assertEqual("error" in expected, error is not None)
        self.assertEqual([one["request"] for one in requests], expected["requests"])
        self.assertEqual((ran["unexpected"], ran["left"]), (0, 0))
        if "delaysMs" in expected:
            self.assertEqual(ran["waits"], expected["delaysMs"])
        if "queries" in expected:
            self.assertEqual([one["query"] for one in requests], expected["queries"])
        if "query" in expected:
            self.assertEqual(requests[0]["query"], expected["query"])
        for name, value in expected.get("headers", {}).items():
            pattern = value["matches"] if isinstance(value, dict) else re.escape(value)
            self.assertRegex(requests[0]["headers"][name], pattern)
        if "body" in expected:
            sent = requests[0]["body"]
            self.assertEqual(None if sent is None else json.loads(sent), expected["body"])
        if "repeat" not in ran["call"]:
            self.assertLessEqual(len({one["body"] for one in requests if not one["request"].startswith("GET")}), 1)
        if not {"iterate", "repeat", "waitMs"} & set(ran["call"]):
            self.assertLessEqual(len({one["headers"]["x-request-id"] for one in requests}), 1)
        for name, value in expected.get("data", {}).items():
            self.assertEqual(result[name], value)
        for name, value in expected.get("meta", {}).items():
            told = getattr(manilla.last_response(result), snake(name))
            self.assertEqual(picked(told, value), value)
        if "items" in expected:
            self.assertEqual(result, expected["items"])
        for name, value in expected.get("error", {}).items():
            if name == "results":
                self.assertEqual(len(error.results or []), value["count"])
            elif name == "kind" and isinstance(value, list):
                self.assertIn(error.kind, value)
            elif name == "details":
                self.assertEqual(error.details, value)
            else:
                self.assertEqual(picked(getattr(error, snake(name)), value), value)
        self.check_bulk(expected, ran)

    def check_bulk(self, expected: Any, ran: Any) -> None:
        bodies = [one["body"] for one in ran["requests"]]
        if "parts" in expected:
            self.assertEqual([len(json.loads(body)["transfers"]) for body in bodies], expected["parts"])
        if "maxBodyBytes" in expected:
            self.assertLessEqual(max(len(body.encode()) for body in bodies), expected["maxBodyBytes"])
        if "results" not in expected:
            return
        results = ran["result"]["results"]
        wanted = dict(expected["results"])
        self.assertEqual(len(results), wanted.pop("count"))
        refused = [one["index"] for one in results if one["outcome"] == "refused"]
        self.assertEqual(refused, wanted.pop("refusedIndexes", refused))
        self.assertEqual([one["index"] for one in results], list(range(len(results))))
        for name, value in wanted.items():
            self.assertEqual(ran["result"][name], value)

    def test_scenarios(self) -> None:
        for file in ("requests", "answers", "retries", "paging", "bulk", "waits"):
            scenarios = vectors(file)["scenarios"]
            self.assertGreater(len(scenarios), 5)
            for scenario in scenarios:
                with self.subTest(file=file, name=scenario["name"]):
                    self.check(scenario)

    def test_webhooks(self) -> None:
        for vector in vectors("webhooks")["vectors"]:
            with self.subTest(vector["name"]):
                body = base64.b64decode(vector["bodyBase64"]) if "bodyBase64" in vector else vector["body"]
                tolerance = vector.get("toleranceSeconds", 300)
                try:
                    event = manilla.verify_webhook(
                        body, vector.get("header"), vector["secrets"], tolerance=tolerance, now=vector["now"]
                    )
                    outcome: Any = {"valid": True, "event": event["event"], "id": event["id"]}
                except manilla.WebhookVerificationError as error:
                    outcome = {"valid": False, "reason": error.reason}
                self.assertEqual(outcome, vector["expected"])

    def test_amounts(self) -> None:
        amounts = vectors("amounts")
        for one in amounts["requests"]:
            with self.subTest(request=one["json"]):
                step = {"body": {"success": True, "data": {"reference": "A", "amount": 1}}}
                call = {"operation": "fundBalance", "body": {"amount": json.loads(one["json"])}}
                ran = self.play({"call": call, "script": [step], "expected": {}})
                kind = None if ran["error"] is None else ran["error"].kind
                self.assertEqual(kind, None if one["accepted"] else "argument")
                self.assertEqual(len(ran["requests"]), 1 if one["accepted"] else 0)
        for one in amounts["naira"]:
            with self.subTest(naira=one["text"]):
                try:
                    kobo: int | None = manilla.naira(one["text"])
                except ManillaError:
                    kobo = None
                self.assertEqual(kobo, one["kobo"])
        for one in amounts["format"]:
            self.assertEqual(manilla.format_naira(one["kobo"]), one["text"])
        for one in amounts["answers"]:
            text = f'{{"success":true,"data":{{"reference":"A","amount":{one["json"]}}}}}'
            call = {"operation": "getTransfer", "path": {"reference": "A"}}
            ran = self.play({"call": call, "script": [{"text": text}] * 4, "expected": {}})
            self.assertEqual(str(ran["result"]["amount"]), one["exact"])

    def test_clients(self) -> None:
        for one in vectors("client")["clients"]:
            with self.subTest(one["name"]), mock.patch.dict(os.environ, one.get("variables", {})):
                if "variables" not in one:
                    os.environ.pop("MANILLA_BASE_URL", None)
                try:
                    client = Manilla(one["apiKey"], base_url=one.get("baseUrl"))
                    made: Any = {"environment": client.environment, "baseUrl": client.base_url}
                except ManillaError:
                    made = None
                self.assertEqual(made, one["expected"])


if __name__ == "__main__":
    sys.exit(unittest.main())
