// Monnify, by its documents: "Generate Access Token", "Single transfers", "Get Single Transfer Status", "Validate Bank
// Account", "Get Wallet Balance", "Get Transaction Status", "Get Reserved Account Details". The fake records the
// transfers that it has; a test scripts its answers about them.

import { createHmac } from 'node:crypto'
import { z } from 'zod'
import type { Clock } from '#platform/clock.ts'
import { comesAgain, isHidden, shownAfter, tellThere, type Shown } from './absence.ts'
import { createMonnifyAccounts, type MonnifyAccounts } from './monnify-accounts.ts'
import { createMonnifyRefunds, type MonnifyRefunds } from './monnify-refunds.ts'
import { createMonnifyLists, type MonnifyLists } from './monnify-lists.ts'
import { monnifyWords, refusal, type Refused } from './monnify-words.ts'
import { startFake, type Act, type Answer, type Asked, type FakeServer, type Handler } from './provider.ts'

type Step = Act | Refused

export type MonnifyScript = {
  fate?: string
  description?: string
  submit?: Step[]
  status?: Step[]
  enquiry?: Step[]
  /** The answers to the first early questions, before the fate is known. */
  words?: { status: string; description: string }[]
  holder?: string
  /** The status word in the answer to the submission. */
  answered?: string
  /** The comment in the answer to the submission. */
  comment?: string
  /** How long a question about a new transfer is answered with 404. */
  hiddenMs?: number
  /** The bank that the transfer shows in place of the requested one. */
  bankShown?: string
}

type Transfer = Shown & {
  reference: string
  naira: string
  accountNumber: string
  bankCode: string
  looks: number
}
export type Payment = {
  reference: string
  naira: string
  status?: string
  paidOn?: string
  reservation?: string
  productType?: string
  method?: string
}

export type FakeMonnify = FakeServer & {
  script(accountNumber: string, script: MonnifyScript): void
  transfersTo(accountNumber: string): Transfer[]
  transfers(): Transfer[]
  /** References that were sent again although Monnify had them. */
  repeats: string[]
  logins(): number
  /** The next logins are handled by these acts. */
  scriptLogins(acts: Act[]): void
  /** Revokes all tokens, as when Monnify ends one early. */
  revokeTokens(): void
  /** Adds money that a payer paid into an account of ours. */
  pay(payment: Payment): void
  accounts: MonnifyAccounts
  refunds: MonnifyRefunds
  lists: MonnifyLists
  sign(body: string): { headers: Record<string, string>; rawBody: Buffer }
}

export const monnifyKeys = { apiKey: 'MK_TEST_FAKE', secretKey: 'fake-secret', wallet: '3934178936' }
const holderName = 'Ada  Ngozi Obi'
const lifeSeconds = 3_567
/** The service takes what Monnify says for longer than half an hour as true. */
const earlyMs = 25 * 60_000

const disbursement = z.strictObject({
  amount: z.number().positive(),
  reference: z.string().min(1),
  narration: z.string().regex(/^[\x20-\x7e]{1,100}$/),
  destinationBankCode: z.string().regex(/^\d{3,6}$/),
  destinationAccountNumber: z.string().regex(/^\d{10}$/),
  destinationAccountName: z.string(),
  currency: z.literal('NGN'),
  sourceAccountNumber: z.literal(monnifyKeys.wallet),
  async: z.literal(true),
})

type Books = {
  clock: Clock
  tokens: Map<string, number>
  logins: number
  loginActs: Act[]
  transfers: Map<string, Transfer>
  repeats: string[]
  scripts: Map<string, Required<MonnifyScript>>
  payments: Map<string, Payment>
  accounts: MonnifyAccounts
  refunds: MonnifyRefunds
  lists: MonnifyLists
}

export async function startFakeMonnify(clock: Clock): Promise<FakeMonnify> {
  const books: Books = {
    clock,
    tokens: new Map(),
    logins: 0,
    loginActs: [],
    transfers: new Map(),
    repeats: [],
    scripts: new Map(),
    payments: new Map(),
    accounts: createMonnifyAccounts(),
    refunds: createMonnifyRefunds(),
    lists: createMonnifyLists(() => clock.now(), monnifyKeys.wallet),
  }
  const server = await startFake(monnifyWords, (asked) => handle(books, asked))
  const { calm } = server
  return Object.assign(server, {
    calm() {
      calm()
      for (const { status } of books.scripts.values()) status.splice(0)
    },
    script: (account: string, script: MonnifyScript) => void books.scripts.set(account, whole(script)),
    transfersTo: (account: string) => [...books.transfers.values()].filter((one) => one.accountNumber === account),
    transfers: () => [...books.transfers.values()],
    repeats: books.repeats,
    logins: () => books.logins,
    scriptLogins: (acts: Act[]) => void books.loginActs.push(...acts),
    revokeTokens: () => books.tokens.clear(),
    pay: (payment: Payment) => void books.payments.set(payment.reference, payment),
    accounts: books.accounts,
    refunds: books.refunds,
    lists: books.lists,
    sign(body: string) {
      const rawBody = Buffer.from(body)
      const signature = createHmac('sha512', monnifyKeys.secretKey).update(rawBody).digest('hex')
      return { headers: { 'monnify-signature': signature }, rawBody }
    },
  })
}

