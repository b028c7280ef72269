// `manilla limits`: how much a business may pay out.

import type { Context, Environment, Tenant } from '#base/context.ts'
import { OperatorError } from '#base/error.ts'
import { formatNaira, toWire, type Kobo } from '#base/money.ts'
import { setLimits, showLimits } from '#payments/limits.ts'
import { chooseTenant } from './choose-tenant.ts'
import { withContext } from './database.ts'
import type { Output } from './output.ts'
import { readConfig } from './settings.ts'

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
