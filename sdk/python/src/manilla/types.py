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
    #: Identifies the bank in transfers. Unique; it never changes.
    slug: str
    #: The code of the bank. Several banks can share a code, so prefer the slug.
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
    #: The slug of the bank, from the list of banks.
    bankSlug: str
    #: The name of the bank.
    bankName: str
    #: The code of the bank, from the list of banks.
    bankCode: str


class BankList(TypedDict):
    #: All banks that transfers reach.
    banks: list[Bank]


class BulkTransferResult(TypedDict):
    #: The position of the item in `transfers`, counted from 0.
    index: int
    #: The reference as you sent it. Null if the item had none, or no text.
    reference: Union[str, None]
    outcome: Union[BulkTransferOutcome, str]
    #: The `data` that POST /v1/transfers/initiate would return. Null if the item was refused.
    transfer: Union[Transfer, None]
    #: Why the item was refused: the error that POST /v1/transfers/initiate would return. Null otherwise.
    error: Union[ErrorDetail, None]


class _CompleteMomoCollectionRequest(TypedDict):
    status: MomoCompletion


class CompleteMomoCollectionRequest(_CompleteMomoCollectionRequest, total=False):
    #: Default: `UNSPECIFIED_FAILURE`.
    failureReason: MomoFailureReason


class _CompleteMomoTransferRequest(TypedDict):
    status: MomoCompletion


class CompleteMomoTransferRequest(_CompleteMomoTransferRequest, total=False):
    #: Default: `UNSPECIFIED_FAILURE`.
    failureReason: MomoFailureReason


class _CompleteTransferRequest(TypedDict):
    status: TransferCompletion


class CompleteTransferRequest(_CompleteTransferRequest, total=False):
    #: Default: `PROVIDER_ERROR`.
    failureReason: BankFailureReason


class _CreateCustomerRequest(TypedDict):
    #: Your reference.
    reference: str
    #: The first name of the customer.
    firstName: str
    #: The last name of the customer.
    lastName: str


class CreateCustomerRequest(_CreateCustomerRequest, total=False):
    #: The e-mail address of the customer. Null if you gave none.
    email: Union[str, None]
    #: 08030000000, or with the country code +2348030000000. Responses show the second form.
    phoneNumber: Union[str, None]
    #: The Bank Verification Number. It is stored encrypted, and no response shows it.
    bvn: Union[str, None]
    #: Texts of your own, under any name but `__proto__`.
    metadata: Union[dict[str, str], None]


class _CreateWebhookRequest(TypedDict):
    #: An absolute https URL without user name or fragment.
    url: str
    #: The events to receive. Events of other names are not sent.
    events: list[EventName]


class CreateWebhookRequest(_CreateWebhookRequest, total=False):
    #: Must be the environment of the key, which is also the default: `sandbox` on staging.
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
    #: The e-mail address of the customer. Null if you gave none.
    email: Union[str, None]
    #: The phone number with its country code: `+2348031234567`.
    phoneNumber: Union[str, None]
    #: ERASED: the personal data was erased. The names are `erased`, the other personal fields are null.
    status: Union[CustomerStatus, str]
    #: Always false for now, because a BVN is stored but not checked.
    bvnVerified: bool
    #: The metadata that you sent. Null if there is none.
    metadata: Union[dict[str, str], None]
    createdAt: Time
    updatedAt: Time


class CustomerDepositSuccessEvent(TypedDict):
    #: evt_…, the same at every attempt. Also the id of the delivery in the log.
    id: str
    #: The name of the event.
    event: Literal["customer.deposit.success"]
    #: The same as `event`.
    type: Literal["customer.deposit.success"]
    environment: Union[Environment, str]
    createdAt: Time
    #: The same as `createdAt`.
    timestamp: Time
    #: The reference of the record in `data`.
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
    #: The e-mail address of the customer. Null if you gave none.
    email: Union[str, None]


class DeleteWebhookResult(TypedDict):
    #: The id that the service assigned.
    id: str
    #: Always true: the subscription was deleted.
    deleted: Literal[True]


