"""Sends requests, and retries where that is safe. sdk/vectors/README.md states the rules."""

from __future__ import annotations

import http.client
import json
import re
import socket
import ssl
import threading
import time
import uuid
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, Callable, Mapping, Protocol, Sequence, cast
from urllib.parse import quote, unquote, urlsplit

from .errors import ArgumentError, ManillaError, error_of, kind_of

__version__ = "0.1.0"

Fields = dict[str, Any]


class Clock(Protocol):
    """The clock that the SDK uses, in seconds. Tests can pass their own."""

    def now(self) -> float: ...

    def wait(self, seconds: float) -> None: ...


class SystemClock:
    def now(self) -> float:
        return time.monotonic()

    def wait(self, seconds: float) -> None:
        time.sleep(seconds)


@dataclass(frozen=True)
class HttpRequest:
    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None
    #: The limit of the whole attempt, in seconds.
    timeout: float


@dataclass(frozen=True)
class HttpResponse:
    status: int
    #: Names in lower case.
    headers: Mapping[str, str]
    body: bytes


#: Sends one request and follows no redirect. It raises ``builtins.TimeoutError`` when the time limit is over, and any other
#: exception when the connection fails. Pass your own for a connection pool, a proxy or tests.
Transport = Callable[[HttpRequest], HttpResponse]


@dataclass(frozen=True)
class AnswerMeta:
    """The metadata of an answer."""

    request_id: str
    status: int
    #: Names in lower case, such as ``headers["x-ratelimit-remaining"]``.
    headers: Mapping[str, str]
    #: True if an earlier request with this reference took effect (``Idempotent-Replayed: true``).
    replayed: bool
    #: True if the answer to the payment was lost, and this is the record, read by its reference.
    recovered: bool
    #: How often the request was sent, without the reads in between.
    attempts: int


@dataclass(frozen=True)
class CallOptions:
    #: Your own id of this request, for logs: 1 to 128 visible ASCII characters. The default is a UUID.
    request_id: str | None = None
    #: The limit of one attempt, in seconds.
    timeout: float | None = None
    #: The limit of all attempts and waits together, in seconds.
    total_timeout: float | None = None


@dataclass(frozen=True)
class LookUp:
    """How a payment is read before it is sent again."""

    path: Sequence[str]
    is_same: Callable[[Fields], bool]


@dataclass(frozen=True)
class Ask:
    method: str
    path: Sequence[str]
    query: Mapping[str, object] | None = None
    body: Mapping[str, Any] | None = None
    #: Bulk: the service replays what it has accepted, so the same bytes may be sent again.
    replays: bool = False
    look_up: LookUp | None = None


@dataclass(frozen=True)
class Success:
    data: Fields
    whole: Fields
    meta: AnswerMeta


@dataclass(frozen=True)
class _Found:
    data: Fields
    whole: Fields
    status: int
    headers: Mapping[str, str]


_ATTEMPTS_MAX = 4
_DELAY_MAX_SECONDS = 30.0


def delay_after(turn: int) -> float:
    """Returns the delay after attempt n, counted from 0."""
    return float(min(2.0**turn, _DELAY_MAX_SECONDS))


