// `manilla businesses`, `figures rebuild` and `limits`: creates and lists businesses, switches their currencies on and
// off, recounts their figures, and shows and sets payout limits.

import { createBusiness, listBusinesses, type Business } from '#businesses/business.ts'
import { readCurrencies, setCurrencies, type CurrencyOutcome } from '#businesses/currencies.ts'
import { setLimits, showLimits } from '#payments/limits.ts'
import { rebuildFigures } from '#payments/stats.ts'
import type { Environment, Context, Tenant } from '#platform/context.ts'
import { OperatorError } from '#platform/errors.ts'
import { formatId } from '#platform/ids.ts'
import { formatMoney, formatNaira, toWire, type Currency, type Money } from '#platform/money.ts'
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

/** Prints the currencies after the change, if one was asked for. */
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

type LimitScope = { business?: string; environment: Environment; currency: Currency }

export async function showLimitsCommand(output: Output, whose: LimitScope): Promise<void> {
  await printLimits(output, whose, () => Promise.resolve())
}

type SetOptions = LimitScope & { perPayment?: Money | 'none'; perDay?: Money | 'none' }

export async function setLimitsCommand(output: Output, options: SetOptions): Promise<void> {
  const { perPayment, perDay, ...whose } = options
  if (perPayment === undefined && perDay === undefined) {
    throw new UsageError('Name a limit: --per-payment, --per-day, or both.')
  }
  const changes = { perPayment: limitOf(perPayment), perDay: limitOf(perDay) }
  await printLimits(output, whose, (ctx, tenant) => setLimits(ctx, tenant, changes, whose.currency))
}

/** Prints the limits after `change` has run. */
async function printLimits(
  output: Output,
  options: LimitScope,
  change: (ctx: Context, tenant: Tenant) => Promise<unknown>,
): Promise<void> {
  const named = businessIdOf(options)
  const { environment, currency } = options
  const { perPayment, perDay, left, business } = await withContext(readConfig(), output.step, async (ctx) => {
    const businessId = await chooseBusiness(ctx, named)
    const tenant = await tenantOf(ctx, businessId, environment)
    await requireCurrency(ctx, tenant, currency)
    await change(ctx, tenant)
    return { ...(await showLimits(ctx, tenant, currency)), business: formatId('business', businessId) }
  })
  const amounts = { perPayment: wireOf(perPayment), perDay: wireOf(perDay), leftToday: wireOf(left) }
  const textOf = (amount: Money | null): string => textIn(amount, currency)
  const lines = [`per payment  ${textOf(perPayment)}`, `per day      ${textOf(perDay)}`]
  if (left !== null) lines.push(`left today   ${textOf(left)}`)
  output.result({ business, environment, currency, ...amounts }, lines.join('\n'))
}

function limitOf(option: Money | 'none' | undefined): Money | null | undefined {
  return option === 'none' ? null : option
}

const wireOf = (amount: Money | null): number | null => (amount === null ? null : toWire(amount))

function textIn(amount: Money | null, currency: Currency): string {
  if (amount === null) return 'none'
  return currency === 'NGN' ? `${amount} kobo (${formatNaira(amount)})` : `${amount} (${formatMoney(amount, currency)})`
}
