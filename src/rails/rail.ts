// The ports to banks and mobile-money operators: what any provider can be asked, in our own terms. A rail implements
// the ports that its provider has. Every rail gives these guarantees (tests/rails/conformance.ts):
//   - it throws nothing for events at the provider or on the network; it returns an answer;
//   - there are three outcomes, not two: a timeout, a broken connection, a 5xx, an unreadable response or an unknown
//     status is `unknown`, and unknown is never `failed`;
//   - the same railReference is the same payment, however often it is submitted;
//   - the same railReference and attempt get the same account number, also from another process and after the
//     customer's data was corrected;
//   - `not-found` means that the provider does not know the reference now. That proves nothing yet, because a
//     provider may show a payment late: the caller concludes only from an absence that lasts (`absenceGraceMs`,
//     outcome.ts);
//   - every call ends within a time limit of the rail's own. A call that does not is abandoned (time-limits.ts) and
//     counts as unanswered.

import type { Environment } from '#platform/context.ts'
import type { Uuid } from '#platform/ids.ts'
import type { Currency, Money } from '#platform/money.ts'
import type { VirtualAccounts, Refunds } from './ports.ts'
import type { RailStatement } from './statement.ts'

/** The data of a bank that a rail needs; the directory knows which banks exist. */
export type RailBank = {
  slug: string
  name: string
  code: string
  nipCode: string | null
  /** The Central Bank's own code; null if unknown. */
  cbnCode: string | null
}

export type RailOperator = {
  slug: string
  name: string
  country: string
  currency: Currency
  /** How many decimals of an amount the operator carries; 0 also for some operators of currencies with cents. */
  decimals: number
  nipCode: string | null
  requiresOtp: boolean
  providerCodes: Readonly<Record<string, string>>
}

/** Why a bank transfer failed: the closed list of the API. */
export const bankFailureReasons = [
  'INVALID_ACCOUNT',
  'ACCOUNT_NAME_MISMATCH',
  'DORMANT_ACCOUNT',
  'ACCOUNT_RESTRICTED',
  'DO_NOT_HONOR',
  'INVALID_TRANSACTION',
  'BANK_NOT_FOUND',
  'BANK_UNAVAILABLE',
  'LIMIT_EXCEEDED',
  'SUSPECTED_FRAUD',
  'INSUFFICIENT_BALANCE',
  'DUPLICATE',
  'PROVIDER_ERROR',
] as const
export type BankFailureReason = (typeof bankFailureReasons)[number]

/** Why a mobile-money transfer or collection failed: the closed list of the API. */
export const momoFailureReasons = [
  'PAYER_NOT_FOUND',
  'RECIPIENT_NOT_FOUND',
  'PAYMENT_NOT_APPROVED',
  'INSUFFICIENT_FUNDS',
  'LIMIT_EXCEEDED',
  'WALLET_LIMIT_REACHED',
  'OPERATOR_UNAVAILABLE',
  'OTP_EXPIRED',
  'OTP_ATTEMPTS_EXCEEDED',
  'EXPIRED',
  'UNSPECIFIED_FAILURE',
] as const
export type MomoFailureReason = (typeof momoFailureReasons)[number]

/**
 * The payment is in progress. `askAgainAfterMs` is the rail's advice; if absent, the caller uses its own schedule.
 * `exists`: the provider refused a submission because it already has this reference. If it later does not know the
 * reference, it contradicts itself, and the payment must not be sent again.
 */
export type PendingStatus = { kind: 'pending'; askAgainAfterMs?: number; exists?: true }

/**
 * The rail does not know the outcome; the caller queries the status later. `detail` is logged and contains no secret,
 * name or account number.
 */