@dataclass
class Sender:
    api_key: str
    base_url: str
    timeout: float
    total_timeout: float
    transport: Transport
    clock: Clock = field(default_factory=SystemClock)

    def send(self, ask: Ask, options: CallOptions = CallOptions()) -> Success:
        request_id = str(uuid.uuid4()) if options.request_id is None else options.request_id
        if re.fullmatch(r"[!-~]{1,128}", request_id) is None:
            raise ArgumentError("A request id is 1 to 128 visible ASCII characters.")
        total = self.total_timeout if options.total_timeout is None else options.total_timeout
        deadline = self.clock.now() + total
        own = self._prepared(ask)
        read = None if ask.look_up is None else self._prepared(Ask("GET", ask.look_up.path))
        is_write = ask.method != "GET"
        may_send_again = not is_write or ask.replays or read is not None
        attempts = 0
        unclear = False
        failure: ManillaError | None = None
        last: ManillaError | None = None

        def attempt(prepared: _Prepared) -> _Found | ManillaError:
            return self._send_once(prepared, request_id, options, deadline)

        def succeed(found: _Found, recovered: bool) -> Success:
            named = found.whole.get("requestId")
            told = named if isinstance(named, str) else request_id
            replayed = found.headers.get("idempotent-replayed") == "true"
            meta = AnswerMeta(told, found.status, found.headers, replayed, recovered, attempts)
            return Success(found.data, found.whole, meta)

        def give_up(why: ManillaError) -> ManillaError:
            why.unclear = unclear
            return why

        turn = 0
        while True:
            if failure is not None and last is not None:
                wait = max(delay_after(turn - 1), float(last.retry_after_seconds or 0))
                if turn == _ATTEMPTS_MAX or self.clock.now() + wait >= deadline:
                    raise give_up(failure)
                self.clock.wait(wait)
                turn += 1
                if read is not None and ask.look_up is not None:
                    found = attempt(read)
                    if isinstance(found, _Found):
                        if ask.look_up.is_same(found.data):
                            return succeed(found, True)
                        raise _another_payment(found)
                    last = found
                    if _is_unclear(found):
                        continue
                    if found.kind != "not_found" and found.status != 403:
                        raise give_up(failure)
            else:
                turn += 1
            attempts += 1
            outcome = attempt(own)
            if isinstance(outcome, _Found):
                return succeed(outcome, False)
            failure = last = outcome
            unclear = unclear or (is_write and _is_unclear(outcome))
            if not _is_unclear(outcome) or not may_send_again:
                raise give_up(outcome)

    def _prepared(self, ask: Ask) -> _Prepared:
        words = [
            f"{name}={quote(_text_of(value), safe='')}" for name, value in (ask.query or {}).items() if value is not None
        ]
        path = "/".join(_segment_of(part) for part in ask.path)
        url = f"{self.base_url}/v1/{path}" + ("?" + "&".join(words) if words else "")
        body = None if ask.body is None else bytes_of(ask.body)
        return _Prepared(ask.method, url, body)

    def _send_once(
        self, prepared: _Prepared, request_id: str, options: CallOptions, deadline: float
    ) -> _Found | ManillaError:
        limit = self.timeout if options.timeout is None else options.timeout
        limit = min(limit, max(0.001, deadline - self.clock.now()))
        headers = {
            "Accept": "application/json",
            "Authorization": f"Bearer {self.api_key}",
            "User-Agent": f"manilla-python/{__version__}",
            "X-Request-ID": request_id,
        }
        if prepared.body is not None:
            headers["Content-Type"] = "application/json"
        try:
            response = self.transport(HttpRequest(prepared.method, prepared.url, headers, prepared.body, limit))
        except TimeoutError as error:
            late = error_of("timeout", "TIMEOUT", f"No complete answer arrived within {limit:g} s.", request_id=request_id)
            late.__cause__ = error
            return late
        except Exception as error:  # noqa: BLE001
            message = f"The connection to {self.base_url} failed, or broke before the answer was complete."
            broken = error_of("connection", "CONNECTION_FAILED", message, request_id=request_id)
            broken.__cause__ = error
            return broken
        return _outcome_of(response, request_id)


@dataclass(frozen=True)
class _Prepared:
    """A request as it is sent. It is made once, so that each attempt has the same bytes."""

    method: str
    url: str
    body: bytes | None


def _is_unclear(error: ManillaError) -> bool:
    return error.kind in ("server", "timeout", "connection", "unreadable")


def _another_payment(found: _Found) -> ManillaError:
    message = f"The reference {found.data.get('reference')} belongs to another payment. Use a new reference."
    request_id = str(found.whole.get("requestId", ""))
    return error_of("conflict", "CONFLICT", message, status=409, headers=found.headers, request_id=request_id)


