// The windows to banks and mobile-money operators: what any provider can be asked, in this house's own words. A rail
// implements the ports that its provider has. Every rail keeps these promises (tests/rails/conformance.ts):
//   - nothing is thrown for what happens at the provider or on the way to it; it is answered;
//   - there are three outcomes, not two: a timeout, a broken connection, a 5xx, an unreadable answer or an unknown
//     status word is `unknown`, and unknown is never `failed`;
//   - the same railReference is the same payment, however often it is submitted;
//   - the same railReference (and attempt) is the same account: asked again, also by another process and when its customer
//     was corrected meanwhile, a rail answers with the number that it gave;
//   - `not-found` says that the provider does not know the reference now. That proves nothing yet, because a provider may
//     show a payment late: the caller concludes only from an absence that lasts (`absenceGraceMs`, outcome.ts);
//   - every call ends within a time limit of the rail's own. One that does not is given up (time-limits.ts), and counts as
//     unanswered.

import type { Environment } from '#platform/context.ts'
import type { Currency, Kobo } from '#platform/money.ts'
import type { VirtualAccounts, Refunds } from './ports.ts'
import type { Statement } from './statement.ts'

/** What a rail must know of a bank; which banks exist is the knowledge of the directory. */
export type RailBank = {
  slug: string
  name: string
  code: string
  nipCode: string | null
  /** The Central Bank's own code; null where it is not known. */
  cbnCode: string | null
}

export type RailOperator = {
  slug: string
  name: string
  nipCode: string | null
  requiresOtp: boolean
  /** What providers call it. */
  providerCodes: Readonly<Record<string, string>>
}

/** Why a bank transfer failed: the closed list that callers see. */
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

/** Why a mobile-money transfer or collection failed: the closed list that callers see. */
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
 * The payment is under way. `askAgainAfterMs` is the rail's advice; without it the caller follows its own schedule. `exists`:
 * the provider refused a submission because it has this reference already. If it later says that it does not know the
 * reference, it contradicts itself, and the payment must not be sent again.
 */
export type Pending = { kind: 'pending'; askAgainAfterMs?: number; exists?: true }

/**
 * The rail cannot tell; the caller asks for the status later. `sent: false` says that nothing of this very request was
 * done, so this submission may be made again. It says nothing about an earlier one. `askAgainAfterMs` is the rail's advice
 * with it: there is room again by then. `why`: what an operator must see to. `detail` is logged and holds no secret, name
 * or number of an account.
 */
export type Unknown = {
  kind: 'unknown'
  detail: string
  sent?: false
  askAgainAfterMs?: number
  /**
   * Its balance is too small, it refuses us as such, it is left alone because its machine fails (guard.ts), it refused this
   * payment with words that its documentation does not list as final (which proves nothing until the payment has stayed absent
   * for the whole grace period), or it has a payment of another amount or to another account under this reference.
   */
  why?: 'float' | 'misconfigured' | 'resting' | 'refused' | 'mismatch'
}

export type NotFound = { kind: 'not-found' }

/** Handing a payment over and asking what became of it: the same for every kind of payment. */
export type Submission<Order, State> = {
  /** For this long after a submission began no other process touches the payment: longer than `submit` can take. */
  submitLeaseMs: number
  submit(order: Order): Promise<State>
  status(order: Order): Promise<State | NotFound>
}

type PaymentOrder = {
  /** Ours, never the client's: see railReferenceOf. */
  railReference: string
  amount: Kobo
  currency: Currency
  narration: string | null
  /** When the last submission began, as it was stored before it. */
  submittedAtMs: number
  /**
   * From then on, by the monotonic clock of this process, nothing of a submission may leave any more: another process may ask
   * whether it arrived, and conclude from its absence. So a process that stood still in the middle of one sends nothing when it
   * goes on. Absent: it is only asked about.
   */
  leaveBeforeMs?: number
}

export type PayoutOrder = PaymentOrder & { bank: RailBank; accountNumber: string; accountName: string }

/**
 * `created: false`: the provider refused it, and shows that it made nothing of it. `reversed` may come although `succeeded`
 * was never seen: then the payee never had the money, and the payment failed. `cost`: what the provider took for it, when it says so. `Proof` is
 * the number under which the far side knows it.
 */
type OutflowState<Proof, Reason> =
  | Pending
  | ({ kind: 'succeeded'; askAgainAfterMs?: number; cost?: Kobo } & Proof)
  | { kind: 'failed'; reason: Reason; created?: false }
  | ({ kind: 'reversed' } & Proof)
  | Unknown

export type PayoutState = OutflowState<{ sessionId: string | null }, BankFailureReason>

export type BankPayout = Submission<PayoutOrder, PayoutState>

export type AccountResolution =
  | { kind: 'resolved'; accountName: string }
  | { kind: 'not-found' }
  | { kind: 'unavailable'; detail: string }

/** Whose account it is (name enquiry). */
export type BankDirectory = {
  resolve(question: {
    bank: RailBank
    accountNumber: string
    signal?: AbortSignal | undefined
  }): Promise<AccountResolution>
  /** Which of our banks the provider does not list. */
  compare?(ours: readonly RailBank[]): Promise<BankComparison>
}

/** `listed`: how many it lists. */
export type BankComparison =
  | { kind: 'compared'; listed: number; missing: RailBank[] }
  | { kind: 'unavailable'; detail: string }

