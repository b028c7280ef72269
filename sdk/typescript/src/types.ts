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
  /** Names the bank in transfers. Unique and stable. */
  slug: string
  /** Not unique; use the slug where you can. */
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
  /** The bank, by its slug from the list of banks. */
  bankSlug: string
  /** The name of the bank. */
  bankName: string
  /** The code of the bank, as the list of banks has it. */
  bankCode: string
}

export type BankFailureReason = 'INVALID_ACCOUNT' | 'ACCOUNT_NAME_MISMATCH' | 'DORMANT_ACCOUNT' | 'ACCOUNT_RESTRICTED' | 'DO_NOT_HONOR' | 'INVALID_TRANSACTION' | 'BANK_NOT_FOUND' | 'BANK_UNAVAILABLE' | 'LIMIT_EXCEEDED' | 'SUSPECTED_FRAUD' | 'INSUFFICIENT_BALANCE' | 'DUPLICATE' | 'PROVIDER_ERROR'

export type BankList = {
  /** All banks that transfers reach. */
  banks: Bank[]
}

export type BulkTransferOutcome = 'accepted' | 'replayed' | 'refused'

export type BulkTransferResult = {
  /** The place of the item in `transfers`, from 0. */
  index: number
  /** As it was sent; null where no text was. */
  reference: string | null
  outcome: Open<BulkTransferOutcome>
  /** The data that POST /v1/transfers/initiate would answer; null when refused. */
  transfer: Transfer | null
  /** Why it was refused, in the words of POST /v1/transfers/initiate; else null. */
  error: ErrorDetail | null
}

export type CompleteMomoCollectionRequest = {
  status: MomoCompletion
  /** Left out, it is `UNSPECIFIED_FAILURE`. */
  failureReason?: MomoFailureReason | undefined
}

export type CompleteMomoTransferRequest = {
  status: MomoCompletion
  /** Left out, it is `UNSPECIFIED_FAILURE`. */
  failureReason?: MomoFailureReason | undefined
}

export type CompleteTransferRequest = {
  status: TransferCompletion
  /** Left out, it is `PROVIDER_ERROR`. */
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
  /** The e-mail address of the customer, if it is known. */
  email?: string | null | undefined
  /** Shown as +2348030000000. */
  phoneNumber?: string | null | undefined
  /** Stored encrypted; no answer shows it. */
  bvn?: string | null | undefined
  /** Any name but `__proto__`. */
  metadata?: Record<string, string> | null | undefined
}

export type CreateWebhookRequest = {
  /** An absolute https address, without user name and fragment. */
  url: string
  /** The events to receive. No other kind is sent. */
  events: EventName[]
  /** The environment of the key: sandbox on staging. By default taken from the key. */
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
  /** The e-mail address of the customer, if it is known. */
  email: string | null
  /** The phone number with its country code: `+2348031234567`. */
  phoneNumber: string | null
  /** ERASED: who it was is forgotten, at the wish of that person. Names say `erased`, the rest is null. */
  status: Open<CustomerStatus>
  /** Always false for now: a BVN is stored and not checked. */
  bvnVerified: boolean
  /** The metadata that you sent. Null if there is none. */
  metadata: Record<string, string> | null
  createdAt: Time
  updatedAt: Time
}

export type CustomerDepositSuccessEvent = {
  /** evt_…: the same at every attempt, and the id of the delivery in the log. */
  id: string
  /** The name of the event. */
  event: 'customer.deposit.success'
  /** The same as `event`. */
  type: 'customer.deposit.success'
  environment: Open<Environment>
  createdAt: Time
  /** The same as `createdAt`. */
  timestamp: Time
  /** The reference of its record. */
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
  /** The e-mail address of the customer, if it is known. */
  email: string | null
}

export type CustomerStatus = 'ACTIVE' | 'ERASED'

export type DeleteWebhookResult = {
  /** The id that the service gave. */
  id: string
  /** Always true: the subscription is gone. */
  deleted: true
}

export type DeliveryStatus = 'pending' | 'delivered' | 'failed'

export type DeliveryTrigger = 'automatic' | 'manual'

