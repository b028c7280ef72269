"""The client: one method for each operation of the API, in groups."""

from __future__ import annotations

import os
import re
from typing import Any, Iterator, Literal, Mapping, Sequence, cast
from urllib.parse import urlsplit

from . import types as api
from .caller import Caller
from .errors import ArgumentError
from .money import check_amount
from .pages import PAGE_LIMIT, List
from .payments import Payments, initiate_many
from .transport import Ask, CallOptions, Clock, Sender, SystemClock, Transport, http_transport, parts_of_path

_NONE = CallOptions()

Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]


class Manilla:
    """A client of the Manilla API. It has no state between calls, so threads may share it.

    ``base_url`` is the base address of the key's environment. Left out, it is ``MANILLA_BASE_URL`` where that is set,
    else the address of a service that was started on this machine with nothing set. Times are in seconds: ``timeout``
    is the limit of one attempt, ``total_timeout`` of a call with all its attempts and waits.
    """

    def __init__(
        self,
        api_key: str,
        *,
        base_url: str | None = None,
        timeout: float = 30.0,
        total_timeout: float = 120.0,
        transport: Transport = http_transport,
        clock: Clock | None = None,
    ) -> None:
        #: The environment of the key, named as in webhooks: ``sandbox`` means staging.
        self.environment: api.Environment = _environment_of(api_key)
        self.base_url = _address_of(base_url or os.environ.get("MANILLA_BASE_URL") or _default(self.environment))
        sender = Sender(api_key, self.base_url, timeout, total_timeout, transport, clock or SystemClock())
        caller = Caller(sender)
        self.transfers = Transfers(caller)
        self.momo = Momo(caller)
        self.deposits = Deposits(caller)
        self.customers = Customers(caller)
        self.virtual_accounts = VirtualAccounts(caller)
        self.banks = Banks(caller)
        self.balance = Balance(caller)
        self.webhooks = Webhooks(caller)
        self.events = Events(caller)
        #: Staging only: controls the simulated banks, operators and payers.
        self.sandbox = Sandbox(caller)
        self._caller = caller

    def raw_request(
        self,
        method: Method,
        path: str,
        params: Mapping[str, Any] | None = None,
        options: CallOptions = _NONE,
    ) -> dict[str, Any]:
        """Calls an operation for which this version has no method, and returns its whole answer.

        ``raw_request("GET", "/v1/things", {"page": 2})``: a GET or DELETE sends ``params`` in the query, other methods
        send them in the body. A GET is retried like other reads; other methods are sent once.
        """
        if method in ("GET", "DELETE"):
            return self._caller.send_raw(Ask(method, parts_of_path(path), query=params), options)
        return self._caller.send_raw(Ask(method, parts_of_path(path), body=params), options)


def _environment_of(api_key: str) -> api.Environment:
    match = re.fullmatch(r"sk_(test|live)_[!-~]+", api_key) if isinstance(api_key, str) else None
    if match is None:
        raise ArgumentError("An API key begins with sk_test_ or sk_live_, and holds no white space.")
    return "production" if match[1] == "live" else "sandbox"


def _default(environment: str) -> str:
    return f"http://127.0.0.1:4000/{'staging' if environment == 'sandbox' else 'production'}"


def _address_of(text: str) -> str:
    try:
        address = urlsplit(text)
        _ = address.port
        is_good = address.scheme in ("http", "https") and bool(address.hostname)
        is_plain = "@" not in address.netloc and "?" not in text and "#" not in text and not re.search(r"\s", text)
    except ValueError:
        is_good = is_plain = False
    if is_good and is_plain:
        return text.rstrip("/")
    raise ArgumentError(f"base_url is an address like https://pay.example.com/production, not {text!r}.")


class Transfers(Payments[api.TransferRequest, api.Transfer]):
    def __init__(self, caller: Caller) -> None:
        super().__init__(caller, ["transfers"], ["transfers", "initiate"], "transfers")

    def list(
        self, query: api.ListTransfersQuery | None = None, options: CallOptions = _NONE
    ) -> List[api.Transfer]:
        return self._list(query, options)

    def initiate_many(
        self, transfers: Sequence[api.TransferRequest], options: CallOptions = _NONE
    ) -> api.InitiateTransfersResult:
        """Sends any number of transfers, up to a thousand in each request. A refused transfer does not stop the others.

        Results have the ``index`` in the whole list. If a part fails, the error has the ``results`` of the earlier
        parts, and sending the same list again is safe.
        """
        return initiate_many(self._caller, transfers, options)

    def fee(self, amount: int, currency: api.Currency | None = None, options: CallOptions = _NONE) -> api.Fee:
        """Returns the fee of a transfer. The currency is naira unless another one is named."""
        check_amount(amount)
        query = {"type": "transfer", "amount": amount, "currency": currency}
        return cast(api.Fee, self._caller.send(Ask("GET", ["fees"], query=query), options))


