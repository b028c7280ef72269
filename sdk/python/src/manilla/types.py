# Written by `npm run generate` from docs/openapi.json. Do not change it by hand.
# ruff: noqa

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, TypedDict, Union

AmountPolicy = Literal["exact", "any"]

BankFailureReason = Literal["INVALID_ACCOUNT", "ACCOUNT_NAME_MISMATCH", "DORMANT_ACCOUNT", "ACCOUNT_RESTRICTED", "DO_NOT_HONOR", "INVALID_TRANSACTION", "BANK_NOT_FOUND", "BANK_UNAVAILABLE", "LIMIT_EXCEEDED", "SUSPECTED_FRAUD", "INSUFFICIENT_BALANCE", "DUPLICATE", "PROVIDER_ERROR"]

BulkTransferOutcome = Literal["accepted", "replayed", "refused"]

Country = Literal["NG", "BJ", "BF", "CM", "CG", "CI", "CD", "ET", "GA", "GH", "KE", "LS", "MW", "ML", "MZ", "NE", "RW", "SN", "SL", "TZ", "TG", "UG", "ZM"]

Currency = Literal["NGN", "GHS", "KES", "UGX", "TZS", "RWF", "ZMW", "MWK", "XOF", "XAF", "SLE", "MZN", "ETB", "LSL", "CDF", "USD"]

CustomerStatus = Literal["ACTIVE", "ERASED"]

DeliveryStatus = Literal["pending", "delivered", "failed"]

DeliveryTrigger = Literal["automatic", "manual"]

DepositFailureReason = Literal["UNDERPAID", "OVERPAID", "LATE", "DUPLICATE_PAYMENT", "ACCOUNT_CLOSED", "PROVIDER_FAILED"]

DepositSettlement = Literal["SUCCESSFUL", "FAILED"]

DepositStatus = Literal["PENDING", "SUCCESSFUL", "FAILED"]

Environment = Literal["sandbox", "production"]

ErrorCode = Literal["PARSE_ERROR", "VALIDATION_ERROR", "UNSUPPORTED_API_VERSION", "TRANSFER_NOT_FOUND", "COLLECTION_NOT_FOUND", "INVALID_BANK", "ACCOUNT_NOT_RESOLVED", "INSUFFICIENT_BALANCE", "LIMIT_EXCEEDED", "INVALID_OPERATOR", "PHONE_NOT_RESOLVED", "INVALID_OTP", "OTP_EXPIRED", "UNAUTHORIZED", "FORBIDDEN", "PAYOUTS_PAUSED", "NOT_FOUND", "ROUTE_NOT_FOUND", "METHOD_NOT_ALLOWED", "CONFLICT", "PAYLOAD_TOO_LARGE", "RATE_LIMIT_EXCEEDED", "INTERNAL_ERROR", "SERVICE_UNAVAILABLE"]

EventName = Literal["transfer.success", "transfer.failed", "deposit.success", "customer.deposit.success", "transfer.reversed", "momo.transfer.success", "momo.transfer.failed", "momo.collection.success", "momo.collection.failed"]

FeeType = Literal["transfer"]

FieldErrorCode = Literal["required", "wrong_type", "wrong_format", "not_allowed", "not_a_whole_number", "not_a_multiple", "below_minimum", "above_maximum", "outside_range", "too_short", "too_long", "too_few", "too_many", "in_use", "differs", "insufficient_balance", "over_payment_limit", "over_daily_limit", "invalid"]

Kobo = int

LoggedEventName = Literal["transfer.success", "transfer.failed", "deposit.success", "customer.deposit.success", "transfer.reversed", "momo.transfer.success", "momo.transfer.failed", "momo.collection.success", "momo.collection.failed", "webhook.test"]

MomoCollectionStatus = Literal["PENDING", "OTP_REQUIRED", "SUCCESS", "FAILED"]

MomoCompletion = Literal["SUCCESS", "FAILED"]

MomoFailureReason = Literal["PAYER_NOT_FOUND", "RECIPIENT_NOT_FOUND", "PAYMENT_NOT_APPROVED", "INSUFFICIENT_FUNDS", "LIMIT_EXCEEDED", "WALLET_LIMIT_REACHED", "OPERATOR_UNAVAILABLE", "OTP_EXPIRED", "OTP_ATTEMPTS_EXCEEDED", "EXPIRED", "UNSPECIFIED_FAILURE"]

MomoRecipient = Literal["phone", "till", "paybill"]

SignedKobo = int

Time = str

TransferCompletion = Literal["SUCCESS", "FAILED", "REVERSED"]

TransferStatus = Literal["queued", "SUCCESS", "FAILED", "REVERSED"]

VirtualAccountStatus = Literal["ACTIVE", "COMPLETED", "EXPIRED", "CLOSED"]

VirtualAccountType = Literal["static", "dynamic"]

WebhookDisabledReason = Literal["GONE", "FAILING"]

WebhookStatus = Literal["active", "disabled"]

class AmountRange(TypedDict):
    #: The least that is allowed.
    min: int
    #: The most that is allowed.
    max: int


class Balance(TypedDict):
    #: The three letters of the currency (ISO 4217).
    currency: str
    #: The amount that can be spent now.
    available: Kobo
    #: The amount that unfinished payments reserve.
    reserved: Kobo
    #: Available and reserved together.
    ledger: Kobo


class BalanceList(TypedDict):
    #: One for each currency.
    balances: list[Balance]


class Bank(TypedDict):
    #: The name, for people.
    name: str
    #: Names the bank in transfers. Unique and stable.
    slug: str
    #: Not unique; use the slug where you can.
    code: str
    #: The code of the institution on NIP; null if unknown.
    nipCode: Union[str, None]
    #: The kind of bank.
    type: str
    #: The two letters of the country (ISO 3166-1).
    country: Literal["NG"]
    #: The three letters of the currency (ISO 4217).
    currency: Literal["NGN"]
    #: True if transfers to this bank are accepted.
    active: bool