export type Unknown = {
  kind: 'unknown'
  detail: string
  /** `false`: nothing of this request was done, so it may be repeated. An earlier submission may have been done. */
  sent?: false
  /** How long the caller should wait before it repeats the submission, or a status query that hit a rate limit. */
  askAgainAfterMs?: number
  /**
   * What our staff must resolve. `float`: the balance is too small. `misconfigured`: the provider refuses our account.
   * `resting`: a breaker is open because the provider's system fails (breaker.ts). `refused`: the provider refused this
   * payment with a message that its documentation does not list as final. That proves nothing until the payment has
   * stayed absent for the whole grace period. `mismatch`: this reference has a payment of another amount or to another
   * account.
   */
  why?: 'float' | 'misconfigured' | 'resting' | 'refused' | 'mismatch'
  /** With `misconfigured`: the account lacks only the mobile-money operator of this payment. */
  concerns?: 'operator'
  /**
   * True if the provider works and only this bank or account is at fault. So no breaker counts the answer as a fault.
   * With `sent: false`, a payout may go to another rail.
   */
  answered?: true
}

export type NotFound = { kind: 'not-found' }

export type Submission<Order, State> = {
  /** For this long after a submission began, no other process touches the payment; longer than `submit` can take. */
  submitLeaseMs: number
  submit(order: Order): Promise<State>
  status(order: Order): Promise<State | NotFound>
}

type PaymentOrder = {
  tenantId: Uuid
  /** Our reference, never the client's; see railReferenceOf. */
  railReference: string
  amount: Money
  currency: Currency
  narration: string | null
  /** When the last submission began; stored before the submission. */
  submittedAtMs: number
  /**
   * From this time on (monotonic clock of this process), nothing of a submission may be sent, because another process
   * may conclude from the payment's absence that it was never made. So a process that was suspended during a submission
   * sends nothing when it resumes. Absent for status queries.
   */
  leaveBeforeMs?: number
}

export type PayoutOrder = PaymentOrder & { bank: RailBank; accountNumber: string; accountName: string }

/**
 * `created: false`: certainly nothing was created, because the provider reports so or because nothing was sent.
 * `reversed` may come without an earlier `succeeded`: then the payee never had the money, and the payment failed. `cost`:
 * the provider's fee, if reported. `Proof`: the number of the payment at the bank or operator.
 */
type OutflowState<Proof, Reason> =
  | PendingStatus
  | ({ kind: 'succeeded'; askAgainAfterMs?: number; cost?: Money } & Proof)
  | { kind: 'failed'; reason: Reason; created?: false }
  | ({ kind: 'reversed' } & Proof)
  | Unknown

export type PayoutState = OutflowState<{ sessionId: string | null }, BankFailureReason>

export type BankPayout = Submission<PayoutOrder, PayoutState>

export type AccountResolution =
  | { kind: 'resolved'; accountName: string }
  | { kind: 'not-found' }
  | { kind: 'unavailable'; detail: string }

/** Resolves the holder of an account (name enquiry). */
export type BankDirectory = {
  resolve(question: {
    bank: RailBank
    accountNumber: string
    signal?: AbortSignal | undefined
  }): Promise<AccountResolution>
  compare?(ours: readonly RailBank[]): Promise<BankComparison>
}

export type BankComparison =
  | { kind: 'compared'; listed: number; missing: RailBank[] }
  | { kind: 'unavailable'; detail: string }

/** `phoneNumber` is E.164; `accountName` is the holder that the client expects, if given. */
export type MomoOrder = PaymentOrder & { operator: RailOperator; phoneNumber: string; accountName: string | null }

/** A payout to the till or paybill of a business. `accountReference` is the account at a paybill; null for a till. */
export type BusinessOrder = Omit<MomoOrder, 'phoneNumber'> & {
  phoneNumber: null
  accountNumber: string
  accountReference: string | null
}

export type MomoPayoutOrder = MomoOrder | BusinessOrder

export type MomoPayoutState = OutflowState<{ operatorReference: string | null }, MomoFailureReason>

/** `serves` is absent if the port serves every operator of its routes. */
type OfOperators = { serves?(operator: RailOperator): boolean }

/** `accepted`: the payout will fail, and its status will show it. `refused`: the payout is not queued, or not known. */
export type CancelAnswer =
  | { kind: 'accepted' }
  | { kind: 'refused'; why: string }
  | { kind: 'unavailable'; detail: string }

