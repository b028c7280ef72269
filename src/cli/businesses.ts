import { createBusiness, listBusinesses, type Business } from '#businesses/business.ts'
import { setLimits, showLimits } from '#payments/limits.ts'
import { rebuildFigures } from '#payments/stats.ts'
import type { Environment, Context, Tenant } from '#platform/context.ts'
import { formatId } from '#platform/ids.ts'
import { formatNaira, toWire, type Money } from '#platform/money.ts'
import { businessIdOf, chooseBusiness, tenantOf } from './arguments.ts'
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

type Whose = { business?: string; environment: Environment }

export async function showLimitsCommand(output: Output, whose: Whose): Promise<void> {
  await printLimits(output, whose, () => Promise.resolve())
}

type SetOptions = Whose & { perPayment?: Money | 'none'; perDay?: Money | 'none' }

export async function setLimitsCommand(output: Output, options: SetOptions): Promise<void> {
  const { perPayment, perDay, ...whose } = options
  if (perPayment === undefined && perDay === undefined) {
    throw new UsageError('Name a limit: --per-payment, --per-day, or both.')
  }
  const changes = { perPayment: limitOf(perPayment), perDay: limitOf(perDay) }
  await printLimits(output, whose, (ctx, tenant) => setLimits(ctx, tenant, changes))
}

/** Prints the limits after `change` has run. */
async function printLimits(
  output: Output,
  options: Whose,
  change: (ctx: Context, tenant: Tenant) => Promise<unknown>,
): Promise<void> {
  const named = businessIdOf(options)
  const { environment } = options
  const { perPayment, perDay, left, business } = await withContext(readConfig(), output.step, async (ctx) => {
    const businessId = await chooseBusiness(ctx, named)
    const tenant = await tenantOf(ctx, businessId, environment)
    await change(ctx, tenant)
    return { ...(await showLimits(ctx, tenant)), business: formatId('business', businessId) }
  })
  const amounts = { perPayment: wireOf(perPayment), perDay: wireOf(perDay), leftToday: wireOf(left) }
  const lines = [`per payment  ${textOf(perPayment)}`, `per day      ${textOf(perDay)}`]
  if (left !== null) lines.push(`left today   ${textOf(left)}`)
  output.result({ business, environment, ...amounts }, lines.join('\n'))
}

function limitOf(option: Money | 'none' | undefined): Money | null | undefined {
  return option === 'none' ? null : option
}

const wireOf = (amount: Money | null): number | null => (amount === null ? null : toWire(amount))

function textOf(amount: Money | null): string {
  if (amount === null) return 'none'
  return `${amount} kobo (${formatNaira(amount)})`
}