class BankAccount(TypedDict):
    #: The ten digits of the account.
    accountNumber: str
    #: The name of the holder, as the bank or operator writes it.
    accountName: str
    #: The bank, by its slug from the list of banks.
    bankSlug: str
    #: The name of the bank.
    bankName: str
    #: The code of the bank, as the list of banks has it.
    bankCode: str


class BankList(TypedDict):
    #: All banks that transfers reach.
    banks: list[Bank]


class BulkTransferResult(TypedDict):
    #: The place of the item in `transfers`, from 0.
    index: int
    #: As it was sent; null where no text was.
    reference: Union[str, None]
    outcome: Union[BulkTransferOutcome, str]
    #: The data that POST /v1/transfers/initiate would answer; null when refused.
    transfer: Union[Transfer, None]
    #: Why it was refused, in the words of POST /v1/transfers/initiate; else null.
    error: Union[ErrorDetail, None]


class _CompleteMomoCollectionRequest(TypedDict):
    status: MomoCompletion


class CompleteMomoCollectionRequest(_CompleteMomoCollectionRequest, total=False):
    #: Left out, it is `UNSPECIFIED_FAILURE`.
    failureReason: MomoFailureReason


class _CompleteMomoTransferRequest(TypedDict):
    status: MomoCompletion


class CompleteMomoTransferRequest(_CompleteMomoTransferRequest, total=False):
    #: Left out, it is `UNSPECIFIED_FAILURE`.
    failureReason: MomoFailureReason


class _CompleteTransferRequest(TypedDict):
    status: TransferCompletion


class CompleteTransferRequest(_CompleteTransferRequest, total=False):
    #: Left out, it is `PROVIDER_ERROR`.
    failureReason: BankFailureReason


class _CreateCustomerRequest(TypedDict):
    #: Your reference.
    reference: str
    #: The first name of the customer.
    firstName: str
    #: The last name of the customer.
    lastName: str


class CreateCustomerRequest(_CreateCustomerRequest, total=False):
    #: The e-mail address of the customer, if it is known.
    email: Union[str, None]
    #: Shown as +2348030000000.
    phoneNumber: Union[str, None]
    #: Stored encrypted; no answer shows it.
    bvn: Union[str, None]
    #: Any name but `__proto__`.
    metadata: Union[dict[str, str], None]


class _CreateWebhookRequest(TypedDict):
    #: An absolute https address, without user name and fragment.
    url: str
    #: The events to receive. No other kind is sent.
    events: list[EventName]


class CreateWebhookRequest(_CreateWebhookRequest, total=False):
    #: The environment of the key: sandbox on staging. By default taken from the key.
    environment: Environment


class Customer(TypedDict):
    #: cus_…
    id: str
    #: Your reference.
    reference: str
    #: The first name of the customer.
    firstName: str
    #: The last name of the customer.
    lastName: str
    #: The e-mail address of the customer, if it is known.
    email: Union[str, None]
    #: The phone number with its country code: `+2348031234567`.
    phoneNumber: Union[str, None]
    #: ERASED: who it was is forgotten, at the wish of that person. Names say `erased`, the rest is null.
    status: Union[CustomerStatus, str]
    #: Always false for now: a BVN is stored and not checked.
    bvnVerified: bool
    #: The metadata that you sent. Null if there is none.
    metadata: Union[dict[str, str], None]
    createdAt: Time
    updatedAt: Time


class CustomerDepositSuccessEvent(TypedDict):
    #: evt_…: the same at every attempt, and the id of the delivery in the log.
    id: str
    #: The name of the event.
    event: Literal["customer.deposit.success"]
    #: The same as `event`.
    type: Literal["customer.deposit.success"]
    environment: Union[Environment, str]
    createdAt: Time
    #: The same as `createdAt`.
    timestamp: Time
    #: The reference of its record.
    reference: str
    data: StaticAccountDeposit


class CustomerList(TypedDict):
    #: The latest first.
    customers: list[Customer]


class CustomerMention(TypedDict):
    #: cus_…
    id: str
    #: Your reference.
    reference: str
    #: The first name of the customer.
    firstName: str
    #: The last name of the customer.
    lastName: str
    #: The e-mail address of the customer, if it is known.
    email: Union[str, None]


class DeleteWebhookResult(TypedDict):
    #: The id that the service gave.
    id: str
    #: Always true: the subscription is gone.
    deleted: Literal[True]


class Deposit(TypedDict):
    #: dep_…
    id: str
    amount: Kobo
    #: DEP…; given by the service.
    reference: str
    status: Union[DepositStatus, str]
    #: The three letters of the currency (ISO 4217).
    currency: str
    #: The name of the account that the payment came from.
    senderAccountName: str
    #: The account that the payment came from.
    senderAccountNumber: str
    #: The bank that the payment came from.
    senderBankName: str
    #: The name of the account that was paid into.
    recipientAccountName: str
    #: The number of the account that was paid into.
    recipientAccountNumber: str
    #: The bank of the account that was paid into.
    recipientBankName: str
    #: What the payment is for, as the parties see it.
    narration: str
    #: Deducted when it is SUCCESSFUL.
    fee: Kobo
    createdAt: Time
    #: The time of the last change of its status.
    updatedAt: Time


class DepositFound(TypedDict):
    #: True if the deposit is known.
    exists: Literal[True]
    #: The reference of the deposit.
    reference: str
    status: Union[DepositStatus, str]
    amount: Kobo
    #: The three letters of the currency (ISO 4217).
    currency: str
    #: The one signal for whether to fulfil an order.
    valid: bool


class DepositList(TypedDict):
    #: The latest first.
    deposits: list[Deposit]