export type Deposit = {
  /** dep_… */
  id: string
  amount: Kobo
  /** DEP…; given by the service. */
  reference: string
  status: Open<DepositStatus>
  /** The three letters of the currency (ISO 4217). */
  currency: string
  /** The name of the account that the payment came from. */
  senderAccountName: string
  /** The account that the payment came from. */
  senderAccountNumber: string
  /** The bank that the payment came from. */
  senderBankName: string
  /** The name of the account that was paid into. */
  recipientAccountName: string
  /** The number of the account that was paid into. */
  recipientAccountNumber: string
  /** The bank of the account that was paid into. */
  recipientBankName: string
  /** What the payment is for, as the parties see it. */
  narration: string
  /** Deducted when it is SUCCESSFUL. */
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
  /** The one signal for whether to fulfil an order. */
  valid: boolean
}

export type DepositList = {
  /** The latest first. */
  deposits: Deposit[]
}

export type DepositMissing = {
  /** True if the deposit is known. */
  exists: false
  /** The reference that was asked for. */
  reference: string
  /** What to do next, for people. */
  message: string
}

export type DepositSettlement = 'SUCCESSFUL' | 'FAILED'

export type DepositStatus = 'PENDING' | 'SUCCESSFUL' | 'FAILED'

export type DepositSuccessEvent = {
  /** evt_…: the same at every attempt, and the id of the delivery in the log. */
  id: string
  /** The name of the event. */
  event: 'deposit.success'
  /** The same as `event`. */
  type: 'deposit.success'
  environment: Open<Environment>
  createdAt: Time
  /** The same as `createdAt`. */
  timestamp: Time
  /** The reference of its record. */
  reference: string
  data: DynamicAccountDeposit
}

export type DepositValidation = DepositFound | DepositMissing

export type DynamicAccountDeposit = {
  /** dep_… */
  id: string
  amount: Kobo
  /** DEP…; given by the service. */
  reference: string
  status: Open<DepositStatus>
  /** The three letters of the currency (ISO 4217). */
  currency: string
  /** The name of the account that the payment came from. */
  senderAccountName: string
  /** The account that the payment came from. */
  senderAccountNumber: string
  /** The bank that the payment came from. */
  senderBankName: string
  /** The name of the account that was paid into. */
  recipientAccountName: string
  /** The number of the account that was paid into. */
  recipientAccountNumber: string
  /** The bank of the account that was paid into. */
  recipientBankName: string
  /** What the payment is for, as the parties see it. */
  narration: string
  /** Deducted when it is SUCCESSFUL. */
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
  /** The fields that are to blame. */
  details?: FieldError[]
}

export type EventName = 'transfer.success' | 'transfer.failed' | 'deposit.success' | 'customer.deposit.success' | 'transfer.reversed' | 'momo.transfer.success' | 'momo.transfer.failed' | 'momo.collection.success' | 'momo.collection.failed'

export type EventPage = {
  /** In the order in which they happened. */
  events: WebhookEvent[]
  /** The cursor of the last event of the page. Null: there was none yet. */
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
  /** The limits and sums that the code speaks of. */
  params?: FieldErrorParams
}

export type FieldErrorCode = 'required' | 'wrong_type' | 'wrong_format' | 'not_allowed' | 'not_a_whole_number' | 'not_a_multiple' | 'below_minimum' | 'above_maximum' | 'outside_range' | 'too_short' | 'too_long' | 'too_few' | 'too_many' | 'in_use' | 'differs' | 'insufficient_balance' | 'over_payment_limit' | 'over_daily_limit' | 'invalid'

export type FieldErrorParams = {
  /** The least that is allowed. */
  min?: number
  /** The most that is allowed. */
  max?: number
  /** In place of `min` and `max` where several apply. */
  ranges?: AmountRange[]
  /** The amount must be a multiple of this. */
  step?: number
  /** The amount that is needed in all. */
  required?: number
  /** The amount that can be spent now. */
  available?: number
  /** Amounts are in its minor unit. */
  currency?: Open<Currency>
  resetsAt?: Time
}

export type FundBalanceRequest = {
  /** Amount in the minor unit of its currency: kobo, pesewas, whole CFA francs. */
  amount: number
  /** Left out, it is `NGN`. */
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
  /** 08030000000, 2348030000000 or +2348030000000; of other countries as +233240000000. Shown as +2348030000000. */
  phoneNumber: string
  /** The slug of an operator of GET /v1/momo/operators; left out, the number's prefix decides. */
  operator?: string | null | undefined
  /** The currency of the operator; left out, it is the operator's. */
  currency?: Currency | null | undefined
  /** The sender of the deposit; left out, the number is. */
  customerName?: string | null | undefined
  /** What the payment is for, as the parties see it. */
  narration?: string | null | undefined
  /** Any name but `__proto__`. */
  metadata?: Record<string, string> | null | undefined
}

