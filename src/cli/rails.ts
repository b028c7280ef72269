// `manilla rails list`, `balance`, `test` and `cancel`: calls the providers of RAILS_FILE. If the database runs, `list`
// and `balance` also read from it: stopped rails, circuit breakers that processes reported, and our books of the
// wallets.

import { systemClock } from '#platform/clock.ts'
import type { Context } from '#platform/context.ts'
import { hourMs } from '#platform/durations.ts'
import { OperatorError } from '#platform/errors.ts'
import { createNet } from '#platform/http-client/client.ts'
import { formatMoney, toMoney, toWire, type Currency } from '#platform/money.ts'
import { noticesUrlOf } from '#config.ts'
import { findBank, listBanks } from '#directory/banks.ts'
import { listOperators, parsePhoneNumber } from '#directory/operators.ts'
import { laneNumbers } from '#businesses/lanes.ts'
import { listStops } from '#payments/brakes.ts'
import { createRail, allRoutes, type RailEntry, type RailsFile, signsNotices } from '#rails/rails-file.ts'
import { listBreakers, shareOfNew, type BreakerReport } from '#rails/processes.ts'
import type { AccountCheck, Float, Rail, Wallet } from '#rails/rail.ts'
import { statementLists } from '#rails/statement.ts'
import { compareWallets, type WalletComparison } from '#reconciliation/wallets.ts'
import { formatTime, table, type Output } from './output.ts'
import { createRunningDatabase } from './listen.ts'
import { readConfig } from './settings.ts'

type Named = { name: string; entry: RailEntry; rail: Rail; ports: string[] }

type Balance = Awaited<ReturnType<Float['balance']>>

/**
 * `why` and `since` are null if nothing is wrong; `since` is also null if the time is not known. `by` is who stopped
 * the rail, or null.
 */
type RailStanding = {
  state: 'ok' | 'failing' | 'misconfigured' | 'stopped'
  why: string | null
  since: Date | null
  by: string | null
}

export async function listRailsCommand(output: Output): Promise<void> {
  const [asked, running] = await Promise.all([
    withRails((all) => Promise.all(all.map(async (one) => ({ ...one, balance: await balanceOf(one) })))),
    onRunningDatabase(async (ctx) => ({ stops: await listStops(ctx), breakers: await listBreakers(ctx) })),
  ])
  const rails = asked.map(({ name, entry: { kind, environment }, ports, balance }) => {
    return { name, kind, environment, ports, ...stateOf(name, balance, running) }
  })
  const labels = new Map(
    asked.map(({ name, entry: { label } }) => [name, label === undefined ? '' : ` (${label} in the file)`]),
  )
  const rows = rails.map(({ name, kind, environment, ports, state, since, why, by }) => {
    const told = [why ?? '', since === null ? '' : `since ${formatTime(since)}`, by === null ? '' : `by ${by}`].filter(
      (text) => text !== '',
    )
    return [
      `${name}${labels.get(name) ?? ''}`,
      kind,
      environment,
      ports.join(', ') || 'no route',
      state,
      told.join(', '),
    ]
  })
  output.result({ rails }, table(['rail', 'kind', 'environment', 'serves', 'state', 'why'], rows))
}

type Running = { stops: Awaited<ReturnType<typeof listStops>>; breakers: BreakerReport[] }

/**
 * A stop comes first, then reports of running processes, then the answer to this command's own call for the balance.
 */
function stateOf(rail: string, balance: Balance, running: Running | undefined): RailStanding {
  const stop = running?.stops.find((one) => one.rail === rail)
  if (stop !== undefined) return { state: 'stopped', why: stop.why, since: stop.stoppedAt, by: stop.by }
  const all = running?.breakers.filter((one) => one.rail === rail) ?? []
  const whole = all.filter((one) => one.operator === undefined)
  const [report] = [...whole.filter(({ cause }) => cause === 'misconfigured'), ...whole, ...all]
  if (report !== undefined) {
    const why = report.operator === undefined ? report.detail : `${report.operator} alone: ${report.detail}`
    return { state: report.cause, why, since: new Date(report.sinceMs), by: null }
  }
  if (balance.kind === 'unavailable' && balance.why === 'misconfigured')
    return { state: 'misconfigured', why: balance.detail, since: null, by: null }
  return { state: 'ok', why: null, since: null, by: null }
}