function whole(script: MonnifyScript): Required<MonnifyScript> {
  const { submit = [], status = [], enquiry = [], words = [] } = script
  const lists = { submit: [...submit], status: [...status], enquiry: [...enquiry], words: [...words] }
  const usual = { description: '', holder: holderName, answered: 'PENDING', comment: '', hiddenMs: 0, bankShown: '' }
  return { fate: 'SUCCESS', ...usual, ...script, ...lists }
}

const scriptOf = (books: Books, account: string) => books.scripts.get(account) ?? whole({})

const plainly = (work: () => Answer) => ({ act: 'answer' as const, work })
const success = (responseBody: unknown): Answer => ({
  status: 200,
  body: { requestSuccessful: true, responseMessage: 'success', responseCode: '0', responseBody },
})
/** A scripted step: an act of the server, or a refusal. */
function scripted(step: Step | undefined, work: () => Answer, spoil: ReturnType<Handler>['spoil'] = {}) {
  if (typeof step === 'object') return plainly(() => (step.done === true && work(), refusal(step)))
  const refused = { 'key-refused': () => ({ status: 401, body: { error: 'invalid_token' } }) }
  return { act: step ?? ('answer' as const), work, spoil: { ...refused, ...spoil } }
}

function handle(books: Books, asked: Asked): ReturnType<Handler> {
  const { method, path, request } = asked
  if (asked.body !== undefined && request.headers['content-type'] !== 'application/json')
    throw new Error(`${path} came as no JSON`)
  if (method === 'POST' && path === '/api/v1/auth/login') return logIn(books, asked)
  const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
  if (token === undefined) throw new Error(`${path} came without a token`)
  if ((books.tokens.get(token) ?? 0) <= books.clock.now())
    return plainly(() => ({
      status: 401,
      body: { error: 'invalid_token', error_description: 'Access token expired' },
    }))
  return routeOf(books, asked)
}

function logIn(books: Books, { request, text }: Asked) {
  if (text !== '') throw new Error('a login came with a body')
  books.logins += 1
  const expected = `Basic ${Buffer.from(`${monnifyKeys.apiKey}:${monnifyKeys.secretKey}`).toString('base64')}`
  if (request.headers.authorization !== expected)
    return plainly(() => refusal({ code: '99', message: 'Invalid credentials', status: 401 }))
  const accessToken = `token-${books.logins}`
  books.tokens.set(accessToken, books.clock.now() + lifeSeconds * 1_000)
  return scripted(books.loginActs.shift(), () => success({ accessToken, expiresIn: lifeSeconds }))
}

function routeOf(books: Books, asked: Asked): ReturnType<Handler> {
  const { method, path, query } = asked
  const transaction = /^\/api\/v2\/transactions\/([^/|]+)$/.exec(path)?.[1]
  if (method === 'POST' && path === '/api/v2/disbursements/single') return disburse(books, asked)
  if (method === 'GET' && path === '/api/v2/disbursements/single/summary') return summary(books, query)
  if (method === 'GET' && path === '/api/v1/disbursements/account/validate') return validate(books, query)
  if (method === 'GET' && path === '/api/v2/disbursements/wallet-balance')
    return plainly(() => balance(query, books.lists.held))
  if (method === 'GET' && path === '/api/v1/banks') return plainly(() => success([{ name: 'GTBank', code: '058' }]))
  if (method === 'GET' && transaction !== undefined)
    return plainly(() => transactionOf(books.payments.get(decodeURIComponent(transaction))))
  const aboutOthers = books.accounts.handle(asked) ?? books.refunds.handle(asked) ?? books.lists.handle(asked)
  if (aboutOthers !== undefined) return aboutOthers
  throw new Error(`there is no ${method} ${path}`)
}

function balance(query: URLSearchParams, held: string): Answer {
  if (query.get('accountNumber') !== monnifyKeys.wallet) throw new Error('a question about another wallet')
  const text = '{"requestSuccessful":true,"responseMessage":"success","responseCode":"0","responseBody":'
  return { status: 200, body: `${text}{"availableBalance":${held},"ledgerBalance":60000.00}}` }
}