export type InitiateMomoTransferRequest = {
  /** Your reference. */
  reference: string
  /** Amount in the minor unit of its currency: kobo, pesewas, whole CFA francs. */
  amount: number
  /** Of a wallet; required unless `operator` is a till or paybill. 08030000000, 2348030000000 or +2348030000000; of other countries as +233240000000. Shown as +2348030000000. */
  phoneNumber?: string | null | undefined
  /** The slug of an operator of GET /v1/momo/operators; left out, the number's prefix decides. */
  operator?: string | null | undefined
  /** The currency of the operator; left out, it is the operator's. */
  currency?: Currency | null | undefined
  /** The number of a till or paybill; required for those, 5 to 7 digits. */
  accountNumber?: string | null | undefined
  /** The account at a paybill, such as the number of a bill or a bank account; required for paybills. */
  accountReference?: string | null | undefined
  /** The name of the recipient, as `GET /v1/momo/resolve` answers it. */
  accountName?: string | null | undefined
  /** What the payment is for, as the parties see it. */
  narration?: string | null | undefined
  /** Any name but `__proto__`. */
  metadata?: Record<string, string> | null | undefined
}

export type InitiateTransfersRequest = {
  /** Up to 1,000 transfers, each with a reference of its own. */
  transfers: TransferRequest[]
}

export type InitiateTransfersResult = {
  /** One for each item, in the order of the request. */
  results: BulkTransferResult[]
  /** How many items were accepted now. */
  accepted: number
  /** How many items had been accepted before, with the same fields. */
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
  /** The reference of the payment or deposit; for an adjustment, exc_… or brk_…. */
  reference: string
  /** Negative when money left the available balance. */
  amount: SignedKobo
  /** The available balance after it. */
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
  /** SUCCESS or FAILED. A collection that failed with EXPIRED or OTP_EXPIRED still becomes SUCCESS if the operator has the money after all. */
  isFinal: boolean
  /** The payer agrees with a code, which goes to POST /v1/momo/collection/verify-otp. */
  requiresOtp: boolean
  /** When the one-time code stops being taken. Null if none was asked for. */
  otpExpiresAt: Time | null
  /** When it fails if the payer has not agreed. */
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
  /** The operator’s own reference, once it succeeded. */
  operatorReference: string | null
  /** The reference of the deposit that it became, once it succeeded. */
  depositReference: string | null
  /** Why it failed, for programs. Null if it did not fail. */
  failureReason: Open<MomoFailureReason> | null
  /** The failure in words, and what to do next. */
  failureMessage: string | null
  /** The metadata that you sent. Null if there is none. */
  metadata: Record<string, string> | null
  createdAt: Time
  updatedAt: Time
  /** When it reached its final status. Null until then. */
  completedAt: Time | null
}

export type MomoCollectionFailedEvent = {
  /** evt_…: the same at every attempt, and the id of the delivery in the log. */
  id: string
  /** The name of the event. */
  event: 'momo.collection.failed'
  /** The same as `event`. */
  type: 'momo.collection.failed'
  environment: Open<Environment>
  createdAt: Time
  /** The same as `createdAt`. */
  timestamp: Time
  /** The reference of its record. */
  reference: string
  data: MomoCollection
}

export type MomoCollectionList = {
  /** The latest first. */
  collections: MomoCollection[]
}

export type MomoCollectionStatus = 'PENDING' | 'OTP_REQUIRED' | 'SUCCESS' | 'FAILED'

export type MomoCollectionSuccessEvent = {
  /** evt_…: the same at every attempt, and the id of the delivery in the log. */
  id: string
  /** The name of the event. */
  event: 'momo.collection.success'
  /** The same as `event`. */
  type: 'momo.collection.success'
  environment: Open<Environment>
  createdAt: Time
  /** The same as `createdAt`. */
  timestamp: Time
  /** The reference of its record. */
  reference: string
  data: MomoCollection
}

export type MomoCompletion = 'SUCCESS' | 'FAILED'

