// With `real-rails`: lets days pass after the quiet. Each night the service compares the providers' lists with its
// books. The check of each day must be completed in time, so that no mismatch is left open at the end
// (checks/providers.ts).

import { dayAt } from '#reconciliation/schedule.ts'
import { jump, passUntil } from './jump.ts'
import type { Providers } from './rails/providers.ts'
import type { World } from './world.ts'

/**
 * For two days a payout under way may be the reason why our book and the provider's balance differ. The service checks
 * each day at two in the morning of the next day. After four days every payout is older, so each difference has been
 * checked without that reason.
 */
const days = 4
const hourMs = 60 * 60_000
/** A check is late if the provider's rate limit is used up, or if a process died with the lease of a list. */
const provedMsMax = hourMs
/** The service asks for an unfinished statement again after 20 seconds. */
const pollEveryMs = 20_000

type CheckRow = { rail: string; loop: string; proved_until: Date | null; from_at: Date | null }

export async function passDays(world: World, providers: Providers): Promise<void> {
  const { time, database, model } = world
  for (let day = 1; day <= days; day += 1) {
    providers.lists.bringUpToDate()
    const untilMs = dayAt(time.database.now()).toMs
    await jump(world, untilMs + 3 * hourMs - time.database.now())
    const isBehind = ({ loop, proved_until: provedUntil, from_at: fromAt }: CheckRow): boolean =>
      loop !== 'day' && (fromAt !== null || (provedUntil?.getTime() ?? 0) < untilMs)
    let behind: CheckRow[] = []
    const areProved = async (): Promise<boolean> => {
      const rows = await database.ask<CheckRow>('select rail, loop, proved_until, from_at from rail_check')
      behind = rows.filter(isBehind)
      return rows.length > 0 && behind.length === 0
    }
    if (await passUntil(world, { eachMs: pollEveryMs, withinMs: provedMsMax }, areProved)) continue
    for (const { rail, loop } of behind) model.wrong.add(`the ${loop} loop of ${rail} has not proved day ${day}`)
    return
  }
}