class Deposit(TypedDict):
    #: dep_…
    id: str
    amount: Kobo
    #: DEP…, assigned by the service.
    reference: str
    status: Union[DepositStatus, str]
    #: The three letters of the currency (ISO 4217).
    currency: str
    #: The name of the account that the payment came from.
    senderAccountName: str
    #: The number of the account that the payment came from.
    senderAccountNumber: str
    #: The bank that the payment came from.
    senderBankName: str
    #: The name of the account that received the payment.
    recipientAccountName: str
    #: The number of the account that received the payment.
    recipientAccountNumber: str
    #: The bank of the account that received the payment.
    recipientBankName: str
    #: What the payment is for, as the parties see it.
    narration: str
    #: The fee that is deducted from the amount when the deposit is SUCCESSFUL.
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
    #: True if the status is SUCCESSFUL. Fulfill an order only then.
    valid: bool


class DepositList(TypedDict):
    #: The latest first.
    deposits: list[Deposit]


class DepositMissing(TypedDict):
    #: True if the deposit is known.
    exists: Literal[False]
    #: The reference that you sent.
    reference: str
    #: Says that there is no such deposit.
    message: str


class DepositSuccessEvent(TypedDict):
    #: evt_…, the same at every attempt. Also the id of the delivery in the log.
    id: str
    #: The name of the event.
    event: Literal["deposit.success"]
    #: The same as `event`.
    type: Literal["deposit.success"]
    environment: Union[Environment, str]
    createdAt: Time
    #: The same as `createdAt`.
    timestamp: Time
    #: The reference of the record in `data`.
    reference: str
    data: DynamicAccountDeposit


class DynamicAccountDeposit(TypedDict):
    #: dep_…
    id: str
    amount: Kobo
    #: DEP…, assigned by the service.
    reference: str
    status: Union[DepositStatus, str]
    #: The three letters of the currency (ISO 4217).
    currency: str
    #: The name of the account that the payment came from.
    senderAccountName: str
    #: The number of the account that the payment came from.
    senderAccountNumber: str
    #: The bank that the payment came from.
    senderBankName: str
    #: The name of the account that received the payment.
    recipientAccountName: str
    #: The number of the account that received the payment.
    recipientAccountNumber: str
    #: The bank of the account that received the payment.
    recipientBankName: str
    #: What the payment is for, as the parties see it.
    narration: str
    #: The fee that is deducted from the amount when the deposit is SUCCESSFUL.
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
    #: The wrong fields.
    details: list[FieldError]


class EventPage(TypedDict):
    #: In the order in which they happened.
    events: list[WebhookEvent]
    #: The position after the last event of the page; `after` takes it. Null if there is no event yet.
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
    #: The limits and amounts that belong to `code`.
    params: FieldErrorParams


class _FieldErrorParams(TypedDict):
    pass


class FieldErrorParams(_FieldErrorParams, total=False):
    #: The least that is allowed.
    min: int
    #: The most that is allowed.
    max: int
    #: Replaces `min` and `max` if several ranges are allowed.
    ranges: list[AmountRange]
    #: The amount must be a multiple of this.
    step: int
    #: The amount that is needed, fee included.
    required: int
    #: The amount that can be spent now.
    available: int
    #: The other amounts are in its minor unit.
    currency: Union[Currency, str]
    resetsAt: Time


class _FundBalanceRequest(TypedDict):
    #: Amount in the minor unit of its currency: kobo, pesewas, whole CFA francs.
    amount: int


class FundBalanceRequest(_FundBalanceRequest, total=False):
    #: Default: `NGN`.
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
    #: 08030000000, 2348030000000 or +2348030000000; for other countries +233240000000. Responses show +2348030000000.
    phoneNumber: str


class InitiateMomoCollectionRequest(_InitiateMomoCollectionRequest, total=False):
    #: The slug of an operator from GET /v1/momo/operators. Default: the operator of the prefix of the number.
    operator: Union[str, None]
    #: The currency of the operator, which is also the default. Any other is refused.
    currency: Union[Currency, None]
    #: The sender name of the deposit. Default: the phone number.
    customerName: Union[str, None]
    #: What the payment is for, as the parties see it.
    narration: Union[str, None]
    #: Texts of your own, under any name but `__proto__`.
    metadata: Union[dict[str, str], None]


class _InitiateMomoTransferRequest(TypedDict):
    #: Your reference.
    reference: str
    #: Amount in the minor unit of its currency: kobo, pesewas, whole CFA francs.
    amount: int


