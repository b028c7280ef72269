// Written by `npm run generate` from docs/openapi.json. Do not change it by hand.
/* oxlint-disable max-lines */

/** A value of a list that later versions may extend. */
export type Open<T extends string> = T | (string & {})

export type AmountPolicy = 'exact' | 'any'

export type AmountRange = {
  /** The least that is allowed. */
  min: number
  /** The most that is allowed. */
  max: number
}

export type Balance = {
  /** The three letters of the currency (ISO 4217). */
  currency: string
  /** The amount that can be spent now. */
  available: Kobo
  /** The amount that unfinished payments reserve. */
  reserved: Kobo
  /** Available and reserved together. */
  ledger: Kobo
}

export type BalanceList = {
  /** One for each currency. */
  balances: Balance[]
}

export type Bank = {
  /** The name, for people. */
  name: string
  /** Identifies the bank in transfers. Unique; it never changes. */
  slug: string
  /** The code of the bank. Several banks can share a code, so prefer the slug. */
  code: string
  /** The code of the institution on NIP; null if unknown. */
  nipCode: string | null
  /** The kind of bank. */
  type: string
  /** The two letters of the country (ISO 3166-1). */
  country: 'NG'
  /** The three letters of the currency (ISO 4217). */
  currency: 'NGN'
  /** True if transfers to this bank are accepted. */
  active: boolean
}

export type BankAccount = {
  /** The ten digits of the account. */
  accountNumber: string
  /** The name of the holder, as the bank or operator writes it. */
  accountName: string
  /** The slug of the bank, from the list of banks. */
  bankSlug: string
  /** The name of the bank. */
  bankName: string
  /** The code of the bank, from the list of banks. */
  bankCode: string
}

export type BankFailureReason = 'INVALID_ACCOUNT' | 'ACCOUNT_NAME_MISMATCH' | 'DORMANT_ACCOUNT' | 'ACCOUNT_RESTRICTED' | 'DO_NOT_HONOR' | 'INVALID_TRANSACTION' | 'BANK_NOT_FOUND' | 'BANK_UNAVAILABLE' | 'LIMIT_EXCEEDED' | 'SUSPECTED_FRAUD' | 'INSUFFICIENT_BALANCE' | 'DUPLICATE' | 'PROVIDER_ERROR'

export type BankList = {
  /** All banks that transfers reach. */
  banks: Bank[]
}

export type BulkTransferOutcome = 'accepted' | 'replayed' | 'refused'

export type BulkTransferResult = {
  /** The position of the item in `transfers`, counted from 0. */
  index: number
  /** The reference as you sent it. Null if the item had none, or no text. */
  reference: string | null
  outcome: Open<BulkTransferOutcome>
  /** The `data` that POST /v1/transfers/initiate would return. Null if the item was refused. */
  transfer: Transfer | null
  /** Why the item was refused: the error that POST /v1/transfers/initiate would return. Null otherwise. */
  error: ErrorDetail | null
}

export type CompleteMomoCollectionRequest = {
  status: MomoCompletion
  /** Default: `UNSPECIFIED_FAILURE`. */
  failureReason?: MomoFailureReason | undefined
}

export type CompleteMomoTransferRequest = {
  status: MomoCompletion
  /** Default: `UNSPECIFIED_FAILURE`. */
  failureReason?: MomoFailureReason | undefined
}

export type CompleteTransferRequest = {
  status: TransferCompletion
  /** Default: `PROVIDER_ERROR`. */
  failureReason?: BankFailureReason | undefined
}

export type Country = 'NG' | 'BJ' | 'BF' | 'CM' | 'CG' | 'CI' | 'CD' | 'ET' | 'GA' | 'GH' | 'KE' | 'LS' | 'MW' | 'ML' | 'MZ' | 'NE' | 'RW' | 'SN' | 'SL' | 'TZ' | 'TG' | 'UG' | 'ZM'

export type CreateCustomerRequest = {
  /** Your reference. */
  reference: string
  /** The first name of the customer. */
  firstName: string
  /** The last name of the customer. */
  lastName: string
  /** The e-mail address of the customer. Null if you gave none. */
  email?: string | null | undefined
  /** 08030000000, or with the country code +2348030000000. Responses show the second form. */
  phoneNumber?: string | null | undefined
  /** The Bank Verification Number. It is stored encrypted, and no response shows it. */
  bvn?: string | null | undefined
  /** Texts of your own, under any name but `__proto__`. */
  metadata?: Record<string, string> | null | undefined
}

export type CreateWebhookRequest = {
  /** An absolute https URL without user name or fragment. */
  url: string
  /** The events to receive. Events of other names are not sent. */
  events: EventName[]
  /** Must be the environment of the key, which is also the default: `sandbox` on staging. */
  environment?: Environment | undefined
}

export type Currency = 'NGN' | 'GHS' | 'KES' | 'UGX' | 'TZS' | 'RWF' | 'ZMW' | 'MWK' | 'XOF' | 'XAF' | 'SLE' | 'MZN' | 'ETB' | 'LSL' | 'CDF' | 'USD'

export type Customer = {
  /** cus_… */
  id: string
  /** Your reference. */
  reference: string
  /** The first name of the customer. */
  firstName: string
  /** The last name of the customer. */
  lastName: string
  /** The e-mail address of the customer. Null if you gave none. */
  email: string | null
  /** The phone number with its country code: `+2348031234567`. */
  phoneNumber: string | null
  /** ERASED: the personal data was erased. The names are `erased`, the other personal fields are null. */
  status: Open<CustomerStatus>
  /** Always false for now, because a BVN is stored but not checked. */
  bvnVerified: boolean
  /** The metadata that you sent. Null if there is none. */
  metadata: Record<string, string> | null
  createdAt: Time
  updatedAt: Time
}

export type CustomerDepositSuccessEvent = {
  /** evt_…, the same at every attempt. Also the id of the delivery in the log. */
  id: string
  /** The name of the event. */
  event: 'customer.deposit.success'
  /** The same as `event`. */
  type: 'customer.deposit.success'
  environment: Open<Environment>
  createdAt: Time
  /** The same as `createdAt`. */
  timestamp: Time
  /** The reference of the record in `data`. */
  reference: string
  data: StaticAccountDeposit
}