async function onRunningDatabase<T>(work: (ctx: Context) => Promise<T>): Promise<T | undefined> {
  const { ctx } = await createRunningDatabase(readConfig()).connect()
  if (ctx === undefined) return undefined
  try {
    return await work(ctx)
  } finally {
    await ctx.db.close()
  }
}

export async function balanceRailsCommand(output: Output): Promise<void> {
  const found = await withRails((all) =>
    Promise.all(all.map(async (one) => ({ name: one.name, entry: one.entry, balance: await balanceOf(one) }))),
  )
  const proofs = await onRunningDatabase((ctx) => proveAll(ctx, found))
  const balances = found.flatMap(({ name, balance }) => walletRows(name, balance, proofs?.get(name) ?? []))
  const rows = balances.map(({ rail, currency, country, balance, book, underWay, difference, fault }) => [
    rail,
    currency === null ? '' : walletName({ currency, ...(country === null ? {} : { country }) }),
    fault ?? tellAmount(balance, currency),
    tellAmount(book, currency),
    tellAmount(underWay, currency),
    difference === null ? '' : difference === 0 ? 'agrees' : `differs by ${tellAmount(difference, currency)}`,
  ])
  output.result({ balances }, table(['rail', 'wallet', 'balance', 'our book', 'under way', ''], rows))
  if (found.some(({ balance }) => balance.kind !== 'known')) process.exitCode = 1
}

type WalletRow = {
  rail: string
  currency: Currency | null
  country: string | null
  balance: number | null
  book: number | null
  underWay: number | null
  difference: number | null
  fault: string | null
}

/**
 * One row per wallet. `proofs` has the comparison of each wallet with our book, in the order of the wallets; undefined
 * if there is none.
 */
function walletRows(rail: string, balance: Balance, proofs: (WalletComparison | undefined)[]): WalletRow[] {
  const unproved = { book: null, underWay: null, difference: null }
  if (balance.kind !== 'known')
    return [{ rail, currency: null, country: null, balance: null, ...unproved, fault: balance.detail }]
  return balance.wallets.map(({ currency, country = null, amount }, index) => {
    const proof = proofs[index]
    const proved =
      proof === undefined
        ? unproved
        : { book: wire(proof.book), underWay: wire(proof.underWay), difference: wire(proof.difference) }
    return { rail, currency, country, balance: toWire(amount), ...proved, fault: null }
  })
}

const wire = (amount: bigint): number => toWire(toMoney(amount))

function walletName({ currency, country }: Pick<Wallet, 'currency' | 'country'>): string {
  return country === undefined ? currency : `${currency} ${country}`
}

/**
 * Compares the wallets of each rail with our books. Returns the comparisons by the name of the rail, in the order of
 * its wallets.
 */
async function proveAll(
  ctx: Context,
  rails: { name: string; entry: RailEntry; balance: Balance }[],
): Promise<Map<string, (WalletComparison | undefined)[]>> {
  const proofs = new Map<string, (WalletComparison | undefined)[]>()
  const lanes = await laneNumbers(ctx)
  for (const { name, entry, balance } of rails)
    if (balance.kind === 'known') {
      const { environment } = entry
      proofs.set(name, await compareWallets(ctx, { environment, rail: name }, { wallets: balance.wallets, lanes }))
    }
  return proofs
}

function tellAmount(amount: number | null, currency: Currency | null): string {
  return amount === null ? '' : formatMoney(toMoney(amount), currency ?? 'NGN')
}

export type TestRailOptions = { bank?: string; account?: string; phone?: string }

export async function testRailCommand(output: Output, name: string, options: TestRailOptions): Promise<void> {
  const { bank, account } = options
  if ((bank === undefined) !== (account === undefined)) throw new OperatorError('Use --bank and --account together.')
  const { checks, kind } = await withRails(async (all, file) => {
    const one = railCalled(all, name)
    const balance = await balanceOf(one)
    const done = [{ check: 'balance', ok: balance.kind === 'known', told: toldOf(balance) }]
    const checking = one.rail.account === undefined ? bankChecks(one.rail, options) : walletChecks(one, file, options)
    return { checks: [...done, ...(await checking), noticesCheck(one)], kind: one.entry.kind }
  })
  const rows = checks.map(({ check, ok, told }) => [check, ok ? 'ok' : 'FAILED', told])
  const told = `${table(['call', '', 'answer'], rows)}\nChecks that need a real payment: docs/rails/${kind}.md, On the first day.`
  output.result({ rail: name, checks }, told)
  if (checks.some(({ ok }) => !ok)) process.exitCode = 1
}