class InitiateMomoTransferRequest(_InitiateMomoTransferRequest, total=False):
    #: The number of a wallet; required unless `operator` is a till or paybill. 08030000000, 2348030000000 or +2348030000000; for other countries +233240000000. Responses show +2348030000000.
    phoneNumber: Union[str, None]
    #: The slug of an operator from GET /v1/momo/operators. Default: the operator of the prefix of the number.
    operator: Union[str, None]
    #: The currency of the operator, which is also the default. Any other is refused.
    currency: Union[Currency, None]
    #: The number of a till or paybill; required for those, 5 to 7 digits.
    accountNumber: Union[str, None]
    #: The account at a paybill, such as a bill number or a bank account number; required for paybills.
    accountReference: Union[str, None]
    #: The name of the recipient, as `GET /v1/momo/resolve` returns it.
    accountName: Union[str, None]
    #: What the payment is for, as the parties see it.
    narration: Union[str, None]
    #: Texts of your own, under any name but `__proto__`.
    metadata: Union[dict[str, str], None]


class InitiateTransfersRequest(TypedDict):
    #: Up to 1,000 transfers, each with a reference of its own.
    transfers: list[TransferRequest]


class InitiateTransfersResult(TypedDict):
    #: One for each item, in the order of the request.
    results: list[BulkTransferResult]
    #: How many items were accepted by this request.
    accepted: int
    #: How many items an earlier request with the same fields had accepted.
    replayed: int
    #: How many items were refused.
    refused: int


class LedgerEntry(TypedDict):
    #: mov_…
    id: str
    #: The kind of movement: opening, funding, hold, release, reversal, fee_refund, deposit, deposit_fee, adjustment.
    type: str
    #: The reference of the payment or deposit. For an adjustment, the id of its review item: exc_… or brk_….
    reference: str
    #: Negative if the entry lowers the available balance.
    amount: SignedKobo
    #: The available balance after the entry.
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
    #: True if the status is SUCCESS or FAILED. A collection that failed with EXPIRED or OTP_EXPIRED still becomes SUCCESS if the operator received the money after all.
    isFinal: bool
    #: True if the payer gets a one-time code, which you send to POST /v1/momo/collection/verify-otp.
    requiresOtp: bool
    #: When the one-time code expires. Null if the payer gets none.
    otpExpiresAt: Union[Time, None]
    #: When it fails if the payer has not approved it by then.
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
    #: The operator’s own reference. Null until it has succeeded.
    operatorReference: Union[str, None]
    #: The reference of its deposit. Null until it has succeeded.
    depositReference: Union[str, None]
    #: Why it failed, for programs. Null if it did not fail.
    failureReason: Union[Union[MomoFailureReason, str], None]
    #: Why it failed, in words, and what to do next. Null if it did not fail.
    failureMessage: Union[str, None]
    #: The metadata that you sent. Null if there is none.
    metadata: Union[dict[str, str], None]
    createdAt: Time
    updatedAt: Time
    #: When it reached its final status. Null until then.
    completedAt: Union[Time, None]


class MomoCollectionFailedEvent(TypedDict):
    #: evt_…, the same at every attempt. Also the id of the delivery in the log.
    id: str
    #: The name of the event.
    event: Literal["momo.collection.failed"]
    #: The same as `event`.
    type: Literal["momo.collection.failed"]
    environment: Union[Environment, str]
    createdAt: Time
    #: The same as `createdAt`.
    timestamp: Time
    #: The reference of the record in `data`.
    reference: str
    data: MomoCollection


class MomoCollectionList(TypedDict):
    #: The latest first.
    collections: list[MomoCollection]


class MomoCollectionSuccessEvent(TypedDict):
    #: evt_…, the same at every attempt. Also the id of the delivery in the log.
    id: str
    #: The name of the event.
    event: Literal["momo.collection.success"]
    #: The same as `event`.
    type: Literal["momo.collection.success"]
    environment: Union[Environment, str]
    createdAt: Time
    #: The same as `createdAt`.
    timestamp: Time
    #: The reference of the record in `data`.
    reference: str
    data: MomoCollection