export type CustomerList = {
  /** The latest first. */
  customers: Customer[]
}

export type CustomerMention = {
  /** cus_… */
  id: string
  /** Your reference. */
  reference: string
  /** The first name of the customer. */
  firstName: string
  /** The last name of the customer. */
  lastName: string
  /** The e-mail address of the customer. Null if you gave none. */
  email: string | null
}

export type CustomerStatus = 'ACTIVE' | 'ERASED'

export type DeleteWebhookResult = {
  /** The id that the service assigned. */
  id: string
  /** Always true: the subscription was deleted. */
  deleted: true
}

export type DeliveryStatus = 'pending' | 'delivered' | 'failed'

export type DeliveryTrigger = 'automatic' | 'manual'

export type Deposit = {
  /** dep_… */
  id: string
  amount: Kobo
  /** DEP…, assigned by the service. */
  reference: string
  status: Open<DepositStatus>
  /** The three letters of the currency (ISO 4217). */
  currency: string
  /** The name of the account that the payment came from. */
  senderAccountName: string
  /** The number of the account that the payment came from. */
  senderAccountNumber: string
  /** The bank that the payment came from. */
  senderBankName: string
  /** The name of the account that received the payment. */
  recipientAccountName: string
  /** The number of the account that received the payment. */
  recipientAccountNumber: string
  /** The bank of the account that received the payment. */
  recipientBankName: string
  /** What the payment is for, as the parties see it. */
  narration: string
  /** The fee that is deducted from the amount when the deposit is SUCCESSFUL. */
  fee: Kobo
  createdAt: Time
  /** The time of the last change of its status. */
  updatedAt: Time
}

export type DepositFailureReason = 'UNDERPAID' | 'OVERPAID' | 'LATE' | 'DUPLICATE_PAYMENT' | 'ACCOUNT_CLOSED' | 'PROVIDER_FAILED'

export type DepositFound = {
  /** True if the deposit is known. */
  exists: true
  /** The reference of the deposit. */
  reference: string
  status: Open<DepositStatus>
  amount: Kobo
  /** The three letters of the currency (ISO 4217). */
  currency: string
  /** True if the status is SUCCESSFUL. Fulfill an order only then. */
  valid: boolean
}

export type DepositList = {
  /** The latest first. */
  deposits: Deposit[]
}

export type DepositMissing = {
  /** True if the deposit is known. */
  exists: false
  /** The reference that you sent. */
  reference: string
  /** Says that there is no such deposit. */
  message: string
}

export type DepositSettlement = 'SUCCESSFUL' | 'FAILED'

export type DepositStatus = 'PENDING' | 'SUCCESSFUL' | 'FAILED'

export type DepositSuccessEvent = {
  /** evt_…, the same at every attempt. Also the id of the delivery in the log. */
  id: string
  /** The name of the event. */
  event: 'deposit.success'
  /** The same as `event`. */
  type: 'deposit.success'
  environment: Open<Environment>
  createdAt: Time
  /** The same as `createdAt`. */
  timestamp: Time
  /** The reference of the record in `data`. */
  reference: string
  data: DynamicAccountDeposit
}

export type DepositValidation = DepositFound | DepositMissing

export type DynamicAccountDeposit = {
  /** dep_… */
  id: string
  amount: Kobo
  /** DEP…, assigned by the service. */
  reference: string
  status: Open<DepositStatus>
  /** The three letters of the currency (ISO 4217). */
  currency: string
  /** The name of the account that the payment came from. */
  senderAccountName: string
  /** The number of the account that the payment came from. */
  senderAccountNumber: string
  /** The bank that the payment came from. */
  senderBankName: string
  /** The name of the account that received the payment. */
  recipientAccountName: string
  /** The number of the account that received the payment. */
  recipientAccountNumber: string
  /** The bank of the account that received the payment. */
  recipientBankName: string
  /** What the payment is for, as the parties see it. */
  narration: string
  /** The fee that is deducted from the amount when the deposit is SUCCESSFUL. */
  fee: Kobo
  createdAt: Time
  /** The time of the last change of its status. */
  updatedAt: Time
  virtualAccount: VirtualAccountMention
}

export type Environment = 'sandbox' | 'production'

export type ErrorCode = 'PARSE_ERROR' | 'VALIDATION_ERROR' | 'UNSUPPORTED_API_VERSION' | 'TRANSFER_NOT_FOUND' | 'COLLECTION_NOT_FOUND' | 'INVALID_BANK' | 'ACCOUNT_NOT_RESOLVED' | 'INSUFFICIENT_BALANCE' | 'LIMIT_EXCEEDED' | 'INVALID_OPERATOR' | 'PHONE_NOT_RESOLVED' | 'INVALID_OTP' | 'OTP_EXPIRED' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'PAYOUTS_PAUSED' | 'NOT_FOUND' | 'ROUTE_NOT_FOUND' | 'METHOD_NOT_ALLOWED' | 'CONFLICT' | 'PAYLOAD_TOO_LARGE' | 'RATE_LIMIT_EXCEEDED' | 'INTERNAL_ERROR' | 'SERVICE_UNAVAILABLE'

export type ErrorDetail = {
  /** For programs; the list is closed. */
  code: Open<ErrorCode>
  /** For people: what to do next. May change. */
  message: string
  /** The wrong fields. */
  details?: FieldError[]
}

export type EventName = 'transfer.success' | 'transfer.failed' | 'deposit.success' | 'customer.deposit.success' | 'transfer.reversed' | 'momo.transfer.success' | 'momo.transfer.failed' | 'momo.collection.success' | 'momo.collection.failed'

export type EventPage = {
  /** In the order in which they happened. */
  events: WebhookEvent[]
  /** The position after the last event of the page; `after` takes it. Null if there is no event yet. */
  cursor: string | null
  /** True if there are more events after the last one. */
  hasMore: boolean
}

export type Fee = {
  amount: Kobo
  fee: Kobo
  totalDebit: Kobo
}

