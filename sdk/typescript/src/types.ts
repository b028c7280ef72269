// Written by `npm run generate` from docs/openapi.json. Do not change it by hand.
/* oxlint-disable max-lines */

/** A value of a list that later versions may extend. */
export type Open<T extends string> = T | (string & {})

export type AmountPolicy = 'exact' | 'any'

export type AmountRange = {
  min: number
  max: number
}

export type Balance = {
  currency: string
  /** What can be spent now. */
  available: Kobo
  /** What unfinished payments hold. */
  reserved: Kobo
  /** Available and reserved together. */
  ledger: Kobo
}

export type BalanceList = {
  balances: Balance[]
}

export type Bank = {
  name: string
  /** Names the bank in transfers. Unique and stable. */
  slug: string
  /** Not unique; use the slug where you can. */
  code: string
  /** Of the institution on NIP; null where it is not known. */
  nipCode: string | null
  type: string
  country: 'NG'
  currency: 'NGN'
  active: boolean
}

export type BankAccount = {
  accountNumber: string
  accountName: string
  bankSlug: string
  bankName: string
  bankCode: string
}

export type BankFailureReason = 'INVALID_ACCOUNT' | 'ACCOUNT_NAME_MISMATCH' | 'DORMANT_ACCOUNT' | 'ACCOUNT_RESTRICTED' | 'DO_NOT_HONOR' | 'INVALID_TRANSACTION' | 'BANK_NOT_FOUND' | 'BANK_UNAVAILABLE' | 'LIMIT_EXCEEDED' | 'SUSPECTED_FRAUD' | 'INSUFFICIENT_BALANCE' | 'DUPLICATE' | 'PROVIDER_ERROR'

export type BankList = {
  banks: Bank[]
}

export type BulkTransferOutcome = 'accepted' | 'replayed' | 'refused'

export type BulkTransferResult = {
  /** The place of the item in `transfers`, from 0. */
  index: number
  /** As it was sent; null where no text was. */
  reference: string | null
  outcome: Open<BulkTransferOutcome>
  /** What POST /v1/transfers/initiate answers; null when refused. */
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
  reference: string
  firstName: string
  lastName: string
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
  /** What to be told of. No other kind is sent. */
  events: EventName[]
  /** Of the key: sandbox on staging. Left out, it is taken from the key. */
  environment?: Environment | undefined
}

export type Currency = 'NGN' | 'GHS' | 'KES' | 'UGX' | 'TZS' | 'RWF' | 'ZMW' | 'MWK' | 'XOF' | 'XAF' | 'SLE' | 'MZN' | 'ETB' | 'LSL' | 'CDF' | 'USD'

export type Customer = {
  /** cus_… */
  id: string
  reference: string
  firstName: string
  lastName: string
  email: string | null
  phoneNumber: string | null
  /** ERASED: who it was is forgotten, at the wish of that person. Names say `erased`, the rest is null. */
  status: Open<CustomerStatus>
  /** Always false for now: a BVN is stored and not checked. */
  bvnVerified: boolean
  metadata: Record<string, string> | null
  createdAt: Time
  updatedAt: Time
}

export type CustomerDepositSuccessEvent = {
  /** evt_…: the same at every attempt, and the id of the delivery in the log. */
  id: string
  event: 'customer.deposit.success'
  /** The same as `event`. */
  type: 'customer.deposit.success'
  environment: Open<Environment>
  createdAt: Time
  /** The same as `createdAt`. */
  timestamp: Time
  /** Of the record that it is about. */
  reference: string
  data: StaticAccountDeposit
}

export type CustomerList = {
  customers: Customer[]
}

export type CustomerMention = {
  /** cus_… */
  id: string
  reference: string
  firstName: string
  lastName: string
  email: string | null
}

export type CustomerStatus = 'ACTIVE' | 'ERASED'