class MomoOperator(TypedDict):
    #: The name, for people.
    name: str
    #: Identifies the operator in transfers and collections. Unique; it never changes.
    slug: str
    #: The two letters of its country (ISO 3166-1).
    country: str
    #: The three letters of the currency (ISO 4217).
    currency: str
    #: How many decimals its amounts may have. 0 means whole units only, even if the currency has cents.
    decimals: int
    #: The first digits of its numbers, without the leading 0. A number may have moved to another operator.
    prefixes: list[str]
    #: Who is paid: `phone` is a wallet; `till` and `paybill` are businesses, paid by `accountNumber`.
    recipient: Union[MomoRecipient, str]
    supports: MomoOperatorSupport
    #: True if its customers approve a collection with a one-time code.
    requiresOtp: bool
    minAmount: Kobo
    maxAmount: Kobo
    #: `active` if it can be used.
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
    #: True if the status is no longer `queued`. A bank can still return a successful transfer.
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
    #: The operator’s own reference. Null until it has succeeded.
    operatorReference: Union[str, None]
    #: Why it failed, for programs. Null if it did not fail.
    failureReason: Union[Union[MomoFailureReason, str], None]
    #: Why it failed, in words, and what to do next. Null if it did not fail.
    failureMessage: Union[str, None]
    #: The metadata that you sent. Null if there is none.
    metadata: Union[dict[str, str], None]
    createdAt: Time
    updatedAt: Time
    #: When it reached its final status. Null until then.
    completedAt: Union[Time, None]


class MomoTransferFailedEvent(TypedDict):
    #: evt_…, the same at every attempt. Also the id of the delivery in the log.
    id: str
    #: The name of the event.
    event: Literal["momo.transfer.failed"]
    #: The same as `event`.
    type: Literal["momo.transfer.failed"]
    environment: Union[Environment, str]
    createdAt: Time
    #: The same as `createdAt`.
    timestamp: Time
    #: The reference of the record in `data`.
    reference: str
    data: MomoTransfer


class MomoTransferList(TypedDict):
    #: The latest first.
    transfers: list[MomoTransfer]


class MomoTransferSuccessEvent(TypedDict):
    #: evt_…, the same at every attempt. Also the id of the delivery in the log.
    id: str
    #: The name of the event.
    event: Literal["momo.transfer.success"]
    #: The same as `event`.
    type: Literal["momo.transfer.success"]
    environment: Union[Environment, str]
    createdAt: Time
    #: The same as `createdAt`.
    timestamp: Time
    #: The reference of the record in `data`.
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
    #: The URL to which events are sent.
    url: str
    #: The names of the events that the subscription receives.
    events: list[Union[EventName, str]]
    environment: Union[Environment, str]
    status: Union[WebhookStatus, str]
    #: whsec_…, the whole text is the key of X-Webhook-Signature. Store it: it is shown only in this response.
    secret: str
    createdAt: Time
    updatedAt: Time


class _OpenDynamicAccountRequest(TypedDict):
    #: Amount in the minor unit of its currency: kobo, pesewas, whole CFA francs.
    amount: int


class OpenDynamicAccountRequest(_OpenDynamicAccountRequest, total=False):
    #: Your reference.
    reference: Union[str, None]
    #: The name that a payer sees. Default: the name of the business.
    accountName: Union[str, None]
    #: Default: `30`.
    expiresInMinutes: int
    #: Default: `exact`.
    amountPolicy: AmountPolicy
    #: What the payment is for, as the parties see it.
    narration: Union[str, None]
    #: Texts of your own, under any name but `__proto__`.
    metadata: Union[dict[str, str], None]


class _OpenStaticAccountRequest(TypedDict):
    #: Your reference of the customer.
    customerReference: str


class OpenStaticAccountRequest(_OpenStaticAccountRequest, total=False):
    #: The bank where it is opened. Default: the service chooses one.
    bankSlug: Union[str, None]
    #: The name that a payer sees. Default: the name of the customer.
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
    #: How many events are sent again.
    queued: int


class _RetryWebhookDeliveryRequest(TypedDict):
    pass


class RetryWebhookDeliveryRequest(_RetryWebhookDeliveryRequest, total=False):
    #: Default: `false`.
    force: bool


class _RotateWebhookSecretRequest(TypedDict):
    pass


class RotateWebhookSecretRequest(_RotateWebhookSecretRequest, total=False):
    #: Default: `24`.
    expireOldInHours: int