export type MomoPayout = Submission<MomoPayoutOrder, MomoPayoutState> &
  OfOperators & {
    /** Ends a payout that the provider holds in its queue because the operator is slow. */
    cancel?(railReference: string): Promise<CancelAnswer>
  }

/**
 * `otpAcceptedAtMs`: when the operator accepted the payer's code; null before. `expiresAtMs`: the payer may approve
 * until then. After that, a rail may report an unpaid collection as failed or as not found.
 */
export type CollectionOrder = MomoOrder & { otpAcceptedAtMs: number | null; expiresAtMs?: number }

export type CollectionState =
  | PendingStatus
  | { kind: 'otp-required'; expiresAtMs: number }
  | { kind: 'succeeded'; operatorReference: string | null; cost?: Money }
  | { kind: 'failed'; reason: MomoFailureReason }
  | Unknown

/** The result of a one-time code. `accepted` contains the state of the collection. The caller counts attempts. */
export type OtpAnswer =
  | { kind: 'accepted'; state: Exclude<CollectionState, { kind: 'otp-required' }> }
  | { kind: 'wrong' }
  | { kind: 'expired' }
  | { kind: 'not-waiting' }
  | Unknown

/** How a payer approves: on the handset, or with a code that passes through us and is valid for a limited time. */
export type Approval = { kind: 'handset' } | { kind: 'otp'; validMs: number }

export type MomoCollection = Submission<CollectionOrder, CollectionState> &
  OfOperators & {
    /** Makes no call, and always answers the same for a payer. The rail may still require a code after `handset`. */
    approval(payer: { operator: RailOperator; phoneNumber: string }): Approval
    submitOtp(order: CollectionOrder, otp: string): Promise<OtpAnswer>
  }

export type MomoDirectory = OfOperators & {
  lookUp(question: {
    operator: RailOperator
    phoneNumber: string
    signal?: AbortSignal | undefined
  }): Promise<AccountResolution>
}

/** The account that was paid, by its number or, if the provider omits it, by the reference of its order. */
export type PaidInto = { number: string } | { railReference: string }

/** Money that came in, as a provider reports it. The provider and its own id identify the money for good. */
export type DepositNotice = {
  provider: string
  providerId: string
  account: PaidInto
  amount: Money
  currency: Currency
  status: 'PENDING' | 'SUCCESSFUL' | 'FAILED'
  /** This and the next three are empty if the provider does not report them. */
  senderAccountName: string
  senderAccountNumber: string
  senderBankName: string
  narration: string
  occurredAtMs: number
}

/**
 * What a provider reports. `payment`: an event of a payment, which triggers a status query; `says` is the event. If the
 * status lags behind the event, the notice is applied again later. `refund`: a refund has ended,
 * failed, or waits for a person; `providerId` names the money that came in. `other`: stored and counted by the provider's own name.
 */
export type RailNotice =
  | { about: 'deposit'; deposit: DepositNotice }
  | { about: 'payment'; railReference: string; says?: 'succeeded' | 'failed' | 'reversed' | undefined }
  | { about: 'refund'; provider: string; providerId: string; says?: 'failed' | 'needs-attention' }
  | { about: 'other'; name: string }

export type InboundAnswer =
  | { kind: 'notices'; notices: RailNotice[] }
  | { kind: 'unreadable' }
  /**
   * The notice is genuine, but the provider could not confirm its content now. `askAgainAfterMs`: the provider was not
   * asked, because a rate limit is used up for this long.
   */
  | { kind: 'unavailable'; detail: string; askAgainAfterMs?: number | undefined }

/** The address at which the provider called us, with the configured host and not that of the Host header. */
export type NoticeAddress = { method: string; authority: string; path: string }

/** `unavailable`: the provider's keys could not be read, so the provider must send the notice again. */
export type NoticeVerdict = 'genuine' | 'unsigned' | 'forged' | 'unavailable'