export type MomoFailureReason = 'PAYER_NOT_FOUND' | 'RECIPIENT_NOT_FOUND' | 'PAYMENT_NOT_APPROVED' | 'INSUFFICIENT_FUNDS' | 'LIMIT_EXCEEDED' | 'WALLET_LIMIT_REACHED' | 'OPERATOR_UNAVAILABLE' | 'OTP_EXPIRED' | 'OTP_ATTEMPTS_EXCEEDED' | 'EXPIRED' | 'UNSPECIFIED_FAILURE'

export type MomoOperator = {
  /** The name, for people. */
  name: string
  /** Names the operator in transfers and collections. Unique and stable. */
  slug: string
  /** The two letters of its country (ISO 3166-1). */
  country: string
  /** The three letters of the currency (ISO 4217). */
  currency: string
  /** How many decimals of an amount it carries. 0: whole units only, also in currencies with cents. */
  decimals: number
  /** How its numbers begin, without the leading 0. Numbers may have been ported. */
  prefixes: string[]
  /** Who is paid: `phone` is a wallet; `till` and `paybill` are businesses, paid by `accountNumber`. */
  recipient: Open<MomoRecipient>
  supports: MomoOperatorSupport
  /** Its customers agree to a collection with a one-time code. */
  requiresOtp: boolean
  minAmount: Kobo
  maxAmount: Kobo
  /** Whether it can be used. */
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
  /** No longer queued. */
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
  /** The operator’s own reference, once it succeeded. */
  operatorReference: string | null
  /** Why it failed, for programs. Null if it did not fail. */
  failureReason: Open<MomoFailureReason> | null
  /** The failure in words, and what to do next. */
  failureMessage: string | null
  /** The metadata that you sent. Null if there is none. */
  metadata: Record<string, string> | null
  createdAt: Time
  updatedAt: Time
  /** When it reached its final status. Null until then. */
  completedAt: Time | null
}

export type MomoTransferFailedEvent = {
  /** evt_…: the same at every attempt, and the id of the delivery in the log. */
  id: string
  /** The name of the event. */
  event: 'momo.transfer.failed'
  /** The same as `event`. */
  type: 'momo.transfer.failed'
  environment: Open<Environment>
  createdAt: Time
  /** The same as `createdAt`. */
  timestamp: Time
  /** The reference of its record. */
  reference: string
  data: MomoTransfer
}

export type MomoTransferList = {
  /** The latest first. */
  transfers: MomoTransfer[]
}

export type MomoTransferSuccessEvent = {
  /** evt_…: the same at every attempt, and the id of the delivery in the log. */
  id: string
  /** The name of the event. */
  event: 'momo.transfer.success'
  /** The same as `event`. */
  type: 'momo.transfer.success'
  environment: Open<Environment>
  createdAt: Time
  /** The same as `createdAt`. */
  timestamp: Time
  /** The reference of its record. */
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
  /** Where events are sent. */
  url: string
  /** The names of the events that it gets. */
  events: Open<EventName>[]
  environment: Open<Environment>
  status: Open<WebhookStatus>
  /** whsec_…; the key of X-Webhook-Signature, as it stands. Shown this once. */
  secret: string
  createdAt: Time
  updatedAt: Time
}

export type OpenDynamicAccountRequest = {
  /** Amount in the minor unit of its currency: kobo, pesewas, whole CFA francs. */
  amount: number
  /** Your reference. */
  reference?: string | null | undefined
  /** What a payer sees; left out, the business's name. */
  accountName?: string | null | undefined
  /** Left out, it is `30`. */
  expiresInMinutes?: number | undefined
  /** Left out, it is `exact`. */
  amountPolicy?: AmountPolicy | undefined
  /** What the payment is for, as the parties see it. */
  narration?: string | null | undefined
  /** Any name but `__proto__`. */
  metadata?: Record<string, string> | null | undefined
}

export type OpenStaticAccountRequest = {
  /** The customer, by your reference for it. */
  customerReference: string
  /** Where it is opened; left out, a bank is chosen. */
  bankSlug?: string | null | undefined
  /** What a payer sees; left out, the customer's name. */
  accountName?: string | null | undefined
}

export type RetryWebhookDeliveriesRequest = {
  /** A time, or a date as a whole; both ends are included. */
  from: string
  /** A time, or a date as a whole; both ends are included. */
  to: string
  /** whk_… */
  webhookId?: string | undefined
  event?: LoggedEventName | undefined
}

export type RetryWebhookDeliveriesResult = {
  /** How many will be sent again. */
  queued: number
}