class DepositMissing(TypedDict):
    #: True if the deposit is known.
    exists: Literal[False]
    #: The reference that was asked for.
    reference: str
    #: What to do next, for people.
    message: str


class DepositSuccessEvent(TypedDict):
    #: evt_…: the same at every attempt, and the id of the delivery in the log.
    id: str
    #: The name of the event.
    event: Literal["deposit.success"]
    #: The same as `event`.
    type: Literal["deposit.success"]
    environment: Union[Environment, str]
    createdAt: Time
    #: The same as `createdAt`.
    timestamp: Time
    #: The reference of its record.
    reference: str
    data: DynamicAccountDeposit


class DynamicAccountDeposit(TypedDict):
    #: dep_…
    id: str
    amount: Kobo
    #: DEP…; given by the service.
    reference: str
    status: Union[DepositStatus, str]
    #: The three letters of the currency (ISO 4217).
    currency: str
    #: The name of the account that the payment came from.
    senderAccountName: str
    #: The account that the payment came from.
    senderAccountNumber: str
    #: The bank that the payment came from.
    senderBankName: str
    #: The name of the account that was paid into.
    recipientAccountName: str
    #: The number of the account that was paid into.
    recipientAccountNumber: str
    #: The bank of the account that was paid into.
    recipientBankName: str
    #: What the payment is for, as the parties see it.
    narration: str
    #: Deducted when it is SUCCESSFUL.
    fee: Kobo
    createdAt: Time
    #: The time of the last change of its status.
    updatedAt: Time
    virtualAccount: VirtualAccountMention


class _ErrorDetail(TypedDict):
    #: For programs; the list is closed.
    code: Union[ErrorCode, str]
    #: For people: what to do next. May change.
    message: str


class ErrorDetail(_ErrorDetail, total=False):
    #: The fields that are to blame.
    details: list[FieldError]


class EventPage(TypedDict):
    #: In the order in which they happened.
    events: list[WebhookEvent]
    #: The cursor of the last event of the page. Null: there was none yet.
    cursor: Union[str, None]
    #: True if there are more events after the last one.
    hasMore: bool


class Fee(TypedDict):
    amount: Kobo
    fee: Kobo
    totalDebit: Kobo


class _FieldError(TypedDict):
    #: The name of the field, with its place in lists and objects: `transfers.3.amount`.
    field: str
    #: What is wrong and what to do next, for people.
    message: str
    #: The kind of fault, for programs.
    code: Union[FieldErrorCode, str]


class FieldError(_FieldError, total=False):
    #: The limits and sums that the code speaks of.
    params: FieldErrorParams


class _FieldErrorParams(TypedDict):
    pass


class FieldErrorParams(_FieldErrorParams, total=False):
    #: The least that is allowed.
    min: int
    #: The most that is allowed.
    max: int
    #: In place of `min` and `max` where several apply.
    ranges: list[AmountRange]
    #: The amount must be a multiple of this.
    step: int
    #: The amount that is needed in all.
    required: int
    #: The amount that can be spent now.
    available: int
    #: Amounts are in its minor unit.
    currency: Union[Currency, str]
    resetsAt: Time


class _FundBalanceRequest(TypedDict):
    #: Amount in the minor unit of its currency: kobo, pesewas, whole CFA francs.
    amount: int


class FundBalanceRequest(_FundBalanceRequest, total=False):
    #: Left out, it is `NGN`.
    currency: Currency


class FundBalanceResult(TypedDict):
    amount: Kobo
    available: Kobo
    #: The three letters of the currency (ISO 4217).
    currency: str


class _InitiateMomoCollectionRequest(TypedDict):
    #: Your reference.
    reference: str
    #: Amount in the minor unit of its currency: kobo, pesewas, whole CFA francs.
    amount: int
    #: 08030000000, 2348030000000 or +2348030000000; of other countries as +233240000000. Shown as +2348030000000.
    phoneNumber: str


class InitiateMomoCollectionRequest(_InitiateMomoCollectionRequest, total=False):
    #: The slug of an operator of GET /v1/momo/operators; left out, the number's prefix decides.
    operator: Union[str, None]
    #: The currency of the operator; left out, it is the operator's.
    currency: Union[Currency, None]
    #: The sender of the deposit; left out, the number is.
    customerName: Union[str, None]
    #: What the payment is for, as the parties see it.
    narration: Union[str, None]
    #: Any name but `__proto__`.
    metadata: Union[dict[str, str], None]


class _InitiateMomoTransferRequest(TypedDict):
    #: Your reference.
    reference: str
    #: Amount in the minor unit of its currency: kobo, pesewas, whole CFA francs.
    amount: int


class InitiateMomoTransferRequest(_InitiateMomoTransferRequest, total=False):
    #: Of a wallet; required unless `operator` is a till or paybill. 08030000000, 2348030000000 or +2348030000000; of other countries as +233240000000. Shown as +2348030000000.
    phoneNumber: Union[str, None]
    #: The slug of an operator of GET /v1/momo/operators; left out, the number's prefix decides.
    operator: Union[str, None]
    #: The currency of the operator; left out, it is the operator's.
    currency: Union[Currency, None]
    #: The number of a till or paybill; required for those, 5 to 7 digits.
    accountNumber: Union[str, None]
    #: The account at a paybill, such as the number of a bill or a bank account; required for paybills.
    accountReference: Union[str, None]
    #: The name of the recipient, as `GET /v1/momo/resolve` answers it.
    accountName: Union[str, None]
    #: What the payment is for, as the parties see it.
    narration: Union[str, None]
    #: Any name but `__proto__`.
    metadata: Union[dict[str, str], None]


class InitiateTransfersRequest(TypedDict):
    #: Up to 1,000 transfers, each with a reference of its own.
    transfers: list[TransferRequest]


