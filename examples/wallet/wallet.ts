// A wallet app. Users fill their wallet by bank transfer to an account number of their own, or by mobile money.

import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { expressWebhook, ManillaError, type Manilla, type MomoCollection, type WebhookEvent } from '@manilla/sdk'

export type User = { id: string; firstName: string; lastName: string; accountNumber: string; bankName: string }

export type TopUp = { reference: string; status: string; requiresOtp: boolean; message: string | null }

export type Wallet = {
  addUser: (firstName: string, lastName: string) => Promise<User>
  balanceOf: (userId: string) => number
  topUp: (userId: string, phoneNumber: string, amount: number) => Promise<TopUp>
  confirmTopUp: (reference: string, otp: string) => Promise<TopUp>
  receiveEvent: (event: WebhookEvent) => void
}

/** The app's own books. A key is unique, so that money is credited once however often it is reported. */
function createBooks() {
  const credits = new Map<string, { userId: string; amount: number }>() // In your database.
  return {
    credit(key: string, userId: string, amount: number): void {
      // insert into credits (key, user_id, amount) values (…) on conflict (key) do nothing
      if (!credits.has(key)) credits.set(key, { userId, amount })
    },
    balanceOf: (userId: string): number =>
      [...credits.values()].reduce((sum, credit) => sum + (credit.userId === userId ? credit.amount : 0), 0),
  }
}

export function createWallet(manilla: Manilla): Wallet {
  const books = createBooks()
  const users = new Map<string, User>() // In your database.
  const topUps = new Map<string, string>() // Reference of a collection → user. In your database.

  async function addUser(firstName: string, lastName: string): Promise<User> {
    const id = randomUUID()
    // The customer's reference is the user's id: this is how a deposit finds its user.
    await manilla.customers.create({ reference: id, firstName, lastName })
    const { accountNumber, bankName } = await manilla.virtualAccounts.openStatic({ customerReference: id })
    const user = { id, firstName, lastName, accountNumber, bankName }
    users.set(id, user)
    return user
  }

  async function topUp(userId: string, phoneNumber: string, amount: number): Promise<TopUp> {
    if (!users.has(userId)) throw new RangeError('There is no such user.')
    const reference = `TOPUP-${randomUUID()}`
    topUps.set(reference, userId) // Before the request: its event may come before its answer.
    return record(await manilla.momo.collections.initiate({ reference, phoneNumber, amount }))
  }

  function record(collection: MomoCollection): TopUp {
    const { reference, status, amount, requiresOtp, failureMessage } = collection
    const userId = topUps.get(reference)
    if (status === 'SUCCESS' && userId !== undefined) books.credit(reference, userId, amount)
    return { reference, status, requiresOtp, message: failureMessage }
  }

  function receiveEvent(event: WebhookEvent): void {
    if (event.event === 'customer.deposit.success') {
      const { amount, customer } = event.data
      if (users.has(customer.reference)) books.credit(event.reference, customer.reference, amount)
    }
    if (event.event === 'momo.collection.success') record(event.data)
  }

  return {
    addUser,
    balanceOf: books.balanceOf,
    topUp,
    confirmTopUp: async (reference, otp) => record(await manilla.momo.collections.verifyOtp({ reference, otp })),
    receiveEvent,
  }
}

type Body = Record<string, string | number | undefined>

/** POST /users, GET /users/{id}/balance, POST /users/{id}/top-ups, POST /top-ups/{reference}/otp and POST /webhooks. */
export function serveWallet(wallet: Wallet, webhookSecret: string): Server {
  const receiveWebhook = expressWebhook({ secret: webhookSecret, onEvent: wallet.receiveEvent })
  async function answerOf(route: string, id: string, body: Body): Promise<unknown> {
    switch (route) {
      case 'POST users':
        return wallet.addUser(String(body['firstName']), String(body['lastName']))
      case 'GET users balance':
        return { balance: wallet.balanceOf(id) }
      case 'POST users top-ups':
        return wallet.topUp(id, String(body['phoneNumber']), Number(body['amount']))
      case 'POST top-ups otp':
        return wallet.confirmTopUp(id, String(body['otp']))
      default:
        return undefined
    }
  }
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, collection = '', id = '', action] = (request.url ?? '').split('/')
    if (request.method === 'POST' && collection === 'webhooks') {
      const answer = { status: (code: number) => ({ end: () => response.writeHead(code).end() }) }
      return receiveWebhook(request, answer, fail(response))
    }
    const route = [request.method, collection, action].filter((part) => part !== undefined).join(' ')
    const body = request.method === 'POST' ? ((await readJson(request)) as Body) : {}
    const data = await answerOf(route, decodeURIComponent(id), body)
    sendJson(response, data === undefined ? 404 : 200, data ?? { message: 'Not found.' })
  }
  return createServer((request, response) => void respond(request, response).catch(fail(response)))
}

const fail =
  (response: ServerResponse) =>
  (error: unknown): void => {
    // A wrong code or phone number is for the user; anything else is ours.
    const isMistake = error instanceof RangeError || error instanceof SyntaxError || isRefusal(error)
    if (!isMistake) console.error(error)
    sendJson(response, isMistake ? 400 : 500, { message: isMistake ? (error as Error).message : 'Try again.' })
  }

function isRefusal(error: unknown): boolean {
  return error instanceof ManillaError && error.status === 400
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