export type RetryWebhookDeliveryRequest = {
  /** Left out, it is `false`. */
  force?: boolean | undefined
}

export type RotateWebhookSecretRequest = {
  /** Left out, it is `24`. */
  expireOldInHours?: number | undefined
}

export type RotatedWebhookSubscription = {
  /** whk_… */
  id: string
  /** Where events are sent. */
  url: string
  /** The names of the events that it gets. */
  events: Open<EventName>[]
  environment: Open<Environment>
  status: Open<WebhookStatus>
  /** whsec_…; the key of X-Webhook-Signature, as it stands. Shown this once. */
  secret: string
  /** Until then deliveries are signed with the old secret too. */
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
  /** Left out, it is `SUCCESSFUL`. */
  status?: DepositStatus | undefined
  /** Left out, it is empty. */
  senderAccountName?: string | undefined
  /** Left out, it is empty. */
  senderAccountNumber?: string | undefined
  /** Left out, it is empty. */
  senderBankName?: string | undefined
  /** Left out, it is empty. */
  narration?: string | undefined
}

export type StaticAccountDeposit = {
  /** dep_… */
  id: string
  amount: Kobo
  /** DEP…; given by the service. */
  reference: string
  status: Open<DepositStatus>
  /** The three letters of the currency (ISO 4217). */
  currency: string
  /** The name of the account that the payment came from. */
  senderAccountName: string
  /** The account that the payment came from. */
  senderAccountNumber: string
  /** The bank that the payment came from. */
  senderBankName: string
  /** The name of the account that was paid into. */
  recipientAccountName: string
  /** The number of the account that was paid into. */
  recipientAccountNumber: string
  /** The bank of the account that was paid into. */
  recipientBankName: string
  /** What the payment is for, as the parties see it. */
  narration: string
  /** Deducted when it is SUCCESSFUL. */
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
  /** No longer queued. */
  isFinal: boolean
  amount: Kobo
  fee: Kobo
  /** Amount and fee together. */
  totalDebit: Kobo
  /** The three letters of the currency (ISO 4217). */
  currency: string
  /** The bank, by its slug from the list of banks. */
  bankSlug: string
  /** The name of the bank. */
  bankName: string
  /** The ten digits of the account. */
  accountNumber: string
  /** The name of the recipient that you gave. */
  accountName: string
  /** What the payment is for, as the parties see it. */
  narration: string | null
  /** The 30-digit NIP session id, once it succeeded. */
  sessionId: string | null
  /** Why it failed, for programs. Null if it did not fail. */
  failureReason: Open<BankFailureReason> | null
  /** The failure in words, and what to do next. */
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
  /** evt_…: the same at every attempt, and the id of the delivery in the log. */
  id: string
  /** The name of the event. */
  event: 'transfer.failed'
  /** The same as `event`. */
  type: 'transfer.failed'
  environment: Open<Environment>
  createdAt: Time
  /** The same as `createdAt`. */
  timestamp: Time
  /** The reference of its record. */
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
  /** The slug of a bank of GET /v1/banks. */
  bankSlug: string
  /** The ten digits of the account. */
  accountNumber: string
  /** The name of the recipient, as `GET /v1/bank/resolve` answers it. */
  accountName: string
  /** Left out, it is `NGN`. */
  currency?: 'NGN' | undefined
  /** What the payment is for, as the parties see it. */
  narration?: string | null | undefined
  /** Any name but `__proto__`. */
  metadata?: Record<string, string> | null | undefined
}

export type TransferReversedEvent = {
  /** evt_…: the same at every attempt, and the id of the delivery in the log. */
  id: string
  /** The name of the event. */
  event: 'transfer.reversed'
  /** The same as `event`. */
  type: 'transfer.reversed'
  environment: Open<Environment>
  createdAt: Time
  /** The same as `createdAt`. */
  timestamp: Time
  /** The reference of its record. */
  reference: string
  data: Transfer
}

export type TransferStatus = 'queued' | 'SUCCESS' | 'FAILED' | 'REVERSED'

export type TransferSuccessEvent = {
  /** evt_…: the same at every attempt, and the id of the delivery in the log. */
  id: string
  /** The name of the event. */
  event: 'transfer.success'
  /** The same as `event`. */
  type: 'transfer.success'
  environment: Open<Environment>
  createdAt: Time
  /** The same as `createdAt`. */
  timestamp: Time
  /** The reference of its record. */
  reference: string
  data: Transfer
}

