"""Sends the requests of the groups of methods, and keeps the metadata of each answer."""

from __future__ import annotations

from typing import Any, Mapping, Sequence, cast

from .pages import List, Page
from .transport import AnswerMeta, Ask, CallOptions, Clock, Fields, Sender, Success
from .types import Pagination


class Answered(dict[str, Any]):
    """The data of an answer. :func:`last_response` returns its metadata."""

    last_response: AnswerMeta | None = None


def keep_meta(data: Fields, meta: AnswerMeta | None) -> Answered:
    answered = Answered(data)
    answered.last_response = meta
    return answered


def last_response(record: Mapping[str, Any]) -> AnswerMeta:
    """Returns the metadata of an answer: status, headers, request id, attempts, and whether it was replayed or recovered."""
    meta = record.last_response if isinstance(record, Answered) else None
    if meta is None:
        raise TypeError("This is not a record that a call of the SDK returned.")
    return meta


class Caller:
    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def clock(self) -> Clock:
        return self._sender.clock

    def send(self, ask: Ask, options: CallOptions) -> Answered:
        success = self._sender.send(ask, options)
        return keep_meta(success.data, success.meta)

    def send_raw(self, ask: Ask, options: CallOptions) -> Answered:
        success = self._sender.send(ask, options)
        return keep_meta(success.whole, success.meta)

    def list(
        self, path: Sequence[str], name: str, query: Mapping[str, Any] | None, options: CallOptions
    ) -> List[Any]:
        def read(asked: Mapping[str, Any]) -> Page[Any]:
            return _page_of(name, self._sender.send(Ask("GET", path, query=asked), options))

        return List(query or {}, read)


def _page_of(name: str, success: Success) -> Page[Any]:
    meta = success.whole.get("meta")
    pagination = meta.get("pagination") if isinstance(meta, dict) else None
    items = success.data.get(name)
    return Page(items if isinstance(items, list) else [], cast(Pagination, pagination or {}), success.meta)
