// Paystack's accounts of customers, by its documents: "Create Customer", "Fetch Customer", "Create Dedicated Virtual
// Account", "List Dedicated Accounts", "Deactivate Dedicated Account", "Fetch Bank Providers". Paystack identifies a
// customer by e-mail. A request that the documents do not allow fails the test.

import { z } from 'zod'
import type { Act, Answer, Asked, Handler } from './provider.ts'

const customerBody = z.strictObject({
  email: z.email(),
  first_name: z.string().min(1),
  last_name: z.string().min(1),
  phone: z.string().regex(/^\+?\d{10,15}$/),
})

const accountBody = z.strictObject({ customer: z.string().startsWith('CUS_'), preferred_bank: z.string().min(1) })

type Customer = { id: string; code: string; email: string }
type Account = { id: string; number: string; slug: string; customer: Customer; isActive: boolean }
type Refusal = 'refused' | 'refused-phone'
type Call = 'customer' | 'customers' | 'list' | 'create' | 'close' | 'providers'

export type PaystackAccounts = {
  /** The next calls of this kind are handled by these steps, one by one. */
  script(call: Call, ...acts: (Act | Refusal)[]): void
  /** The id that Paystack gave the business. */
  integration: number
  /** Refuses a customer that exists already, in place of showing it. Paystack's documents do not say which it does. */
  refusesKnown: boolean
  open(): string[]
  made(): number
  /** Undefined: the call is not about accounts. */
  handle(asked: Asked): ReturnType<Handler> | undefined
}

export const paystackBanks = ['test-bank', 'titan-paystack', 'wema-bank']

export function createPaystackAccounts(): PaystackAccounts {
  const customers = new Map<string, Customer>()
  const accounts: Account[] = []
  const scripts = new Map<Call, (Act | Refusal)[]>()

  function makeCustomer({ body }: Asked): Answer {
    const { email } = customerBody.parse(body)
    const known = customers.get(email)
    if (known !== undefined && book.refusesKnown) return refusal(400, 'Customer already exists')
    // Ids beyond the exact integers of JavaScript.
    const id = `90071992547409${String(10_000 + customers.size)}`
    const customer = known ?? { id, code: `CUS_${customers.size}`, email }
    customers.set(email, customer)
    return shown(customerText(customer))
  }

  function showCustomer(email: string): Answer {
    const known = customers.get(email)
    return known === undefined ? refusal(404, 'Customer not found') : shown(customerText(known))
  }

  function showCustomers(): Answer {
    const [first] = customers.values()
    return shown(first === undefined ? '[]' : `[{"integration":${book.integration},${customerText(first).slice(1)}]`)
  }

  function list({ query }: Asked): Answer {
    if (query.get('active') !== 'true' || !/^\d+$/.test(query.get('customer') ?? ''))
      throw new Error('a list of accounts without a customer')
    const found = accounts.filter(({ customer, isActive }) => isActive && customer.id === query.get('customer'))
    const [first] = found
    // Lists an account at another bank and an unassigned one first, so that a test notices an adapter that takes the
    // first.
    const decoys =
      first === undefined
        ? []
        : [
            accountText({ ...first, number: '7999999998', slug: 'elsewhere' }),
            accountText({ ...first, number: '7999999999' }, false),
          ]
    return shown(`[${[...decoys, ...found.map((one) => accountText(one))].join(',')}]`)
  }

  function create({ body }: Asked): Answer {
    const { customer: code, preferred_bank: slug } = accountBody.parse(body)
    const customer = [...customers.values()].find((one) => one.code === code)
    if (customer === undefined) return refusal(400, 'Customer not found')
    if (!paystackBanks.includes(slug)) return refusal(400, 'Invalid preferred bank')
    const at = accounts.length
    const account = { id: `90071992547409${String(20_000 + at)}`, number: String(7_000_000_000 + at), slug, customer }
    accounts.push({ ...account, isActive: true })
    return shown(accountText(account))
  }

  function close(id: string): Answer {
    const known = accounts.find((one) => one.id === id)
    if (known === undefined) throw new Error(`${id} was closed, which is no account`)
    if (!known.isActive) return refusal(404, 'Dedicated account not found')
    known.isActive = false
    return shown('{}')
  }

  function workOf(asked: Asked): { call: Call; work: () => Answer } | undefined {
    const { method, path } = asked
    const [, email] = /^\/customer\/(.+)$/.exec(path) ?? []
    const [, id] = /^\/dedicated_account\/(\d+)$/.exec(path) ?? []
    if (method === 'POST' && path === '/customer') return { call: 'customer', work: () => makeCustomer(asked) }
    if (method === 'GET' && path === '/customer') return { call: 'customers', work: showCustomers }
    if (method === 'GET' && email !== undefined)
      return { call: 'customer', work: () => showCustomer(decodeURIComponent(email)) }
    if (method === 'GET' && path === '/dedicated_account') return { call: 'list', work: () => list(asked) }
    if (method === 'POST' && path === '/dedicated_account') return { call: 'create', work: () => create(asked) }
    if (method === 'DELETE' && id !== undefined) return { call: 'close', work: () => close(id) }
    if (method === 'GET' && path === '/dedicated_account/available_providers')
      return { call: 'providers', work: () => shown(JSON.stringify(paystackBanks.map(providerOf))) }
    return undefined
  }

  const book: PaystackAccounts = {
    integration: 900_001,
    refusesKnown: false,
    script: (call, ...acts) => void scripts.set(call, [...(scripts.get(call) ?? []), ...acts]),
    open: () => accounts.filter(({ isActive }) => isActive).map(({ number }) => number),
    made: () => accounts.length,
    handle(asked) {
      const todo = workOf(asked)
      if (todo === undefined) return undefined
      const act = scripts.get(todo.call)?.shift() ?? 'answer'
      if (act === 'refused-phone') return { act: 'answer', work: () => refusal(422, 'Customer phone is invalid') }
      if (act === 'refused')
        return { act: 'answer', work: () => refusal(403, 'Dedicated NUBAN is not available for your business') }
      return { act, work: todo.work }
    },
  }
  return book
}

const providerOf = (slug: string) => ({ provider_slug: slug, bank_id: 20, bank_name: slug })

/** The JSON is text, because the ids are beyond the exact integers of JavaScript. */
function customerText({ id, code, email }: Customer): string {
  return `{"id":${id},"customer_code":"${code}","email":"${email}"}`
}

function accountText({ id, number, slug, customer }: Omit<Account, 'isActive'>, assigned = true): string {
  const rest = JSON.stringify({
    account_name: 'COMPANY/ADA OBI',
    account_number: number,
    bank: { id: 20, name: `Bank of ${slug}`, slug },
    currency: 'NGN',
    active: true,
    assigned,
  })
  return `{"id":${id},"customer":${customerText(customer)},${rest.slice(1)}`
}

function shown(data: string): Answer {
  return { status: 200, body: `{"status":true,"message":"OK","data":${data}}` }
}

function refusal(status: number, message: string): Answer {
  return { status, body: { status: false, message, type: 'validation_error', meta: { nextStep: 'Try again' } } }
}
