// Updates gauges from the database when Prometheus scrapes, and only then.

import { finishesWithin } from '#platform/clock.ts'
import type { Context } from '#platform/context.ts'

/** More frequent scrapes get the same values. */
const freshMs = 5_000
/** The longest time that a slow database may delay a scrape. */
const waitMsMax = 2_000

/** `look` sets the gauges. If the database does not respond, `forget` removes them. */
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
    await finishesWithin(waitMsMax, looking)
  })
}
