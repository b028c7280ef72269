// pawaPay's Merchant API v2, by its documents: "Initiate payout", "Check payout status", "Initiate deposit", "Check
// deposit status", "Wallet balances", "Public keys". The fake records the payments that it has, and the clock moves
// each to its end. A test scripts a payment by the number of its wallet; a number without a script behaves like the
// sandbox's numbers.

import { createHash, createPublicKey, verify } from 'node:crypto'
import { z } from 'zod'
import { systemClock, type Clock } from '#platform/clock.ts'
import { comesAgain, isHidden, shownAfter, tellThere, type Shown } from './absence.ts'
import { availabilityOf, configurationOf, predictionFor, type FakeAccount } from './pawapay-account.ts'
import { createCallbacks, type Callback, type CallbackAddress, type CallbackOptions } from './pawapay-callbacks.ts'
import { fakeOperators, fateOfNumber, idIn, pawapayWords, refusal, type Refused } from './pawapay-words.ts'
import { createStatements, type FakeStatements } from './pawapay-statements.ts'
import { startFake, type Act, type Answer, type Asked, type FakeServer, type Handler } from './provider.ts'

type Step = Act | Refused

export type PawapayScript = {
  /** COMPLETED, a failure code, or `stuck`. */
  fate?: string
  submit?: Step[]
  status?: Step[]
  /** How long a question about a new payment is answered with NOT_FOUND. */
  hiddenMs?: number
  /** States before the last one, in place of the usual ones. A `FAILED` among them has the code UNKNOWN_ERROR if the fate is COMPLETED. */
  words?: string[]
  /** Shown in place of the wallet's own number. */
  numberShown?: string
}

type Kind = 'payout' | 'deposit'

export type FakePayment = Shown & {
  kind: Kind
  id: string
  amount: string
  currency: string
  provider: string
  phoneNumber: string
  message: string | undefined
  code: string | undefined
  atMs: number
  /** An operator cancelled it in pawaPay's dashboard while it was queued. */
  isCancelled: boolean
}

export type FakePawapay = FakeServer & {
  script(phoneNumber: string, script: PawapayScript): void
  payments(kind?: Kind): FakePayment[]
  paymentsOf(phoneNumber: string): FakePayment[]
  /** COMPLETED, FAILED, or an earlier state. */
  stateOf(id: string): string
  /** Ids that were sent again although pawaPay had them. */
  repeats: string[]
  /** From now on, only requests that this key signed move money. */
  demandSignatures(publicKey: string): void
  /** The callback that pawaPay would send about a payment. */
  callback(id: string, address: CallbackAddress, options?: CallbackOptions): Callback
  sign(body: string, address: CallbackAddress, options?: CallbackOptions): Callback
  /** How often the service read its public keys. */
  keysRead(): number
  balances: { country: string; currency: string; balance: string; provider: string }[]
  account: FakeAccount
  statements: FakeStatements
}

export const pawapayToken = 'fake-token'