export type FeeType = 'transfer'

export type FieldError = {
  /** The name of the field, with its place in lists and objects: `transfers.3.amount`. */
  field: string
  /** What is wrong and what to do next, for people. */
  message: string
  /** The kind of fault, for programs. */
  code: Open<FieldErrorCode>
  /** The limits and amounts that belong to `code`. */
  params?: FieldErrorParams
}

export type FieldErrorCode = 'required' | 'wrong_type' | 'wrong_format' | 'not_allowed' | 'not_a_whole_number' | 'not_a_multiple' | 'below_minimum' | 'above_maximum' | 'outside_range' | 'too_short' | 'too_long' | 'too_few' | 'too_many' | 'in_use' | 'differs' | 'insufficient_balance' | 'over_payment_limit' | 'over_daily_limit' | 'invalid'

export type FieldErrorParams = {
  /** The least that is allowed. */
  min?: number
  /** The most that is allowed. */
  max?: number
  /** Replaces `min` and `max` if several ranges are allowed. */
  ranges?: AmountRange[]
  /** The amount must be a multiple of this. */
  step?: number
  /** The amount that is needed, fee included. */
  required?: number
  /** The amount that can be spent now. */
  available?: number
  /** The other amounts are in its minor unit. */
  currency?: Open<Currency>
  resetsAt?: Time
}

export type FundBalanceRequest = {
  /** Amount in the minor unit of its currency: kobo, pesewas, whole CFA francs. */
  amount: number
  /** Default: `NGN`. */
  currency?: Currency | undefined
}

export type FundBalanceResult = {
  amount: Kobo
  available: Kobo
  /** The three letters of the currency (ISO 4217). */
  currency: string
}

export type InitiateMomoCollectionRequest = {
  /** Your reference. */
  reference: string
  /** Amount in the minor unit of its currency: kobo, pesewas, whole CFA francs. */
  amount: number
  /** 08030000000, 2348030000000 or +2348030000000; for other countries +233240000000. Responses show +2348030000000. */
  phoneNumber: string
  /** The slug of an operator from GET /v1/momo/operators. Default: the operator of the prefix of the number. */
  operator?: string | null | undefined
  /** The currency of the operator, which is also the default. Any other is refused. */
  currency?: Currency | null | undefined
  /** The sender name of the deposit. Default: the phone number. */
  customerName?: string | null | undefined
  /** What the payment is for, as the parties see it. */
  narration?: string | null | undefined
  /** Texts of your own, under any name but `__proto__`. */
  metadata?: Record<string, string> | null | undefined
}

export type InitiateMomoTransferRequest = {
  /** Your reference. */
  reference: string
  /** Amount in the minor unit of its currency: kobo, pesewas, whole CFA francs. */
  amount: number
  /** The number of a wallet; required unless `operator` is a till or paybill. 08030000000, 2348030000000 or +2348030000000; for other countries +233240000000. Responses show +2348030000000. */
  phoneNumber?: string | null | undefined
  /** The slug of an operator from GET /v1/momo/operators. Default: the operator of the prefix of the number. */
  operator?: string | null | undefined
  /** The currency of the operator, which is also the default. Any other is refused. */
  currency?: Currency | null | undefined
  /** The number of a till or paybill; required for those, 5 to 7 digits. */
  accountNumber?: string | null | undefined
  /** The account at a paybill, such as a bill number or a bank account number; required for paybills. */
  accountReference?: string | null | undefined
  /** The name of the recipient, as `GET /v1/momo/resolve` returns it. */
  accountName?: string | null | undefined
  /** What the payment is for, as the parties see it. */
  narration?: string | null | undefined
  /** Texts of your own, under any name but `__proto__`. */
  metadata?: Record<string, string> | null | undefined
}

export type InitiateTransfersRequest = {
  /** Up to 1,000 transfers, each with a reference of its own. */
  transfers: TransferRequest[]
}

export type InitiateTransfersResult = {
  /** One for each item, in the order of the request. */
  results: BulkTransferResult[]
  /** How many items were accepted by this request. */
  accepted: number
  /** How many items an earlier request with the same fields had accepted. */
  replayed: number
  /** How many items were refused. */
  refused: number
}

/** Amount in the minor unit of its currency: kobo in NGN. */
export type Kobo = number

export type LedgerEntry = {
  /** mov_… */
  id: string
  /** The kind of movement: opening, funding, hold, release, reversal, fee_refund, deposit, deposit_fee, adjustment. */
  type: string
  /** The reference of the payment or deposit. For an adjustment, the id of its review item: exc_… or brk_…. */
  reference: string
  /** Negative if the entry lowers the available balance. */
  amount: SignedKobo
  /** The available balance after the entry. */
  balanceAfter: Kobo
  /** The three letters of the currency (ISO 4217). */
  currency: string
  createdAt: Time
}

export type LedgerEntryList = {
  /** The latest first. */
  entries: LedgerEntry[]
}

export type LoggedEventName = 'transfer.success' | 'transfer.failed' | 'deposit.success' | 'customer.deposit.success' | 'transfer.reversed' | 'momo.transfer.success' | 'momo.transfer.failed' | 'momo.collection.success' | 'momo.collection.failed' | 'webhook.test'

export type MomoCollection = {
  /** mcl_… */
  id: string
  /** Your reference. */
  reference: string
  status: Open<MomoCollectionStatus>
  /** True if the status is SUCCESS or FAILED. A collection that failed with EXPIRED or OTP_EXPIRED still becomes SUCCESS if the operator received the money after all. */
  isFinal: boolean
  /** True if the payer gets a one-time code, which you send to POST /v1/momo/collection/verify-otp. */
  requiresOtp: boolean
  /** When the one-time code expires. Null if the payer gets none. */
  otpExpiresAt: Time | null
  /** When it fails if the payer has not approved it by then. */
  expiresAt: Time
  amount: Kobo
  /** Taken from the amount when it succeeds. */
  fee: Kobo
  /** The three letters of the currency (ISO 4217). */
  currency: string
  /** The phone number with its country code: `+2348031234567`. */
  phoneNumber: string
  /** The operator, by its slug from the list of operators. */
  operator: string
  /** What the payment is for, as the parties see it. */
  narration: string | null
  /** The operator’s own reference. Null until it has succeeded. */
  operatorReference: string | null
  /** The reference of its deposit. Null until it has succeeded. */
  depositReference: string | null
  /** Why it failed, for programs. Null if it did not fail. */
  failureReason: Open<MomoFailureReason> | null
  /** Why it failed, in words, and what to do next. Null if it did not fail. */
  failureMessage: string | null
  /** The metadata that you sent. Null if there is none. */
  metadata: Record<string, string> | null
  createdAt: Time
  updatedAt: Time
  /** When it reached its final status. Null until then. */
  completedAt: Time | null
}