class InitiateTransfersResult(TypedDict):
    #: One for each item, in the order of the request.
    results: list[BulkTransferResult]
    #: How many items were accepted now.
    accepted: int
    #: How many items had been accepted before, with the same fields.
    replayed: int
    #: How many items were refused.
    refused: int


class LedgerEntry(TypedDict):
    #: mov_…
    id: str
    #: The kind of movement: opening, funding, hold, release, reversal, fee_refund, deposit, deposit_fee, adjustment.
    type: str
    #: The reference of the payment or deposit; for an adjustment, exc_… or brk_….
    reference: str
    #: Negative when money left the available balance.
    amount: SignedKobo
    #: The available balance after it.
    balanceAfter: Kobo
    #: The three letters of the currency (ISO 4217).
    currency: str
    createdAt: Time


class LedgerEntryList(TypedDict):
    #: The latest first.
    entries: list[LedgerEntry]


class MomoCollection(TypedDict):
    #: mcl_…
    id: str
    #: Your reference.
    reference: str
    status: Union[MomoCollectionStatus, str]
    #: SUCCESS or FAILED. A collection that failed with EXPIRED or OTP_EXPIRED still becomes SUCCESS if the operator has the money after all.
    isFinal: bool
    #: The payer agrees with a code, which goes to POST /v1/momo/collection/verify-otp.
    requiresOtp: bool
    #: When the one-time code stops being taken. Null if none was asked for.
    otpExpiresAt: Union[Time, None]
    #: When it fails if the payer has not agreed.
    expiresAt: Time
    amount: Kobo
    #: Taken from the amount when it succeeds.
    fee: Kobo
    #: The three letters of the currency (ISO 4217).
    currency: str
    #: The phone number with its country code: `+2348031234567`.
    phoneNumber: str
    #: The operator, by its slug from the list of operators.
    operator: str
    #: What the payment is for, as the parties see it.
    narration: Union[str, None]
    #: The operator’s own reference, once it succeeded.
    operatorReference: Union[str, None]
    #: The reference of the deposit that it became, once it succeeded.
    depositReference: Union[str, None]
    #: Why it failed, for programs. Null if it did not fail.
    failureReason: Union[Union[MomoFailureReason, str], None]
    #: The failure in words, and what to do next.
    failureMessage: Union[str, None]
    #: The metadata that you sent. Null if there is none.
    metadata: Union[dict[str, str], None]
    createdAt: Time
    updatedAt: Time
    #: When it reached its final status. Null until then.
    completedAt: Union[Time, None]


class MomoCollectionFailedEvent(TypedDict):
    #: evt_…: the same at every attempt, and the id of the delivery in the log.
    id: str
    #: The name of the event.
    event: Literal["momo.collection.failed"]
    #: The same as `event`.
    type: Literal["momo.collection.failed"]
    environment: Union[Environment, str]
    createdAt: Time
    #: The same as `createdAt`.
    timestamp: Time
    #: The reference of its record.
    reference: str
    data: MomoCollection


class MomoCollectionList(TypedDict):
    #: The latest first.
    collections: list[MomoCollection]


class MomoCollectionSuccessEvent(TypedDict):
    #: evt_…: the same at every attempt, and the id of the delivery in the log.
    id: str
    #: The name of the event.
    event: Literal["momo.collection.success"]
    #: The same as `event`.
    type: Literal["momo.collection.success"]
    environment: Union[Environment, str]
    createdAt: Time
    #: The same as `createdAt`.
    timestamp: Time
    #: The reference of its record.
    reference: str
    data: MomoCollection


class MomoOperator(TypedDict):
    #: The name, for people.
    name: str
    #: Names the operator in transfers and collections. Unique and stable.
    slug: str
    #: The two letters of its country (ISO 3166-1).
    country: str
    #: The three letters of the currency (ISO 4217).
    currency: str
    #: How many decimals of an amount it carries. 0: whole units only, also in currencies with cents.
    decimals: int
    #: How its numbers begin, without the leading 0. Numbers may have been ported.
    prefixes: list[str]
    #: Who is paid: `phone` is a wallet; `till` and `paybill` are businesses, paid by `accountNumber`.
    recipient: Union[MomoRecipient, str]
    supports: MomoOperatorSupport
    #: Its customers agree to a collection with a one-time code.
    requiresOtp: bool
    minAmount: Kobo
    maxAmount: Kobo
    #: Whether it can be used.
    status: Literal["active"]


class MomoOperatorList(TypedDict):
    #: All operators that can be used in this environment.
    operators: list[MomoOperator]


class MomoOperatorSupport(TypedDict):
    #: True if transfers to its wallets are accepted.
    transfer: bool
    #: True if collections from its wallets are accepted.
    collection: bool


class MomoTransfer(TypedDict):
    #: mtr_…
    id: str
    #: Your reference.
    reference: str
    status: Union[TransferStatus, str]
    #: No longer queued.
    isFinal: bool
    amount: Kobo
    fee: Kobo
    #: Amount and fee together.
    totalDebit: Kobo
    #: The three letters of the currency (ISO 4217).
    currency: str
    #: Null for tills and paybills.
    phoneNumber: Union[str, None]
    #: The number of a till or paybill; null for wallets.
    accountNumber: Union[str, None]
    #: The account at a paybill; null for wallets and tills.
    accountReference: Union[str, None]
    #: The operator, by its slug from the list of operators.
    operator: str
    #: The name of the recipient that you gave. Null if you gave none.
    accountName: Union[str, None]
    #: What the payment is for, as the parties see it.
    narration: Union[str, None]
    #: The operator’s own reference, once it succeeded.
    operatorReference: Union[str, None]
    #: Why it failed, for programs. Null if it did not fail.
    failureReason: Union[Union[MomoFailureReason, str], None]
    #: The failure in words, and what to do next.
    failureMessage: Union[str, None]
    #: The metadata that you sent. Null if there is none.
    metadata: Union[dict[str, str], None]
    createdAt: Time
    updatedAt: Time
    #: When it reached its final status. Null until then.
    completedAt: Union[Time, None]