export type TriggerWebhookEventRequest = {
  event: EventName
}

export type TriggerWebhookEventResult = {
  event: Open<EventName>
  /** How many are sent; those of disabled subscriptions are only recorded. */
  queued: number
  /** One for each subscription that gets the event. */
  events: WebhookDelivery[]
}

export type UpdateCustomerRequest = {
  /** The first name of the customer. */
  firstName?: string | undefined
  /** The last name of the customer. */
  lastName?: string | undefined
  /** The e-mail address of the customer, if it is known. */
  email?: string | null | undefined
  /** Shown as +2348030000000. */
  phoneNumber?: string | null | undefined
  /** Stored encrypted; no answer shows it. */
  bvn?: string | null | undefined
  /** Any name but `__proto__`. */
  metadata?: Record<string, string> | null | undefined
}

export type UpdateWebhookRequest = {
  /** An absolute https address, without user name and fragment. */
  url?: string | undefined
  /** The events to receive. No other kind is sent. */
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
  /** Static: the customer's. Dynamic: the one given when it was made. */
  reference: string | null
  /** The ten digits of the account. */
  accountNumber: string
  /** The name that a payer sees. */
  accountName: string
  /** The name of the bank. */
  bankName: string
  /** The bank, by its slug from the list of banks. */
  bankSlug: string
  /** The three letters of the currency (ISO 4217). */
  currency: string
  status: Open<VirtualAccountStatus>
  /** What a payment into a dynamic account must be. Null for a static account. */
  amount: Kobo | null
  /** Which payments a dynamic account takes: of the exact amount, or of any. Null for a static account. */
  amountPolicy: Open<AmountPolicy> | null
  /** When a dynamic account stops taking payments. Null for a static account. */
  expiresAt: Time | null
  /** The customer that a static account belongs to. Null for a dynamic account. */
  customer: VirtualAccountCustomer | null
  /** The metadata that you sent. Null if there is none. */
  metadata: Record<string, string> | null
  createdAt: Time
  updatedAt: Time
}

export type VirtualAccountCustomer = {
  /** The id that the service gave. */
  id: string
  /** Your reference. */
  reference: string
}

export type VirtualAccountDetails = {
  /** va_… */
  id: string
  type: Open<VirtualAccountType>
  /** Static: the customer's. Dynamic: the one given when it was made. */
  reference: string | null
  /** The ten digits of the account. */
  accountNumber: string
  /** The name that a payer sees. */
  accountName: string
  /** The name of the bank. */
  bankName: string
  /** The bank, by its slug from the list of banks. */
  bankSlug: string
  /** The three letters of the currency (ISO 4217). */
  currency: string
  status: Open<VirtualAccountStatus>
  /** What a payment into a dynamic account must be. Null for a static account. */
  amount: Kobo | null
  /** Which payments a dynamic account takes: of the exact amount, or of any. Null for a static account. */
  amountPolicy: Open<AmountPolicy> | null
  /** When a dynamic account stops taking payments. Null for a static account. */
  expiresAt: Time | null
  /** The customer that a static account belongs to. Null for a dynamic account. */
  customer: VirtualAccountCustomer | null
  /** The metadata that you sent. Null if there is none. */
  metadata: Record<string, string> | null
  createdAt: Time
  updatedAt: Time
  /** The last payment to this account that failed, and why. Null when none has. */
  lastFailure: VirtualAccountFailure | null
}

export type VirtualAccountFailure = {
  /** DEP…; the deposit that failed. */
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
  /** Null: there was no answer. */
  responseCode: number | null
  /** Why there was no usable answer. Null if there was one. */
  error: string | null
  /** How long the attempt took, in milliseconds. */
  durationMs: number
  createdAt: Time
}

export type WebhookAttemptDetail = {
  /** The number of the attempt; the first is 1. */
  attempt: number
  trigger: Open<DeliveryTrigger>
  /** Null: there was no answer. */
  responseCode: number | null
  /** Why there was no usable answer. Null if there was one. */
  error: string | null
  /** How long the attempt took, in milliseconds. */
  durationMs: number
  createdAt: Time
  /** The first 4 KiB of the answer. */
  responseBody: string | null
}