export type MomoCollectionFailedEvent = {
  /** evt_…, the same at every attempt. Also the id of the delivery in the log. */
  id: string
  /** The name of the event. */
  event: 'momo.collection.failed'
  /** The same as `event`. */
  type: 'momo.collection.failed'
  environment: Open<Environment>
  createdAt: Time
  /** The same as `createdAt`. */
  timestamp: Time
  /** The reference of the record in `data`. */
  reference: string
  data: MomoCollection
}

export type MomoCollectionList = {
  /** The latest first. */
  collections: MomoCollection[]
}

export type MomoCollectionStatus = 'PENDING' | 'OTP_REQUIRED' | 'SUCCESS' | 'FAILED'

export type MomoCollectionSuccessEvent = {
  /** evt_…, the same at every attempt. Also the id of the delivery in the log. */
  id: string
  /** The name of the event. */
  event: 'momo.collection.success'
  /** The same as `event`. */
  type: 'momo.collection.success'
  environment: Open<Environment>
  createdAt: Time
  /** The same as `createdAt`. */
  timestamp: Time
  /** The reference of the record in `data`. */
  reference: string
  data: MomoCollection
}

export type MomoCompletion = 'SUCCESS' | 'FAILED'

export type MomoFailureReason = 'PAYER_NOT_FOUND' | 'RECIPIENT_NOT_FOUND' | 'PAYMENT_NOT_APPROVED' | 'INSUFFICIENT_FUNDS' | 'LIMIT_EXCEEDED' | 'WALLET_LIMIT_REACHED' | 'OPERATOR_UNAVAILABLE' | 'OTP_EXPIRED' | 'OTP_ATTEMPTS_EXCEEDED' | 'EXPIRED' | 'UNSPECIFIED_FAILURE'

export type MomoOperator = {
  /** The name, for people. */
  name: string
  /** Identifies the operator in transfers and collections. Unique; it never changes. */
  slug: string
  /** The two letters of its country (ISO 3166-1). */
  country: string
  /** The three letters of the currency (ISO 4217). */
  currency: string
  /** How many decimals its amounts may have. 0 means whole units only, even if the currency has cents. */
  decimals: number
  /** The first digits of its numbers, without the leading 0. A number may have moved to another operator. */
  prefixes: string[]
  /** Who is paid: `phone` is a wallet; `till` and `paybill` are businesses, paid by `accountNumber`. */
  recipient: Open<MomoRecipient>
  supports: MomoOperatorSupport
  /** True if its customers approve a collection with a one-time code. */
  requiresOtp: boolean
  minAmount: Kobo
  maxAmount: Kobo
  /** `active` if it can be used. */
  status: 'active'
}

export type MomoOperatorList = {
  /** All operators that can be used in this environment. */
  operators: MomoOperator[]
}

export type MomoOperatorSupport = {
  /** True if transfers to its wallets are accepted. */
  transfer: boolean
  /** True if collections from its wallets are accepted. */
  collection: boolean
}

export type MomoRecipient = 'phone' | 'till' | 'paybill'

export type MomoTransfer = {
  /** mtr_… */
  id: string
  /** Your reference. */
  reference: string
  status: Open<TransferStatus>
  /** True if the status is no longer `queued`. A bank can still return a successful transfer. */
  isFinal: boolean
  amount: Kobo
  fee: Kobo
  /** Amount and fee together. */
  totalDebit: Kobo
  /** The three letters of the currency (ISO 4217). */
  currency: string
  /** Null for tills and paybills. */
  phoneNumber: string | null
  /** The number of a till or paybill; null for wallets. */
  accountNumber: string | null
  /** The account at a paybill; null for wallets and tills. */
  accountReference: string | null
  /** The operator, by its slug from the list of operators. */
  operator: string
  /** The name of the recipient that you gave. Null if you gave none. */
  accountName: string | null
  /** What the payment is for, as the parties see it. */
  narration: string | null
  /** The operator’s own reference. Null until it has succeeded. */
  operatorReference: string | null
  /** Why it failed, for programs. Null if it did not fail. */
  failureReason: Open<MomoFailureReason> | null
  /** Why it failed, in words, and what to do next. Null if it did not fail. */
  failureMessage: string | null
  /** The metadata that you sent. Null if there is none. */
  metadata: Record<string, string> | null
  createdAt: Time
  updatedAt: Time
  /** When it reached its final status. Null until then. */
  completedAt: Time | null
}

export type MomoTransferFailedEvent = {
  /** evt_…, the same at every attempt. Also the id of the delivery in the log. */
  id: string
  /** The name of the event. */
  event: 'momo.transfer.failed'
  /** The same as `event`. */
  type: 'momo.transfer.failed'
  environment: Open<Environment>
  createdAt: Time
  /** The same as `createdAt`. */
  timestamp: Time
  /** The reference of the record in `data`. */
  reference: string
  data: MomoTransfer
}

export type MomoTransferList = {
  /** The latest first. */
  transfers: MomoTransfer[]
}

export type MomoTransferSuccessEvent = {
  /** evt_…, the same at every attempt. Also the id of the delivery in the log. */
  id: string
  /** The name of the event. */
  event: 'momo.transfer.success'
  /** The same as `event`. */
  type: 'momo.transfer.success'
  environment: Open<Environment>
  createdAt: Time
  /** The same as `createdAt`. */
  timestamp: Time
  /** The reference of the record in `data`. */
  reference: string
  data: MomoTransfer
}