function validate(books: Books, query: URLSearchParams) {
  const account = query.get('accountNumber') ?? ''
  if (!/^\d{10}$/.test(account) || !/^\d{3,6}$/.test(query.get('bankCode') ?? ''))
    throw new Error('a question without account and bank')
  const { enquiry, holder } = scriptOf(books, account)
  const known = { accountNumber: account, accountName: holder, bankCode: query.get('bankCode'), currencyCode: 'NGN' }
  return scripted(enquiry.shift(), () => success(known))
}

function disburse(books: Books, { body, text }: Asked) {
  const order = disbursement.parse(body)
  const { reference, destinationAccountNumber: accountNumber, destinationAccountName: name } = order
  const naira = /"amount":(\d+\.\d\d)[,}]/.exec(text)?.[1]
  if (naira === undefined) throw new Error('an amount came otherwise than as a number with two decimals')
  const { submit, holder, answered, comment, hiddenMs } = scriptOf(books, accountNumber)
  if (name !== holder) throw new Error('a transfer came without the name that the enquiry gave')
  const known = books.transfers.get(reference)
  if (known !== undefined && known.naira !== naira) throw new Error('a reference came with another amount')
  const step = submit.shift()
  const exists = () => refusal({ code: 'D05', message: 'Supplied reference already exists!' })
  const create = (status = answered, told = reference): Answer => {
    if (known !== undefined) {
      if (!comesAgain(known, books.clock)) books.repeats.push(reference)
      tellThere(known)
      return exists()
    }
    books.transfers.set(reference, {
      reference,
      naira,
      accountNumber,
      bankCode: order.destinationBankCode,
      looks: 0,
      ...shownAfter(books.clock, hiddenMs),
    })
    return shown(books, reference, { status, ...(comment === '' ? {} : { comment }) }, told)
  }
  return scripted(step, () => create(step === 'odd-word' ? 'PARKED' : undefined), {
    duplicate: () => (create(), tellThere(books.transfers.get(reference)), exists()),
    'duplicate-untrue': exists,
    'other-payment': () => create('SUCCESS', 'somebody-elses-transfer'),
  })
}

function summary(books: Books, query: URLSearchParams) {
  const reference = query.get('reference') ?? ''
  const known = books.transfers.get(reference)
  const missing = () => refusal({ code: 'D02', message: 'Transaction not found', status: 404 })
  const script = scriptOf(books, known?.accountNumber ?? '')
  if (known !== undefined && isHidden(known, books.clock)) return plainly(missing)
  const step = script.status.shift()
  const work = (): Answer => {
    if (known === undefined) return missing()
    known.looks += 1
    const fate = script.fate === 'REVERSED' && known.looks === 1 ? 'SUCCESS' : script.fate
    const isEarly = books.clock.now() - known.shownAtMs < earlyMs
    const word = (isEarly ? script.words.shift() : undefined) ?? { status: fate, description: script.description }
    return shown(books, reference, step === 'odd-word' ? { ...word, status: 'PARKED' } : word)
  }
  return scripted(step, work, { missing })
}

/** The answer to a submission has no description. */
type Word = { status: string; description?: string; comment?: string }

/** The amount is a number in naira, with the digits that the request had. */
function shown(books: Books, reference: string, { status, description, comment }: Word, told = reference): Answer {
  const { naira = '', accountNumber = '', bankCode } = books.transfers.get(reference) ?? {}
  const { bankShown } = scriptOf(books, accountNumber)
  const sessionId = status === 'SUCCESS' || status === 'REVERSED' ? '9'.repeat(30) : ''
  const rest = JSON.stringify({
    reference: told,
    status,
    transactionDescription: description,
    comment,
    currency: 'NGN',
    destinationAccountNumber: accountNumber,
    destinationBankCode: bankShown === '' ? bankCode : bankShown,
    sessionId,
    fee: 20,
  })
  const head = '{"requestSuccessful":true,"responseMessage":"success","responseCode":"0"'
  return { status: 200, body: `${head},"responseBody":{"amount":${naira},${rest.slice(1)}}` }
}

function transactionOf(payment: Payment | undefined): Answer {
  if (payment === undefined) return refusal({ code: '99', message: 'Transaction not found', status: 404 })
  const {
    reference,
    naira,
    status = 'PAID',
    paidOn = '2026-11-20 10:00:00.615',
    reservation = 'R1',
    productType: type = 'RESERVED_ACCOUNT',
    method: paymentMethod = 'ACCOUNT_TRANSFER',
  } = payment
  return success({
    transactionReference: reference,
    paymentReference: reference,
    amountPaid: naira,
    totalPayable: naira,
    settlementAmount: naira,
    paidOn,
    paymentStatus: status,
    paymentDescription: 'order 7',
    currency: 'NGN',
    paymentMethod,
    product: { type, reference: reservation },
    accountDetails: { accountName: 'CHIDI OKE', accountNumber: '******6789', bankCode: '058', amountPaid: naira },
    cardDetails: null,
  })
}
