"""A fake of the service in memory, for tests of programs that use the SDK.

It stores payments as the service does (one for each reference, replays, conflicts). The test sets all other answers. Waits
return at once, and no server is needed.
"""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass
from typing import Any, Callable, Literal, Mapping, Union
from urllib.parse import unquote, urlsplit

from .client import Manilla
from .transport import HttpRequest, HttpResponse


@dataclass(frozen=True)
class Refuse:
    """Makes a request fail with an error, without any effect."""

    status: int
    code: str
    message: str = ""
    retry_after_seconds: int | None = None


#: ``"lost"``: the request takes effect and its answer is lost.
Trouble = Union[Literal["lost"], Refuse]

Answer = Union[Mapping[str, Any], Callable[[Any], Mapping[str, Any]]]


@dataclass
class _Kind:
    path: str
    initiate: str
    list: str
    material: tuple[str, ...]
    first: dict[str, Any]
    unknown: str


@dataclass
class _Payment:
    kind: _Kind
    asked: dict[str, Any]
    #: The record as it was accepted: the answer to a replay.
    accepted: dict[str, Any]
    record: dict[str, Any]


_transfer: dict[str, Any] = {"status": "queued", "sessionId": None}
_kinds = [
    _Kind(
        "/v1/transfers",
        "/v1/transfers/initiate",
        "transfers",
        ("amount", "bankSlug", "accountNumber"),
        {**_transfer, "bankName": "A bank"},
        "TRANSFER_NOT_FOUND",
    ),
    _Kind(
        "/v1/momo/transfer",
        "/v1/momo/transfer",
        "transfers",
        ("amount", "phoneNumber", "accountNumber", "accountReference"),
        {"status": "queued", "operator": "mtn-momo", "operatorReference": None},
        "TRANSFER_NOT_FOUND",
    ),
    _Kind(
        "/v1/momo/collection",
        "/v1/momo/collection",
        "collections",
        ("amount", "phoneNumber"),
        {"status": "PENDING", "operator": "mtn-momo", "operatorReference": None, "requiresOtp": False},
        "COLLECTION_NOT_FOUND",
    ),
]
_final = {"SUCCESS", "FAILED", "REVERSED"}


class _NoWait:
    """A wait returns at once and moves the clock, so that ``wait_for`` ends even if nothing settles the payment."""

    def __init__(self) -> None:
        self._seconds = 0.0

    def now(self) -> float:
        return self._seconds

    def wait(self, seconds: float) -> None:
        self._seconds += seconds


class FakeManilla:
    def __init__(self) -> None:
        #: The requests in order, such as ``("POST /v1/transfers/initiate", body)``.
        self.requests: list[tuple[str, Any]] = []
        self._troubles: deque[Trouble] = deque()
        self._answers: dict[str, Answer] = {}
        #: The key is the reference, which identifies one payment of any kind.
        self._payments: dict[str, _Payment] = {}
        self.client = Manilla("sk_test_fake", base_url="http://fake.invalid", transport=self.transport, clock=_NoWait())

    def fail(self, *troubles: Trouble) -> None:
        """Makes the next requests fail, one for each trouble."""
        self._troubles.extend(troubles)

    def answer(self, request: str, data: Answer) -> None:
        """Sets the data that any other operation returns: ``answer("GET /v1/banks", {"banks": []})``. It may be a function of the body."""
        self._answers[request] = data

    def settle(self, reference: str, status: str, failure_reason: str | None = None) -> None:
        """Sets the status of a payment: ``settle("PAYOUT-1001", "FAILED", "INVALID_ACCOUNT")``."""
        known = self._payments.get(reference)
        if known is None:
            raise KeyError(f"There is no payment {reference}.")
        known.record.update(status=status, isFinal=status in _final, failureReason=failure_reason)

    def transport(self, request: HttpRequest) -> HttpResponse:
        path = unquote(urlsplit(request.url).path)
        name = f"{request.method} {path}"
        body = None if request.body is None else json.loads(request.body)
        self.requests.append((name, body))
        trouble = self._troubles.popleft() if self._troubles else None
        if isinstance(trouble, Refuse):
            return _refusal(trouble)
        response = self._respond(name, path, body)
        if trouble == "lost":
            raise OSError("The answer is lost.")
        return response

    def _respond(self, name: str, path: str, body: Any) -> HttpResponse:
        for kind in _kinds:
            if name == f"POST {kind.initiate}":
                return self._initiate(kind, body)
            if name == f"GET {kind.path}":
                records = [one.record for one in reversed(self._payments.values()) if one.kind is kind]
                return _success({kind.list: records}, {"pagination": {"hasNext": False}})
            if name.startswith(f"GET {kind.path}/") and "/" not in path[len(kind.path) + 1 :]:
                found = self._payments.get(path[len(kind.path) + 1 :])
                if found is None or found.kind is not kind:
                    return _refusal(Refuse(400, kind.unknown, "There is no such payment."))
                return _success(found.record)
        if name == "POST /v1/transfers/bulk":
            return self._bulk(body["transfers"])
        data = self._answers.get(name)
        if data is None:
            return _refusal(Refuse(404, "ROUTE_NOT_FOUND", f'Tell the fake what to answer: fake.answer("{name}", …).'))
        return _success(data(body) if callable(data) else data)

    def _initiate(self, kind: _Kind, body: dict[str, Any]) -> HttpResponse:
        known = self._payments.get(body["reference"])
        if known is not None:
            if known.kind is not kind or any(known.asked.get(name) != body.get(name) for name in kind.material):
                return _refusal(Refuse(409, "CONFLICT", "The reference belongs to another payment."))
            return _success(known.accepted, replayed=True)
        record = {"failureReason": None, "isFinal": False, "fee": 0, "currency": "NGN", **kind.first, **body}
        self._payments[body["reference"]] = _Payment(kind, body, dict(record), record)
        return _success(record)

    def _bulk(self, transfers: list[dict[str, Any]]) -> HttpResponse:
        results: list[dict[str, Any]] = []
        for index, body in enumerate(transfers):
            response = self._initiate(_kinds[0], body)
            told = json.loads(response.body)
            is_replay = response.headers.get("idempotent-replayed") == "true"
            outcome = "refused" if response.status != 200 else "replayed" if is_replay else "accepted"
            results.append(
                {
                    "index": index,
                    "reference": body["reference"],
                    "outcome": outcome,
                    "transfer": told.get("data"),
                    "error": told.get("error"),
                }
            )
        counts = {name: sum(one["outcome"] == name for one in results) for name in ("accepted", "replayed", "refused")}
        return _success({"results": results, **counts})


def _success(data: Mapping[str, Any], meta: Mapping[str, Any] | None = None, replayed: bool = False) -> HttpResponse:
    body = {"success": True, "data": data, "requestId": "fake", **({} if meta is None else {"meta": meta})}
    return HttpResponse(200, {"idempotent-replayed": "true"} if replayed else {}, json.dumps(body).encode())


def _refusal(refuse: Refuse) -> HttpResponse:
    headers = {} if refuse.retry_after_seconds is None else {"retry-after": str(refuse.retry_after_seconds)}
    error = {"code": refuse.code, "message": refuse.message}
    body = {"success": False, "error": error, "requestId": "fake"}
    return HttpResponse(refuse.status, headers, json.dumps(body).encode())
