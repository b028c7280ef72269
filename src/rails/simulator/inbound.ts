// Simulated notices of money that came in, signed like a provider's webhook, so that a payment made up on staging
// takes the way of a real one. The key is made by the process and dies with it, so no one else can sign.

import { createHmac, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { toKobo, toWire } from '#base/money.ts'
import { constantTimeEqual } from '#base/secret.ts'
import type { DepositNotice, InboundAnswer, InboundNotices } from '#rails/rail.ts'

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

/** As a tester names it: by its number. */
type Told = Omit<DepositNotice, 'provider' | 'account'> & { accountNumber: string }

export type SimulatedInbound = InboundNotices & { sign(notice: Told): SignedNotice }

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
  const deposit = { provider, ...rest, account: { number }, amount: toKobo(rest.amount) }
  return { kind: 'notices', notices: [{ about: 'deposit', deposit }] }
}

function parseJson(rawBody: Buffer): unknown {
  try {
    return JSON.parse(rawBody.toString('utf8'))
  } catch {
    return undefined
  }
}
