// `manilla businesses`, `figures rebuild` and `limits`: creates and lists businesses, switches their currencies on and
// off, recounts their figures, and shows and sets payout limits.

import { createBusiness, listBusinesses, type Business } from '#businesses/business.ts'
import { readCurrencies, setCurrencies, type CurrencyOutcome } from '#businesses/currencies.ts'
import { setLimits, showLimits } from '#payments/limits.ts'
import { rebuildFigures } from '#payments/stats.ts'
import type { Environment, Context, Tenant } from '#platform/context.ts'
import { OperatorError } from '#platform/errors.ts'
import { formatId } from '#platform/ids.ts'
import { formatMoney, formatNaira, toMoney, toWire, type Currency, type Money } from '#platform/money.ts'
import { businessIdOf, chooseBusiness, requireCurrency, tenantOf } from './arguments.ts'
import { withContext } from './database.ts'
import { formatTime, table, UsageError, type Output } from './output.ts'
import { readConfig } from './settings.ts'

export async function createBusinessCommand(output: Output, options: { name: string }): Promise<void> {
  const name = options.name.trim()
  if (name.length < 1 || name.length > 100) throw new UsageError('A name must have 1 to 100 characters.')
  const business = await withContext(readConfig(), output.step, (ctx) => createBusiness(ctx, name))
  const id = formatId('business', business.id)
  const next = `Create a key for it: npx manilla keys create --business ${id} --environment staging`
  output.result(documentOf(business), `Created ${name}: ${id}\n${next}`)
}

export async function listBusinessesCommand(output: Output): Promise<void> {
  const businesses = await withContext(readConfig(), output.step, listBusinesses)
  const rows = businesses.map((business) => [
    formatId('business', business.id),
    business.name,
    formatTime(business.createdAt),
  ])
  const text = rows.length === 0 ? 'There is no business yet.' : table(['id', 'name', 'created'], rows)
  output.result({ businesses: businesses.map(documentOf) }, text)
}

function documentOf(business: Business): Record<string, unknown> {
  return { id: formatId('business', business.id), name: business.name, createdAt: business.createdAt }
}

export type CurrenciesOptions = { environment: Environment; on?: Currency[]; off?: Currency[] }

export async function currenciesCommand(output: Output, id: string, options: CurrenciesOptions): Promise<void> {
  const { environment, on = [], off = [] } = options
  const both = on.find((currency) => off.includes(currency))
  if (both !== undefined) throw new UsageError(`${both} cannot be switched on and off at once.`)
  const named = businessIdOf({ business: id })
  const found = await withContext(readConfig(), output.step, async (ctx) => {
    const tenant = await tenantOf(ctx, await chooseBusiness(ctx, named), environment)
    if (on.length + off.length > 0) requireSet(await setCurrencies(ctx, tenant, { on, off }))
    return readCurrencies(ctx, tenant)
  })
  const rows = found.map(({ currency, on: isOn }) => [currency, isOn ? 'on' : 'off'])
  output.result({ business: id, environment, currencies: found }, table(['currency', 'state'], rows))
}

function requireSet(outcome: CurrencyOutcome): void {
  switch (outcome.kind) {
    case 'set':
      return
    case 'always-on':
      throw new UsageError('NGN is always on.')
    case 'in-use':
      throw new OperatorError(
        `${outcome.currency} has a balance, or payments under way. Switch it off when its balance is 0 and nothing is under way.`,
      )
  }
}

export type RebuildOptions = { business?: string; environment: Environment }

export async function rebuildFiguresCommand(output: Output, options: RebuildOptions): Promise<void> {
  const named = businessIdOf(options)
  const { environment } = options
  const { before, rows, business } = await withContext(readConfig(), output.step, async (ctx) => {
    const businessId = await chooseBusiness(ctx, named)
    const rebuilt = await rebuildFigures(ctx, await tenantOf(ctx, businessId, environment))
    return { ...rebuilt, business: formatId('business', businessId) }
  })
  const until = before.toISOString()
  output.result(
    { business, environment, before: until, rows },
    `Recounted ${rows} figures of the hours before ${until}.`,
  )
}

