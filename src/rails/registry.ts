// Which rail serves which port in which environment. Staging has the simulator. Production has no rail until
// RAILS_FILE names one, and callers of a missing port get an error. If an environment has several rails, routes
// choose one for a new payment, and later calls for that payment use the same rail by name.

import { assert } from '#platform/assert.ts'
import type { Clock } from '#platform/clock.ts'
import { environments, type Environment } from '#platform/context.ts'
import { Unavailable } from '#platform/errors.ts'
import { amountMax, toMoney, type Currency } from '#platform/money.ts'
import {
  amountsOfDirectory,
  carriesAmount,
  unknownOffers,
  type CarriedAmounts,
  type MomoPort,
  type KnownOffers,
  type OffersSource,
} from './operator-offers.ts'
import type { Rail } from './rail.ts'
import {
  type BreakerState,
  type BreakerOpening,
  guardRail,
  guardedPorts,
  type GuardedRail,
  type GuardedPort,
} from './breaker.ts'
import {
  chooseRail,
  chooseNext,
  routesFor,
  type RailHealth,
  type Next,
  type Policy,
  type RailPayee,
  type RailWish,
} from './choose.ts'
import type { RailRoute, RoutedPort } from './rails-file.ts'
import { createSimulator } from './simulator/simulator.ts'
import { withTimeLimits, type EndedCall, type LateCall } from './time-limits.ts'

type Ports = Required<Omit<Rail, 'name' | 'label' | 'account' | 'readOffers'>>

/**
 * `rail`: the name of the rail that has the port. `why`: what an operator can do about it, as the end of a sentence.
 */
export type PortAnswer<Port> = { kind: 'served'; port: Port; rail: string } | { kind: 'missing'; why: string }

type PortQuestions = {
  [Name in keyof Ports]: (environment: Environment, which?: Which) => PortAnswer<Ports[Name]>
}

/**
 * Selects a rail by name, by the amount and payee of a new payment, by a payee alone, or by the kind of account to
 * open. A caller that gives none of these gets the first healthy route of NGN. `except`: rails that must not be chosen.
 */
export type Which =
  | { rail: string }
  | { wish: RailWish }
  | { payee: RailPayee; except?: ReadonlySet<string> }
  | { accounts: 'static' | 'dynamic' }

/**
 * One function per port. `registry.payout('production', { wish })` returns the port of the rail for this new payment;
 * `registry.payout('production', { rail: 'acme' })` returns the port of that rail and no other.
 */
export type RailRegistry = PortQuestions & {
  next(
    port: RoutedPort & GuardedPort,
    environment: Environment,
    next: { wish: RailWish; left: ReadonlySet<string> },
  ): Next | undefined
  /** The amounts that each rail that serves the wallet carries; empty if none serves it. */
  carriedBy(port: MomoPort, environment: Environment, payee: RailPayee): CarriedAmounts[]
  offersSources(): OffersSource[]
  namesOf(environment: Environment): string[]
  tellsOfPayments(rail: string): boolean
  breakers(): BreakerView[]
  probe(): Promise<unknown>
  /**
   * Closes the breakers of a rail that our staff resumed, so that it gets new payments again despite earlier refusals.
   */
  forgiveRefusals(rail: string): void
  /** Routes avoid these rails if others are available. */
  avoid(rails: ReadonlySet<string>): void
}

export type BreakerView = {
  rail: string
  port: GuardedPort
  /** The operator that the breaker is for; undefined for the one of the whole port. */
  operator?: string | undefined
  state: BreakerState
  opening: BreakerOpening | undefined
}

export type Rails = Partial<Record<Environment, Rail[]>>

/** Chooses among the rails of RAILS_FILE. On staging, the simulator serves each kind of call that has no route. */
export type Routing = Policy & {
  rails: Rails
  routesOf(environment: Environment, currency: Currency, port: RoutedPort): RailRoute[]
}

export type RailRegistryOptions = {
  clock: Clock
  /** The time from a simulated submission to its outcome. */
  settleMs: number
  /** Rails that replace the default ones of an environment. The first that has a port serves it. */
  rails?: Rails | undefined
  routing?: Routing | undefined
  offers?: KnownOffers | undefined
  onLate?: ((late: LateCall) => void) | undefined
  /** Receives each call of a configured rail that has ended. */
  onEnd?: ((ended: EndedCall) => void) | undefined
  onBreaker?: ((breaker: BreakerView) => void) | undefined
}