class MomoTransferFailedEvent(TypedDict):
    #: evt_…: the same at every attempt, and the id of the delivery in the log.
    id: str
    #: The name of the event.
    event: Literal["momo.transfer.failed"]
    #: The same as `event`.
    type: Literal["momo.transfer.failed"]
    environment: Union[Environment, str]
    createdAt: Time
    #: The same as `createdAt`.
    timestamp: Time
    #: The reference of its record.
    reference: str
    data: MomoTransfer


class MomoTransferList(TypedDict):
    #: The latest first.
    transfers: list[MomoTransfer]


class MomoTransferSuccessEvent(TypedDict):
    #: evt_…: the same at every attempt, and the id of the delivery in the log.
    id: str
    #: The name of the event.
    event: Literal["momo.transfer.success"]
    #: The same as `event`.
    type: Literal["momo.transfer.success"]
    environment: Union[Environment, str]
    createdAt: Time
    #: The same as `createdAt`.
    timestamp: Time
    #: The reference of its record.
    reference: str
    data: MomoTransfer


class MomoWallet(TypedDict):
    #: The phone number with its country code: `+2348031234567`.
    phoneNumber: str
    #: The operator, by its slug from the list of operators.
    operator: str
    #: The name of the operator.
    operatorName: str
    #: The name of the holder, as the bank or operator writes it.
    accountName: str
    #: The three letters of the currency (ISO 4217).
    currency: str


class NewWebhookSubscription(TypedDict):
    #: whk_…
    id: str
    #: Where events are sent.
    url: str
    #: The names of the events that it gets.
    events: list[Union[EventName, str]]
    environment: Union[Environment, str]
    status: Union[WebhookStatus, str]
    #: whsec_…; the key of X-Webhook-Signature, as it stands. Shown this once.
    secret: str
    createdAt: Time
    updatedAt: Time


class _OpenDynamicAccountRequest(TypedDict):
    #: Amount in the minor unit of its currency: kobo, pesewas, whole CFA francs.
    amount: int


class OpenDynamicAccountRequest(_OpenDynamicAccountRequest, total=False):
    #: Your reference.
    reference: Union[str, None]
    #: What a payer sees; left out, the business's name.
    accountName: Union[str, None]
    #: Left out, it is `30`.
    expiresInMinutes: int
    #: Left out, it is `exact`.
    amountPolicy: AmountPolicy
    #: What the payment is for, as the parties see it.
    narration: Union[str, None]
    #: Any name but `__proto__`.
    metadata: Union[dict[str, str], None]


class _OpenStaticAccountRequest(TypedDict):
    #: The customer, by your reference for it.
    customerReference: str


class OpenStaticAccountRequest(_OpenStaticAccountRequest, total=False):
    #: Where it is opened; left out, a bank is chosen.
    bankSlug: Union[str, None]
    #: What a payer sees; left out, the customer's name.
    accountName: Union[str, None]


_RetryWebhookDeliveriesRequest = TypedDict("_RetryWebhookDeliveriesRequest", {
    "from": "str",
    "to": "str",
})


class RetryWebhookDeliveriesRequest(_RetryWebhookDeliveriesRequest, total=False):
    #: whk_…
    webhookId: str
    event: LoggedEventName


class RetryWebhookDeliveriesResult(TypedDict):
    #: How many will be sent again.
    queued: int


class _RetryWebhookDeliveryRequest(TypedDict):
    pass


class RetryWebhookDeliveryRequest(_RetryWebhookDeliveryRequest, total=False):
    #: Left out, it is `false`.
    force: bool


class _RotateWebhookSecretRequest(TypedDict):
    pass


class RotateWebhookSecretRequest(_RotateWebhookSecretRequest, total=False):
    #: Left out, it is `24`.
    expireOldInHours: int


class RotatedWebhookSubscription(TypedDict):
    #: whk_…
    id: str
    #: Where events are sent.
    url: str
    #: The names of the events that it gets.
    events: list[Union[EventName, str]]
    environment: Union[Environment, str]
    status: Union[WebhookStatus, str]
    #: whsec_…; the key of X-Webhook-Signature, as it stands. Shown this once.
    secret: str
    #: Until then deliveries are signed with the old secret too.
    oldSecretExpiresAt: Union[Time, None]
    createdAt: Time
    updatedAt: Time


class SettleDepositRequest(TypedDict):
    status: DepositSettlement


class _SimulateDepositRequest(TypedDict):
    #: The ten digits of the account.
    accountNumber: str
    #: Amount in the minor unit of its currency: kobo, pesewas, whole CFA francs.
    amount: int


class SimulateDepositRequest(_SimulateDepositRequest, total=False):
    #: Left out, it is `SUCCESSFUL`.
    status: DepositStatus
    #: Left out, it is empty.
    senderAccountName: str
    #: Left out, it is empty.
    senderAccountNumber: str
    #: Left out, it is empty.
    senderBankName: str
    #: Left out, it is empty.
    narration: str


class StaticAccountDeposit(TypedDict):
    #: dep_…
    id: str
    amount: Kobo
    #: DEP…; given by the service.
    reference: str
    status: Union[DepositStatus, str]
    #: The three letters of the currency (ISO 4217).
    currency: str
    #: The name of the account that the payment came from.
    senderAccountName: str
    #: The account that the payment came from.
    senderAccountNumber: str
    #: The bank that the payment came from.
    senderBankName: str
    #: The name of the account that was paid into.
    recipientAccountName: str
    #: The number of the account that was paid into.
    recipientAccountNumber: str
    #: The bank of the account that was paid into.
    recipientBankName: str
    #: What the payment is for, as the parties see it.
    narration: str
    #: Deducted when it is SUCCESSFUL.
    fee: Kobo
    createdAt: Time
    #: The time of the last change of its status.
    updatedAt: Time
    virtualAccount: VirtualAccountMention
    customer: CustomerMention


