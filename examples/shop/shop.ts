// A shop that is paid by bank transfer. Each order gets an account number of its own, and ships when the money is there.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { randomUUID } from 'node:crypto'
import { expressWebhook, formatNaira, naira, type Manilla, type WebhookEvent } from '@manilla/sdk'

const prices: Record<string, number> = { kettle: naira('18,500.00'), lamp: naira('7,250.00') }

export type Order = {
  reference: string
  item: string
  amount: number
  status: 'awaiting payment' | 'shipped'
  payTo: { bankName: string; accountNumber: string; accountName: string; expiresAt: string | null }
  /** The deposit that paid for it. */
  paidBy?: string
}

export type Shop = {
  placeOrder: (item: string) => Promise<Order>
  findOrder: (reference: string) => Order | undefined
  receiveEvent: (event: WebhookEvent) => Promise<void>
  /** Finds payments whose webhook never arrived. Run it every few minutes. */
  checkOpenOrders: () => Promise<void>
}

export function createShop(manilla: Manilla, ship: (order: Order) => void): Shop {
  const orders = new Map<string, Order>() // In your database.

  async function placeOrder(item: string): Promise<Order> {
    const amount = prices[item]
    if (amount === undefined) throw new RangeError(`There is no ${item}. There is: ${Object.keys(prices).join(', ')}.`)
    const reference = `ORDER-${randomUUID()}`
    const account = await manilla.virtualAccounts.openDynamic({
      reference, // This is how a deposit finds its order.
      amount,
      expiresInMinutes: 30,
      accountName: 'Manilla Shop',
    })
    const { bankName, accountNumber, accountName, expiresAt } = account
    const payTo = { bankName, accountNumber, accountName, expiresAt }
    const order: Order = { reference, item, amount, status: 'awaiting payment', payTo }
    orders.set(reference, order)
    return order
  }

  /** Ships an order once, and only if the API says that the deposit is valid and pays the whole amount. */
  async function shipIfPaid(order: Order, depositReference: string): Promise<void> {
    if (order.status === 'shipped') return
    const deposit = await manilla.deposits.validate(depositReference)
    if (!deposit.exists || !deposit.valid || deposit.amount !== order.amount) return
    // Other calls may have run while this one waited. In your database:
    // update orders set status = 'shipped' where reference = … and status = 'awaiting payment'
    if (orders.get(order.reference)?.status === 'shipped') return
    order.status = 'shipped'
    order.paidBy = depositReference
    ship(order)
  }

  async function receiveEvent(event: WebhookEvent): Promise<void> {
    if (event.event !== 'deposit.success') return
    const order = orders.get(event.data.virtualAccount.reference ?? '')
    if (order !== undefined) await shipIfPaid(order, event.reference)
  }

  async function checkOpenOrders(): Promise<void> {
    for (const order of orders.values()) {
      if (order.status === 'shipped') continue
      const { accountNumber } = order.payTo
      for await (const deposit of manilla.deposits.list({ accountNumber, status: 'SUCCESSFUL' })) {
        await shipIfPaid(order, deposit.reference)
      }
    }
  }

  return { placeOrder, findOrder: (reference) => orders.get(reference), receiveEvent, checkOpenOrders }
}

/** POST /orders, GET /orders/{reference} and POST /webhooks. */
export function serveShop(shop: Shop, webhookSecret: string): Server {
  const receiveWebhook = expressWebhook({ secret: webhookSecret, onEvent: shop.receiveEvent })
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const [, collection, reference] = pathname.split('/')
    if (request.method === 'POST' && pathname === '/webhooks') {
      const answer = { status: (code: number) => ({ end: () => response.writeHead(code).end() }) }
      return receiveWebhook(request, answer, fail(response))
    }
    if (request.method === 'POST' && pathname === '/orders') {
      const { item } = (await readJson(request)) as { item?: unknown }
      return sendJson(response, 201, await shop.placeOrder(String(item)))
    }
    const order = collection === 'orders' ? shop.findOrder(decodeURIComponent(reference ?? '')) : undefined
    if (request.method === 'GET' && order !== undefined) return sendJson(response, 200, order)
    sendJson(response, 404, { message: 'Not found.' })
  }
  return createServer((request, response) => void respond(request, response).catch(fail(response)))
}

const fail =
  (response: ServerResponse) =>
  (error: unknown): void => {
    const isMistake = error instanceof RangeError || error instanceof SyntaxError
    if (!isMistake) console.error(error)
    sendJson(response, isMistake ? 400 : 500, { message: isMistake ? error.message : 'Try again.' })
  }

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  if (!response.headersSent)
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
}

export const printShipment = (order: Order): void =>
  console.log(`shipping ${order.reference}: 1 ${order.item}, paid ${formatNaira(order.amount)} by ${order.paidBy}`)
