// Simulated virtual accounts and deposit notices. The simulator stores nothing, so a number is a candidate: a valid
// NUBAN derived from the order and its attempt. Two orders can collide (one pair in 900 million); the caller's
// database then refuses the second, and the caller uses the next attempt.

import { createHmac, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { toMoney, toWire } from '#platform/money.ts'
import { constantTimeEqual } from '#platform/secrets.ts'
import { institutionCodeOf, nubanCheckDigit } from '#rails/formats.ts'
import type { DynamicAccountOrder, NewAccount, StaticAccountOrder, VirtualAccounts } from '#rails/ports.ts'
import type { RailBank, DepositNotice, InboundAnswer, InboundNotices } from '#rails/rail.ts'
import { numberFrom } from './digest.ts'

/** The bank of most Nigerian virtual accounts. */
const defaultBank: RailBank = { slug: 'wema-bank', name: 'Wema Bank', code: '035', nipCode: '000017', cbnCode: '035' }

/** No number begins with 9, so none equals a number that controls the simulator. */
const serialLimit = 900_000_000

export const simulatedVirtualAccounts: VirtualAccounts = {
  defaultBankSlug: defaultBank.slug,
  createStatic: (order) => Promise.resolve(create(order)),
  createDynamic: (order) => Promise.resolve(create(order)),
  close: () => Promise.resolve({ kind: 'closed' }),
}

function create(order: StaticAccountOrder | DynamicAccountOrder): NewAccount {
  const bank = order.bank ?? defaultBank
  const seed = `account ${order.railReference} ${order.attempt}`
  const serial = String(numberFrom(seed, serialLimit)).padStart(9, '0')
  const accountNumber = `${serial}${nubanCheckDigit(institutionOf(bank), serial)}`
  const { name: bankName, slug: bankSlug } = bank
  return { kind: 'created', accountNumber, accountName: order.accountName, bankName, bankSlug, handle: null }
}

/** A few codes contain letters (`035A`, `MFB50094`); their digits are the institution's. */
function institutionOf(bank: RailBank): string {
  return institutionCodeOf(bank.code.replaceAll(/\D/g, '')) ?? bank.nipCode ?? '000000'
}

const signatureHeader = 'x-simulator-signature'
const provider = 'simulator'

const noticeBody = z.object({
  providerId: z.string().min(1).max(200),
  accountNumber: z.string().regex(/^\d{10}$/),
  amount: z.int().min(1),
  currency: z.literal('NGN'),
  status: z.enum(['PENDING', 'SUCCESSFUL', 'FAILED']),
  senderAccountName: z.string(),
  senderAccountNumber: z.string(),
  senderBankName: z.string(),
  narration: z.string(),
  occurredAtMs: z.int(),
})

type SignedNotice = { headers: Record<string, string>; rawBody: Buffer }

/** A tester identifies the account by its number. */
type SimulatedDeposit = Omit<DepositNotice, 'provider' | 'account'> & { accountNumber: string }

export type SimulatedInbound = InboundNotices & { sign(notice: SimulatedDeposit): SignedNotice }

/**
 * Simulated notices are signed like a provider's webhook, so that a simulated payment takes the same path as a real
 * one. The process generates the key and never stores it, so no other process can sign.
 */
export function simulateInbound(): SimulatedInbound {
  const key = randomBytes(32)
  const signatureOf = (rawBody: Buffer): Buffer => createHmac('sha512', key).update(rawBody).digest()
  return {
    provider,
    tellsOfPayments: false,
    verify(headers, rawBody) {
      const given = headers[signatureHeader]
      const signature = Buffer.from(typeof given === 'string' ? given : '', 'hex')
      return constantTimeEqual(signature, signatureOf(rawBody)) ? 'genuine' : 'forged'
    },
    read: (rawBody) => Promise.resolve(read(rawBody)),
    sign(notice) {
      const rawBody = Buffer.from(JSON.stringify({ ...notice, amount: toWire(notice.amount) }))
      return { headers: { [signatureHeader]: signatureOf(rawBody).toString('hex') }, rawBody }
    },
  }
}

function read(rawBody: Buffer): InboundAnswer {
  const parsed = noticeBody.safeParse(parseJson(rawBody))
  if (!parsed.success) return { kind: 'unreadable' }
  const { accountNumber: number, ...rest } = parsed.data
  const deposit = { provider, ...rest, account: { number }, amount: toMoney(rest.amount) }
  return { kind: 'notices', notices: [{ about: 'deposit', deposit }] }
}

function parseJson(rawBody: Buffer): unknown {
  try {
    return JSON.parse(rawBody.toString('utf8'))
  } catch {
    return undefined
  }
}