export async function cancelPayoutCommand(output: Output, name: string, { payout }: { payout: string }): Promise<void> {
  const answer = await withRails(async (all) => {
    const one = railCalled(all, name)
    if (one.rail.momoPayout?.cancel === undefined)
      throw new OperatorError(`The provider of ${name} cancels no payouts.`)
    return one.rail.momoPayout.cancel(payout)
  })
  if (answer.kind === 'unavailable') throw new OperatorError(`The payout was not canceled: ${answer.detail}. Retry.`)
  if (answer.kind === 'refused')
    throw new OperatorError(
      `The provider does not cancel ${payout}: ${answer.why}. Only a queued payout can be canceled.`,
    )
  const told = 'The provider cancels it. The payment fails, and its money is back, when the provider says so.'
  output.result({ rail: name, payout, cancelled: true }, told)
}

function railCalled(all: Named[], name: string): Named {
  const one = all.find((rail) => rail.name === name || rail.entry.label === name)
  if (one === undefined) throw new OperatorError(`RAILS_FILE has no rail ${name}. See: npx manilla rails list`)
  return one
}

async function bankChecks(rail: Rail, { bank, account }: TestRailOptions): Promise<AccountCheck[]> {
  const done = [await banksCheck(rail)]
  if (bank !== undefined && account !== undefined) done.push(await nameCheck(rail, bank, account))
  return [...done, ...(await accountsCheck(rail)), ...(await listChecks(rail))]
}

async function walletChecks({ name, entry, rail }: Named, file: RailsFile, { phone }: TestRailOptions) {
  const routes = allRoutes(file.routes)
    .filter(({ environment }) => environment === entry.environment)
    .flatMap(({ currency, led }) => led.filter((one) => one.rail === name).map((one) => ({ currency, ...one })))
  const routed = listOperators().filter((operator) =>
    routes.some(
      ({ currency, countries, operators: named }) =>
        currency === operator.currency &&
        (countries?.includes(operator.country) ?? true) &&
        (named?.includes(operator.slug) ?? true),
    ),
  )
  const names = new Set(routes.flatMap(({ operators: named = [] }) => named))
  const [operators, unnamed] = [
    routed.filter(({ slug }) => names.has(slug)),
    routed.filter(({ slug }) => !names.has(slug)),
  ]
  const phoneNumber = phone === undefined ? undefined : parsePhoneNumber(phone)
  if (phone !== undefined && phoneNumber === undefined)
    throw new OperatorError(`${phone} is no phone number. Write it with its country, such as +233241234567.`)
  return (await rail.account?.check({ operators, unnamed, phoneNumber })) ?? []
}

const namedMax = 8

async function banksCheck({ bankDirectory }: Rail) {
  const ours = listBanks()
  const answer = await bankDirectory?.compare?.(ours)
  if (answer?.kind !== 'compared')
    return { check: 'banks', ok: answer === undefined, told: answer?.detail ?? 'this rail has no bank list' }
  const { listed, missing } = answer
  const named = missing.slice(0, namedMax).map(({ slug }) => slug)
  const rest = missing.length > namedMax ? ` and ${missing.length - namedMax} more` : ''
  const without = missing.length === 0 ? '' : `; not there: ${named.join(', ')}${rest}`
  return {
    check: 'banks',
    ok: true,
    told: `${listed} listed, ${ours.length - missing.length} of our ${ours.length} among them${without}`,
  }
}

async function nameCheck(rail: Rail, slug: string, accountNumber: string) {
  const bank = findBank(slug)
  if (bank === undefined) throw new OperatorError(`There is no bank ${slug}. See GET /v1/banks.`)
  const answer = await rail.bankDirectory?.resolve({ bank, accountNumber })
  const told = answer === undefined ? 'this rail does not support name enquiries' : answer.kind
  return { check: 'name enquiry', ok: answer?.kind === 'resolved', told }
}

/**
 * Checks that the provider opens virtual accounts at the default bank of this rail. Returns nothing if the provider
 * does not list its banks.
 */