class MomoTransfers(Payments[api.InitiateMomoTransferRequest, api.MomoTransfer]):
    def __init__(self, caller: Caller) -> None:
        super().__init__(caller, ["momo", "transfer"], ["momo", "transfer"], "transfers")

    def list(
        self, query: api.ListMomoTransfersQuery | None = None, options: CallOptions = _NONE
    ) -> List[api.MomoTransfer]:
        return self._list(query, options)


class MomoCollections(Payments[api.InitiateMomoCollectionRequest, api.MomoCollection]):
    def __init__(self, caller: Caller) -> None:
        super().__init__(caller, ["momo", "collection"], ["momo", "collection"], "collections")

    def list(
        self, query: api.ListMomoCollectionsQuery | None = None, options: CallOptions = _NONE
    ) -> List[api.MomoCollection]:
        return self._list(query, options)

    def verify_otp(
        self, body: api.VerifyCollectionOtpRequest, options: CallOptions = _NONE
    ) -> api.MomoCollection:
        """Sends the code with which a payer agrees. It is never retried, because a wrong code uses up an attempt."""
        ask = Ask("POST", ["momo", "collection", "verify-otp"], body=body)
        return cast(api.MomoCollection, self._caller.send(ask, options))


class _Group:
    def __init__(self, caller: Caller) -> None:
        self._caller = caller


class Momo(_Group):
    def __init__(self, caller: Caller) -> None:
        super().__init__(caller)
        self.transfers = MomoTransfers(caller)
        self.collections = MomoCollections(caller)

    def operators(
        self, query: api.ListMomoOperatorsQuery | None = None, options: CallOptions = _NONE
    ) -> api.MomoOperatorList:
        return cast(api.MomoOperatorList, self._caller.send(Ask("GET", ["momo", "operators"], query=query), options))

    def resolve(self, query: api.ResolvePhoneNumberQuery, options: CallOptions = _NONE) -> api.MomoWallet:
        """Returns the name of a wallet's owner. Check it before a transfer."""
        return cast(api.MomoWallet, self._caller.send(Ask("GET", ["momo", "resolve"], query=query), options))


class Deposits(_Group):
    def list(self, query: api.ListDepositsQuery | None = None, options: CallOptions = _NONE) -> List[api.Deposit]:
        return self._caller.list(["deposits"], "deposits", query, options)

    def get(self, reference: str, options: CallOptions = _NONE) -> api.Deposit:
        """Reads a deposit by the reference that the service gave it: ``DEP…``."""
        return cast(api.Deposit, self._caller.send(Ask("GET", ["deposits", reference]), options))

    def validate(self, reference: str, options: CallOptions = _NONE) -> api.DepositValidation:
        """Ship an order only if ``valid`` is true. A missing deposit is not an error: its answer has ``exists: False``."""
        return cast(
            api.DepositValidation, self._caller.send(Ask("GET", ["deposits", "validate", reference]), options)
        )


class Customers(_Group):
    def create(self, body: api.CreateCustomerRequest, options: CallOptions = _NONE) -> api.Customer:
        return cast(api.Customer, self._caller.send(Ask("POST", ["customers"], body=body), options))

    def list(self, query: api.ListCustomersQuery | None = None, options: CallOptions = _NONE) -> List[api.Customer]:
        return self._caller.list(["customers"], "customers", query, options)

    def get(self, reference: str, options: CallOptions = _NONE) -> api.Customer:
        return cast(api.Customer, self._caller.send(Ask("GET", ["customers", reference]), options))

    def update(self, reference: str, body: api.UpdateCustomerRequest, options: CallOptions = _NONE) -> api.Customer:
        return cast(api.Customer, self._caller.send(Ask("PATCH", ["customers", reference], body=body), options))