export type DeleteWebhookResult = {
  id: string
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
  currency: string
  senderAccountName: string
  senderAccountNumber: string
  senderBankName: string
  recipientAccountName: string
  recipientAccountNumber: string
  recipientBankName: string
  narration: string
  /** In kobo; deducted when it is SUCCESSFUL. */
  fee: Kobo
  createdAt: Time
  /** Of the last change of its status. */
  updatedAt: Time
}

export type DepositFailureReason = 'UNDERPAID' | 'OVERPAID' | 'LATE' | 'DUPLICATE_PAYMENT' | 'ACCOUNT_CLOSED' | 'PROVIDER_FAILED'

export type DepositFound = {
  exists: true
  reference: string
  status: Open<DepositStatus>
  amount: Kobo
  currency: string
  /** The one signal for whether to fulfil an order. */
  valid: boolean
}

export type DepositList = {
  deposits: Deposit[]
}

export type DepositMissing = {
  exists: false
  reference: string
  message: string
}

export type DepositSettlement = 'SUCCESSFUL' | 'FAILED'

export type DepositStatus = 'PENDING' | 'SUCCESSFUL' | 'FAILED'

export type DepositSuccessEvent = {
  /** evt_…: the same at every attempt, and the id of the delivery in the log. */
  id: string
  event: 'deposit.success'
  /** The same as `event`. */
  type: 'deposit.success'
  environment: Open<Environment>
  createdAt: Time
  /** The same as `createdAt`. */
  timestamp: Time
  /** Of the record that it is about. */
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
  currency: string
  senderAccountName: string
  senderAccountNumber: string
  senderBankName: string
  recipientAccountName: string
  recipientAccountNumber: string
  recipientBankName: string
  narration: string
  /** In kobo; deducted when it is SUCCESSFUL. */
  fee: Kobo
  createdAt: Time
  /** Of the last change of its status. */
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
  events: WebhookEvent[]
  /** Of the last event that was shown. Null: there was none yet. */
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
  field: string
  message: string
  /** For programs: what is wrong. */
  code: Open<FieldErrorCode>
  /** The limits and sums that the code speaks of. */
  params?: FieldErrorParams
}

export type FieldErrorCode = 'required' | 'wrong_type' | 'wrong_format' | 'not_allowed' | 'not_a_whole_number' | 'not_a_multiple' | 'below_minimum' | 'above_maximum' | 'outside_range' | 'too_short' | 'too_long' | 'too_few' | 'too_many' | 'in_use' | 'differs' | 'insufficient_balance' | 'over_payment_limit' | 'over_daily_limit' | 'invalid'

export type FieldErrorParams = {
  min?: number
  max?: number
  /** In place of `min` and `max` where several apply. */
  ranges?: AmountRange[]
  step?: number
  required?: number
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
  currency: string
}

export type InitiateMomoCollectionRequest = {
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
  narration?: string | null | undefined
  /** Any name but `__proto__`. */
  metadata?: Record<string, string> | null | undefined
}

export type InitiateMomoTransferRequest = {
  reference: string
  /** Amount in the minor unit of its currency: kobo, pesewas, whole CFA francs. */
  amount: number
  /** 08030000000, 2348030000000 or +2348030000000; of other countries as +233240000000. Shown as +2348030000000. */
  phoneNumber: string
  /** The slug of an operator of GET /v1/momo/operators; left out, the number's prefix decides. */
  operator?: string | null | undefined
  /** The currency of the operator; left out, it is the operator's. */
  currency?: Currency | null | undefined
  accountName?: string | null | undefined
  narration?: string | null | undefined
  /** Any name but `__proto__`. */
  metadata?: Record<string, string> | null | undefined
}

export type InitiateTransfersRequest = {
  transfers: TransferRequest[]
}

export type InitiateTransfersResult = {
  results: BulkTransferResult[]
  accepted: number
  replayed: number
  refused: number
}

/** Amount in the minor unit of its currency: kobo in NGN. */
export type Kobo = number