type LimitScope = { business?: string; environment: Environment; currency?: Currency }

/** Without a currency, shows every currency that is switched on. */
export async function showLimitsCommand(output: Output, { currency, ...whose }: LimitScope): Promise<void> {
  const { business, limits } = await withLimitedTenant(output, whose, async (ctx, tenant) => {
    const read = (one: Currency): Promise<ShownLimits> => readShown(ctx, tenant, one)
    if (currency !== undefined) {
      await requireCurrency(ctx, tenant, currency)
      return [await read(currency)]
    }
    const switchedOn = (await readCurrencies(ctx, tenant)).filter(({ on }) => on)
    return Promise.all(switchedOn.map((one) => read(one.currency)))
  })
  const [first] = limits
  const document = { business, environment: whose.environment, ...first }
  // The document also has the limits of the first currency, naira, outside the list, because version 0.2.0 had no list.
  output.result(currency === undefined ? { ...document, currencies: limits } : document, limitsTable(limits))
}

type SetOptions = LimitScope & { perPayment?: Money | 'none'; perDay?: Money | 'none' }

export async function setLimitsCommand(output: Output, options: SetOptions): Promise<void> {
  const { perPayment, perDay, currency = 'NGN', ...whose } = options
  if (perPayment === undefined && perDay === undefined) {
    throw new UsageError('Name a limit: --per-payment, --per-day, or both.')
  }
  const changes = { perPayment: limitOf(perPayment), perDay: limitOf(perDay) }
  const { business, limits } = await withLimitedTenant(output, whose, async (ctx, tenant) => {
    await requireCurrency(ctx, tenant, currency)
    await setLimits(ctx, tenant, changes, currency)
    return readShown(ctx, tenant, currency)
  })
  output.result({ business, environment: whose.environment, ...limits }, limitsTable([limits]))
}

async function withLimitedTenant<T>(
  output: Output,
  whose: Omit<LimitScope, 'currency'>,
  work: (ctx: Context, tenant: Tenant) => Promise<T>,
): Promise<{ business: string; limits: T }> {
  const named = businessIdOf(whose)
  return withContext(readConfig(), output.step, async (ctx) => {
    const businessId = await chooseBusiness(ctx, named)
    const limits = await work(ctx, await tenantOf(ctx, businessId, whose.environment))
    return { business: formatId('business', businessId), limits }
  })
}

type ShownLimits = {
  currency: Currency
  perPayment: number | null
  perDay: number | null
  leftToday: number | null
}

async function readShown(ctx: Context, tenant: Tenant, currency: Currency): Promise<ShownLimits> {
  const { perPayment, perDay, left } = await showLimits(ctx, tenant, currency)
  return { currency, perPayment: wireOf(perPayment), perDay: wireOf(perDay), leftToday: wireOf(left) }
}

function limitsTable(limits: ShownLimits[]): string {
  const rows = limits.map(({ currency, perPayment, perDay, leftToday }) => [
    currency,
    ...[perPayment, perDay].map((amount) => textIn(amount, currency)),
    perDay === null ? '' : textIn(leftToday, currency),
  ])
  return table(['currency', 'per payment', 'per day', 'left today'], rows)
}

function limitOf(option: Money | 'none' | undefined): Money | null | undefined {
  return option === 'none' ? null : option
}

const wireOf = (amount: Money | null): number | null => (amount === null ? null : toWire(amount))

function textIn(amount: number | null, currency: Currency): string {
  if (amount === null) return 'none'
  const money = toMoney(BigInt(amount))
  return currency === 'NGN' ? `${amount} kobo (${formatNaira(money)})` : `${amount} (${formatMoney(money, currency)})`
}