const amountForm = /^([0]|([1-9][0-9]{0,17}))([.][0-9]{0,3}[1-9])?$/
const account = z.strictObject({
  type: z.literal('MMO'),
  accountDetails: z.strictObject({ phoneNumber: z.string().regex(/^[1-9]\d{7,14}$/), provider: z.string() }),
})
const common = {
  amount: z.string().min(1).max(23).regex(amountForm),
  currency: z.string().regex(/^[A-Z]{3}$/),
  customerMessage: z
    .string()
    .regex(/^[a-zA-Z0-9 ]{4,22}$/)
    .optional(),
}
const uuid = z.string().regex(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
const payoutBody = z.strictObject({ payoutId: uuid, ...common, recipient: account })
const depositBody = z.strictObject({
  depositId: uuid,
  ...common,
  payer: account,
  preAuthorisationCode: z.string().min(1).optional(),
})

type Books = {
  clock: Clock
  payments: Map<string, FakePayment>
  scripts: Map<string, PawapayScript & { submit: Step[]; status: Step[] }>
  repeats: string[]
  balances: FakePawapay['balances']
  account: FakeAccount
  statements: FakeStatements
  callbacks: ReturnType<typeof createCallbacks>
  keysRead: number
  signedWith: string | undefined
}

export async function startFakePawapay(clock: Clock = systemClock): Promise<FakePawapay> {
  const books: Books = {
    clock,
    payments: new Map(),
    scripts: new Map(),
    repeats: [],
    balances: [
      { country: 'GHA', currency: 'GHS', balance: '21798.03', provider: '' },
      { country: 'UGA', currency: 'UGX', balance: '5000000', provider: '' },
      { country: 'CIV', currency: 'XOF', balance: '900000.00', provider: '' },
      { country: 'BFA', currency: 'XOF', balance: '100000', provider: '' },
    ],
    account: { signatures: {}, closed: [], inOneList: false, limits: {}, approvals: {}, isDown: false },
    statements: createStatements(clock),
    callbacks: createCallbacks(clock),
    keysRead: 0,
    signedWith: undefined,
  }
  const server = await startFake(pawapayWords, (asked) => handle(books, asked))
  const { calm } = server
  const paymentOf = (id: string): FakePayment => {
    const payment = books.payments.get(id)
    if (payment === undefined) throw new Error(`pawaPay has no payment ${id}`)
    return payment
  }
  const recordOf = (id: string): string => {
    const payment = paymentOf(id)
    return JSON.stringify(shown(books, payment, stateOf(books, payment)))
  }
  return Object.assign(server, {
    calm() {
      calm()
      for (const { status } of books.scripts.values()) status.splice(0)
    },
    script(phoneNumber: string, { submit = [], status = [], ...script }: PawapayScript) {
      books.scripts.set(phoneNumber.replace('+', ''), { ...script, submit: [...submit], status: [...status] })
    },
    payments: (kind?: Kind) => [...books.payments.values()].filter((one) => kind === undefined || one.kind === kind),
    paymentsOf: (number: string) =>
      [...books.payments.values()].filter(({ phoneNumber }) => `+${phoneNumber}` === number),
    stateOf: (id: string) => stateOf(books, paymentOf(id)),
    repeats: books.repeats,
    demandSignatures: (publicKey: string) => void (books.signedWith = publicKey),
    callback: (id: string, address: CallbackAddress, options?: CallbackOptions) =>
      books.callbacks.signed(recordOf(id), address, options),
    sign: (body: string, address: CallbackAddress, options?: CallbackOptions) =>
      books.callbacks.signed(body, address, options),
    keysRead: () => books.keysRead,
    balances: books.balances,
    account: books.account,
    statements: books.statements,
  })
}

const plainly = (work: () => Answer) => ({ act: 'answer' as const, work })
const answer = (body: unknown): Answer => ({ status: 200, body })

function handle(books: Books, asked: Asked): ReturnType<Handler> {
  const { method, path, request } = asked
  const downloaded = books.statements.download(asked)
  if (downloaded !== undefined) return downloaded
  if (asked.body !== undefined && request.headers['content-type'] !== 'application/json')
    throw new Error(`${path} came as no JSON`)
  const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
  if (token === undefined) throw new Error(`${path} came without a token`)
  if (token !== pawapayToken) return plainly(() => refusal({ code: 'AUTHENTICATION_ERROR', status: 403 }))
  const [, kind, id] = /^\/v2\/(payout|deposit)s(?:\/([^/]+))?$/.exec(path) ?? []
  if (method === 'POST' && kind !== undefined && id === undefined) return take(books, kind as Kind, asked)
  if (method === 'GET' && kind !== undefined && id !== undefined) return statusOf(books, kind as Kind, id)
  if (method === 'GET' && path === '/v2/wallet-balances') return plainly(() => answer({ balances: books.balances }))
  if (method === 'GET' && path === '/v2/public-key/http')
    return plainly(() => ((books.keysRead += 1), answer(books.callbacks.keys)))
  if (method === 'GET' && path === '/v2/active-conf')
    return plainly(() => (books.account.isDown ? { status: 503, body: {} } : answer(configurationOf(books.account))))
  if (method === 'GET' && path === '/v2/availability') return plainly(() => answer(availabilityOf(books.account)))
  if (method === 'POST' && path === '/v2/predict-provider') return plainly(() => predictionFor(asked.body))
  const [, queued] = /^\/v2\/payouts\/fail-enqueued\/([^/]+)$/.exec(path) ?? []
  if (method === 'POST' && queued !== undefined) return plainly(() => cancel(books, queued))
  const ofStatement = books.statements.handle(asked)
  if (ofStatement !== undefined) return ofStatement
  throw new Error(`there is no ${method} ${path}`)
}

/** A scripted step: an act of the server, or a refusal. */
function scripted(step: Step | undefined, asked: Asked | undefined, work: () => Answer): ReturnType<Handler> {
  const id = asked === undefined ? {} : idIn(asked)
  if (typeof step === 'object') return plainly(() => (step.done === true && work(), refusal(step, id)))
  const spoil: ReturnType<Handler>['spoil'] = {
    'no-money': () => refusal({ code: 'PAWAPAY_WALLET_OUT_OF_FUNDS' }, id),
    'key-refused': () => pawapayWords['key-refused'],
    missing: () => pawapayWords.missing,
    ...(asked === undefined
      ? {}
      : {
          duplicate: () => (work(), pawapayWords.exists(asked)),
          'duplicate-untrue': () => pawapayWords.exists(asked),
        }),
  }
  return { act: step ?? 'answer', work, spoil }
}

function take(books: Books, kind: Kind, asked: Asked): ReturnType<Handler> {
  const payment = paymentIn(books, kind, asked.body)
  const isUnsigned = books.signedWith !== undefined && !isSigned(books.signedWith, asked)
  if (isUnsigned) return plainly(() => refusal({ code: 'HTTP_SIGNATURE_ERROR', status: 403 }))
  const known = books.payments.get(payment.id)
  if (known !== undefined && textOf(known) !== textOf(payment)) throw new Error('an id came with another payment')
  const step = books.scripts.get(payment.phoneNumber)?.submit.shift()
  return scripted(step, asked, () => {
    const created = new Date(books.clock.now()).toISOString()
    if (known !== undefined) {
      if (!comesAgain(known, books.clock)) books.repeats.push(payment.id)
      tellThere(known)
      return pawapayWords.exists(asked)
    }
    books.payments.set(payment.id, payment)
    const nextStep = kind === 'deposit' ? { nextStep: 'FINAL_STATUS' } : {}
    return answer({ [`${kind}Id`]: payment.id, status: 'ACCEPTED', ...nextStep, created })
  })
}

/** Throws if the documents do not allow the request. */
function paymentIn(books: Books, kind: Kind, body: unknown): FakePayment {
  const order = kind === 'payout' ? payoutBody.parse(body) : depositBody.parse(body)
  const [id, party] = 'payoutId' in order ? [order.payoutId, order.recipient] : [order.depositId, order.payer]
  const code = 'depositId' in order ? order.preAuthorisationCode : undefined
  const { provider, phoneNumber } = party.accountDetails
  const operator = fakeOperators[provider]
  if (operator === undefined) throw new Error(`there is no operator ${provider}`)
  if (operator.currency !== order.currency) throw new Error(`${provider} has no wallets in ${order.currency}`)
  if (!phoneNumber.startsWith(operator.prefix)) throw new Error(`${provider} has no number ${phoneNumber}`)
  if (operator.decimals === 'NONE' && order.amount.includes('.')) throw new Error(`${provider} takes no decimals`)
  if (kind === 'deposit' && operator.authType === 'REDIRECT_AUTH') throw new Error(`${provider} needs a page`)
  if (kind === 'deposit' && (operator.authType === 'PREAUTH') !== (code !== undefined))
    throw new Error(`${provider}: a code is missing, or comes where none is wanted`)
  const { amount, currency, customerMessage: message } = order
  const { hiddenMs = 0 } = books.scripts.get(phoneNumber) ?? {}
  const rest = { atMs: books.clock.now(), isCancelled: false, ...shownAfter(books.clock, hiddenMs) }
  return { kind, id, amount, currency, provider, phoneNumber, message, code, ...rest }
}

/** The fields that must be the same whenever an id comes again. Another code of the payer makes another try. */
function textOf({ kind, amount, currency, provider, phoneNumber, message }: FakePayment): string {
  return JSON.stringify([kind, amount, currency, provider, phoneNumber, message])
}

/** Does not use the adapter's code, so that the fake shares no mistake with it. */
function isSigned(publicKey: string, { method, path, request, text }: Asked): boolean {
  const { headers } = request
  const header = (name: string): string => String(headers[name] ?? '')
  const params = header('signature-input').replace(/^sig-pp=/, '')
  const list = /^\(([^)]*)\);alg="ecdsa-p256-sha256";keyid="[^"]+";created=\d+;expires=\d+$/.exec(params)?.[1]
  if (list === undefined) return false
  const derived: Record<string, string> = { '@method': method, '@authority': header('host'), '@path': path }
  const lines = list
    .split(' ')
    .map((name) => name.replaceAll('"', ''))
    .map((name) => `"${name}": ${derived[name] ?? header(name)}`)
  const base = [...lines, `"@signature-params": ${params}`].join('\n')
  const digest = createHash('sha512').update(text).digest('base64')
  const signature = Buffer.from(header('signature').slice('sig-pp=:'.length, -1), 'base64')
  return (
    header('content-digest') === `sha-512=:${digest}:` &&
    verify('sha256', Buffer.from(base), { key: createPublicKey(publicKey), dsaEncoding: 'der' }, signature)
  )
}

