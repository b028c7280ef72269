// Paystack's charges of wallets, by its documents: "Create Charge" with `mobile_money`, "Submit OTP" and "Verify
// Transaction". The fake records the charges that it has; a test scripts how they end by phone number.

import { z } from 'zod'
import type { Clock } from '#platform/clock.ts'
import { comesAgain, isHidden, shownAfter, tellThere, type Shown } from './absence.ts'
import { refusal, refusals } from './paystack-words.ts'
import type { Act, Answer, Asked, Handler } from './provider.ts'

export type WalletFate = 'paid' | 'refused' | 'open' | 'reversed'

export type WalletScript = {
  fate?: WalletFate
  submit?: Act[]
  status?: Act[]
  /** The status word in the answer to the charge. */
  answered?: string
  hiddenMs?: number
  /** The operator's reason for a refusal. */
  says?: string
  /** The code with which the payer approves. */
  code?: string
}

type Charge = Shown & {
  reference: string
  amount: number
  currency: string
  phone: string
  provider: string
  isApproved: boolean
  id: number
}

export type PaystackWallets = {
  /** The key is the phone number as the request writes it. */
  script(phone: string, script: WalletScript): void
  chargesOf(phone: string): Charge[]
  repeats: string[]
  /** The HTTP status for a transaction that is not known. The documents do not give it. */
  missingStatus: number
  /** Undefined: the call is not about charges of wallets. */
  handle(asked: Asked): ReturnType<Handler> | undefined
}

const phones: Record<string, RegExp> = { GHS: /^0\d{9}$/, KES: /^\+254\d{9}$/, XOF: /^\d{10}$/ }
const providers: Record<string, string[]> = {
  GHS: ['mtn', 'vod', 'atl'],
  KES: ['mpesa', 'atl'],
  XOF: ['mtn', 'orange', 'wave'],
}

const chargeBody = z
  .strictObject({
    email: z.email(),
    amount: z.int().positive(),
    currency: z.enum(['GHS', 'KES', 'XOF']),
    reference: z.string().regex(/^[A-Za-z0-9.=-]+$/),
    mobile_money: z.strictObject({ phone: z.string(), provider: z.string() }),
  })
  .refine(({ currency, mobile_money: { phone } }) => phones[currency]?.test(phone), 'the form of the phone number')
  .refine(({ currency, mobile_money: { provider } }) => providers[currency]?.includes(provider), 'the provider')

const codeBody = z.strictObject({ otp: z.string().regex(/^\d{4,8}$/), reference: z.string() })

export function createPaystackWallets(clock: Clock): PaystackWallets {
  const charges = new Map<string, Charge>()
  const scripts = new Map<string, WalletScript>()
  const scriptOf = (phone: string): WalletScript => scripts.get(phone) ?? {}

  function create({ body }: Asked): ReturnType<Handler> {
    const { reference, amount, currency, mobile_money: wallet } = chargeBody.parse(body)
    const known = charges.get(reference)
    if (known !== undefined && known.amount !== amount) throw new Error('a reference came with another amount')
    const { submit = [], answered, hiddenMs = 0, code } = scriptOf(wallet.phone)
    const act = submit.shift() ?? 'answer'
    const duplicate = (): Answer => refusal(400, 'Duplicate Transaction Reference', 'duplicate_reference')
    const work = (): Answer => {
      if (known !== undefined) {
        if (!comesAgain(known, clock)) book.repeats.push(reference)
        tellThere(known)
        return duplicate()
      }
      const isApproved = code === undefined
      charges.set(reference, {
        reference,
        amount,
        currency,
        isApproved,
        ...wallet,
        id: 700_000_000_000_000 + charges.size,
        ...shownAfter(clock, hiddenMs),
      })
      const status = act === 'odd-word' ? 'parked' : (answered ?? (code === undefined ? 'pay_offline' : 'send_otp'))
      return attempted(reference, status)
    }
    const spoil = {
      ...refusals,
      duplicate: () => (work(), tellThere(charges.get(reference)), duplicate()),
      'duplicate-untrue': duplicate,
      'other-payment': () => (work(), attempted('somebody-elses-charge', 'success')),
    }
    return { act, work, spoil }
  }

  function takeCode({ body }: Asked): ReturnType<Handler> {
    const { otp, reference } = codeBody.parse(body)
    const known = charges.get(reference)
    const { submit = [], code } = scriptOf(known?.phone ?? '')
    const work = (): Answer => {
      if (known === undefined) return refusal(404, 'Transaction reference not found', 'transaction_not_found')
      if (otp !== code) return refusal(400, 'Invalid OTP', 'invalid_otp')
      known.isApproved = true
      return attempted(reference, 'pending')
    }
    return { act: submit.shift() ?? 'answer', work }
  }

  function verify(known: Charge): ReturnType<Handler> {
    const missing = (): Answer => refusal(404, 'Transaction reference not found', 'transaction_not_found')
    if (isHidden(known, clock)) return { act: 'answer', work: missing }
    const { fate = 'paid', status = [], says = 'Declined' } = scriptOf(known.phone)
    const act = status.shift() ?? 'answer'
    const words = { paid: 'success', refused: 'failed', open: 'abandoned', reversed: 'reversed' }
    const work = (): Answer => {
      const word = known.isApproved ? words[fate] : 'abandoned'
      const { id, reference, amount, currency } = known
      const data = {
        id,
        reference,
        amount,
        currency,
        channel: 'mobile_money',
        authorization: {},
        metadata: '',
        status: act === 'odd-word' ? 'parked' : word,
        gateway_response: word === 'failed' ? says : 'Approved',
        fees: word === 'success' ? 195 : null,
        receipt_number: word === 'success' ? `R-${reference}` : null,
      }
      return { status: 200, body: { status: true, message: 'Verification successful', data } }
    }
    return { act, work, spoil: { missing, 'key-refused': refusals['key-refused'] } }
  }

  const book: PaystackWallets = {
    script: (phone, script) => void scripts.set(phone, script),
    chargesOf: (phone) => [...charges.values()].filter((one) => one.phone === phone),
    repeats: [],
    missingStatus: 404,
    handle(asked) {
      const { method, path, body } = asked
      if (method === 'POST' && path === '/charge/submit_otp') return takeCode(asked)
      const isOfWallet = typeof body === 'object' && body !== null && 'mobile_money' in body
      if (method === 'POST' && path === '/charge' && isOfWallet) return create(asked)
      const verified = charges.get(/^\/transaction\/verify\/([^/]+)$/.exec(path)?.[1] ?? '')
      return method === 'GET' && verified !== undefined ? verify(verified) : undefined
    },
  }
  return book
}

function attempted(reference: string, status: string): Answer {
  const data = { reference, status, display_text: 'Approve the payment on your phone' }
  return { status: 200, body: { status: true, message: 'Charge attempted', data } }
}
