"""A paged list: ``for`` reads all items, ``page(n)`` reads one page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Generic, Iterator, Mapping, TypeVar

from .transport import AnswerMeta
from .types import Pagination

Item = TypeVar("Item")

PAGE_LIMIT = 100


@dataclass(frozen=True)
class Page(Generic[Item]):
    items: list[Item]
    pagination: Pagination
    last_response: AnswerMeta


class List(Generic[Item]):
    def __init__(self, query: Mapping[str, Any], read: Callable[[Mapping[str, Any]], Page[Item]]) -> None:
        self._query = dict(query)
        self._read = read

    def page(self, page: int | None = None) -> Page[Item]:
        """Reads one page: the page of the query unless another one is named."""
        return self._read(self._query if page is None else {**self._query, "page": page})

    def __iter__(self) -> Iterator[Item]:
        """Reads every item, from the page of the query on. Skips an item that was on the page before, as after a new item."""
        page = self._query.get("page") or 1
        limit = self._query.get("limit") or PAGE_LIMIT
        before: set[object] = set()
        while True:
            read = self._read({**self._query, "page": page, "limit": limit})
            for item in read.items:
                if _id_of(item) is None or _id_of(item) not in before:
                    yield item
            if not read.pagination.get("hasNext") or not read.items:
                return
            before = {_id_of(item) for item in read.items}
            page += 1


def _id_of(item: object) -> object:
    return item.get("id") if isinstance(item, dict) else None