const routedAs: Partial<Record<keyof Ports, RoutedPort>> = {
  payout: 'payout',
  bankDirectory: 'bankDirectory',
  momoPayout: 'momoPayout',
  momoDirectory: 'momoDirectory',
  momoCollection: 'momoCollection',
}

const unserved = { amount: 'no route serves this amount', payee: 'no route serves this bank or operator' }

const noRail = 'no rail is configured. Missing setting: RAILS_FILE'

export function createRailRegistry(options: RailRegistryOptions): RailRegistry {
  const { clock, routing, onBreaker, offers = unknownOffers } = options
  const guarded = new Map<string, GuardedRail>()
  const guard = (rail: Rail): Rail => {
    const behind: GuardedRail = guardRail(rail, clock, (...place) => onBreaker?.(breakerOf(behind, ...place)))
    guarded.set(rail.name, behind)
    return behind.rail
  }
  const rails: Record<Environment, Rail[]> = {
    staging: railsOf(options, 'staging', guard),
    production: railsOf(options, 'production', guard),
  }
  const all = environments.flatMap((environment) => rails[environment])
  requireNames(all.map(({ name }) => name))
  let avoided: ReadonlySet<string> = new Set()
  const telling = new Set(all.filter(({ inbound }) => inbound?.tellsOfPayments === true).map(({ name }) => name))

  /** The rails of RAILS_FILE are behind breakers; the simulator and rails of tests are not. */
  const isOfRailsFile = (rail: Rail): boolean => guarded.has(rail.name)

  function question<Name extends keyof Ports>(port: Name): PortQuestions[Name] {
    const ask = (environment: Environment, which?: Which): PortAnswer<Ports[Name]> => {
      const choice =
        namedRail(which) ?? chooseByRoute(routing, { ...candidatesFor(port, environment, payeeOf(which)), port, which })
      if (choice.kind === 'unserved') return { kind: 'missing', why: choice.why }
      const rail = rails[environment].find(
        (one) => one[port] !== undefined && (choice.kind === 'chosen' ? goesBy(one, choice.rail) : !isOfRailsFile(one)),
      )
      return rail === undefined
        ? { kind: 'missing', why: routing === undefined ? noRail : noRouteOf(port, environment, which) }
        : { kind: 'served', port: rail[port] as Ports[Name], rail: rail.name }
    }
    return ask as PortQuestions[Name]
  }

  const candidatesFor = (port: keyof Ports, environment: Environment, payee: RailPayee | undefined) => ({
    environment,
    isWell: (rail: string) =>
      !isGuarded(port) || (guarded.get(rail)?.isWell(port, payee?.operator?.slug) === true && !avoided.has(rail)),
    amountsFor: amountsForAt(rails[environment], port, offers),
  })

  return {
    ...portQuestions(question),
    carriedBy: (port, environment, payee) => {
      const unrouted = rails[environment].filter((one) => one[port] !== undefined && !isOfRailsFile(one))
      const names = railsFor(routing, { environment, port, payee }) ?? unrouted.slice(0, 1).map(({ name }) => name)
      return names.flatMap((rail) => candidatesFor(port, environment, payee).amountsFor(rail, payee) ?? [])
    },
    offersSources: () => environments.flatMap((environment) => offersSourcesOf(environment, rails[environment])),
    next: (port, environment, next) =>
      chooseNextByRoute(routing, { ...candidatesFor(port, environment, next.wish), port, ...next }),
    namesOf: (environment) => rails[environment].map(({ name }) => name),
    tellsOfPayments: (rail) => telling.has(rail),
    breakers: () => [...guarded.values()].flatMap(breakersOf),
    probe: () => Promise.all([...guarded.values()].map(({ probe }) => probe())),
    forgiveRefusals: (rail) => guarded.get(rail)?.reset(),
    avoid: (names) => void (avoided = names),
  }
}