export type WebhookDelivery = {
  /** evt_…; also the id of the payload and of X-Webhook-Id. */
  id: string
  /** The name of the event. */
  event: string
  /** The reference of what the event is about. */
  reference: string
  /** whk_… */
  webhookId: string
  /** Where the subscription is now. */
  url: string
  environment: Open<Environment>
  /** failed: the last attempt did, and more may follow (nextAttemptAt). */
  status: Open<DeliveryStatus>
  /** How many attempts were made. */
  attempts: number
  /** The attempts of the schedule; manual attempts are not counted. */
  maxAttempts: number
  /** The status of the last attempt. */
  responseCode: number | null
  /** Why the last attempt failed. Null if it did not. */
  lastError: string | null
  /** When the last attempt began. Null before the first. */
  lastAttemptAt: Time | null
  /** The next attempt of the schedule. Null: none is left. */
  nextAttemptAt: Time | null
  /** When the receiver first answered with 2xx. Null until then. */
  deliveredAt: Time | null
  createdAt: Time
  updatedAt: Time
  /** The latest 100, the first of them first. */
  deliveryAttempts: WebhookAttempt[]
}

export type WebhookDeliveryDetail = {
  /** evt_…; also the id of the payload and of X-Webhook-Id. */
  id: string
  /** The name of the event. */
  event: string
  /** The reference of what the event is about. */
  reference: string
  /** whk_… */
  webhookId: string
  /** Where the subscription is now. */
  url: string
  environment: Open<Environment>
  /** failed: the last attempt did, and more may follow (nextAttemptAt). */
  status: Open<DeliveryStatus>
  /** How many attempts were made. */
  attempts: number
  /** The attempts of the schedule; manual attempts are not counted. */
  maxAttempts: number
  /** The status of the last attempt. */
  responseCode: number | null
  /** Why the last attempt failed. Null if it did not. */
  lastError: string | null
  /** When the last attempt began. Null before the first. */
  lastAttemptAt: Time | null
  /** The next attempt of the schedule. Null: none is left. */
  nextAttemptAt: Time | null
  /** When the receiver first answered with 2xx. Null until then. */
  deliveredAt: Time | null
  createdAt: Time
  updatedAt: Time
  /** The latest 100, the first of them first. */
  deliveryAttempts: WebhookAttemptDetail[]
  payload: WebhookEvent
}

export type WebhookDeliveryList = {
  /** The latest first. */
  events: WebhookDelivery[]
}

export type WebhookDisabledReason = 'GONE' | 'FAILING'

/** The body, byte by byte the same at every attempt. */
export type WebhookEvent = TransferSuccessEvent | TransferFailedEvent | DepositSuccessEvent | CustomerDepositSuccessEvent | TransferReversedEvent | MomoTransferSuccessEvent | MomoTransferFailedEvent | MomoCollectionSuccessEvent | MomoCollectionFailedEvent | WebhookTestEvent

export type WebhookStatus = 'active' | 'disabled'

export type WebhookSubscription = {
  /** whk_… */
  id: string
  /** Where events are sent. */
  url: string
  /** The names of the events that it gets. */
  events: Open<EventName>[]
  environment: Open<Environment>
  status: Open<WebhookStatus>
  /** The end of the secret. */
  secretHint: string
  /** Why the service disabled it: the endpoint answered 410 (GONE), or nothing but failures for 120 hours. */
  disabledReason: Open<WebhookDisabledReason> | null
  /** The first failure since the last success. */
  failingSince: Time | null
  /** Until then deliveries are signed with the old secret too. */
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
  /** evt_…: the same at every attempt, and the id of the delivery in the log. */
  id: string
  /** The name of the event. */
  event: 'webhook.test'
  /** The same as `event`. */
  type: 'webhook.test'
  environment: Open<Environment>
  createdAt: Time
  /** The same as `createdAt`. */
  timestamp: Time
  /** The reference of its record. */
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
  /** Null: there was no answer. */
  responseCode: number | null
  /** Why there was no usable answer. Null if there was one. */
  error: string | null
  /** How long the attempt took, in milliseconds. */
  durationMs: number
  createdAt: Time
  /** The first 4 KiB of the answer. */
  responseBody: string | null
}

export type Pagination = {
  /** The number of this page; the first is 1. */
  page: number
  /** How many records a page has at most. */
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
  /** Results per page; more than 100 is taken as 100. */
  limit?: number | undefined
  status?: DepositStatus | undefined
  /** Made at or after: a time, or a date from its start. */
  from?: Date | string | undefined
  /** Made at or before: a time, or a date to its end. */
  to?: Date | string | undefined
  accountNumber?: string | undefined
  customerReference?: string | undefined
}

