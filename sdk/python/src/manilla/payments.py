"""The three kinds of payments. Each can be sent again under its reference without paying twice, and read until it is final."""

from __future__ import annotations

import re
from typing import Any, Generic, Iterator, Mapping, Sequence, TypeVar, cast

from .caller import Caller, keep_meta, last_response
from .errors import ArgumentError, ManillaError, error_of
from .money import check_amount
from .pages import List
from .transport import Ask, CallOptions, Fields, LookUp, bytes_of, delay_after
from .types import BulkTransferResult, InitiateTransfersResult, TransferRequest

Request = TypeVar("Request", bound=Mapping[str, Any])
Record = TypeVar("Record", bound=Mapping[str, Any])

_ITEMS_MAX = 1000
_BYTES_MAX = 1_000_000


class Payments(Generic[Request, Record]):
    def __init__(self, caller: Caller, path: Sequence[str], initiate_path: Sequence[str], name: str) -> None:
        self._caller = caller
        self._path = list(path)
        self._initiate_path = list(initiate_path)
        self._name = name

    def initiate(self, request: Request, options: CallOptions = CallOptions()) -> Record:
        """Sends the payment.

        If the answer is lost, reads the payment by its reference, and sends it again only if it does not exist. If this
        raises an error with ``unclear``, read the payment before you pay in another way.
        """
        check_amount(request.get("amount"))
        asked = dict(request)
        look_up = LookUp([*self._path, asked.get("reference", "")], lambda record: _is_same(asked, record))
        ask = Ask("POST", self._initiate_path, body=asked, look_up=look_up)
        return cast(Record, self._caller.send(ask, options))

    def get(self, reference: str, options: CallOptions = CallOptions()) -> Record:
        return cast(Record, self._caller.send(Ask("GET", [*self._path, reference]), options))

    def _list(self, query: Mapping[str, Any] | None, options: CallOptions) -> List[Record]:
        return self._caller.list(self._path, self._name, query, options)

    def wait_for(self, reference: str, *, wait: float = 600.0, options: CallOptions = CallOptions()) -> Record:
        """Reads it until it is final: at once, then after 1, 2, 4, 8, 16, 30, 30 … seconds. A webhook arrives sooner."""
        clock = self._caller.clock
        deadline = clock.now() + wait
        turn = 0
        while True:
            payment = self.get(reference, options)
            if payment.get("isFinal"):
                return payment
            seconds = delay_after(turn)
            if clock.now() + seconds >= deadline:
                message = (
                    f"{reference} is still {payment.get('status')}. It has not failed: "
                    "ask again later, or wait for its event."
                )
                raise error_of("timeout", "STILL_PENDING", message, request_id=last_response(payment).request_id)
            clock.wait(seconds)
            turn += 1


def _is_same(request: Fields, record: Fields) -> bool:
    """Returns whether a record has the values that were requested. Fields that were not requested are not compared."""
    for name in ("amount", "bankSlug", "accountNumber", "accountReference", "operator"):
        if request.get(name) is not None and request[name] != record.get(name):
            return False
    phone = request.get("phoneNumber")
    return phone is None or _is_same_phone(str(phone), str(record.get("phoneNumber")))


def _is_same_phone(sent: str, shown: str) -> bool:
    """08030000000, 2348030000000 and +2348030000000 are the same number."""
    digits = re.sub(r"^0+", "", re.sub(r"[^0-9]", "", sent))
    return re.sub(r"[^0-9]", "", shown).endswith(digits)


def _parts_of(transfers: Sequence[TransferRequest]) -> Iterator[list[TransferRequest]]:
    """Splits the transfers so that each part fits into one request."""
    part: list[TransferRequest] = []
    size = 0
    for transfer in transfers:
        more = len(bytes_of(cast(Mapping[str, Any], transfer))) + 1
        if len(part) == _ITEMS_MAX or (part and size + more > _BYTES_MAX - 20):
            yield part
            part, size = [], 0
        part.append(transfer)
        size += more
    yield part


def initiate_many(
    caller: Caller, transfers: Sequence[TransferRequest], options: CallOptions
) -> InitiateTransfersResult:
    if not transfers:
        raise ArgumentError("There is no transfer to send.")
    for transfer in transfers:
        check_amount(transfer.get("amount"))
    answered = keep_meta({"results": [], "accepted": 0, "replayed": 0, "refused": 0}, None)
    whole = cast(InitiateTransfersResult, answered)
    for part in _parts_of(transfers):
        start = len(whole["results"])
        try:
            sent = caller.send(
                Ask("POST", ["transfers", "bulk"], body={"transfers": part}, replays=True),
                options,
            )
        except ManillaError as error:
            error.results = whole["results"]
            raise
        for result in sent["results"]:
            whole["results"].append(cast(BulkTransferResult, {**result, "index": start + result["index"]}))
        whole["accepted"] += sent["accepted"]
        whole["replayed"] += sent["replayed"]
        whole["refused"] += sent["refused"]
        answered.last_response = sent.last_response
    return whole