class Transfer(TypedDict):
    #: trf_…
    id: str
    #: Your reference.
    reference: str
    status: Union[TransferStatus, str]
    #: No longer queued.
    isFinal: bool
    amount: Kobo
    fee: Kobo
    #: Amount and fee together.
    totalDebit: Kobo
    #: The three letters of the currency (ISO 4217).
    currency: str
    #: The bank, by its slug from the list of banks.
    bankSlug: str
    #: The name of the bank.
    bankName: str
    #: The ten digits of the account.
    accountNumber: str
    #: The name of the recipient that you gave.
    accountName: str
    #: What the payment is for, as the parties see it.
    narration: Union[str, None]
    #: The 30-digit NIP session id, once it succeeded.
    sessionId: Union[str, None]
    #: Why it failed, for programs. Null if it did not fail.
    failureReason: Union[Union[BankFailureReason, str], None]
    #: The failure in words, and what to do next.
    failureMessage: Union[str, None]
    #: The metadata that you sent. Null if there is none.
    metadata: Union[dict[str, str], None]
    createdAt: Time
    updatedAt: Time
    #: When it reached its final status. Null until then.
    completedAt: Union[Time, None]


class TransferFailedEvent(TypedDict):
    #: evt_…: the same at every attempt, and the id of the delivery in the log.
    id: str
    #: The name of the event.
    event: Literal["transfer.failed"]
    #: The same as `event`.
    type: Literal["transfer.failed"]
    environment: Union[Environment, str]
    createdAt: Time
    #: The same as `createdAt`.
    timestamp: Time
    #: The reference of its record.
    reference: str
    data: Transfer


class TransferList(TypedDict):
    #: The latest first.
    transfers: list[Transfer]


class _TransferRequest(TypedDict):
    #: Your reference.
    reference: str
    #: Amount in the minor unit of its currency: kobo, pesewas, whole CFA francs.
    amount: int
    #: The slug of a bank of GET /v1/banks.
    bankSlug: str
    #: The ten digits of the account.
    accountNumber: str
    #: The name of the recipient, as `GET /v1/bank/resolve` answers it.
    accountName: str


class TransferRequest(_TransferRequest, total=False):
    #: Left out, it is `NGN`.
    currency: Literal["NGN"]
    #: What the payment is for, as the parties see it.
    narration: Union[str, None]
    #: Any name but `__proto__`.
    metadata: Union[dict[str, str], None]


class TransferReversedEvent(TypedDict):
    #: evt_…: the same at every attempt, and the id of the delivery in the log.
    id: str
    #: The name of the event.
    event: Literal["transfer.reversed"]
    #: The same as `event`.
    type: Literal["transfer.reversed"]
    environment: Union[Environment, str]
    createdAt: Time
    #: The same as `createdAt`.
    timestamp: Time
    #: The reference of its record.
    reference: str
    data: Transfer


class TransferSuccessEvent(TypedDict):
    #: evt_…: the same at every attempt, and the id of the delivery in the log.
    id: str
    #: The name of the event.
    event: Literal["transfer.success"]
    #: The same as `event`.
    type: Literal["transfer.success"]
    environment: Union[Environment, str]
    createdAt: Time
    #: The same as `createdAt`.
    timestamp: Time
    #: The reference of its record.
    reference: str
    data: Transfer


class TriggerWebhookEventRequest(TypedDict):
    event: EventName


class TriggerWebhookEventResult(TypedDict):
    event: Union[EventName, str]
    #: How many are sent; those of disabled subscriptions are only recorded.
    queued: int
    #: One for each subscription that gets the event.
    events: list[WebhookDelivery]


class _UpdateCustomerRequest(TypedDict):
    pass


class UpdateCustomerRequest(_UpdateCustomerRequest, total=False):
    #: The first name of the customer.
    firstName: str
    #: The last name of the customer.
    lastName: str
    #: The e-mail address of the customer, if it is known.
    email: Union[str, None]
    #: Shown as +2348030000000.
    phoneNumber: Union[str, None]
    #: Stored encrypted; no answer shows it.
    bvn: Union[str, None]
    #: Any name but `__proto__`.
    metadata: Union[dict[str, str], None]


class _UpdateWebhookRequest(TypedDict):
    pass


class UpdateWebhookRequest(_UpdateWebhookRequest, total=False):
    #: An absolute https address, without user name and fragment.
    url: str
    #: The events to receive. No other kind is sent.
    events: list[EventName]
    status: WebhookStatus


class VerifyCollectionOtpRequest(TypedDict):
    #: Your reference.
    reference: str
    #: The one-time code that the payer got from the operator.
    otp: str


class VirtualAccount(TypedDict):
    #: va_…
    id: str
    type: Union[VirtualAccountType, str]
    #: Static: the customer's. Dynamic: the one given when it was made.
    reference: Union[str, None]
    #: The ten digits of the account.
    accountNumber: str
    #: The name that a payer sees.
    accountName: str
    #: The name of the bank.
    bankName: str
    #: The bank, by its slug from the list of banks.
    bankSlug: str
    #: The three letters of the currency (ISO 4217).
    currency: str
    status: Union[VirtualAccountStatus, str]
    #: What a payment into a dynamic account must be. Null for a static account.
    amount: Union[Kobo, None]
    #: Which payments a dynamic account takes: of the exact amount, or of any. Null for a static account.
    amountPolicy: Union[Union[AmountPolicy, str], None]
    #: When a dynamic account stops taking payments. Null for a static account.
    expiresAt: Union[Time, None]
    #: The customer that a static account belongs to. Null for a dynamic account.
    customer: Union[VirtualAccountCustomer, None]
    #: The metadata that you sent. Null if there is none.
    metadata: Union[dict[str, str], None]
    createdAt: Time
    updatedAt: Time