/**
 * A provider's webhooks. The signature is checked over the received bytes before they are parsed. `unsigned`: the
 * provider signs nothing, so the content must be read again from the provider before it counts.
 */
export type InboundNotices = {
  provider: string
  /** True if the provider reports payments by our reference. Then the reference is stored with each payment. */
  tellsOfPayments: boolean
  verify(
    headers: Record<string, string | string[] | undefined>,
    rawBody: Buffer,
    address: NoticeAddress,
  ): NoticeVerdict | Promise<NoticeVerdict>
  /** Reads a body that was not forged. The provider confirms the deposits in it, if it can be asked. */
  read(rawBody: Buffer): Promise<InboundAnswer>
  /**
   * Queries the current status of money that the provider reported as PENDING. Absent for a provider that only sends
   * notices.
   */
  ask?(pending: PendingDeposit): Promise<{ kind: 'told'; notice: DepositNotice } | Unknown>
}

export type PendingDeposit = Pick<DepositNotice, 'providerId' | 'amount' | 'currency'> & { accountNumber: string }

/** One of our balances at a provider, which has one per currency or, if `country` is given, one per country. */
export type Wallet = { currency: Currency; country?: string; amount: Money }

export type Float = {
  balance(): Promise<
    { kind: 'known'; wallets: Wallet[] } | { kind: 'unavailable'; detail: string; why?: Unknown['why'] }
  >
}

export function walletFor(
  wallets: readonly Wallet[],
  { currency, country }: { currency: Currency; country: string | undefined },
): Wallet | undefined {
  return wallets.find((one) => one.currency === currency && (one.country ?? country) === country)
}

/** A wallet of ours at a provider. `country`: three letters. `provider`: the only operator that it is for, or null. */
export type RailWallet = { country: string; currency: Currency; provider: string | null; amount: Money }

export type AccountCheck = { check: string; ok: boolean; told: string }

/** Our account at a provider that has a wallet for each country in place of one balance. No call moves money. */
export type WalletAccount = {
  wallets(): Promise<
    { kind: 'known'; wallets: RailWallet[] } | { kind: 'unavailable'; detail: string; why?: Unknown['why'] }
  >
  /**
   * Compares the account with the operators of our routes. `unnamed`: all operators of routes without a list of
   * operators; the account need not have them all. `phoneNumber`: E.164, for a guess of its operator.
   */
  check(question: {
    operators: readonly RailOperator[]
    unnamed?: readonly RailOperator[]
    phoneNumber?: string | undefined
  }): Promise<AccountCheck[]>
}

/** The amounts that our account may pay or collect at an operator, in the minor unit: multiples of `step` only. */
export type OperatorOffer = {
  operator: string
  port: 'momoPayout' | 'momoCollection'
  minAmount: Money
  maxAmount: Money
  step: number
}

/** Reads which of our operators the account has. The account lacks an operator that is not in the answer. */
export type ReadOffers = (
  operators: readonly RailOperator[],
) => Promise<{ kind: 'known'; offers: OperatorOffer[] } | { kind: 'unavailable'; detail: string }>

export type RailName = { environment: Environment; rail: string }

/**
 * The ports of one account at a provider. An environment with two accounts, at one provider or two, has two rails
 * (registry.ts).
 */
export type Rail = {
  /**
   * Stored with each payment that goes to the rail; later calls for the payment go only to the rail with this name.
   * So the name stays with the provider, and a rail that replaces another has another name.
   */
  name: string
  /** The name of the rail's entry in RAILS_FILE, if it differs from `name`. Notices may use either name. */
  label?: string
  bankDirectory?: BankDirectory
  payout?: BankPayout
  momoDirectory?: MomoDirectory
  momoPayout?: MomoPayout
  momoCollection?: MomoCollection
  virtualAccounts?: VirtualAccounts
  inbound?: InboundNotices
  refunds?: Refunds
  float?: Float
  account?: WalletAccount
  /** Absent if the provider does not tell which operators and limits our account has. */
  readOffers?: ReadOffers
  statement?: RailStatement
}