class RotatedWebhookSubscription(TypedDict):
    #: whk_…
    id: str
    #: The URL to which events are sent.
    url: str
    #: The names of the events that the subscription receives.
    events: list[Union[EventName, str]]
    environment: Union[Environment, str]
    status: Union[WebhookStatus, str]
    #: whsec_…, the whole text is the key of X-Webhook-Signature. Store it: it is shown only in this response.
    secret: str
    #: Until then, deliveries are also signed with the old secret. Null if there is no old secret.
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
    #: Default: `SUCCESSFUL`.
    status: DepositStatus
    #: Default: empty.
    senderAccountName: str
    #: Default: empty.
    senderAccountNumber: str
    #: Default: empty.
    senderBankName: str
    #: Default: empty.
    narration: str


class StaticAccountDeposit(TypedDict):
    #: dep_…
    id: str
    amount: Kobo
    #: DEP…, assigned by the service.
    reference: str
    status: Union[DepositStatus, str]
    #: The three letters of the currency (ISO 4217).
    currency: str
    #: The name of the account that the payment came from.
    senderAccountName: str
    #: The number of the account that the payment came from.
    senderAccountNumber: str
    #: The bank that the payment came from.
    senderBankName: str
    #: The name of the account that received the payment.
    recipientAccountName: str
    #: The number of the account that received the payment.
    recipientAccountNumber: str
    #: The bank of the account that received the payment.
    recipientBankName: str
    #: What the payment is for, as the parties see it.
    narration: str
    #: The fee that is deducted from the amount when the deposit is SUCCESSFUL.
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
    #: True if the status is no longer `queued`. A bank can still return a successful transfer.
    isFinal: bool
    amount: Kobo
    fee: Kobo
    #: Amount and fee together.
    totalDebit: Kobo
    #: The three letters of the currency (ISO 4217).
    currency: str
    #: The slug of the bank, from the list of banks.
    bankSlug: str
    #: The name of the bank.
    bankName: str
    #: The ten digits of the account.
    accountNumber: str
    #: The name of the recipient that you gave.
    accountName: str
    #: What the payment is for, as the parties see it.
    narration: Union[str, None]
    #: The 30-digit NIP session id. Null until the transfer has succeeded.
    sessionId: Union[str, None]
    #: Why it failed, for programs. Null if it did not fail.
    failureReason: Union[Union[BankFailureReason, str], None]
    #: Why it failed, in words, and what to do next. Null if it did not fail.
    failureMessage: Union[str, None]
    #: The metadata that you sent. Null if there is none.
    metadata: Union[dict[str, str], None]
    createdAt: Time
    updatedAt: Time
    #: When it reached its final status. Null until then.
    completedAt: Union[Time, None]


class TransferFailedEvent(TypedDict):
    #: evt_…, the same at every attempt. Also the id of the delivery in the log.
    id: str
    #: The name of the event.
    event: Literal["transfer.failed"]
    #: The same as `event`.
    type: Literal["transfer.failed"]
    environment: Union[Environment, str]
    createdAt: Time
    #: The same as `createdAt`.
    timestamp: Time
    #: The reference of the record in `data`.
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
    #: The slug of a bank from GET /v1/banks.
    bankSlug: str
    #: The ten digits of the account.
    accountNumber: str
    #: The name of the recipient, as `GET /v1/bank/resolve` returns it.
    accountName: str


class TransferRequest(_TransferRequest, total=False):
    #: Default: `NGN`.
    currency: Literal["NGN"]
    #: What the payment is for, as the parties see it.
    narration: Union[str, None]
    #: Texts of your own, under any name but `__proto__`.
    metadata: Union[dict[str, str], None]


class TransferReversedEvent(TypedDict):
    #: evt_…, the same at every attempt. Also the id of the delivery in the log.
    id: str
    #: The name of the event.
    event: Literal["transfer.reversed"]
    #: The same as `event`.
    type: Literal["transfer.reversed"]
    environment: Union[Environment, str]
    createdAt: Time
    #: The same as `createdAt`.
    timestamp: Time
    #: The reference of the record in `data`.
    reference: str
    data: Transfer


class TransferSuccessEvent(TypedDict):
    #: evt_…, the same at every attempt. Also the id of the delivery in the log.
    id: str
    #: The name of the event.
    event: Literal["transfer.success"]
    #: The same as `event`.
    type: Literal["transfer.success"]
    environment: Union[Environment, str]
    createdAt: Time
    #: The same as `createdAt`.
    timestamp: Time
    #: The reference of the record in `data`.
    reference: str
    data: Transfer


