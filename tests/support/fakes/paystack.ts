// Paystack, by its documents: "Initiate Transfer", "Verify Transfer", "Create Transfer Recipient", "Resolve Account
// Number", "Check Balance", "Verify Transaction". The fake records the transfers that it has; a test scripts its
// answers about them.

import { createHmac } from 'node:crypto'
import { z } from 'zod'
import { systemClock, type Clock } from '#platform/clock.ts'
import { comesAgain, isHidden, shownAfter, tellThere, type Shown } from './absence.ts'
import { createPaystackAccounts, type PaystackAccounts } from './paystack-accounts.ts'
import { handleBanks } from './paystack-banks.ts'
import { undescribed } from './paystack-description.ts'
import { createPaystackCharges, type PaystackCharges } from './paystack-charges.ts'
import { createPaystackWallets, type PaystackWallets } from './paystack-wallets.ts'
import { createPaystackRefunds, type PaystackRefunds } from './paystack-refunds.ts'
import { transactionText, type PaystackPayment } from './paystack-transactions.ts'
import { balanceOf, createPaystackLists, type PaystackLists } from './paystack-lists.ts'
import { paystackWords, refusal, refusals } from './paystack-words.ts'
import { startFake, type Act, type Answer, type Asked, type FakeServer, type Handler } from './provider.ts'

/** How a transfer ends. */
export type TransferFate = 'success' | 'failed' | 'pending' | 'reversed' | 'otp' | 'blocked'

/** A refusal in Paystack's envelope. `done`: Paystack made the transfer all the same. */
export type Refused = { message: string; code?: string; status?: number; done?: true }

export type TransferScript = {
  fate?: TransferFate
  submit?: (Act | Refused)[]
  status?: Act[]
  recipient?: (Act | Refused)[]
  failures?: string
  /** The status word in the answer to the submission. */
  answered?: string
  /** How long a question about a new transfer is answered with 404. */
  hiddenMs?: number
  /** Details of the recipient that Paystack shows wrongly: in the answer to its creation, and in the transfer. */
  recipientShown?: Partial<Details>
  destinationShown?: Partial<Details>
}

type Details = { account_number: string; bank_code: string }

type Transfer = Shown & {
  reference: string
  amount: number
  accountNumber: string
  bankCode: string
  /** The account at a till or paybill. */
  accountReference: string | undefined
  looks: number
  id: number
}

export type FakePaystack = FakeServer & {
  script(accountNumber: string, script: TransferScript): void
  transfersTo(accountNumber: string): Transfer[]
  transfers(): Transfer[]
  /** References that were sent again although Paystack had them. */
  repeats: string[]
  /** How many recipients were made; each request counts. */
  recipientsMade(): number
  forgetRecipients(): void
  accounts: PaystackAccounts
  lists: PaystackLists
  charges: PaystackCharges
  refunds: PaystackRefunds
  wallets: PaystackWallets
  /**
   * Adds money that a payer paid into an account of ours. A payment without the account's number belongs to the charge
   * of this reference.
   */
  pay(payment: PaystackPayment): void
  /** Gives the business another secret key. Paystack then refuses the old one. */
  rotate(key: string): void
  sign(body: string): { headers: Record<string, string>; rawBody: Buffer }
}

export const paystackTestKey = 'sk_test_fake'

/** Tills and paybills. */
const businessCodes = ['MPTILL', 'MPPAYBILL']

const recipientBody = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('nuban'),
    name: z.string().min(1),
    account_number: z.string().regex(/^\d{10}$/),
    bank_code: z.string().min(3),
    currency: z.literal('NGN'),
  }),
  z.strictObject({
    type: z.literal('mobile_money'),
    name: z.string().min(1),
    account_number: z.string().regex(/^0\d{9}$/),
    bank_code: z.enum(['MTN', 'VOD', 'ATL', 'MPESA']),
    currency: z.enum(['GHS', 'KES']),
  }),
  z.strictObject({
    type: z.literal('mobile_money_business'),
    name: z.string().min(1),
    account_number: z.string().regex(/^\d{5,7}$/),
    bank_code: z.enum(businessCodes),
    currency: z.literal('KES'),
  }),
])

const transferBody = z.strictObject({
  source: z.literal('balance'),
  amount: z.int().positive(),
  recipient: z.string().startsWith('RCP_'),
  reference: z.string().regex(/^[a-z0-9_-]{16,50}$/),
  reason: z
    .string()
    .max(100)
    .regex(/^[\x20-\x7e]*$/),
  currency: z.enum(['NGN', 'GHS', 'KES']),
  account_reference: z
    .string()
    .regex(/^[A-Za-z0-9./ -]{1,20}$/)
    .optional(),
})