function portQuestions(question: <Name extends keyof Ports>(port: Name) => PortQuestions[Name]): PortQuestions {
  return {
    bankDirectory: question('bankDirectory'),
    payout: question('payout'),
    momoDirectory: question('momoDirectory'),
    momoPayout: question('momoPayout'),
    momoCollection: question('momoCollection'),
    virtualAccounts: question('virtualAccounts'),
    inbound: question('inbound'),
    refunds: question('refunds'),
    float: question('float'),
    statement: question('statement'),
  }
}

/** The rails of RAILS_FILE behind their breakers, then the rails of tests or, on staging, the simulator. */
function railsOf(
  { clock, settleMs, rails: given, routing, onLate = () => undefined, onEnd }: RailRegistryOptions,
  environment: Environment,
  guard: (rail: Rail) => Rail,
): Rail[] {
  const usual = given?.[environment] ?? (environment === 'staging' ? [createSimulator({ clock, settleMs })] : [])
  const routed = (routing?.rails[environment] ?? []).map((rail) => withTimeLimits(guard(rail), onLate, onEnd))
  return [...routed, ...usual.map((rail) => withTimeLimits(rail, onLate))]
}

function goesBy({ name, label }: Rail, asked: string): boolean {
  return name === asked || label === asked
}

function breakersOf(guarded: GuardedRail): BreakerView[] {
  const { rail, ofOperators } = guarded
  const ports = guardedPorts.filter((port) => rail[port] !== undefined).map((port) => breakerOf(guarded, port))
  return [...ports, ...ofOperators().map((one) => ({ rail: rail.name, ...one }))]
}

function breakerOf(
  { rail, state, opening, ofOperators }: GuardedRail,
  port: GuardedPort,
  operator?: string,
): BreakerView {
  const name = { rail: rail.name, port }
  if (operator === undefined) return { ...name, state: state(port), opening: opening(port) }
  const open = ofOperators().find((one) => one.port === port && one.operator === operator)
  return { ...name, operator, state: open?.state ?? 'closed', opening: open?.opening }
}

/** `unrouted`: no route is configured for the currency, so a rail outside RAILS_FILE serves the port if there is one. */
type RouteChoice = { kind: 'chosen'; rail: string } | { kind: 'unserved'; why: string } | { kind: 'unrouted' }

/** The rails of the routes that serve this payee; undefined if there is no route for the currency. */
function railsFor(
  routing: Routing | undefined,
  { environment, port, payee }: { environment: Environment; port: MomoPort; payee: RailPayee },
): string[] | undefined {
  const routes = routing?.routesOf(environment, payee.currency, port) ?? []
  return routes.length === 0 ? undefined : routesFor(routes, payee).map(({ rail }) => rail)
}

function offersSourcesOf(environment: Environment, rails: Rail[]): OffersSource[] {
  return rails.flatMap(({ name, readOffers: read }) => (read === undefined ? [] : [{ environment, rail: name, read }]))
}

/** The amounts that the rail carries for this payee; undefined if the provider does not serve the payee's operator. */
type AmountsFor = (rail: string, payee: RailPayee) => CarriedAmounts | undefined

const everyAmount: CarriedAmounts = { minAmount: toMoney(0n), maxAmount: amountMax, step: 1n }

function amountsForAt(rails: Rail[], port: keyof Ports, offers: KnownOffers): AmountsFor {
  return (name, { operator }) => {
    if (operator === undefined) return everyAmount
    const served = rails.find((rail) => rail.name === name)?.[port]
    if (served === undefined) return everyAmount
    if ('serves' in served && !(served.serves?.(operator) ?? true)) return undefined
    if (port !== 'momoPayout' && port !== 'momoCollection') return everyAmount
    const known = offers.of(name, port, operator)
    return known === undefined ? amountsOfDirectory(operator) : (known ?? undefined)
  }
}

function canServe(amountsFor: AmountsFor, rail: string, payee: RailPayee & { amount?: bigint }): boolean {
  const carried = amountsFor(rail, payee)
  return carried !== undefined && (payee.amount === undefined || carriesAmount(carried, payee.amount))
}

type Candidates = RailHealth & {
  port: keyof Ports
  environment: Environment
  which: Which | undefined
  amountsFor: AmountsFor
}