export type MomoWallet = {
  /** The phone number with its country code: `+2348031234567`. */
  phoneNumber: string
  /** The operator, by its slug from the list of operators. */
  operator: string
  /** The name of the operator. */
  operatorName: string
  /** The name of the holder, as the bank or operator writes it. */
  accountName: string
  /** The three letters of the currency (ISO 4217). */
  currency: string
}

export type NewWebhookSubscription = {
  /** whk_… */
  id: string
  /** The URL to which events are sent. */
  url: string
  /** The names of the events that the subscription receives. */
  events: Open<EventName>[]
  environment: Open<Environment>
  status: Open<WebhookStatus>
  /** whsec_…, the whole text is the key of X-Webhook-Signature. Store it: it is shown only in this response. */
  secret: string
  createdAt: Time
  updatedAt: Time
}

export type OpenDynamicAccountRequest = {
  /** Amount in the minor unit of its currency: kobo, pesewas, whole CFA francs. */
  amount: number
  /** Your reference. */
  reference?: string | null | undefined
  /** The name that a payer sees. Default: the name of the business. */
  accountName?: string | null | undefined
  /** Default: `30`. */
  expiresInMinutes?: number | undefined
  /** Default: `exact`. */
  amountPolicy?: AmountPolicy | undefined
  /** What the payment is for, as the parties see it. */
  narration?: string | null | undefined
  /** Texts of your own, under any name but `__proto__`. */
  metadata?: Record<string, string> | null | undefined
}

export type OpenStaticAccountRequest = {
  /** Your reference of the customer. */
  customerReference: string
  /** The bank where it is opened. Default: the service chooses one. */
  bankSlug?: string | null | undefined
  /** The name that a payer sees. Default: the name of the customer. */
  accountName?: string | null | undefined
}

export type RetryWebhookDeliveriesRequest = {
  /** A time, or a date for the whole day in UTC. Both ends of the range are included. */
  from: string
  /** A time, or a date for the whole day in UTC. Both ends of the range are included. */
  to: string
  /** whk_… */
  webhookId?: string | undefined
  event?: LoggedEventName | undefined
}

export type RetryWebhookDeliveriesResult = {
  /** How many events are sent again. */
  queued: number
}

export type RetryWebhookDeliveryRequest = {
  /** Default: `false`. */
  force?: boolean | undefined
}

export type RotateWebhookSecretRequest = {
  /** Default: `24`. */
  expireOldInHours?: number | undefined
}

export type RotatedWebhookSubscription = {
  /** whk_… */
  id: string
  /** The URL to which events are sent. */
  url: string
  /** The names of the events that the subscription receives. */
  events: Open<EventName>[]
  environment: Open<Environment>
  status: Open<WebhookStatus>
  /** whsec_…, the whole text is the key of X-Webhook-Signature. Store it: it is shown only in this response. */
  secret: string
  /** Until then, deliveries are also signed with the old secret. Null if there is no old secret. */
  oldSecretExpiresAt: Time | null
  createdAt: Time
  updatedAt: Time
}

export type SettleDepositRequest = {
  status: DepositSettlement
}

/** Amount in the minor unit of its currency: kobo in NGN. */
export type SignedKobo = number

export type SimulateDepositRequest = {
  /** The ten digits of the account. */
  accountNumber: string
  /** Amount in the minor unit of its currency: kobo, pesewas, whole CFA francs. */
  amount: number
  /** Default: `SUCCESSFUL`. */
  status?: DepositStatus | undefined
  /** Default: empty. */
  senderAccountName?: string | undefined
  /** Default: empty. */
  senderAccountNumber?: string | undefined
  /** Default: empty. */
  senderBankName?: string | undefined
  /** Default: empty. */
  narration?: string | undefined
}

export type StaticAccountDeposit = {
  /** dep_… */
  id: string
  amount: Kobo
  /** DEP…, assigned by the service. */
  reference: string
  status: Open<DepositStatus>
  /** The three letters of the currency (ISO 4217). */
  currency: string
  /** The name of the account that the payment came from. */
  senderAccountName: string
  /** The number of the account that the payment came from. */
  senderAccountNumber: string
  /** The bank that the payment came from. */
  senderBankName: string
  /** The name of the account that received the payment. */
  recipientAccountName: string
  /** The number of the account that received the payment. */
  recipientAccountNumber: string
  /** The bank of the account that received the payment. */
  recipientBankName: string
  /** What the payment is for, as the parties see it. */
  narration: string
  /** The fee that is deducted from the amount when the deposit is SUCCESSFUL. */
  fee: Kobo
  createdAt: Time
  /** The time of the last change of its status. */
  updatedAt: Time
  virtualAccount: VirtualAccountMention
  customer: CustomerMention
}

/** ISO 8601, in UTC, with milliseconds. */
export type Time = string

export type Transfer = {
  /** trf_… */
  id: string
  /** Your reference. */
  reference: string
  status: Open<TransferStatus>
  /** True if the status is no longer `queued`. A bank can still return a successful transfer. */
  isFinal: boolean
  amount: Kobo
  fee: Kobo
  /** Amount and fee together. */
  totalDebit: Kobo
  /** The three letters of the currency (ISO 4217). */
  currency: string
  /** The slug of the bank, from the list of banks. */
  bankSlug: string
  /** The name of the bank. */
  bankName: string
  /** The ten digits of the account. */
  accountNumber: string
  /** The name of the recipient that you gave. */
  accountName: string
  /** What the payment is for, as the parties see it. */
  narration: string | null
  /** The 30-digit NIP session id. Null until the transfer has succeeded. */
  sessionId: string | null
  /** Why it failed, for programs. Null if it did not fail. */
  failureReason: Open<BankFailureReason> | null
  /** Why it failed, in words, and what to do next. Null if it did not fail. */
  failureMessage: string | null
  /** The metadata that you sent. Null if there is none. */
  metadata: Record<string, string> | null
  createdAt: Time
  updatedAt: Time
  /** When it reached its final status. Null until then. */
  completedAt: Time | null
}

