// Chooses the rail for a new payment. Pure: the same payment gets the same rail as long as the routes are the same
// and all rails are healthy.

import { hash } from 'node:crypto'
import { toMoney, type Currency, type Money } from '#platform/money.ts'
import type { RailOperator } from './rail.ts'
import { allRoutes, type Costs, type RailsFile, type RailRoute } from './rails-file.ts'

export type RailPayee = {
  currency: Currency
  /** Undefined if the payee is a wallet whose mobile-money operator is not known. */
  country: string | undefined
  /** The slug of the bank or of the operator. */
  payee: string
  operator?: RailOperator | undefined
}

export function bankPayee(slug: string): RailPayee {
  return { currency: 'NGN', country: 'NG', payee: slug }
}

export function walletPayee(operator: RailOperator | undefined, currency: Currency): RailPayee {
  return { currency, country: operator?.country, payee: operator?.slug ?? '', operator }
}

export type RailWish = RailPayee & {
  amount: bigint
  /** Identifies the payment. Its hash spreads payments over the rails by their weights. */
  seed: string
}

export type RailHealth = {
  /** Returns true if new payments may go to the rail now. */
  isWell(rail: string): boolean
}

export function routesFor<Route extends RailRoute>(routes: readonly Route[], payee: RailPayee): Route[] {
  return routes.filter((route) => servesPayee(route, payee))
}

export type Choice =
  | { kind: 'chosen'; rail: string }
  /** `payee`: no route serves the payee. `amount`: routes serve the payee, but not this amount. */
  | { kind: 'unserved'; what: 'amount' | 'payee' }

export type Policy = { policy: 'cost' | 'weight'; costs: Record<string, Costs> }

/**
 * If no matching rail is healthy, the payment waits at the first one, so acceptance never fails because of rail
 * health.
 */
export function chooseRail(
  routes: readonly RailRoute[],
  wish: RailWish,
  { isWell }: RailHealth,
  { policy, costs }: Policy,
): Choice {
  const forPayee = routesFor(routes, wish)
  if (forPayee.length === 0) return { kind: 'unserved', what: 'payee' }
  const fitting = forPayee.filter((route) => servesAmount(route, wish.amount))
  const [first] = fitting
  if (first === undefined) return { kind: 'unserved', what: 'amount' }
  const well = fitting.filter(({ rail }) => isWell(rail))
  if (well.length === 0) return { kind: 'chosen', rail: first.rail }
  return { kind: 'chosen', rail: bestOf(well, wish, { policy, costs }).rail }
}

/** `needs`: the balance that the rail needs for the payment and its fee. */
export type Next = { rail: string; needs: bigint }

/**
 * The next rail on the route, excluding rails already tried (`left`) and unhealthy rails; undefined if there is none.
 */
export function chooseNext(
  routes: readonly RailRoute[],
  wish: RailWish,
  left: ReadonlySet<string>,
  { isWell }: RailHealth,
  policy: Policy,
): Next | undefined {
  const open = routes.filter(
    (route) =>
      servesPayee(route, wish) && servesAmount(route, wish.amount) && !left.has(route.rail) && isWell(route.rail),
  )
  if (open.length === 0) return undefined
  const route = bestOf(open, wish, policy)
  return { rail: route.rail, needs: wish.amount + BigInt(costOf(route, wish.amount, policy.costs) ?? 0) }
}

function bestOf(well: readonly RailRoute[], { amount, seed }: RailWish, { policy, costs }: Policy): RailRoute {
  return byWeight(policy === 'cost' ? cheapest(well, amount, costs) : well, seed)
}

function servesPayee({ banks, operators, countries }: RailRoute, { payee, country }: RailPayee): boolean {
  if (countries !== undefined && (country === undefined || !countries.includes(country))) return false
  if (operators !== undefined && !operators.includes(payee)) return false
  if (banks === undefined) return true
  return 'only' in banks ? banks.only.includes(payee) : !banks.except.includes(payee)
}

function servesAmount({ minAmount = 0, maxAmount = Number.MAX_SAFE_INTEGER }: RailRoute, amount: bigint): boolean {
  return amount >= BigInt(minAmount) && amount <= BigInt(maxAmount)
}

export type AgreedCost = (rail: string, amount: Money, currency: string) => Money | undefined

/**
 * The fee that the rail's cost table sets for a payout of this amount. Undefined if the tables of several countries set
 * different fees, because the fee is compared with the provider's list, which does not name the country.
 */
export function agreedCostOf(file: RailsFile | undefined): AgreedCost {
  const payouts = allRoutes(file?.routes ?? {}).filter(({ port }) => port === 'payout' || port === 'momoPayout')
  return (rail, amount, currency) => {
    const routes = payouts.filter((one) => one.currency === currency).flatMap(({ led }) => led)
    const fees = new Set(
      routes
        .filter((route) => route.rail === rail && servesAmount(route, amount))
        .flatMap((route) => costOf(route, amount, file?.costs ?? {}) ?? []),
    )
    const [fee] = fees
    return fee === undefined || fees.size > 1 ? undefined : toMoney(fee)
  }
}

function feeIn(table: Costs, amount: bigint): number | undefined {
  return table.find(({ upTo }) => upTo === null || amount <= BigInt(upTo))?.fee
}

/** A route without a cost table counts as the most expensive, because its cost is unknown. */
function cheapest(routes: readonly RailRoute[], amount: bigint, tables: Record<string, Costs>): RailRoute[] {
  const costs = routes.map((route) => costOf(route, amount, tables) ?? Infinity)
  const least = Math.min(...costs)
  return routes.filter((_route, index) => costs[index] === least)
}

function costOf({ cost }: RailRoute, amount: bigint, tables: Record<string, Costs>): number | undefined {
  return feeIn(cost === undefined ? [] : (tables[cost] ?? []), amount)
}

/** Each rail gets a share of the payments by its weight. If no rail has a weight, the first gets all. */
function byWeight(routes: readonly RailRoute[], seed: string): RailRoute {
  const sum = routes.reduce((total, { weight }) => total + weight, 0)
  const drawn = hash('sha256', seed, 'buffer').readUIntBE(0, 6) / 2 ** 48
  let place = drawn * sum
  const found = routes.find(({ weight }) => (place -= weight) < 0) ?? routes[0]
  if (found === undefined) throw new Error('there is no route to choose from')
  return found
}