export type LedgerEntry = {
  /** mov_… */
  id: string
  /** What moved it: opening, funding, hold, release, reversal, fee_refund, deposit, deposit_fee, adjustment. */
  type: string
  /** Of the payment or deposit; of an adjustment, exc_… or brk_…. */
  reference: string
  /** Negative when money left the available balance. */
  amount: SignedKobo
  /** The available balance after it. */
  balanceAfter: Kobo
  currency: string
  createdAt: Time
}

export type LedgerEntryList = {
  entries: LedgerEntry[]
}

export type LoggedEventName = 'transfer.success' | 'transfer.failed' | 'deposit.success' | 'customer.deposit.success' | 'transfer.reversed' | 'momo.transfer.success' | 'momo.transfer.failed' | 'momo.collection.success' | 'momo.collection.failed' | 'webhook.test'

export type MomoCollection = {
  /** mcl_… */
  id: string
  reference: string
  status: Open<MomoCollectionStatus>
  /** SUCCESS or FAILED. A collection that failed with EXPIRED or OTP_EXPIRED still becomes SUCCESS if the operator has the money after all. */
  isFinal: boolean
  /** The payer agrees with a code, which goes to POST /v1/momo/collection/verify-otp. */
  requiresOtp: boolean
  otpExpiresAt: Time | null
  /** When it fails if the payer has not agreed. */
  expiresAt: Time
  amount: Kobo
  /** Taken from the amount when it succeeds. */
  fee: Kobo
  currency: string
  phoneNumber: string
  operator: string
  narration: string | null
  /** The operator’s own reference, once it succeeded. */
  operatorReference: string | null
  /** Of the deposit that it became, once it succeeded. */
  depositReference: string | null
  failureReason: Open<MomoFailureReason> | null
  /** What happened, and what to do next. */
  failureMessage: string | null
  metadata: Record<string, string> | null
  createdAt: Time
  updatedAt: Time
  completedAt: Time | null
}

export type MomoCollectionFailedEvent = {
  /** evt_…: the same at every attempt, and the id of the delivery in the log. */
  id: string
  event: 'momo.collection.failed'
  /** The same as `event`. */
  type: 'momo.collection.failed'
  environment: Open<Environment>
  createdAt: Time
  /** The same as `createdAt`. */
  timestamp: Time
  /** Of the record that it is about. */
  reference: string
  data: MomoCollection
}

export type MomoCollectionList = {
  collections: MomoCollection[]
}

export type MomoCollectionStatus = 'PENDING' | 'OTP_REQUIRED' | 'SUCCESS' | 'FAILED'

export type MomoCollectionSuccessEvent = {
  /** evt_…: the same at every attempt, and the id of the delivery in the log. */
  id: string
  event: 'momo.collection.success'
  /** The same as `event`. */
  type: 'momo.collection.success'
  environment: Open<Environment>
  createdAt: Time
  /** The same as `createdAt`. */
  timestamp: Time
  /** Of the record that it is about. */
  reference: string
  data: MomoCollection
}

export type MomoCompletion = 'SUCCESS' | 'FAILED'

export type MomoFailureReason = 'PAYER_NOT_FOUND' | 'RECIPIENT_NOT_FOUND' | 'PAYMENT_NOT_APPROVED' | 'INSUFFICIENT_FUNDS' | 'LIMIT_EXCEEDED' | 'WALLET_LIMIT_REACHED' | 'OPERATOR_UNAVAILABLE' | 'OTP_EXPIRED' | 'OTP_ATTEMPTS_EXCEEDED' | 'EXPIRED' | 'UNSPECIFIED_FAILURE'

export type MomoOperator = {
  name: string
  /** Names the operator in transfers and collections. Unique and stable. */
  slug: string
  /** The two letters of its country (ISO 3166-1). */
  country: string
  currency: string
  /** How many decimals of an amount it carries. 0: whole units only, also in currencies with cents. */
  decimals: number
  /** How its numbers begin, without the leading 0. Numbers may have been ported. */
  prefixes: string[]
  supports: MomoOperatorSupport
  /** Its customers agree to a collection with a one-time code. */
  requiresOtp: boolean
  minAmount: Kobo
  maxAmount: Kobo
  status: 'active'
}