class VirtualAccountCustomer(TypedDict):
    #: The id that the service gave.
    id: str
    #: Your reference.
    reference: str


class VirtualAccountDetails(TypedDict):
    #: va_…
    id: str
    type: Union[VirtualAccountType, str]
    #: Static: the customer's. Dynamic: the one given when it was made.
    reference: Union[str, None]
    #: The ten digits of the account.
    accountNumber: str
    #: The name that a payer sees.
    accountName: str
    #: The name of the bank.
    bankName: str
    #: The bank, by its slug from the list of banks.
    bankSlug: str
    #: The three letters of the currency (ISO 4217).
    currency: str
    status: Union[VirtualAccountStatus, str]
    #: What a payment into a dynamic account must be. Null for a static account.
    amount: Union[Kobo, None]
    #: Which payments a dynamic account takes: of the exact amount, or of any. Null for a static account.
    amountPolicy: Union[Union[AmountPolicy, str], None]
    #: When a dynamic account stops taking payments. Null for a static account.
    expiresAt: Union[Time, None]
    #: The customer that a static account belongs to. Null for a dynamic account.
    customer: Union[VirtualAccountCustomer, None]
    #: The metadata that you sent. Null if there is none.
    metadata: Union[dict[str, str], None]
    createdAt: Time
    updatedAt: Time
    #: The last payment to this account that failed, and why. Null when none has.
    lastFailure: Union[VirtualAccountFailure, None]


class VirtualAccountFailure(TypedDict):
    #: DEP…; the deposit that failed.
    reference: str
    reason: Union[DepositFailureReason, str]
    amount: Kobo
    createdAt: Time


class VirtualAccountList(TypedDict):
    #: The latest first.
    virtualAccounts: list[VirtualAccount]


class VirtualAccountMention(TypedDict):
    #: va_…
    id: str
    type: Union[VirtualAccountType, str]
    #: Your reference.
    reference: Union[str, None]
    #: The ten digits of the account.
    accountNumber: str


class WebhookAttempt(TypedDict):
    #: The number of the attempt; the first is 1.
    attempt: int
    trigger: Union[DeliveryTrigger, str]
    #: Null: there was no answer.
    responseCode: Union[int, None]
    #: Why there was no usable answer. Null if there was one.
    error: Union[str, None]
    #: How long the attempt took, in milliseconds.
    durationMs: int
    createdAt: Time


class WebhookAttemptDetail(TypedDict):
    #: The number of the attempt; the first is 1.
    attempt: int
    trigger: Union[DeliveryTrigger, str]
    #: Null: there was no answer.
    responseCode: Union[int, None]
    #: Why there was no usable answer. Null if there was one.
    error: Union[str, None]
    #: How long the attempt took, in milliseconds.
    durationMs: int
    createdAt: Time
    #: The first 4 KiB of the answer.
    responseBody: Union[str, None]


class WebhookDelivery(TypedDict):
    #: evt_…; also the id of the payload and of X-Webhook-Id.
    id: str
    #: The name of the event.
    event: str
    #: The reference of what the event is about.
    reference: str
    #: whk_…
    webhookId: str
    #: Where the subscription is now.
    url: str
    environment: Union[Environment, str]
    #: failed: the last attempt did, and more may follow (nextAttemptAt).
    status: Union[DeliveryStatus, str]
    #: How many attempts were made.
    attempts: int
    #: The attempts of the schedule; manual attempts are not counted.
    maxAttempts: int
    #: The status of the last attempt.
    responseCode: Union[int, None]
    #: Why the last attempt failed. Null if it did not.
    lastError: Union[str, None]
    #: When the last attempt began. Null before the first.
    lastAttemptAt: Union[Time, None]
    #: The next attempt of the schedule. Null: none is left.
    nextAttemptAt: Union[Time, None]
    #: When the receiver first answered with 2xx. Null until then.
    deliveredAt: Union[Time, None]
    createdAt: Time
    updatedAt: Time
    #: The latest 100, the first of them first.
    deliveryAttempts: list[WebhookAttempt]


class WebhookDeliveryDetail(TypedDict):
    #: evt_…; also the id of the payload and of X-Webhook-Id.
    id: str
    #: The name of the event.
    event: str
    #: The reference of what the event is about.
    reference: str
    #: whk_…
    webhookId: str
    #: Where the subscription is now.
    url: str
    environment: Union[Environment, str]
    #: failed: the last attempt did, and more may follow (nextAttemptAt).
    status: Union[DeliveryStatus, str]
    #: How many attempts were made.
    attempts: int
    #: The attempts of the schedule; manual attempts are not counted.
    maxAttempts: int
    #: The status of the last attempt.
    responseCode: Union[int, None]
    #: Why the last attempt failed. Null if it did not.
    lastError: Union[str, None]
    #: When the last attempt began. Null before the first.
    lastAttemptAt: Union[Time, None]
    #: The next attempt of the schedule. Null: none is left.
    nextAttemptAt: Union[Time, None]
    #: When the receiver first answered with 2xx. Null until then.
    deliveredAt: Union[Time, None]
    createdAt: Time
    updatedAt: Time
    #: The latest 100, the first of them first.
    deliveryAttempts: list[WebhookAttemptDetail]
    payload: WebhookEvent


class WebhookDeliveryList(TypedDict):
    #: The latest first.
    events: list[WebhookDelivery]


