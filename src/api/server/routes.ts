// Lists the endpoints of the API, and finds the endpoint for a method and path. The look-up is by a radix tree
// (find-my-way), so its time does not depend on the number of routes.

import findMyWay, { type HTTPMethod } from 'find-my-way'
import { balanceGet, balanceLedger, feesGet } from '#api/v1/balance.ts'
import { bankResolve, banksList, momoOperators, momoResolve } from '#api/v1/directory.ts'
import { customerGet, customerUpdate, customersCreate, customersList } from '#api/v1/customers.ts'
import { depositGet, depositValidate, depositsList } from '#api/v1/deposits.ts'
import {
  eventsList,
  webhookEventGet,
  webhookEventRetry,
  webhookEventsList,
  webhookEventsRetry,
} from '#api/v1/webhook-events.ts'
import {
  momoCollect,
  momoCollectionGet,
  momoCollectionsList,
  momoVerifyOtp,
  momoTransferGet,
  momoTransferSend,
  momoTransfersList,
} from '#api/v1/momo-payments.ts'
import {
  sandboxBalanceFund,
  sandboxDepositSettle,
  sandboxDeposits,
  sandboxMomoCollectionComplete,
  sandboxMomoTransferComplete,
  sandboxTransferComplete,
  sandboxWebhooksTrigger,
} from '#api/v1/sandbox.ts'
import { transfersBulk, transferGet, transfersInitiate, transfersList } from '#api/v1/transfers.ts'
import {
  virtualAccountClose,
  virtualAccountGet,
  virtualAccountsDynamic,
  virtualAccountsList,
  virtualAccountsStatic,
} from '#api/v1/virtual-accounts.ts'
import {
  webhookDelete,
  webhookGet,
  webhookRotateSecret,
  webhookTest,
  webhookUpdate,
  webhooksCreate,
  webhooksList,
} from '#api/v1/webhooks.ts'
import type { Corrections } from '#corrections/corrections.ts'
import type { Deposits } from '#deposits/service.ts'
import type { Resolver } from '#directory/resolve.ts'
import type { Ledger } from '#ledger/ledger.ts'
import type { Payments } from '#payments/service.ts'
import type { Payouts } from '#payouts/service.ts'
import type { Insights } from '#reporting/reporting.ts'
import type { Customers } from '#virtual-accounts/customers.ts'
import type { Accounts } from '#virtual-accounts/service.ts'
import type { Webhooks } from '#webhooks/service.ts'
import type { Endpoint, Method } from './endpoint.ts'

type Routed = Pick<Endpoint, 'method' | 'path' | 'emptyReference'>

export type Match<E extends Routed = Endpoint> =
  | { kind: 'found'; endpoint: E; params: Record<string, string | undefined> }
  | { kind: 'wrong-method'; allowed: string[] }
  | { kind: 'not-found' }

export type Router<E extends Routed = Endpoint> = { find(method: string, path: string): Match<E> }

const methods: Method[] = ['GET', 'POST', 'PATCH', 'DELETE']
const paramLengthMax = 16_384 // No request line is longer, so a long parameter gets the error of its field, not a 404.

export function createRouter<E extends Routed>(endpoints: E[]): Router<E> {
  const tree = findMyWay({ ignoreTrailingSlash: true, maxParamLength: paramLengthMax })
  for (const endpoint of endpoints) {
    tree.on(endpoint.method, endpoint.path, () => undefined, endpoint)
  }
  // The tree ignores a trailing slash. If an endpoint must report an empty reference, a blank is looked up as its
  // reference.
  const blank = new Set(endpoints.filter((one) => one.emptyReference).map(({ path }) => path.replace(/:\w+$/, '')))
  const lookUp = (method: string, path: string): ReturnType<typeof tree.find> =>
    tree.find(method as HTTPMethod, blank.has(path) ? `${path}%20` : path)
  return {
    find(method, path) {
      const found = lookUp(method === 'HEAD' ? 'GET' : method, path)
      if (found !== null) return { kind: 'found', endpoint: found.store as E, params: found.params }
      const allowed = methods.filter((other) => lookUp(other, path) !== null)
      if (allowed.length === 0) return { kind: 'not-found' }
      return { kind: 'wrong-method', allowed: allowed.flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name])) }
    },
  }
}

/** The services that the endpoints use; app.ts creates them. */
export type Rooms = {
  corrections: Corrections
  ledger: Ledger
  resolver: Resolver
  payments: Payments
  payouts: Payouts
  customers: Customers
  accounts: Accounts
  deposits: Deposits
  webhooks: Webhooks
  insights: Insights
}

export function createEndpoints(rooms: Rooms): Endpoint[] {
  const { ledger, resolver, payments, customers, accounts, deposits, webhooks } = rooms
  return [
    depositsList(deposits),
    depositGet(deposits),
    depositValidate(deposits),
    customersCreate(customers),
    customersList(customers),
    customerGet(customers),
    customerUpdate(customers),
    virtualAccountsStatic(accounts),
    virtualAccountsDynamic(accounts),
    virtualAccountsList(accounts),
    virtualAccountGet(accounts, deposits),
    virtualAccountClose(accounts),
    transfersInitiate(payments),
    transfersBulk(payments),
    transfersList(payments),
    transferGet(payments),
    momoTransferSend(payments),
    momoTransfersList(payments),
    momoTransferGet(payments),
    momoCollect(payments),
    momoVerifyOtp(payments),
    momoCollectionsList(payments),
    momoCollectionGet(payments),
    momoOperators(resolver),
    momoResolve(resolver),
    banksList(),
    bankResolve(resolver),
    balanceGet(ledger),
    balanceLedger(ledger),
    feesGet(payments),
    eventsList(webhooks),
    webhooksCreate(webhooks),
    webhooksList(webhooks),
    webhookGet(webhooks),
    webhookUpdate(webhooks),
    webhookDelete(webhooks),
    webhookRotateSecret(webhooks),
    webhookTest(webhooks),
    webhookEventsList(webhooks),
    webhookEventGet(webhooks),
    webhookEventRetry(webhooks),
    webhookEventsRetry(webhooks),
    sandboxDeposits(deposits),
    sandboxDepositSettle(deposits),
    sandboxTransferComplete(payments),
    sandboxMomoTransferComplete(payments),
    sandboxMomoCollectionComplete(payments),
    sandboxWebhooksTrigger(webhooks),
    sandboxBalanceFund(ledger),
  ]
}