export type MomoOperatorList = {
  operators: MomoOperator[]
}

export type MomoOperatorSupport = {
  transfer: boolean
  collection: boolean
}

export type MomoTransfer = {
  /** mtr_… */
  id: string
  reference: string
  status: Open<TransferStatus>
  /** No longer queued. */
  isFinal: boolean
  amount: Kobo
  fee: Kobo
  /** Amount and fee together. */
  totalDebit: Kobo
  currency: string
  phoneNumber: string
  operator: string
  accountName: string | null
  narration: string | null
  /** The operator’s own reference, once it succeeded. */
  operatorReference: string | null
  failureReason: Open<MomoFailureReason> | null
  /** What happened, and what to do next. */
  failureMessage: string | null
  metadata: Record<string, string> | null
  createdAt: Time
  updatedAt: Time
  completedAt: Time | null
}

export type MomoTransferFailedEvent = {
  /** evt_…: the same at every attempt, and the id of the delivery in the log. */
  id: string
  event: 'momo.transfer.failed'
  /** The same as `event`. */
  type: 'momo.transfer.failed'
  environment: Open<Environment>
  createdAt: Time
  /** The same as `createdAt`. */
  timestamp: Time
  /** Of the record that it is about. */
  reference: string
  data: MomoTransfer
}

export type MomoTransferList = {
  transfers: MomoTransfer[]
}

export type MomoTransferSuccessEvent = {
  /** evt_…: the same at every attempt, and the id of the delivery in the log. */
  id: string
  event: 'momo.transfer.success'
  /** The same as `event`. */
  type: 'momo.transfer.success'
  environment: Open<Environment>
  createdAt: Time
  /** The same as `createdAt`. */
  timestamp: Time
  /** Of the record that it is about. */
  reference: string
  data: MomoTransfer
}

export type MomoWallet = {
  phoneNumber: string
  operator: string
  operatorName: string
  accountName: string
  currency: string
}

export type NewWebhookSubscription = {
  /** whk_… */
  id: string
  url: string
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
  reference?: string | null | undefined
  /** What a payer sees; left out, the business's name. */
  accountName?: string | null | undefined
  /** Left out, it is `30`. */
  expiresInMinutes?: number | undefined
  /** Left out, it is `exact`. */
  amountPolicy?: AmountPolicy | undefined
  narration?: string | null | undefined
  /** Any name but `__proto__`. */
  metadata?: Record<string, string> | null | undefined
}

export type OpenStaticAccountRequest = {
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
  url: string
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
  currency: string
  senderAccountName: string
  senderAccountNumber: string
  senderBankName: string
  recipientAccountName: string
  recipientAccountNumber: string
  recipientBankName: string
  narration: string
  /** In kobo; deducted when it is SUCCESSFUL. */
  fee: Kobo
  createdAt: Time
  /** Of the last change of its status. */
  updatedAt: Time
  virtualAccount: VirtualAccountMention
  customer: CustomerMention
}

/** ISO 8601, in UTC, with milliseconds. */
export type Time = string

export type Transfer = {
  /** trf_… */
  id: string
  reference: string
  status: Open<TransferStatus>
  /** No longer queued. */
  isFinal: boolean
  amount: Kobo
  fee: Kobo
  /** Amount and fee together. */
  totalDebit: Kobo
  currency: string
  bankSlug: string
  bankName: string
  accountNumber: string
  accountName: string
  narration: string | null
  /** The 30-digit NIP session id, once it succeeded. */
  sessionId: string | null
  failureReason: Open<BankFailureReason> | null
  /** What happened, and what to do next. */
  failureMessage: string | null
  metadata: Record<string, string> | null
  createdAt: Time
  updatedAt: Time
  completedAt: Time | null
}