export type TransferCompletion = 'SUCCESS' | 'FAILED' | 'REVERSED'

export type TransferFailedEvent = {
  /** evt_…, the same at every attempt. Also the id of the delivery in the log. */
  id: string
  /** The name of the event. */
  event: 'transfer.failed'
  /** The same as `event`. */
  type: 'transfer.failed'
  environment: Open<Environment>
  createdAt: Time
  /** The same as `createdAt`. */
  timestamp: Time
  /** The reference of the record in `data`. */
  reference: string
  data: Transfer
}

export type TransferList = {
  /** The latest first. */
  transfers: Transfer[]
}

export type TransferRequest = {
  /** Your reference. */
  reference: string
  /** Amount in the minor unit of its currency: kobo, pesewas, whole CFA francs. */
  amount: number
  /** The slug of a bank from GET /v1/banks. */
  bankSlug: string
  /** The ten digits of the account. */
  accountNumber: string
  /** The name of the recipient, as `GET /v1/bank/resolve` returns it. */
  accountName: string
  /** Default: `NGN`. */
  currency?: 'NGN' | undefined
  /** What the payment is for, as the parties see it. */
  narration?: string | null | undefined
  /** Texts of your own, under any name but `__proto__`. */
  metadata?: Record<string, string> | null | undefined
}

export type TransferReversedEvent = {
  /** evt_…, the same at every attempt. Also the id of the delivery in the log. */
  id: string
  /** The name of the event. */
  event: 'transfer.reversed'
  /** The same as `event`. */
  type: 'transfer.reversed'
  environment: Open<Environment>
  createdAt: Time
  /** The same as `createdAt`. */
  timestamp: Time
  /** The reference of the record in `data`. */
  reference: string
  data: Transfer
}

export type TransferStatus = 'queued' | 'SUCCESS' | 'FAILED' | 'REVERSED'

export type TransferSuccessEvent = {
  /** evt_…, the same at every attempt. Also the id of the delivery in the log. */
  id: string
  /** The name of the event. */
  event: 'transfer.success'
  /** The same as `event`. */
  type: 'transfer.success'
  environment: Open<Environment>
  createdAt: Time
  /** The same as `createdAt`. */
  timestamp: Time
  /** The reference of the record in `data`. */
  reference: string
  data: Transfer
}

export type TriggerWebhookEventRequest = {
  event: EventName
}

export type TriggerWebhookEventResult = {
  event: Open<EventName>
  /** How many deliveries are sent. Those of disabled subscriptions are only recorded. */
  queued: number
  /** One for each subscription that gets the event. */
  events: WebhookDelivery[]
}

export type UpdateCustomerRequest = {
  /** The first name of the customer. */
  firstName?: string | undefined
  /** The last name of the customer. */
  lastName?: string | undefined
  /** The e-mail address of the customer. Null if you gave none. */
  email?: string | null | undefined
  /** 08030000000, or with the country code +2348030000000. Responses show the second form. */
  phoneNumber?: string | null | undefined
  /** The Bank Verification Number. It is stored encrypted, and no response shows it. */
  bvn?: string | null | undefined
  /** Texts of your own, under any name but `__proto__`. */
  metadata?: Record<string, string> | null | undefined
}

export type UpdateWebhookRequest = {
  /** An absolute https URL without user name or fragment. */
  url?: string | undefined
  /** The events to receive. Events of other names are not sent. */
  events?: EventName[] | undefined
  status?: WebhookStatus | undefined
}

export type VerifyCollectionOtpRequest = {
  /** Your reference. */
  reference: string
  /** The one-time code that the payer got from the operator. */
  otp: string
}

export type VirtualAccount = {
  /** va_… */
  id: string
  type: Open<VirtualAccountType>
  /** For a static account the reference of its customer; for a dynamic one yours, null if you gave none. */
  reference: string | null
  /** The ten digits of the account. */
  accountNumber: string
  /** The name that a payer sees. */
  accountName: string
  /** The name of the bank. */
  bankName: string
  /** The slug of the bank, from the list of banks. */
  bankSlug: string
  /** The three letters of the currency (ISO 4217). */
  currency: string
  status: Open<VirtualAccountStatus>
  /** The amount that a dynamic account expects. Null for a static account. */
  amount: Kobo | null
  /** Which payments a dynamic account accepts: only the exact amount, or any amount. Null for a static account. */
  amountPolicy: Open<AmountPolicy> | null
  /** When a dynamic account stops accepting payments. Null for a static account. */
  expiresAt: Time | null
  /** The customer that a static account belongs to. Null for a dynamic account. */
  customer: VirtualAccountCustomer | null
  /** The metadata that you sent. Null if there is none. */
  metadata: Record<string, string> | null
  createdAt: Time
  updatedAt: Time
}

export type VirtualAccountCustomer = {
  /** The id that the service assigned. */
  id: string
  /** Your reference. */
  reference: string
}

export type VirtualAccountDetails = {
  /** va_… */
  id: string
  type: Open<VirtualAccountType>
  /** For a static account the reference of its customer; for a dynamic one yours, null if you gave none. */
  reference: string | null
  /** The ten digits of the account. */
  accountNumber: string
  /** The name that a payer sees. */
  accountName: string
  /** The name of the bank. */
  bankName: string
  /** The slug of the bank, from the list of banks. */
  bankSlug: string
  /** The three letters of the currency (ISO 4217). */
  currency: string
  status: Open<VirtualAccountStatus>
  /** The amount that a dynamic account expects. Null for a static account. */
  amount: Kobo | null
  /** Which payments a dynamic account accepts: only the exact amount, or any amount. Null for a static account. */
  amountPolicy: Open<AmountPolicy> | null
  /** When a dynamic account stops accepting payments. Null for a static account. */
  expiresAt: Time | null
  /** The customer that a static account belongs to. Null for a dynamic account. */
  customer: VirtualAccountCustomer | null
  /** The metadata that you sent. Null if there is none. */
  metadata: Record<string, string> | null
  createdAt: Time
  updatedAt: Time
  /** The last payment to this account that failed, and why. Null if none has failed. */
  lastFailure: VirtualAccountFailure | null
}