class TriggerWebhookEventRequest(TypedDict):
    event: EventName


class TriggerWebhookEventResult(TypedDict):
    event: Union[EventName, str]
    #: How many deliveries are sent. Those of disabled subscriptions are only recorded.
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
    #: The e-mail address of the customer. Null if you gave none.
    email: Union[str, None]
    #: 08030000000, or with the country code +2348030000000. Responses show the second form.
    phoneNumber: Union[str, None]
    #: The Bank Verification Number. It is stored encrypted, and no response shows it.
    bvn: Union[str, None]
    #: Texts of your own, under any name but `__proto__`.
    metadata: Union[dict[str, str], None]


class _UpdateWebhookRequest(TypedDict):
    pass


class UpdateWebhookRequest(_UpdateWebhookRequest, total=False):
    #: An absolute https URL without user name or fragment.
    url: str
    #: The events to receive. Events of other names are not sent.
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
    #: For a static account the reference of its customer; for a dynamic one yours, null if you gave none.
    reference: Union[str, None]
    #: The ten digits of the account.
    accountNumber: str
    #: The name that a payer sees.
    accountName: str
    #: The name of the bank.
    bankName: str
    #: The slug of the bank, from the list of banks.
    bankSlug: str
    #: The three letters of the currency (ISO 4217).
    currency: str
    status: Union[VirtualAccountStatus, str]
    #: The amount that a dynamic account expects. Null for a static account.
    amount: Union[Kobo, None]
    #: Which payments a dynamic account accepts: only the exact amount, or any amount. Null for a static account.
    amountPolicy: Union[Union[AmountPolicy, str], None]
    #: When a dynamic account stops accepting payments. Null for a static account.
    expiresAt: Union[Time, None]
    #: The customer that a static account belongs to. Null for a dynamic account.
    customer: Union[VirtualAccountCustomer, None]
    #: The metadata that you sent. Null if there is none.
    metadata: Union[dict[str, str], None]
    createdAt: Time
    updatedAt: Time


class VirtualAccountCustomer(TypedDict):
    #: The id that the service assigned.
    id: str
    #: Your reference.
    reference: str


class VirtualAccountDetails(TypedDict):
    #: va_…
    id: str
    type: Union[VirtualAccountType, str]
    #: For a static account the reference of its customer; for a dynamic one yours, null if you gave none.
    reference: Union[str, None]
    #: The ten digits of the account.
    accountNumber: str
    #: The name that a payer sees.
    accountName: str
    #: The name of the bank.
    bankName: str
    #: The slug of the bank, from the list of banks.
    bankSlug: str
    #: The three letters of the currency (ISO 4217).
    currency: str
    status: Union[VirtualAccountStatus, str]
    #: The amount that a dynamic account expects. Null for a static account.
    amount: Union[Kobo, None]
    #: Which payments a dynamic account accepts: only the exact amount, or any amount. Null for a static account.
    amountPolicy: Union[Union[AmountPolicy, str], None]
    #: When a dynamic account stops accepting payments. Null for a static account.
    expiresAt: Union[Time, None]
    #: The customer that a static account belongs to. Null for a dynamic account.
    customer: Union[VirtualAccountCustomer, None]
    #: The metadata that you sent. Null if there is none.
    metadata: Union[dict[str, str], None]
    createdAt: Time
    updatedAt: Time
    #: The last payment to this account that failed, and why. Null if none has failed.
    lastFailure: Union[VirtualAccountFailure, None]


class VirtualAccountFailure(TypedDict):
    #: DEP…, the reference of the deposit that failed.
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
    #: The HTTP status of the response. Null if there was no response.
    responseCode: Union[int, None]
    #: Why the attempt failed without a usable response. Null if there was one.
    error: Union[str, None]
    #: How long the attempt took, in milliseconds.
    durationMs: int
    createdAt: Time


class WebhookAttemptDetail(TypedDict):
    #: The number of the attempt; the first is 1.
    attempt: int
    trigger: Union[DeliveryTrigger, str]
    #: The HTTP status of the response. Null if there was no response.
    responseCode: Union[int, None]
    #: Why the attempt failed without a usable response. Null if there was one.
    error: Union[str, None]
    #: How long the attempt took, in milliseconds.
    durationMs: int
    createdAt: Time
    #: The first 4 KiB of the response body.
    responseBody: Union[str, None]