export type TransferCompletion = 'SUCCESS' | 'FAILED' | 'REVERSED'

export type TransferFailedEvent = {
  /** evt_…: the same at every attempt, and the id of the delivery in the log. */
  id: string
  event: 'transfer.failed'
  /** The same as `event`. */
  type: 'transfer.failed'
  environment: Open<Environment>
  createdAt: Time
  /** The same as `createdAt`. */
  timestamp: Time
  /** Of the record that it is about. */
  reference: string
  data: Transfer
}

export type TransferList = {
  transfers: Transfer[]
}

export type TransferRequest = {
  reference: string
  /** Amount in the minor unit of its currency: kobo, pesewas, whole CFA francs. */
  amount: number
  /** The slug of a bank of GET /v1/banks. */
  bankSlug: string
  accountNumber: string
  accountName: string
  /** Left out, it is `NGN`. */
  currency?: 'NGN' | undefined
  narration?: string | null | undefined
  /** Any name but `__proto__`. */
  metadata?: Record<string, string> | null | undefined
}

export type TransferReversedEvent = {
  /** evt_…: the same at every attempt, and the id of the delivery in the log. */
  id: string
  event: 'transfer.reversed'
  /** The same as `event`. */
  type: 'transfer.reversed'
  environment: Open<Environment>
  createdAt: Time
  /** The same as `createdAt`. */
  timestamp: Time
  /** Of the record that it is about. */
  reference: string
  data: Transfer
}

export type TransferStatus = 'queued' | 'SUCCESS' | 'FAILED' | 'REVERSED'

export type TransferSuccessEvent = {
  /** evt_…: the same at every attempt, and the id of the delivery in the log. */
  id: string
  event: 'transfer.success'
  /** The same as `event`. */
  type: 'transfer.success'
  environment: Open<Environment>
  createdAt: Time
  /** The same as `createdAt`. */
  timestamp: Time
  /** Of the record that it is about. */
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
  events: WebhookDelivery[]
}

export type UpdateCustomerRequest = {
  firstName?: string | undefined
  lastName?: string | undefined
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
  /** What to be told of. No other kind is sent. */
  events?: EventName[] | undefined
  status?: WebhookStatus | undefined
}

export type VerifyCollectionOtpRequest = {
  reference: string
  otp: string
}

export type VirtualAccount = {
  /** va_… */
  id: string
  type: Open<VirtualAccountType>
  /** Static: the customer's. Dynamic: the one given when it was made. */
  reference: string | null
  accountNumber: string
  accountName: string
  bankName: string
  bankSlug: string
  currency: string
  status: Open<VirtualAccountStatus>
  amount: Kobo | null
  amountPolicy: Open<AmountPolicy> | null
  expiresAt: Time | null
  customer: VirtualAccountCustomer | null
  metadata: Record<string, string> | null
  createdAt: Time
  updatedAt: Time
}

export type VirtualAccountCustomer = {
  id: string
  reference: string
}

export type VirtualAccountDetails = {
  /** va_… */
  id: string
  type: Open<VirtualAccountType>
  /** Static: the customer's. Dynamic: the one given when it was made. */
  reference: string | null
  accountNumber: string
  accountName: string
  bankName: string
  bankSlug: string
  currency: string
  status: Open<VirtualAccountStatus>
  amount: Kobo | null
  amountPolicy: Open<AmountPolicy> | null
  expiresAt: Time | null
  customer: VirtualAccountCustomer | null
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
  virtualAccounts: VirtualAccount[]
}

export type VirtualAccountMention = {
  /** va_… */
  id: string
  type: Open<VirtualAccountType>
  reference: string | null
  accountNumber: string
}

export type VirtualAccountStatus = 'ACTIVE' | 'COMPLETED' | 'EXPIRED' | 'CLOSED'

export type VirtualAccountType = 'static' | 'dynamic'