def bytes_of(body: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(body, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"The request cannot be written as JSON: {error}") from error


def _text_of(value: object) -> str:
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ArgumentError("A time needs a zone, such as datetime.now(timezone.utc).")
        return value.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _segment_of(text: object) -> str:
    """Raises for a dot segment, because clients and proxies resolve it in the path, even encoded."""
    if not isinstance(text, str) or text in ("", ".", ".."):
        raise ArgumentError(f"{text!r} cannot be a part of a path.")
    try:
        return quote(text, safe="")
    except UnicodeEncodeError as error:
        raise ArgumentError(f"{text!r} cannot be a part of a path.") from error


def parts_of_path(path: str) -> list[str]:
    """Returns the decoded parts of ``/v1/transfers/PAYOUT-1001``. They are encoded again, by the same rules as other paths."""
    if not path.startswith("/v1/") or re.search("%(?![0-9a-fA-F]{2})", path):
        raise ArgumentError(f"A path is like /v1/transfers/PAYOUT-1001, not {path!r}.")
    return [unquote(part) for part in path[len("/v1/") :].split("/")]


def parse_fields(body: bytes) -> Fields | None:
    """Returns the JSON object in a body. None if there is none."""
    try:
        value = json.loads(body.decode(), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return None
    return cast(Fields, value) if isinstance(value, dict) else None


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _outcome_of(response: HttpResponse, sent_id: str) -> _Found | ManillaError:
    status, headers = response.status, response.headers
    body = parse_fields(response.body)
    if 200 <= status < 300:
        data = None if body is None else body.get("data")
        if body is not None and isinstance(data, dict):
            return _Found(data, body, status, headers)
        message = "The answer is a success that cannot be read."
        return error_of(
            "unreadable", "UNREADABLE_ANSWER", message, status=status, headers=headers, request_id=sent_id
        )
    told = (body or {}).get("error")
    error: Fields = told if isinstance(told, dict) else {}
    named_code = error.get("code")
    text = error.get("message")
    details = error.get("details")
    named = (body or {}).get("requestId")
    retry_after = headers.get("retry-after", "")
    code = named_code if isinstance(named_code, str) else f"HTTP_{status}"
    return error_of(
        kind_of(status, code),
        code,
        text if isinstance(text, str) else f"The answer was {status}.",
        status=status,
        headers=headers,
        details=details if isinstance(details, list) else [],
        request_id=named if isinstance(named, str) else headers.get("x-request-id", sent_id),
        retry_after_seconds=int(retry_after) if re.fullmatch(r"[0-9]{1,9}", retry_after) else None,
    )


def http_transport(request: HttpRequest) -> HttpResponse:
    """Sends each attempt on a new connection of the standard library."""
    address = urlsplit(request.url)
    connection = _connection_to(address.scheme, address.hostname or "", address.port, request.timeout)
    is_late = threading.Event()

    def end() -> None:
        # The timeout of a socket limits each read; this limits the whole attempt.
        is_late.set()
        if connection.sock is not None:
            try:
                connection.sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    timer = threading.Timer(request.timeout, end)
    timer.daemon = True
    timer.start()
    try:
        target = address.path + (f"?{address.query}" if address.query else "")
        connection.request(request.method, target, body=request.body, headers=dict(request.headers))
        response = connection.getresponse()
        body = response.read()
        headers = {name.lower(): value for name, value in response.getheaders()}
        if is_late.is_set():
            raise TimeoutError("the time limit of the attempt is over")
        return HttpResponse(response.status, headers, body)
    except Exception as error:
        if is_late.is_set():
            raise TimeoutError("the time limit of the attempt is over") from error
        raise
    finally:
        timer.cancel()
        connection.close()


def _connection_to(scheme: str, host: str, port: int | None, timeout: float) -> http.client.HTTPConnection:
    if scheme == "https":
        return http.client.HTTPSConnection(host, port, timeout=timeout, context=_tls())
    return http.client.HTTPConnection(host, port, timeout=timeout)


_tls_context: list[ssl.SSLContext] = []


def _tls() -> ssl.SSLContext:
    if not _tls_context:
        _tls_context.append(ssl.create_default_context())
    return _tls_context[0]