function statusOf(books: Books, kind: Kind, id: string): ReturnType<Handler> {
  const known = books.payments.get(id)
  if (known?.kind !== kind || isHidden(known, books.clock)) return plainly(() => pawapayWords.missing)
  const step = books.scripts.get(known.phoneNumber)?.status.shift()
  return scripted(step, undefined, () =>
    answer({ status: 'FOUND', data: shown(books, known, step === 'odd-word' ? 'PARKED' : stateOf(books, known)) }),
  )
}

/** pawaPay cancels only queued payouts. */
function cancel(books: Books, payoutId: string): Answer {
  const payment = books.payments.get(payoutId)
  if (payment === undefined) return refusal({ code: 'NOT_FOUND' }, { payoutId })
  if (stateOf(books, payment) !== 'ENQUEUED') return refusal({ code: 'INVALID_STATE' }, { payoutId })
  payment.isCancelled = true
  return answer({ payoutId, status: 'ACCEPTED' })
}

const usualWords = { payout: ['ACCEPTED', 'ENQUEUED', 'PROCESSING'], deposit: ['ACCEPTED', 'PROCESSING'] }
/** The duration of each state before the last one. */
const stepMs = 1_500

/** COMPLETED, FAILED, or an earlier state. */
function stateOf({ clock, scripts }: Books, payment: FakePayment): string {
  const { words = usualWords[payment.kind] } = scripts.get(payment.phoneNumber) ?? {}
  const fate = fateOf(scripts.get(payment.phoneNumber), payment)
  if (payment.isCancelled) return 'FAILED'
  if (fate === 'stuck') return words[0] ?? 'ACCEPTED'
  return words[Math.floor((clock.now() - payment.atMs) / stepMs)] ?? (fate === 'COMPLETED' ? 'COMPLETED' : 'FAILED')
}

