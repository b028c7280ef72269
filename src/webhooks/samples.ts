// Sample events that test a receiver. Each has the fields of a real event of its name; a test compares them. Their
// references begin with SAMPLE-, and they belong to no payment.

import { minuteMs } from '#platform/durations.ts'
import { encodeBase32, formatId, newUuid, type IdKind } from '#platform/ids.ts'
import type { EventName } from '#events/catalogue.ts'
import { bankFailureMessages, momoFailureMessages } from '#rails/outcome.ts'
import { sessionIdOf } from '#rails/nip.ts'
import type { BankFailureReason, MomoFailureReason } from '#rails/rail.ts'

export type Sample = { reference: string; data: Record<string, unknown> }

export function newSampleReference(atMs: number): string {
  return `SAMPLE-${encodeBase32(newUuid(atMs)).toUpperCase()}`
}

/** A typical time from acceptance to the final status. */
const tookMs = 4_000

export function sampleOf(name: EventName, atMs: number): Sample {
  const about: About = {
    reference: newSampleReference(atMs),
    startedAt: new Date(atMs - tookMs).toISOString(),
    endedAt: new Date(atMs).toISOString(),
    atMs,
  }
  return { reference: about.reference, data: shapes[name](about) }
}

type About = { reference: string; startedAt: string; endedAt: string; atMs: number }
type Shape = (about: About) => Record<string, unknown>

const metadata = { sample: 'true' }
const completed = ({ startedAt, endedAt }: About) => ({
  createdAt: startedAt,
  updatedAt: endedAt,
  completedAt: endedAt,
})

/** The sending institution, 999999, does not exist, so no real transfer has this session id. */
const session = { sender: '999999', digits: '000000000001' }

const final = (kind: IdKind, { reference, atMs }: About, status: string) => ({
  id: formatId(kind, newUuid(atMs)),
  reference,
  status,
  isFinal: true,
})

const outflow = { amount: 150_000, fee: 1_000, totalDebit: 151_000, currency: 'NGN' }

const transfer =
  (status: string, failure: BankFailureReason | null): Shape =>
  (about) => ({
    ...final('transfer', about, status),
    ...outflow,
    bankSlug: 'guaranty-trust-bank',
    bankName: 'Guaranty Trust Bank',
    accountNumber: '0123456789',
    accountName: 'ADA OBI',
    narration: 'Sample',
    sessionId: failure === null ? sessionIdOf({ ...session, atMs: about.atMs }) : null,
    failureReason: failure,
    failureMessage: failure === null ? null : bankFailureMessages[failure],
    metadata,
    ...completed(about),
  })

const deposit =
  (account: { type: 'static' | 'dynamic' }): Shape =>
  ({ reference, startedAt, endedAt, atMs }) => {
    const [payee, payer] = ['0123456789', '1023456785']
    const known = { reference: 'CUSTOMER-1', firstName: 'Ada', lastName: 'Obi', email: 'ada@example.com' }
    const customer = { customer: { id: formatId('customer', newUuid(atMs)), ...known } }
    return {
      id: formatId('deposit', newUuid(atMs)),
      amount: 250_000,
      reference,
      status: 'SUCCESSFUL',
      currency: 'NGN',
      senderAccountName: 'CHINEDU EZE',
      senderAccountNumber: payer,
      senderBankName: 'Access Bank',
      recipientAccountName: 'ADA OBI',
      recipientAccountNumber: payee,
      recipientBankName: 'Wema Bank',
      narration: 'Sample',
      fee: 2_500,
      createdAt: startedAt,
      updatedAt: endedAt,
      virtualAccount: {
        id: formatId('virtualAccount', newUuid(atMs)),
        type: account.type,
        reference: account.type === 'static' ? known.reference : 'ORDER-1',
        accountNumber: payee,
      },
      ...(account.type === 'static' ? customer : {}),
    }
  }

const wallet = { phoneNumber: '+2348030000000', operator: 'mtn-momo' }

/** In the order in which a payout shows these fields. */
const walletOfPayout = {
  phoneNumber: wallet.phoneNumber,
  accountNumber: null,
  accountReference: null,
  operator: wallet.operator,
}

const momoFailure = (failure: MomoFailureReason | null) => ({
  failureReason: failure,
  failureMessage: failure === null ? null : momoFailureMessages[failure],
})

const momoTransfer =
  (status: string, failure: MomoFailureReason | null): Shape =>
  (about) => ({
    ...final('momoTransfer', about, status),
    ...outflow,
    ...walletOfPayout,
    accountName: 'ADA OBI',
    narration: 'Sample',
    operatorReference: failure === null ? 'SAMPLE0000000001' : null,
    ...momoFailure(failure),
    metadata,
    ...completed(about),
  })

const expiresAfterMs = 15 * minuteMs

const momoCollection =
  (status: string, failure: MomoFailureReason | null): Shape =>
  (about) => ({
    ...final('momoCollection', about, status),
    requiresOtp: false,
    otpExpiresAt: null,
    expiresAt: new Date(about.atMs - tookMs + expiresAfterMs).toISOString(),
    amount: 250_000,
    fee: 2_500,
    currency: 'NGN',
    ...wallet,
    narration: 'Sample',
    operatorReference: failure === null ? 'SAMPLE0000000002' : null,
    depositReference: failure === null ? `DEP${encodeBase32(newUuid(about.atMs)).toUpperCase()}` : null,
    ...momoFailure(failure),
    metadata,
    ...completed(about),
  })

const shapes: Record<EventName, Shape> = {
  'transfer.success': transfer('SUCCESS', null),
  'transfer.failed': transfer('FAILED', 'DO_NOT_HONOR'),
  'transfer.reversed': transfer('REVERSED', null),
  'deposit.success': deposit({ type: 'dynamic' }),
  'customer.deposit.success': deposit({ type: 'static' }),
  'momo.transfer.success': momoTransfer('SUCCESS', null),
  'momo.transfer.failed': momoTransfer('FAILED', 'RECIPIENT_NOT_FOUND'),
  'momo.collection.success': momoCollection('SUCCESS', null),
  'momo.collection.failed': momoCollection('FAILED', 'PAYMENT_NOT_APPROVED'),
}