type Books = {
  clock: Clock
  /** The currency of the account, which belongs to one country. */
  currency: PaystackCurrency
  /** The key is the recipient's code. */
  recipients: Map<string, Details>
  transfers: Map<string, Transfer>
  scripts: Map<string, Required<TransferScript>>
  transactions: Map<string, string>
  made: number
  repeats: string[]
  accounts: PaystackAccounts
  charges: PaystackCharges
  refunds: PaystackRefunds
  wallets: PaystackWallets
  lists: PaystackLists
}

export type PaystackCurrency = 'NGN' | 'GHS' | 'KES' | 'XOF'

export async function startFakePaystack(
  clock: Clock = systemClock,
  firstKey = paystackTestKey,
  currency: PaystackCurrency = 'NGN',
): Promise<FakePaystack> {
  let key = firstKey
  const books: Books = {
    clock,
    currency,
    recipients: new Map(),
    transfers: new Map(),
    scripts: new Map(),
    transactions: new Map(),
    made: 0,
    repeats: [],
    accounts: createPaystackAccounts(),
    charges: createPaystackCharges(clock),
    refunds: createPaystackRefunds(),
    wallets: createPaystackWallets(clock),
    lists: createPaystackLists(() => clock.now(), currency),
  }
  const server = await startFake(paystackWords, (asked) => {
    checkHead(asked)
    if (asked.request.headers.authorization !== `Bearer ${key}`) return plainly(refusals['key-refused'])
    return routeOf(books, asked)
  })
  const { calm } = server
  return Object.assign(server, {
    calm() {
      calm()
      for (const { status } of books.scripts.values()) status.splice(0)
    },
    accounts: books.accounts,
    charges: books.charges,
    refunds: books.refunds,
    wallets: books.wallets,
    lists: books.lists,
    script: (account: string, script: TransferScript) => void books.scripts.set(account, whole(script)),
    transfersTo: (account: string) => [...books.transfers.values()].filter((one) => one.accountNumber === account),
    transfers: () => [...books.transfers.values()],
    repeats: books.repeats,
    recipientsMade: () => books.made,
    forgetRecipients: () => books.recipients.clear(),
    pay(payment: PaystackPayment) {
      books.transactions.set(payment.reference, transactionText(payment))
    },
    rotate: (next: string) => void (key = next),
    sign(body: string) {
      const rawBody = Buffer.from(body)
      const signature = createHmac('sha512', key).update(rawBody).digest('hex')
      return { headers: { 'x-paystack-signature': signature }, rawBody }
    },
  })
}

function checkHead(asked: Asked): void {
  const { request, path, body } = asked
  const complaints = undescribed(asked)
  if (complaints.length > 0) throw new Error(complaints.join('; '))
  if (!/^Bearer \S+$/.test(request.headers.authorization ?? '')) throw new Error(`${path} came without a key`)
  if (body !== undefined && request.headers['content-type'] !== 'application/json')
    throw new Error(`${path} came as no JSON`)
}

function routeOf(books: Books, asked: Asked) {
  const { method, path } = asked
  const verified = /^\/transfer\/verify\/([^/]+)$/.exec(path)?.[1]
  const transaction = /^\/transaction\/verify\/([^/]+)$/.exec(path)?.[1]
  const ofWallet = books.wallets.handle(asked)
  if (ofWallet !== undefined) return ofWallet
  if (method === 'POST' && path === '/transferrecipient') return makeRecipient(books, asked)
  if (method === 'POST' && path === '/transfer') return transfer(books, asked)
  if (method === 'GET' && verified !== undefined) return verify(books, decodeURIComponent(verified))
  if (method === 'GET' && transaction !== undefined)
    return plainly(() => found(books.transactions.get(transaction), books.wallets.missingStatus))
  if (method === 'GET' && path === '/balance') return plainly(() => balanceOf(books.lists.held, books.currency))
  const { accounts, charges, refunds, lists } = books
  const aboutOthers =
    handleBanks(asked) ??
    accounts.handle(asked) ??
    charges.handle(asked) ??
    refunds.handle(asked) ??
    lists.handle(asked)
  if (aboutOthers !== undefined) return aboutOthers
  throw new Error(`there is no ${method} ${path}`)
}

const plainly = (work: () => Answer) => ({ act: 'answer' as const, work })
const success = (data: unknown, message = 'OK'): Answer => ({ status: 200, body: { status: true, message, data } })
const found = (text: string | undefined, missingStatus: number): Answer =>
  text === undefined
    ? refusal(missingStatus, 'Transaction reference not found', 'transaction_not_found')
    : { status: 200, body: text }

function whole(script: TransferScript): Required<TransferScript> {
  const { submit = [], status = [], recipient = [] } = script
  const lists = { submit: [...submit], status: [...status], recipient: [...recipient] }
  const usual = { failures: '', answered: 'pending', hiddenMs: 0, recipientShown: {}, destinationShown: {} }
  return { fate: 'success', ...usual, ...script, ...lists }
}

const scriptOf = (books: Books, accountNumber: string) => books.scripts.get(accountNumber) ?? whole({})