class VirtualAccounts(_Group):
    def open_static(self, body: api.OpenStaticAccountRequest, options: CallOptions = _NONE) -> api.VirtualAccount:
        ask = Ask("POST", ["virtual-accounts", "static"], body=body)
        return cast(api.VirtualAccount, self._caller.send(ask, options))

    def open_dynamic(self, body: api.OpenDynamicAccountRequest, options: CallOptions = _NONE) -> api.VirtualAccount:
        check_amount(body.get("amount"))
        ask = Ask("POST", ["virtual-accounts", "dynamic"], body=body)
        return cast(api.VirtualAccount, self._caller.send(ask, options))

    def list(
        self, query: api.ListVirtualAccountsQuery | None = None, options: CallOptions = _NONE
    ) -> List[api.VirtualAccount]:
        return self._caller.list(["virtual-accounts"], "virtualAccounts", query, options)

    def get(self, account_number: str, options: CallOptions = _NONE) -> api.VirtualAccountDetails:
        ask = Ask("GET", ["virtual-accounts", account_number])
        return cast(api.VirtualAccountDetails, self._caller.send(ask, options))

    def close(self, account_number: str, options: CallOptions = _NONE) -> api.VirtualAccount:
        ask = Ask("DELETE", ["virtual-accounts", account_number])
        return cast(api.VirtualAccount, self._caller.send(ask, options))


class Banks(_Group):
    def list(self, query: api.ListBanksQuery | None = None, options: CallOptions = _NONE) -> api.BankList:
        return cast(api.BankList, self._caller.send(Ask("GET", ["banks"], query=query), options))

    def resolve(self, query: api.ResolveBankAccountQuery, options: CallOptions = _NONE) -> api.BankAccount:
        """Returns the name of an account's owner. Check it before a transfer."""
        return cast(api.BankAccount, self._caller.send(Ask("GET", ["bank", "resolve"], query=query), options))


class Balance(_Group):
    def get(self, options: CallOptions = _NONE) -> api.BalanceList:
        return cast(api.BalanceList, self._caller.send(Ask("GET", ["balance"]), options))

    def ledger(
        self, query: api.ListLedgerEntriesQuery | None = None, options: CallOptions = _NONE
    ) -> List[api.LedgerEntry]:
        """Lists every movement of the available balance, newest first."""
        return self._caller.list(["balance", "ledger"], "entries", query, options)


class Webhooks(_Group):
    def __init__(self, caller: Caller) -> None:
        super().__init__(caller)
        self.deliveries = WebhookDeliveries(caller)

    def create(self, body: api.CreateWebhookRequest, options: CallOptions = _NONE) -> api.NewWebhookSubscription:
        """Only this answer contains the secret."""
        return cast(api.NewWebhookSubscription, self._caller.send(Ask("POST", ["webhooks"], body=body), options))

    def list(
        self, query: api.ListWebhooksQuery | None = None, options: CallOptions = _NONE
    ) -> List[api.WebhookSubscription]:
        return self._caller.list(["webhooks"], "webhooks", query, options)

    def get(self, id: str, options: CallOptions = _NONE) -> api.WebhookSubscription:
        return cast(api.WebhookSubscription, self._caller.send(Ask("GET", ["webhooks", id]), options))

    def update(
        self, id: str, body: api.UpdateWebhookRequest, options: CallOptions = _NONE
    ) -> api.WebhookSubscription:
        return cast(api.WebhookSubscription, self._caller.send(Ask("PATCH", ["webhooks", id], body=body), options))

    def delete(self, id: str, options: CallOptions = _NONE) -> api.DeleteWebhookResult:
        return cast(api.DeleteWebhookResult, self._caller.send(Ask("DELETE", ["webhooks", id]), options))

    def rotate_secret(
        self, id: str, body: api.RotateWebhookSecretRequest | None = None, options: CallOptions = _NONE
    ) -> api.RotatedWebhookSubscription:
        """Only this answer contains the new secret. Until the old one expires, deliveries are signed with both."""
        ask = Ask("POST", ["webhooks", id, "rotate-secret"], body=body or {})
        return cast(api.RotatedWebhookSubscription, self._caller.send(ask, options))

    def test(self, id: str, options: CallOptions = _NONE) -> api.WebhookTestResult:
        return cast(api.WebhookTestResult, self._caller.send(Ask("POST", ["webhooks", id, "test"]), options))