async function accountsCheck({ virtualAccounts }: Rail): Promise<AccountCheck[]> {
  const answer = await virtualAccounts?.offered?.()
  if (virtualAccounts === undefined || answer === undefined) return []
  if (answer.kind === 'unavailable') return [{ check: 'accounts', ok: false, told: answer.detail }]
  const { defaultBankSlug: usual } = virtualAccounts
  const isThere = answer.banks.includes(usual)
  const told = `offered at ${answer.banks.join(', ') || 'no bank'}`
  return [{ check: 'accounts', ok: isThere, told: isThere ? told : `${told}; not at ${usual}, set dvaBank` }]
}

/** Reads up to two pages of each list: reconciliation depends on every list, and on pages that repeat nothing. */
function listChecks({ statement }: Rail): Promise<AccountCheck[]> {
  if (statement === undefined) return Promise.resolve([])
  const toMs = systemClock.now()
  const within = { fromMs: toMs - 7 * 24 * hourMs, toMs }
  return Promise.all(
    statementLists.map(async (list) => {
      const check = `list of ${list}`
      const first = await statement.page({ list, ...within, cursor: null })
      if (first.kind === 'unavailable') return { check, ok: false, told: first.detail }
      const second = first.next === null ? undefined : await statement.page({ list, ...within, cursor: first.next })
      if (second?.kind === 'unavailable') return { check, ok: false, told: `second page: ${second.detail}` }
      const lines = [...first.lines, ...(second?.lines ?? [])]
      const repeated = lines.length - new Set(lines.map(({ lineId }) => lineId)).size
      if (repeated > 0) return { check, ok: false, told: `the second page repeats ${repeated} lines of the first` }
      const kinds = Map.groupBy(lines, (line) => (list === 'ledger' ? line.cause : line.state))
      const counts = [...kinds].map(([kind, those]) => `${those.length} ${kind}`)
      const more = second?.next === undefined || second.next === null ? '' : ', and more pages'
      return { check, ok: !kinds.has('unknown'), told: `in 7 days: ${counts.join(', ') || 'none'}${more}` }
    }),
  )
}

/**
 * Prints the address for the provider's notices. Always passes, because only a notice could prove that the provider
 * uses this address.
 */
function noticesCheck({ name, entry }: Named): AccountCheck {
  const { environment } = entry
  const config = readConfig({ rails: true })
  // The token in the address is a secret, so a placeholder is printed.
  const address = noticesUrlOf(config, name, { environment, token: signsNotices(entry) ? undefined : 'TOKEN' })
  const isPublic = address.startsWith('https://')
  const hint = isPublic ? '' : ` (no provider can reach it; set ${environment.toUpperCase()}_BASE_URL)`
  return { check: 'notices', ok: true, told: `give the provider ${address}${hint}` }
}

async function withRails<T>(work: (rails: Named[], file: RailsFile) => Promise<T>): Promise<T> {
  const config = readConfig({ rails: true })
  const { rails: file } = config
  if (file === undefined)
    throw new OperatorError('There are no rails, because RAILS_FILE is not set. See docs/rails/README.md.')
  const net = createNet()
  try {
    const noticesUrl = (name: string, entry: RailEntry): string => noticesUrlOf(config, name, entry)
    const making = { net, clock: systemClock, share: () => shareOfNew, noticesUrl }
    return await work(
      Object.entries(file.rails).map(([name, entry]) => ({
        name,
        entry,
        rail: createRail(name, entry, making),
        ports: portsOf(file, name, entry),
      })),
      file,
    )
  } finally {
    await net.close()
  }
}

function portsOf(file: RailsFile, name: string, { environment }: RailEntry): string[] {
  const serving = allRoutes(file.routes).filter(
    (one) => one.environment === environment && one.led.some(({ rail }) => rail === name),
  )
  return [...Map.groupBy(serving, ({ port }) => port)].map(([port, those]) => {
    const codes = those.map(({ currency }) => currency).join(', ')
    return codes === 'NGN' ? port : `${port} (${codes})`
  })
}

async function balanceOf({ rail }: Named): Promise<Balance> {
  return (await rail.float?.balance()) ?? { kind: 'unavailable', detail: 'this rail does not report its balance' }
}

function toldOf(balance: Balance): string {
  if (balance.kind !== 'known') return balance.detail
  const told = balance.wallets.map(({ amount, ...wallet }) => {
    const country = wallet.country === undefined ? '' : ` (${wallet.country})`
    return `${formatMoney(amount, wallet.currency)}${country}`
  })
  return told.join(', ')
}