/** A scripted step: an act of the server, or a refusal. */
function scripted(step: Act | Refused = 'answer', work: () => Answer, spoil: ReturnType<Handler>['spoil'] = {}) {
  if (typeof step === 'string') return { act: step, work, spoil }
  const { message, code, status = 400, done } = step
  return plainly(() => (done === true && work(), refusal(status, message, code)))
}

function makeRecipient(books: Books, { body }: Asked) {
  const { account_number: account, bank_code: bank, currency } = recipientBody.parse(body)
  if (currency !== books.currency) throw new Error(`a recipient in ${currency} at an account of ${books.currency}`)
  books.made += 1
  const { recipient, recipientShown } = scriptOf(books, account)
  const work = (): Answer => {
    if (account === '0000000404') return refusal(400, 'Account number is invalid', 'invalid_params')
    if (bank === '999') return refusal(400, 'Unknown bank code: 999', 'invalid_params')
    const details = { account_number: account, bank_code: bank }
    const code = `RCP_${bank}_${account}`
    books.recipients.set(code, details)
    const data = recipientData(code, { ...details, ...recipientShown })
    return { status: 201, body: { status: true, message: 'Transfer recipient created successfully', data } }
  }
  return scripted(recipient.shift(), work, refusals)
}

function recipientData(recipientCode: string, details: Details) {
  return {
    recipient_code: recipientCode,
    active: true,
    is_deleted: false,
    details: { account_name: null, ...details },
  }
}

function transfer(books: Books, { body }: Asked) {
  const order = transferBody.parse(body)
  if (order.currency !== books.currency) throw new Error(`a transfer of ${order.currency}`)
  const [, bankCode = '', accountNumber = ''] = order.recipient.split('_')
  if (businessCodes.includes(bankCode) !== (order.account_reference !== undefined))
    throw new Error(`a transfer to ${bankCode} came with the account reference ${order.account_reference}`)
  const known = books.transfers.get(order.reference)
  if (known !== undefined && known.amount !== order.amount) throw new Error('a reference came with another amount')
  if (known !== undefined && known.accountReference !== order.account_reference)
    throw new Error('a reference came with another account reference')
  const { submit, answered, hiddenMs } = scriptOf(books, accountNumber)
  const step = submit.shift()
  const work = (): Answer => {
    if (!books.recipients.has(order.recipient))
      return refusal(400, 'Recipient specified is invalid', 'invalid_transfer_recipient')
    if (known !== undefined) {
      if (!comesAgain(known, books.clock)) books.repeats.push(order.reference)
      tellThere(known)
      return refusals.duplicate()
    }
    const { reference, amount } = order
    books.transfers.set(reference, {
      reference,
      amount,
      accountNumber,
      bankCode,
      accountReference: order.account_reference,
      looks: 0,
      id: 900_000_000_000_000 + books.transfers.size,
      ...shownAfter(books.clock, hiddenMs),
    })
    return shown(books, reference, 12_345, step === 'odd-word' ? 'parked' : answered)
  }
  const other = (): Answer => (work(), shown(books, order.reference, 12_345, 'success', 'somebody-elses-transfer'))
  return scripted(step, work, {
    ...refusals,
    duplicate: () => (work(), tellThere(books.transfers.get(order.reference)), refusals.duplicate()),
    'duplicate-untrue': refusals.duplicate,
    'other-payment': other,
  })
}

function verify(books: Books, reference: string) {
  const known = books.transfers.get(reference)
  const missing = (): Answer => refusal(404, 'Transfer not found', 'transfer_not_found')
  if (known === undefined) return plainly(missing)
  const { fate, status, destinationShown } = scriptOf(books, known.accountNumber)
  if (isHidden(known, books.clock)) return plainly(missing)
  const act = status.shift() ?? 'answer'
  const work = (): Answer => {
    known.looks += 1
    const word = fate === 'reversed' && known.looks === 1 ? 'success' : fate
    const details = { account_number: known.accountNumber, bank_code: known.bankCode, ...destinationShown }
    const recipient = recipientData(`RCP_${known.bankCode}_${known.accountNumber}`, details)
    return shown(books, reference, recipient, act === 'odd-word' ? 'parked' : word)
  }
  return { act, work, spoil: { missing, 'key-refused': refusals['key-refused'] } }
}

function shown(books: Books, reference: string, recipientShown: unknown, status: string, told = reference): Answer {
  const known = books.transfers.get(reference)
  const { failures } = scriptOf(books, known?.accountNumber ?? '')
  return success({
    id: known?.id,
    reference: told,
    amount: known?.amount,
    currency: books.currency,
    domain: 'test',
    recipient: recipientShown,
    status,
    transfer_code: 'TRF_1',
    failures: failures === '' ? null : failures,
    session: {
      provider: 'nip',
      id: books.currency === 'NGN' && (status === 'success' || status === 'reversed') ? '9'.repeat(30) : null,
    },
  })
}
