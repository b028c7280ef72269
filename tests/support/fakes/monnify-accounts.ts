// Monnify's accounts that payers pay into, by its documents: "Create Reserved Account (V2)", "Get Reserved Account
// Details", "Deallocate Reserved Account", "Create Invoice", "View Invoice Details", "Cancel Invoice". Monnify shows an
// account that it opened, whatever it answered when it opened it. A request that the documents do not allow fails the
// test.

import { z } from 'zod'
import type { Act, Answer, Asked, Handler } from './provider.ts'

export const monnifyContract = '7059707855'

const common = {
  currencyCode: z.literal('NGN'),
  contractCode: z.literal(monnifyContract),
  customerEmail: z.email(),
  customerName: z.string().min(1),
}

const reservation = z.strictObject({
  ...common,
  accountReference: z.string().regex(/^[a-z0-9-]{16,50}$/),
  accountName: z.string().min(1),
  bvn: z.string().regex(/^\d{11}$/),
  getAllAvailableBanks: z.literal(false),
  preferredBanks: z.array(z.string().regex(/^\d{3,6}$/)).length(1),
})

const invoice = z.strictObject({
  ...common,
  amount: z.number().min(20),
  invoiceReference: z.string().regex(/^[a-z0-9-]{16,50}$/),
  description: z.string().min(1),
  expiryDate: z.string().regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
  paymentMethods: z.tuple([z.literal('ACCOUNT_TRANSFER')]),
})

/** A scripted step: an act of the server, or a refusal without the work. */
export type AccountStep = Act | { code: string; message: string; status?: number }

type Held = { number: string; body: string; isOpen: boolean; isInvoice: boolean }

export type MonnifyAccounts = {
  /** The next calls about accounts are handled by these steps, one by one. */
  script(...steps: AccountStep[]): void
  /** The account that it opened under this number. */
  find(number: string): { reference: string; isInvoice: boolean } | undefined
  /** Numbers of customers' accounts that are open. */
  reserved(): string[]
  /** References of open accounts. */
  open(): string[]
  /** How many accounts it has opened in all. */
  made(): number
  /** Undefined: the call is not about accounts. */
  handle(asked: Asked): ReturnType<Handler> | undefined
  /** Adds an account that a person opened by hand. */
  put(reference: string, number: string, ...more: string[]): void
}

export const reservationExists = 'You can not reserve two accounts with the same reference'
const invoiceExists = 'Invoice with this reference already exists.'

export function createMonnifyAccounts(): MonnifyAccounts {
  const held = new Map<string, Held>()
  const steps: AccountStep[] = []
  let made = 0

  function create(reference: string, isInvoice: boolean, bodyOf: (number: string) => string): Answer {
    const known = held.get(reference)
    if (known !== undefined) return refusal('99', isInvoice ? invoiceExists : reservationExists, 422)
    made += 1
    const number = String(6_100_000_000 + made)
    held.set(reference, { number, body: bodyOf(number), isOpen: true, isInvoice })
    return success(held.get(reference)?.body ?? '')
  }

  function work(asked: Asked): (() => Answer) | undefined {
    const { method, path } = asked
    const [, shown] =
      /^\/api\/v2\/bank-transfer\/reserved-accounts\/([^/]+)$/.exec(path) ??
      /^\/api\/v1\/invoice\/([^/]+)\/details$/.exec(path) ??
      []
    const [, closed] =
      /^\/api\/v1\/bank-transfer\/reserved-accounts\/reference\/([^/]+)$/.exec(path) ??
      /^\/api\/v1\/invoice\/([^/]+)\/cancel$/.exec(path) ??
      []
    if (method === 'POST' && path === '/api/v2/bank-transfer/reserved-accounts') return () => reserve(asked)
    if (method === 'POST' && path === '/api/v1/invoice/create') return () => bill(asked)
    if (method === 'GET' && shown !== undefined) return () => show(decodeURIComponent(shown))
    if (method === 'DELETE' && closed !== undefined) return () => close(decodeURIComponent(closed))
    return undefined
  }

  function reserve(asked: Asked): Answer {
    const order = reservation.parse(asked.body)
    const [bankCode = ''] = order.preferredBanks
    const bodyOf = (accountNumber: string): string =>
      JSON.stringify({
        contractCode: order.contractCode,
        accountReference: order.accountReference,
        accountName: order.accountName,
        // Lists the account at another bank first, so that a test notices an adapter that takes the first of two.
        accounts: [
          { bankCode: '999', bankName: 'Elsewhere Bank', accountNumber: '6999999999', accountName: 'NOBODY' },
          { bankCode, bankName: 'Moniepoint Microfinance Bank', accountNumber, accountName: order.accountName },
        ],
        status: 'ACTIVE',
      })
    return create(order.accountReference, false, bodyOf)
  }

  function bill(asked: Asked): Answer {
    const order = invoice.parse(asked.body)
    const naira = /"amount":(\d+\.\d\d)[,}]/.exec(asked.text)?.[1]
    if (naira === undefined) throw new Error('an amount came otherwise than as a number with two decimals')
    const bodyOf = (accountNumber: string): string => {
      const rest = JSON.stringify({
        invoiceReference: order.invoiceReference,
        invoiceStatus: 'PENDING',
        accountNumber,
        accountName: order.customerName,
        bankName: 'Wema bank',
        bankCode: '035',
        expiryDate: order.expiryDate,
      })
      return `{"amount":${naira},${rest.slice(1)}`
    }
    return create(order.invoiceReference, true, bodyOf)
  }

  function show(reference: string): Answer {
    const known = held.get(reference)
    return known === undefined ? refusal('99', 'Cannot find reserved account', 404) : success(known.body)
  }

  function close(reference: string): Answer {
    const known = held.get(reference)
    if (known?.isOpen !== true) return refusal('99', 'Cannot find reserved account', 404)
    known.isOpen = false
    return success('{}')
  }

  return {
    script: (...more) => void steps.push(...more),
    find(number) {
      const [found] = [...held].filter(([, one]) => one.number === number)
      return found === undefined ? undefined : { reference: found[0], isInvoice: found[1].isInvoice }
    },
    reserved: () => [...held.values()].filter((one) => one.isOpen && !one.isInvoice).map(({ number }) => number),
    open: () => [...held].filter(([, { isOpen }]) => isOpen).map(([reference]) => reference),
    made: () => made,
    put(reference, number, ...more) {
      const accounts = [number, ...more].map((accountNumber) => ({ bankCode: '50515', accountNumber }))
      held.set(reference, {
        number,
        isOpen: true,
        isInvoice: false,
        body: JSON.stringify({ accountReference: reference, accounts }),
      })
    },
    handle(asked) {
      const todo = work(asked)
      if (todo === undefined) return undefined
      const step = steps.shift() ?? 'answer'
      if (typeof step !== 'object') return { act: step, work: todo }
      return { act: 'answer', work: () => refusal(step.code, step.message, step.status ?? 400) }
    },
  }
}

function success(body: string): Answer {
  const head = '{"requestSuccessful":true,"responseMessage":"success","responseCode":"0"'
  return { status: 200, body: `${head},"responseBody":${body}}` }
}

function refusal(code: string, message: string, status: number): Answer {
  return { status, body: { requestSuccessful: false, responseMessage: message, responseCode: code } }
}