/** A payment that already has a rail asks for that rail at each call. This shortcut spares it the choice of a route. */
function namedRail(which: Which | undefined): RouteChoice | undefined {
  return which !== undefined && 'rail' in which ? { kind: 'chosen', rail: which.rail } : undefined
}

function chooseByRoute(
  routing: Routing | undefined,
  { port, environment, which, isWell, amountsFor }: Candidates,
): RouteChoice {
  if (routing === undefined) return { kind: 'unrouted' }
  const routed = routeNameOf(port, which)
  const payee = payeeOf(which)
  const all = routed === undefined ? [] : routing.routesOf(environment, payee?.currency ?? 'NGN', routed)
  if (all.length === 0) return { kind: 'unrouted' }
  const excepted = which !== undefined && 'payee' in which ? which.except : undefined
  const served =
    payee === undefined ? all : routesFor(all, payee).filter(({ rail }) => canServe(amountsFor, rail, payee))
  const routes = served.filter(({ rail }) => excepted?.has(rail) !== true)
  const [first] = routes
  if (first === undefined) return { kind: 'unserved', why: unserved.payee }
  if (which === undefined || !('wish' in which)) {
    const { rail } = routes.find((route) => isWell(route.rail)) ?? first
    return { kind: 'chosen', rail }
  }
  const choice = chooseRail(routes, which.wish, { isWell }, routing)
  return choice.kind === 'chosen' ? choice : { kind: 'unserved', why: unserved[choice.what] }
}

function payeeOf(which: Which | undefined): RailPayee | undefined {
  if (which === undefined) return undefined
  if ('payee' in which) return which.payee
  return 'wish' in which ? which.wish : undefined
}

type NextCandidates = Pick<Candidates, 'environment' | 'isWell' | 'amountsFor'> & {
  port: RoutedPort
  wish: RailWish
  left: ReadonlySet<string>
}

function chooseNextByRoute(
  routing: Routing | undefined,
  { port, environment, wish, left, isWell, amountsFor }: NextCandidates,
): Next | undefined {
  if (routing === undefined) return undefined
  const routes = routing
    .routesOf(environment, wish.currency, port)
    .filter(({ rail }) => canServe(amountsFor, rail, wish))
  return chooseNext(routes, wish, left, { isWell }, routing)
}

function noRouteOf(port: keyof Ports, environment: Environment, which: Which | undefined): string {
  const routed = routeNameOf(port, which)
  if (routed === undefined || (which !== undefined && 'rail' in which)) return noRail
  const currency = payeeOf(which)?.currency ?? 'NGN'
  return `no rail serves ${routed} in ${currency}. Missing in RAILS_FILE: routes.${environment}.${currency}.${routed}`
}

function routeNameOf(port: keyof Ports, which: Which | undefined): RoutedPort | undefined {
  if (port !== 'virtualAccounts') return routedAs[port]
  return which !== undefined && 'accounts' in which ? `virtualAccounts.${which.accounts}` : 'virtualAccounts.static'
}

function isGuarded(port: keyof Ports): port is GuardedPort {
  return (guardedPorts as readonly string[]).includes(port)
}

/** A payment stores only the name of its rail, so a name must identify one rail of one environment. */
function requireNames(names: string[]): void {
  assert(!names.includes(''), 'a rail has a name')
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  assert(twice === undefined, `there is one rail with the name ${twice}`)
}

/** Long, because an operator needs more than seconds to set up a provider. */
const missingRetryAfterSeconds = 60

/** Returns the port, or throws the error for a caller (503). `operation` begins its message: `Bank transfers`. */
export function requirePort<Port>(answer: PortAnswer<Port>, operation: string): Port {
  return requireServed(answer, operation).port
}

export function requireRail<Port>(answer: PortAnswer<Port>, operation: string): string {
  return requireServed(answer, operation).rail
}

type ServedPort<Port> = Extract<PortAnswer<Port>, { kind: 'served' }>

function requireServed<Port>(answer: PortAnswer<Port>, operation: string): ServedPort<Port> {
  if (answer.kind === 'served') return answer
  throw new Unavailable(`${operation} are not available here: ${answer.why}.`, {
    retryAfterSeconds: missingRetryAfterSeconds,
  })
}