export type VirtualAccountFailure = {
  /** DEP…, the reference of the deposit that failed. */
  reference: string
  reason: Open<DepositFailureReason>
  amount: Kobo
  createdAt: Time
}

export type VirtualAccountList = {
  /** The latest first. */
  virtualAccounts: VirtualAccount[]
}

export type VirtualAccountMention = {
  /** va_… */
  id: string
  type: Open<VirtualAccountType>
  /** Your reference. */
  reference: string | null
  /** The ten digits of the account. */
  accountNumber: string
}

export type VirtualAccountStatus = 'ACTIVE' | 'COMPLETED' | 'EXPIRED' | 'CLOSED'

export type VirtualAccountType = 'static' | 'dynamic'

export type WebhookAttempt = {
  /** The number of the attempt; the first is 1. */
  attempt: number
  trigger: Open<DeliveryTrigger>
  /** The HTTP status of the response. Null if there was no response. */
  responseCode: number | null
  /** Why the attempt failed without a usable response. Null if there was one. */
  error: string | null
  /** How long the attempt took, in milliseconds. */
  durationMs: number
  createdAt: Time
}

export type WebhookAttemptDetail = {
  /** The number of the attempt; the first is 1. */
  attempt: number
  trigger: Open<DeliveryTrigger>
  /** The HTTP status of the response. Null if there was no response. */
  responseCode: number | null
  /** Why the attempt failed without a usable response. Null if there was one. */
  error: string | null
  /** How long the attempt took, in milliseconds. */
  durationMs: number
  createdAt: Time
  /** The first 4 KiB of the response body. */
  responseBody: string | null
}

export type WebhookDelivery = {
  /** evt_…; also the id of the payload and of X-Webhook-Id. */
  id: string
  /** The name of the event. */
  event: string
  /** The reference of the record that the event is about. */
  reference: string
  /** whk_… */
  webhookId: string
  /** The current URL of the subscription. */
  url: string
  environment: Open<Environment>
  /** `failed`: the last attempt failed; `nextAttemptAt` says whether another one follows. */
  status: Open<DeliveryStatus>
  /** How many attempts were made. */
  attempts: number
  /** The attempts of the schedule; manual attempts are not counted. */
  maxAttempts: number
  /** The HTTP status of the response to the last attempt. */
  responseCode: number | null
  /** Why the last attempt failed. Null if it did not. */
  lastError: string | null
  /** When the last attempt began. Null before the first. */
  lastAttemptAt: Time | null
  /** When the next attempt of the schedule is due. Null if none is left. */
  nextAttemptAt: Time | null
  /** When the receiver answered with 2xx. Null while the event is not delivered. */
  deliveredAt: Time | null
  createdAt: Time
  updatedAt: Time
  /** The latest 100 attempts, the oldest first. */
  deliveryAttempts: WebhookAttempt[]
}

export type WebhookDeliveryDetail = {
  /** evt_…; also the id of the payload and of X-Webhook-Id. */
  id: string
  /** The name of the event. */
  event: string
  /** The reference of the record that the event is about. */
  reference: string
  /** whk_… */
  webhookId: string
  /** The current URL of the subscription. */
  url: string
  environment: Open<Environment>
  /** `failed`: the last attempt failed; `nextAttemptAt` says whether another one follows. */
  status: Open<DeliveryStatus>
  /** How many attempts were made. */
  attempts: number
  /** The attempts of the schedule; manual attempts are not counted. */
  maxAttempts: number
  /** The HTTP status of the response to the last attempt. */
  responseCode: number | null
  /** Why the last attempt failed. Null if it did not. */
  lastError: string | null
  /** When the last attempt began. Null before the first. */
  lastAttemptAt: Time | null
  /** When the next attempt of the schedule is due. Null if none is left. */
  nextAttemptAt: Time | null
  /** When the receiver answered with 2xx. Null while the event is not delivered. */
  deliveredAt: Time | null
  createdAt: Time
  updatedAt: Time
  /** The latest 100 attempts, the oldest first. */
  deliveryAttempts: WebhookAttemptDetail[]
  payload: WebhookEvent
}

export type WebhookDeliveryList = {
  /** The latest first. */
  events: WebhookDelivery[]
}

export type WebhookDisabledReason = 'GONE' | 'FAILING'

/** The body of a delivery. Every attempt sends the same bytes. */
export type WebhookEvent = TransferSuccessEvent | TransferFailedEvent | DepositSuccessEvent | CustomerDepositSuccessEvent | TransferReversedEvent | MomoTransferSuccessEvent | MomoTransferFailedEvent | MomoCollectionSuccessEvent | MomoCollectionFailedEvent | WebhookTestEvent

export type WebhookStatus = 'active' | 'disabled'

export type WebhookSubscription = {
  /** whk_… */
  id: string
  /** The URL to which events are sent. */
  url: string
  /** The names of the events that the subscription receives. */
  events: Open<EventName>[]
  environment: Open<Environment>
  status: Open<WebhookStatus>
  /** The last characters of the secret. */
  secretHint: string
  /** Why the service disabled it. GONE: the endpoint answered 410. FAILING: every delivery failed for 120 hours. Null otherwise. */
  disabledReason: Open<WebhookDisabledReason> | null
  /** When the first delivery failed since the last success. Null if none has. */
  failingSince: Time | null
  /** Until then, deliveries are also signed with the old secret. Null if there is no old secret. */
  oldSecretExpiresAt: Time | null
  createdAt: Time
  updatedAt: Time
}

export type WebhookSubscriptionList = {
  /** The latest first. */
  webhooks: WebhookSubscription[]
}

export type WebhookTest = {
  /** whk_… */
  webhookId: string
  /** A sentence that says that this is a test. */
  message: string
}

export type WebhookTestEvent = {
  /** evt_…, the same at every attempt. Also the id of the delivery in the log. */
  id: string
  /** The name of the event. */
  event: 'webhook.test'
  /** The same as `event`. */
  type: 'webhook.test'
  environment: Open<Environment>
  createdAt: Time
  /** The same as `createdAt`. */
  timestamp: Time
  /** The reference of the record in `data`. */
  reference: string
  data: WebhookTest
}

