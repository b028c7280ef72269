// What is read from the database when somebody asks for the metrics, and not before.

import { within } from '#platform/clock.ts'
import type { Context } from '#platform/context.ts'

/** Whoever scrapes more often is told the same again. */
const freshMs = 5_000
/** A scrape is not held up for longer by a database that is slow. */
const waitMsMax = 2_000

/** `look` sets the gauges. While the database cannot tell, `forget` leaves them out. */
export function lookAtScrape(
  { clock, metrics }: Pick<Context, 'clock' | 'metrics'>,
  look: () => Promise<void>,
  forget: () => void,
): void {
  let freshUntilMs = -Infinity
  let looking: Promise<void> | undefined

  async function lookOnce(): Promise<void> {
    try {
      await look()
      freshUntilMs = clock.now() + freshMs
    } catch {
      forget()
    } finally {
      looking = undefined
    }
  }

  metrics.beforeScrape(async () => {
    if (clock.now() < freshUntilMs) return
    looking ??= lookOnce()
    await within(waitMsMax, looking)
  })
}