export type ListCustomersQuery = {
  /** Page number. */
  page?: number | undefined
  /** Results per page; more than 100 is taken as 100. */
  limit?: number | undefined
}

export type ListVirtualAccountsQuery = {
  /** Page number. */
  page?: number | undefined
  /** Results per page; more than 100 is taken as 100. */
  limit?: number | undefined
  type?: VirtualAccountType | undefined
  status?: VirtualAccountStatus | undefined
  customerReference?: string | undefined
}

export type ListTransfersQuery = {
  /** Page number. */
  page?: number | undefined
  /** Results per page; more than 100 is taken as 100. */
  limit?: number | undefined
  status?: TransferStatus | undefined
  /** Made at or after: a time, or a date from its start. */
  from?: Date | string | undefined
  /** Made at or before: a time, or a date to its end. */
  to?: Date | string | undefined
}

export type ListMomoTransfersQuery = {
  /** Page number. */
  page?: number | undefined
  /** Results per page; more than 100 is taken as 100. */
  limit?: number | undefined
  status?: TransferStatus | undefined
  /** Made at or after: a time, or a date from its start. */
  from?: Date | string | undefined
  /** Made at or before: a time, or a date to its end. */
  to?: Date | string | undefined
}

export type ListMomoCollectionsQuery = {
  /** Page number. */
  page?: number | undefined
  /** Results per page; more than 100 is taken as 100. */
  limit?: number | undefined
  status?: MomoCollectionStatus | undefined
  /** Made at or after: a time, or a date from its start. */
  from?: Date | string | undefined
  /** Made at or before: a time, or a date to its end. */
  to?: Date | string | undefined
}

export type ListMomoOperatorsQuery = {
  /** The two letters of a country (ISO 3166-1). */
  country?: Country | undefined
  currency?: Currency | undefined
  /** Keeps the operators whose name, network or country holds every word of it. */
  search?: string | undefined
}

export type ResolvePhoneNumberQuery = {
  /** 08030000000, 2348030000000 or +2348030000000; with `country`, the national form of that country. */
  phoneNumber: string
  /** The two letters of a country (ISO 3166-1). */
  country?: Country | undefined
  /** The slug of an operator of GET /v1/momo/operators. */
  operator?: string | undefined
}

export type ListBanksQuery = {
  /** Keeps the banks whose name holds every word of it. */
  search?: string | undefined
}

export type ResolveBankAccountQuery = {
  accountNumber: string
  /** This or bankCode. */
  bankSlug?: string | undefined
  /** This or bankSlug. A code that several banks share is refused. */
  bankCode?: string | undefined
}

export type ListLedgerEntriesQuery = {
  /** Page number. */
  page?: number | undefined
  /** Results per page; more than 100 is taken as 100. */
  limit?: number | undefined
  /** Made at or after: a time, or a date from its start. */
  from?: Date | string | undefined
  /** Made at or before: a time, or a date to its end. */
  to?: Date | string | undefined
  /** Left out, it is `NGN`. */
  currency?: Currency | undefined
}

export type GetFeeQuery = {
  type: FeeType
  /** Amount in the minor unit of `currency`. */
  amount: number
  /** Left out, it is `NGN`. */
  currency?: Currency | undefined
}

export type ListEventsQuery = {
  /** The `cursor` of an earlier page: only events after it. Not together with `from`. */
  after?: string | undefined
  /** Made at or after: a time, or a date from its start. */
  from?: Date | string | undefined
  /** Results per page; more than 100 is taken as 100. */
  limit?: number | undefined
}

export type ListWebhooksQuery = {
  /** Page number. */
  page?: number | undefined
  /** Results per page; more than 100 is taken as 100. */
  limit?: number | undefined
}

export type ListWebhookDeliveriesQuery = {
  /** Page number. */
  page?: number | undefined
  /** Results per page; more than 100 is taken as 100. */
  limit?: number | undefined
  status?: DeliveryStatus | undefined
  event?: LoggedEventName | undefined
  /** whk_… */
  webhookId?: string | undefined
  reference?: string | undefined
  /** Made at or after: a time, or a date from its start. */
  from?: Date | string | undefined
  /** Made at or before: a time, or a date to its end. */
  to?: Date | string | undefined
}