class WebhookSubscription(TypedDict):
    #: whk_…
    id: str
    #: Where events are sent.
    url: str
    #: The names of the events that it gets.
    events: list[Union[EventName, str]]
    environment: Union[Environment, str]
    status: Union[WebhookStatus, str]
    #: The end of the secret.
    secretHint: str
    #: Why the service disabled it: the endpoint answered 410 (GONE), or nothing but failures for 120 hours.
    disabledReason: Union[Union[WebhookDisabledReason, str], None]
    #: The first failure since the last success.
    failingSince: Union[Time, None]
    #: Until then deliveries are signed with the old secret too.
    oldSecretExpiresAt: Union[Time, None]
    createdAt: Time
    updatedAt: Time


class WebhookSubscriptionList(TypedDict):
    #: The latest first.
    webhooks: list[WebhookSubscription]


class WebhookTest(TypedDict):
    #: whk_…
    webhookId: str
    #: A sentence that says that this is a test.
    message: str


class WebhookTestEvent(TypedDict):
    #: evt_…: the same at every attempt, and the id of the delivery in the log.
    id: str
    #: The name of the event.
    event: Literal["webhook.test"]
    #: The same as `event`.
    type: Literal["webhook.test"]
    environment: Union[Environment, str]
    createdAt: Time
    #: The same as `createdAt`.
    timestamp: Time
    #: The reference of its record.
    reference: str
    data: WebhookTest


class WebhookTestResult(TypedDict):
    #: evt_…
    eventId: str
    #: True if the receiver answered with 2xx.
    delivered: bool
    #: The number of the attempt; the first is 1.
    attempt: int
    trigger: Union[DeliveryTrigger, str]
    #: Null: there was no answer.
    responseCode: Union[int, None]
    #: Why there was no usable answer. Null if there was one.
    error: Union[str, None]
    #: How long the attempt took, in milliseconds.
    durationMs: int
    createdAt: Time
    #: The first 4 KiB of the answer.
    responseBody: Union[str, None]


class Pagination(TypedDict):
    #: The number of this page; the first is 1.
    page: int
    #: How many records a page has at most.
    limit: int
    #: How many records there are in all.
    total: int
    #: How many pages there are.
    totalPage: int
    #: True if there is a page after this one.
    hasNext: bool
    #: True if there is a page before this one.
    hasPrev: bool


DepositValidation = Union[DepositFound, DepositMissing]

WebhookEvent = Union[TransferSuccessEvent, TransferFailedEvent, DepositSuccessEvent, CustomerDepositSuccessEvent, TransferReversedEvent, MomoTransferSuccessEvent, MomoTransferFailedEvent, MomoCollectionSuccessEvent, MomoCollectionFailedEvent, WebhookTestEvent]

ListDepositsQuery = TypedDict("ListDepositsQuery", {
    "page": "int",
    "limit": "int",
    "status": "DepositStatus",
    "from": "Union[datetime, str]",
    "to": "Union[datetime, str]",
    "accountNumber": "str",
    "customerReference": "str",
}, total=False)

ListCustomersQuery = TypedDict("ListCustomersQuery", {
    "page": "int",
    "limit": "int",
}, total=False)

ListVirtualAccountsQuery = TypedDict("ListVirtualAccountsQuery", {
    "page": "int",
    "limit": "int",
    "type": "VirtualAccountType",
    "status": "VirtualAccountStatus",
    "customerReference": "str",
}, total=False)

ListTransfersQuery = TypedDict("ListTransfersQuery", {
    "page": "int",
    "limit": "int",
    "status": "TransferStatus",
    "from": "Union[datetime, str]",
    "to": "Union[datetime, str]",
}, total=False)

ListMomoTransfersQuery = TypedDict("ListMomoTransfersQuery", {
    "page": "int",
    "limit": "int",
    "status": "TransferStatus",
    "from": "Union[datetime, str]",
    "to": "Union[datetime, str]",
}, total=False)

ListMomoCollectionsQuery = TypedDict("ListMomoCollectionsQuery", {
    "page": "int",
    "limit": "int",
    "status": "MomoCollectionStatus",
    "from": "Union[datetime, str]",
    "to": "Union[datetime, str]",
}, total=False)

ListMomoOperatorsQuery = TypedDict("ListMomoOperatorsQuery", {
    "country": "Country",
    "currency": "Currency",
    "search": "str",
}, total=False)

ResolvePhoneNumberQuery = TypedDict("ResolvePhoneNumberQuery", {
    "phoneNumber": "str",
    "country": "Country",
    "operator": "str",
}, total=False)

ListBanksQuery = TypedDict("ListBanksQuery", {
    "search": "str",
}, total=False)

ResolveBankAccountQuery = TypedDict("ResolveBankAccountQuery", {
    "accountNumber": "str",
    "bankSlug": "str",
    "bankCode": "str",
}, total=False)

ListLedgerEntriesQuery = TypedDict("ListLedgerEntriesQuery", {
    "page": "int",
    "limit": "int",
    "from": "Union[datetime, str]",
    "to": "Union[datetime, str]",
    "currency": "Currency",
}, total=False)

GetFeeQuery = TypedDict("GetFeeQuery", {
    "type": "FeeType",
    "amount": "int",
    "currency": "Currency",
}, total=False)

ListEventsQuery = TypedDict("ListEventsQuery", {
    "after": "str",
    "from": "Union[datetime, str]",
    "limit": "int",
}, total=False)

ListWebhooksQuery = TypedDict("ListWebhooksQuery", {
    "page": "int",
    "limit": "int",
}, total=False)

ListWebhookDeliveriesQuery = TypedDict("ListWebhookDeliveriesQuery", {
    "page": "int",
    "limit": "int",
    "status": "DeliveryStatus",
    "event": "LoggedEventName",
    "webhookId": "str",
    "reference": "str",
    "from": "Union[datetime, str]",
    "to": "Union[datetime, str]",
}, total=False)
