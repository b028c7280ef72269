import { createBusiness, listBusinesses, type Business } from '#businesses/business.ts'
import { setLimits, showLimits } from '#payments/limits.ts'
import { rebuildFigures } from '#payments/stats.ts'
import type { Environment, Context, Tenant } from '#platform/context.ts'
import { OperatorError } from '#platform/errors.ts'
import { formatId } from '#platform/ids.ts'
import { formatNaira, toWire, type Kobo } from '#platform/money.ts'
import { chooseTenant } from './arguments.ts'
import { withContext } from './database.ts'
import { formatTime, table, type Output } from './output.ts'
import { readConfig } from './settings.ts'

export async function createBusinessCommand(output: Output, options: { name: string }): Promise<void> {
  const name = options.name.trim()
  if (name.length < 1 || name.length > 100) throw new OperatorError('A name has 1 to 100 characters.')
  const business = await withContext(readConfig(), output.step, (ctx) => createBusiness(ctx, name))
  const id = formatId('business', business.id)
  const next = `Create its keys with: npx manilla keys create --business ${id} --environment staging`
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

// `manilla figures rebuild`: counts the figures of a business anew.

export type RebuildOptions = { business: string; environment: Environment }

export async function rebuildFiguresCommand(output: Output, whose: RebuildOptions): Promise<void> {
  const { before, rows } = await withContext(readConfig(), output.step, async (ctx) => {
    const named = await chooseTenant(ctx, whose)
    if (named === undefined) throw new OperatorError(`There is no business ${whose.business}.`)
    return rebuildFigures(ctx, named.tenant)
  })
  const until = before.toISOString()
  output.result({ ...whose, before: until, rows }, `${rows} figures of the hours before ${until} were counted anew.`)
}

// `manilla limits`: how much a business may pay out.

type Whose = { business: string; environment: Environment }

export async function showLimitsCommand(output: Output, whose: Whose): Promise<void> {
  await tellLimits(output, whose, () => Promise.resolve())
}

type SetOptions = Whose & { perPayment?: Kobo | 'none'; perDay?: Kobo | 'none' }

export async function setLimitsCommand(output: Output, options: SetOptions): Promise<void> {
  const { perPayment, perDay, ...whose } = options
  if (perPayment === undefined && perDay === undefined) {
    throw new OperatorError('Say what to set: --per-payment, --per-day, or both.')
  }
  const changes = { perPayment: limitOf(perPayment), perDay: limitOf(perDay) }
  await tellLimits(output, whose, (ctx, tenant) => setLimits(ctx, tenant, changes))
}

/** After this. */
async function tellLimits(
  output: Output,
  whose: Whose,
  first: (ctx: Context, tenant: Tenant) => Promise<unknown>,
): Promise<void> {
  const { perPayment, perDay, left } = await withContext(readConfig(), output.step, async (ctx) => {
    const named = await chooseTenant(ctx, whose)
    if (named === undefined) throw new OperatorError(`There is no business ${whose.business}.`)
    await first(ctx, named.tenant)
    return showLimits(ctx, named.tenant)
  })
  const amounts = { perPayment: wireOf(perPayment), perDay: wireOf(perDay), leftToday: wireOf(left) }
  const lines = [`per payment  ${told(perPayment)}`, `per day      ${told(perDay)}`]
  if (left !== null) lines.push(`left today   ${told(left)}`)
  output.result({ ...whose, ...amounts }, lines.join('\n'))
}

function limitOf(option: Kobo | 'none' | undefined): Kobo | null | undefined {
  return option === 'none' ? null : option
}

const wireOf = (amount: Kobo | null): number | null => (amount === null ? null : toWire(amount))

function told(amount: Kobo | null): string {
  if (amount === null) return 'none'
  return `${amount} kobo (${formatNaira(amount)})`
}
