// `manilla payouts`: pauses and resumes the payouts of all businesses or of one.

import type { Context, Environment } from '#platform/context.ts'
import { OperatorError } from '#platform/errors.ts'
import { formatId, type Uuid } from '#platform/ids.ts'
import { listBusinesses } from '#businesses/business.ts'
import { laneNumbers } from '#businesses/lanes.ts'
import { listPauses, pausePayouts, resumePayouts, type Pause, type Whose } from '#payments/brakes.ts'
import { businessIdOf } from './arguments.ts'
import { withContext } from './database.ts'
import { formatTime, type Output } from './output.ts'
import { readConfig } from './settings.ts'

export type PauseOptions = { business?: string; environment?: Environment }

export async function pausePayoutsCommand(output: Output, options: PauseOptions): Promise<void> {
  const pauses = await withWhose(output, options, async (ctx, whose) => {
    await pausePayouts(ctx, whose)
    return listPauses(ctx)
  })
  output.result({ paused: pauses.map(documentOf) }, told(pauses))
}

export async function resumePayoutsCommand(output: Output, options: PauseOptions): Promise<void> {
  const { woken, pauses } = await withWhose(output, options, async (ctx, whose) => {
    const resumed = await resumePayouts(ctx, await laneNumbers(ctx), whose)
    return { ...resumed, pauses: await listPauses(ctx) }
  })
  const went = woken === 0 ? 'No payouts were waiting.' : `Resumed ${woken} waiting payouts.`
  output.result({ woken, paused: pauses.map(documentOf) }, `${went}\n${told(pauses)}`)
}

function withWhose<T>(
  output: Output,
  { business, environment }: PauseOptions,
  work: (ctx: Context, whose: Whose) => Promise<T>,
): Promise<T> {
  const businessId = businessIdOf({ business })
  return withContext(readConfig(), output.step, async (ctx) => {
    if (businessId !== undefined) await requireBusiness(ctx, businessId)
    return work(ctx, { businessId, environment })
  })
}

async function requireBusiness(ctx: Context, id: Uuid): Promise<void> {
  if ((await listBusinesses(ctx)).some((one) => one.id === id)) return
  throw new OperatorError(`There is no business ${formatId('business', id)}. See: npx manilla businesses list`)
}

function documentOf({ environment, businessId, pausedAt: since, by }: Pause) {
  return { environment, business: businessId === undefined ? null : formatId('business', businessId), since, by }
}

/** Lists all pauses, because a payout stays paused while another pause applies. */
function told(pauses: Pause[]): string {
  if (pauses.length === 0) return 'Nothing is paused.'
  const lines = pauses.map(({ environment, businessId, pausedAt, by }) => {
    const whose = businessId === undefined ? 'all businesses' : formatId('business', businessId)
    return `Paused: payouts of ${whose} in ${environment}, since ${formatTime(pausedAt)}, by ${by}.`
  })
  return lines.join('\n')
}