export type WebhookAttempt = {
  attempt: number
  trigger: Open<DeliveryTrigger>
  /** Null: there was no answer. */
  responseCode: number | null
  error: string | null
  durationMs: number
  createdAt: Time
}

export type WebhookAttemptDetail = {
  attempt: number
  trigger: Open<DeliveryTrigger>
  /** Null: there was no answer. */
  responseCode: number | null
  error: string | null
  durationMs: number
  createdAt: Time
  /** The first 4 KiB of the answer. */
  responseBody: string | null
}

export type WebhookDelivery = {
  /** evt_…; also the id of the payload and of X-Webhook-Id. */
  id: string
  event: string
  reference: string
  /** whk_… */
  webhookId: string
  /** Where the subscription is now. */
  url: string
  environment: Open<Environment>
  /** failed: the last attempt did, and more may follow (nextAttemptAt). */
  status: Open<DeliveryStatus>
  attempts: number
  /** Of the schedule; attempts by hand come on top. */
  maxAttempts: number
  /** Of the last attempt. */
  responseCode: number | null
  lastError: string | null
  lastAttemptAt: Time | null
  /** By the schedule. Null: none is left. */
  nextAttemptAt: Time | null
  deliveredAt: Time | null
  createdAt: Time
  updatedAt: Time
  /** The latest 100, the first of them first. */
  deliveryAttempts: WebhookAttempt[]
}

export type WebhookDeliveryDetail = {
  /** evt_…; also the id of the payload and of X-Webhook-Id. */
  id: string
  event: string
  reference: string
  /** whk_… */
  webhookId: string
  /** Where the subscription is now. */
  url: string
  environment: Open<Environment>
  /** failed: the last attempt did, and more may follow (nextAttemptAt). */
  status: Open<DeliveryStatus>
  attempts: number
  /** Of the schedule; attempts by hand come on top. */
  maxAttempts: number
  /** Of the last attempt. */
  responseCode: number | null
  lastError: string | null
  lastAttemptAt: Time | null
  /** By the schedule. Null: none is left. */
  nextAttemptAt: Time | null
  deliveredAt: Time | null
  createdAt: Time
  updatedAt: Time
  /** The latest 100, the first of them first. */
  deliveryAttempts: WebhookAttemptDetail[]
  payload: WebhookEvent
}

export type WebhookDeliveryList = {
  events: WebhookDelivery[]
}

export type WebhookDisabledReason = 'GONE' | 'FAILING'

/** What is sent, byte by byte the same at every attempt. */
export type WebhookEvent = TransferSuccessEvent | TransferFailedEvent | DepositSuccessEvent | CustomerDepositSuccessEvent | TransferReversedEvent | MomoTransferSuccessEvent | MomoTransferFailedEvent | MomoCollectionSuccessEvent | MomoCollectionFailedEvent | WebhookTestEvent

export type WebhookStatus = 'active' | 'disabled'

export type WebhookSubscription = {
  /** whk_… */
  id: string
  url: string
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
  webhooks: WebhookSubscription[]
}

export type WebhookTest = {
  /** whk_… */
  webhookId: string
  message: string
}

export type WebhookTestEvent = {
  /** evt_…: the same at every attempt, and the id of the delivery in the log. */
  id: string
  event: 'webhook.test'
  /** The same as `event`. */
  type: 'webhook.test'
  environment: Open<Environment>
  createdAt: Time
  /** The same as `createdAt`. */
  timestamp: Time
  /** Of the record that it is about. */
  reference: string
  data: WebhookTest
}

export type WebhookTestResult = {
  /** evt_… */
  eventId: string
  delivered: boolean
  attempt: number
  trigger: Open<DeliveryTrigger>
  /** Null: there was no answer. */
  responseCode: number | null
  error: string | null
  durationMs: number
  createdAt: Time
  /** The first 4 KiB of the answer. */
  responseBody: string | null
}

export type Pagination = {
  page: number
  limit: number
  total: number
  totalPage: number
  hasNext: boolean
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
  /** Amount in kobo. */
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