class WebhookDeliveries(_Group):
    def list(
        self, query: api.ListWebhookDeliveriesQuery | None = None, options: CallOptions = _NONE
    ) -> List[api.WebhookDelivery]:
        return self._caller.list(["webhooks", "events"], "events", query, options)

    def get(self, event_id: str, options: CallOptions = _NONE) -> api.WebhookDeliveryDetail:
        return cast(api.WebhookDeliveryDetail, self._caller.send(Ask("GET", ["webhooks", "events", event_id]), options))

    def retry(
        self, event_id: str, body: api.RetryWebhookDeliveryRequest | None = None, options: CallOptions = _NONE
    ) -> api.WebhookDelivery:
        ask = Ask("POST", ["webhooks", "events", event_id, "retry"], body=body or {})
        return cast(api.WebhookDelivery, self._caller.send(ask, options))

    def retry_many(
        self, body: api.RetryWebhookDeliveriesRequest, options: CallOptions = _NONE
    ) -> api.RetryWebhookDeliveriesResult:
        """Sends the failed deliveries of a period again, at most 10,000 a call."""
        ask = Ask("POST", ["webhooks", "events", "retry"], body=body)
        return cast(api.RetryWebhookDeliveriesResult, self._caller.send(ask, options))


class Events(_Group):
    def list(self, query: api.ListEventsQuery | None = None, options: CallOptions = _NONE) -> api.EventPage:
        """Reads one page of all events, oldest first. Pass its ``cursor`` as ``after`` to read the next page."""
        return cast(api.EventPage, self._caller.send(Ask("GET", ["events"], query=query), options))

    def iterate(
        self, query: api.ListEventsQuery | None = None, options: CallOptions = _NONE
    ) -> Iterator[api.WebhookEvent]:
        """Reads all events, oldest first, page by page. It ends with the newest event."""
        place: dict[str, Any] = {"limit": PAGE_LIMIT, **(query or {})}
        while True:
            page = self.list(cast(api.ListEventsQuery, place), options)
            yield from page["events"]
            if not page["hasMore"] or not page["events"] or page["cursor"] is None:
                return
            place = {"limit": place["limit"], "after": page["cursor"]}


class Sandbox(_Group):
    def deposit(self, body: api.SimulateDepositRequest, options: CallOptions = _NONE) -> api.Deposit:
        """Pays into a virtual account."""
        check_amount(body.get("amount"))
        return cast(api.Deposit, self._caller.send(Ask("POST", ["sandbox", "deposits"], body=body), options))

    def settle_deposit(
        self, reference: str, body: api.SettleDepositRequest, options: CallOptions = _NONE
    ) -> api.Deposit:
        ask = Ask("POST", ["sandbox", "deposits", reference, "settle"], body=body)
        return cast(api.Deposit, self._caller.send(ask, options))

    def complete_transfer(
        self, reference: str, body: api.CompleteTransferRequest, options: CallOptions = _NONE
    ) -> api.Transfer:
        ask = Ask("POST", ["sandbox", "transfers", reference, "complete"], body=body)
        return cast(api.Transfer, self._caller.send(ask, options))

    def complete_momo_transfer(
        self, reference: str, body: api.CompleteMomoTransferRequest, options: CallOptions = _NONE
    ) -> api.MomoTransfer:
        ask = Ask("POST", ["sandbox", "momo", "transfer", reference, "complete"], body=body)
        return cast(api.MomoTransfer, self._caller.send(ask, options))

    def complete_momo_collection(
        self, reference: str, body: api.CompleteMomoCollectionRequest, options: CallOptions = _NONE
    ) -> api.MomoCollection:
        ask = Ask("POST", ["sandbox", "momo", "collection", reference, "complete"], body=body)
        return cast(api.MomoCollection, self._caller.send(ask, options))

    def fund(
        self, amount: int, currency: api.Currency | None = None, options: CallOptions = _NONE
    ) -> api.FundBalanceResult:
        """Adds money to a balance. The currency is naira unless another one is named."""
        check_amount(amount)
        body = {"amount": amount} if currency is None else {"amount": amount, "currency": currency}
        ask = Ask("POST", ["sandbox", "balance", "fund"], body=body)
        return cast(api.FundBalanceResult, self._caller.send(ask, options))

    def trigger_event(self, event: api.EventName, options: CallOptions = _NONE) -> api.TriggerWebhookEventResult:
        """Sends a sample of an event to the subscriptions that include it."""
        ask = Ask("POST", ["sandbox", "webhooks", "trigger"], body={"event": event})
        return cast(api.TriggerWebhookEventResult, self._caller.send(ask, options))