export type WebhookTestResult = {
  /** evt_… */
  eventId: string
  /** True if the receiver answered with 2xx. */
  delivered: boolean
  /** The number of the attempt; the first is 1. */
  attempt: number
  trigger: Open<DeliveryTrigger>
  /** The HTTP status of the response. Null if there was no response. */
  responseCode: number | null
  /** Why the attempt failed without a usable response. Null if there was one. */
  error: string | null
  /** How long the attempt took, in milliseconds. */
  durationMs: number
  createdAt: Time
  /** The first 4 KiB of the response body. */
  responseBody: string | null
}

export type Pagination = {
  /** The number of this page; the first is 1. */
  page: number
  /** The largest number of records on a page. */
  limit: number
  /** How many records there are in all. */
  total: number
  /** How many pages there are. */
  totalPage: number
  /** True if there is a page after this one. */
  hasNext: boolean
  /** True if there is a page before this one. */
  hasPrev: boolean
}

export type ListDepositsQuery = {
  /** Page number. */
  page?: number | undefined
  /** Results per page. A value above 100 is taken as 100. */
  limit?: number | undefined
  status?: DepositStatus | undefined
  /** Only records made at or after this time; a date means the start of that day in UTC. */
  from?: Date | string | undefined
  /** Only records made at or before this time; a date means the end of that day in UTC. */
  to?: Date | string | undefined
  accountNumber?: string | undefined
  customerReference?: string | undefined
}

export type ListCustomersQuery = {
  /** Page number. */
  page?: number | undefined
  /** Results per page. A value above 100 is taken as 100. */
  limit?: number | undefined
}

export type ListVirtualAccountsQuery = {
  /** Page number. */
  page?: number | undefined
  /** Results per page. A value above 100 is taken as 100. */
  limit?: number | undefined
  type?: VirtualAccountType | undefined
  status?: VirtualAccountStatus | undefined
  customerReference?: string | undefined
}

export type ListTransfersQuery = {
  /** Page number. */
  page?: number | undefined
  /** Results per page. A value above 100 is taken as 100. */
  limit?: number | undefined
  status?: TransferStatus | undefined
  /** Only records made at or after this time; a date means the start of that day in UTC. */
  from?: Date | string | undefined
  /** Only records made at or before this time; a date means the end of that day in UTC. */
  to?: Date | string | undefined
}

export type ListMomoTransfersQuery = {
  /** Page number. */
  page?: number | undefined
  /** Results per page. A value above 100 is taken as 100. */
  limit?: number | undefined
  status?: TransferStatus | undefined
  /** Only records made at or after this time; a date means the start of that day in UTC. */
  from?: Date | string | undefined
  /** Only records made at or before this time; a date means the end of that day in UTC. */
  to?: Date | string | undefined
}

export type ListMomoCollectionsQuery = {
  /** Page number. */
  page?: number | undefined
  /** Results per page. A value above 100 is taken as 100. */
  limit?: number | undefined
  status?: MomoCollectionStatus | undefined
  /** Only records made at or after this time; a date means the start of that day in UTC. */
  from?: Date | string | undefined
  /** Only records made at or before this time; a date means the end of that day in UTC. */
  to?: Date | string | undefined
}

export type ListMomoOperatorsQuery = {
  /** The two letters of a country (ISO 3166-1). */
  country?: Country | undefined
  currency?: Currency | undefined
  /** Only operators whose name, network or country has all these words. */
  search?: string | undefined
}

export type ResolvePhoneNumberQuery = {
  /** 08030000000, 2348030000000 or +2348030000000; with `country` also the national form of that country. */
  phoneNumber: string
  /** The two letters of a country (ISO 3166-1). */
  country?: Country | undefined
  /** The slug of an operator from GET /v1/momo/operators. */
  operator?: string | undefined
}

export type ListBanksQuery = {
  /** Only banks whose name, short name or code has all these words. */
  search?: string | undefined
}

export type ResolveBankAccountQuery = {
  accountNumber: string
  /** The slug of the bank. Required without `bankCode`. */
  bankSlug?: string | undefined
  /** The code of the bank. Required without `bankSlug`. A code that several banks share is refused. */
  bankCode?: string | undefined
}

export type ListLedgerEntriesQuery = {
  /** Page number. */
  page?: number | undefined
  /** Results per page. A value above 100 is taken as 100. */
  limit?: number | undefined
  /** Only records made at or after this time; a date means the start of that day in UTC. */
  from?: Date | string | undefined
  /** Only records made at or before this time; a date means the end of that day in UTC. */
  to?: Date | string | undefined
  /** Default: `NGN`. */
  currency?: Currency | undefined
}

export type GetFeeQuery = {
  type: FeeType
  /** Amount in the minor unit of `currency`. */
  amount: number
  /** Default: `NGN`. */
  currency?: Currency | undefined
}

export type ListEventsQuery = {
  /** The `cursor` of an earlier page: returns the events after it. Not together with `from`. */
  after?: string | undefined
  /** Only records made at or after this time; a date means the start of that day in UTC. */
  from?: Date | string | undefined
  /** Results per page. A value above 100 is taken as 100. */
  limit?: number | undefined
}

export type ListWebhooksQuery = {
  /** Page number. */
  page?: number | undefined
  /** Results per page. A value above 100 is taken as 100. */
  limit?: number | undefined
}

export type ListWebhookDeliveriesQuery = {
  /** Page number. */
  page?: number | undefined
  /** Results per page. A value above 100 is taken as 100. */
  limit?: number | undefined
  status?: DeliveryStatus | undefined
  event?: LoggedEventName | undefined
  /** whk_… */
  webhookId?: string | undefined
  reference?: string | undefined
  /** Only records made at or after this time; a date means the start of that day in UTC. */
  from?: Date | string | undefined
  /** Only records made at or before this time; a date means the end of that day in UTC. */
  to?: Date | string | undefined
}