/** `phoneNumber` is E.164; `accountName` is whom the client expects, when it said so. */
export type MomoOrder = PaymentOrder & { operator: RailOperator; phoneNumber: string; accountName: string | null }

export type MomoPayoutState = OutflowState<{ operatorReference: string | null }, MomoFailureReason>

export type MomoPayout = Submission<MomoOrder, MomoPayoutState>

/**
 * `otpAcceptedAtMs` is when the operator accepted the payer's code, as it was stored after that. `expiresAtMs` is until
 * when the payer may agree: what is under way then ends by itself, and a request that the payer did not answer is gone.
 */
export type CollectionOrder = MomoOrder & { otpAcceptedAtMs: number | null; expiresAtMs?: number }

export type CollectionState =
  | Pending
  | { kind: 'otp-required'; expiresAtMs: number }
  | { kind: 'succeeded'; operatorReference: string | null }
  | { kind: 'failed'; reason: MomoFailureReason }
  | Unknown

/** What became of a code. `accepted` carries where the collection stands now. Attempts are counted by the caller. */
export type OtpAnswer =
  | { kind: 'accepted'; state: Exclude<CollectionState, { kind: 'otp-required' }> }
  | { kind: 'wrong' }
  | { kind: 'expired' }
  | { kind: 'not-waiting' }
  | Unknown

/** How a payer agrees: on the handset, or by a code that passes through us and is good for so long. */
export type Approval = { kind: 'handset' } | { kind: 'otp'; validMs: number }

export type MomoCollection = Submission<CollectionOrder, CollectionState> & {
  /** Known without a call, and the same each time. A rail may still ask for a code where it said `handset`. */
  approval(payer: { operator: RailOperator; phoneNumber: string }): Approval
  submitOtp(order: CollectionOrder, otp: string): Promise<OtpAnswer>
}

/** Whose wallet it is. */
export type MomoDirectory = {
  lookUp(question: {
    operator: RailOperator
    phoneNumber: string
    signal?: AbortSignal | undefined
  }): Promise<AccountResolution>
}

/** The account that was paid into, by its number or, where the provider leaves that out, by the reference of its order. */
export type PaidInto = { number: string } | { railReference: string }

/** Money that came in, as a provider tells it. Provider and its own id together name it once and for all. */
export type DepositNotice = {
  provider: string
  providerId: string
  account: PaidInto
  amount: Kobo
  currency: Currency
  status: 'PENDING' | 'SUCCESSFUL' | 'FAILED'
  /** Empty when the provider doesn't say. */
  senderAccountName: string
  senderAccountNumber: string
  senderBankName: string
  narration: string
  occurredAtMs: number
}

/**
 * What a provider tells of. `payment`: something happened to it, which is a reason to ask for its status. `says`: what
 * happened, so that an answer that lags behind the notice is not taken for its confirmation. `refund`: money that was to go
 * back has gone, or has not; `providerId` names the money that came in. `other`: by the provider's own name, kept and counted.
 */
export type RailNotice =
  | { about: 'deposit'; deposit: DepositNotice }
  | { about: 'payment'; railReference: string; says?: 'succeeded' | 'failed' | 'reversed' | undefined }
  | { about: 'refund'; provider: string; providerId: string }
  | { about: 'other'; name: string }

export type InboundAnswer =
  | { kind: 'notices'; notices: RailNotice[] }
  | { kind: 'unreadable' }
  /** Genuine, but what it says could not be confirmed now: the provider should send it again. */
  | { kind: 'unavailable'; detail: string }

/**
 * A provider's webhooks. The signature is checked over the bytes as they came, before anything is read in them.
 * `unsigned`: the provider signs nothing, and nothing in it is believed before it was read again.
 */
export type InboundNotices = {
  provider: string
  /** Also of payments: then each is noted with the reference under which the provider knows it. */
  tellsOfPayments: boolean
  verify(headers: Record<string, string | string[] | undefined>, rawBody: Buffer): 'genuine' | 'unsigned' | 'forged'
  /** Of a body that was not forged. Deposits in it are confirmed by the provider, where it can be asked. */
  read(rawBody: Buffer): Promise<InboundAnswer>
  /** What it says by now of money that it called PENDING. Left out for a provider that only tells. */
  ask?(pending: PendingDeposit): Promise<{ kind: 'told'; notice: DepositNotice } | Unknown>
}

export type PendingDeposit = Pick<DepositNotice, 'providerId' | 'amount' | 'currency'> & { accountNumber: string }

/** What a provider holds for us. */
export type Float = {
  balance(): Promise<{ kind: 'known'; amount: Kobo } | { kind: 'unavailable'; detail: string; why?: Unknown['why'] }>
}

/** Which rail: each belongs to one environment. */
export type RailName = { environment: Environment; rail: string }

/** The ports that a provider serves. An environment with two providers has two rails (registry.ts). */
export type Rail = {
  /**
   * Stored with each payment that goes to it, which from then on is put to the rail of this name and to no other. So it
   * stays with the provider: a rail that takes over from another has another name.
   */
  name: string
  /** The name of its entry in RAILS_FILE, when that is another: its notices may come under either. */
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
  /** What it lists of its own accord, against which our books are held. */
  statement?: Statement
}