function fateOf(script: PawapayScript | undefined, { kind, phoneNumber }: FakePayment): string {
  return script?.fate ?? fateOfNumber(kind, phoneNumber)
}

/** The record of a payment, in a status answer and in a callback, which spell amounts differently. */
function shown({ scripts }: Books, payment: FakePayment, state: string): Record<string, unknown> {
  const { kind, id, amount, currency, provider, phoneNumber, message } = payment
  const script = scripts.get(phoneNumber)
  const accountDetails = { phoneNumber: script?.numberShown ?? phoneNumber, provider }
  const fate = fateOf(script, payment)
  const ofFate = fate === 'COMPLETED' ? 'UNKNOWN_ERROR' : fate
  const code = payment.isCancelled ? 'MANUALLY_CANCELLED' : ofFate
  return {
    [`${kind}Id`]: id,
    status: state,
    amount: kind === 'payout' || amount.includes('.') ? amount : `${amount}.00`,
    currency,
    country: fakeOperators[provider]?.country,
    [kind === 'payout' ? 'recipient' : 'payer']: { type: 'MMO', accountDetails },
    customerMessage: message,
    created: new Date(payment.atMs).toISOString(),
    ...(state === 'COMPLETED' ? { providerTransactionId: `OP${id.slice(0, 8).toUpperCase()}` } : {}),
    ...(state === 'FAILED' ? { failureReason: { failureCode: code, failureMessage: 'It failed' } } : {}),
    metadata: {},
  }
}