class WebhookDelivery(TypedDict):
    #: evt_…; also the id of the payload and of X-Webhook-Id.
    id: str
    #: The name of the event.
    event: str
    #: The reference of the record that the event is about.
    reference: str
    #: whk_…
    webhookId: str
    #: The current URL of the subscription.
    url: str
    environment: Union[Environment, str]
    #: `failed`: the last attempt failed; `nextAttemptAt` says whether another one follows.
    status: Union[DeliveryStatus, str]
    #: How many attempts were made.
    attempts: int
    #: The attempts of the schedule; manual attempts are not counted.
    maxAttempts: int
    #: The HTTP status of the response to the last attempt.
    responseCode: Union[int, None]
    #: Why the last attempt failed. Null if it did not.
    lastError: Union[str, None]
    #: When the last attempt began. Null before the first.
    lastAttemptAt: Union[Time, None]
    #: When the next attempt of the schedule is due. Null if none is left.
    nextAttemptAt: Union[Time, None]
    #: When the receiver answered with 2xx. Null while the event is not delivered.
    deliveredAt: Union[Time, None]
    createdAt: Time
    updatedAt: Time
    #: The latest 100 attempts, the oldest first.
    deliveryAttempts: list[WebhookAttempt]


class WebhookDeliveryDetail(TypedDict):
    #: evt_…; also the id of the payload and of X-Webhook-Id.
    id: str
    #: The name of the event.
    event: str
    #: The reference of the record that the event is about.
    reference: str
    #: whk_…
    webhookId: str
    #: The current URL of the subscription.
    url: str
    environment: Union[Environment, str]
    #: `failed`: the last attempt failed; `nextAttemptAt` says whether another one follows.
    status: Union[DeliveryStatus, str]
    #: How many attempts were made.
    attempts: int
    #: The attempts of the schedule; manual attempts are not counted.
    maxAttempts: int
    #: The HTTP status of the response to the last attempt.
    responseCode: Union[int, None]
    #: Why the last attempt failed. Null if it did not.
    lastError: Union[str, None]
    #: When the last attempt began. Null before the first.
    lastAttemptAt: Union[Time, None]
    #: When the next attempt of the schedule is due. Null if none is left.
    nextAttemptAt: Union[Time, None]
    #: When the receiver answered with 2xx. Null while the event is not delivered.
    deliveredAt: Union[Time, None]
    createdAt: Time
    updatedAt: Time
    #: The latest 100 attempts, the oldest first.
    deliveryAttempts: list[WebhookAttemptDetail]
    payload: WebhookEvent


class WebhookDeliveryList(TypedDict):
    #: The latest first.
    events: list[WebhookDelivery]


class WebhookSubscription(TypedDict):
    #: whk_…
    id: str
    #: The URL to which events are sent.
    url: str
    #: The names of the events that the subscription receives.
    events: list[Union[EventName, str]]
    environment: Union[Environment, str]
    status: Union[WebhookStatus, str]
    #: The last characters of the secret.
    secretHint: str
    #: Why the service disabled it. GONE: the endpoint answered 410. FAILING: every delivery failed for 120 hours. Null otherwise.
    disabledReason: Union[Union[WebhookDisabledReason, str], None]
    #: When the first delivery failed since the last success. Null if none has.
    failingSince: Union[Time, None]
    #: Until then, deliveries are also signed with the old secret. Null if there is no old secret.
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
    #: evt_…, the same at every attempt. Also the id of the delivery in the log.
    id: str
    #: The name of the event.
    event: Literal["webhook.test"]
    #: The same as `event`.
    type: Literal["webhook.test"]
    environment: Union[Environment, str]
    createdAt: Time
    #: The same as `createdAt`.
    timestamp: Time
    #: The reference of the record in `data`.
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
    #: The HTTP status of the response. Null if there was no response.
    responseCode: Union[int, None]
    #: Why the attempt failed without a usable response. Null if there was one.
    error: Union[str, None]
    #: How long the attempt took, in milliseconds.
    durationMs: int
    createdAt: Time
    #: The first 4 KiB of the response body.
    responseBody: Union[str, None]


class Pagination(TypedDict):
    #: The number of this page; the first is 1.
    page: int
    #: The largest number of records on a page.
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
