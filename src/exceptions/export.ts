// How many exceptions are open, for Prometheus: counted when somebody asks, in every process, so that they are seen wherever
// one looks.

import { within } from '#base/clock.ts'
import { environments, type Context } from '#base/context.ts'
import { exceptionKinds } from './exception.ts'
import { countOpen } from './sql.ts'

/** Whoever scrapes more often is told the same again. */
const freshMs = 5_000
/** A scrape is not held up for longer by a database that is slow. */
const waitMsMax = 2_000

/** Also of the kinds of which none are open. While the database cannot tell, nothing is exported. */
export function exportExceptions({ db, clock, metrics }: Pick<Context, 'db' | 'clock' | 'metrics'>): void {
  let freshUntilMs = -Infinity
  let looking: Promise<void> | undefined

  async function look(): Promise<void> {
    try {
      const counts = await countOpen(db)
      for (const environment of environments) {
        for (const kind of exceptionKinds) {
          const found = counts.find((one) => one.environment === environment && one.kind === kind)
          metrics.exceptionsOpen.set({ environment, kind }, Number(found?.count ?? 0n))
        }
      }
      freshUntilMs = clock.now() + freshMs
    } catch {
      metrics.exceptionsOpen.reset()
    } finally {
      looking = undefined
    }
  }

  metrics.beforeScrape(async () => {
    if (clock.now() < freshUntilMs) return
    looking ??= look()
    await within(waitMsMax, looking)
  })
}
