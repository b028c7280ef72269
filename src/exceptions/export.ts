// How many exceptions are open, for Prometheus: counted when somebody asks, in every process, so that they are seen wherever
// one looks.

import { environments, type Context } from '#base/context.ts'
import { lookAtScrape } from '#base/scrape.ts'
import { exceptionKinds } from './exception.ts'
import { countOpen } from './sql.ts'

/** Also of the kinds of which none are open. */
export function exportExceptions(ctx: Pick<Context, 'db' | 'clock' | 'metrics'>): void {
  const { exceptionsOpen } = ctx.metrics
  async function look(): Promise<void> {
    const counts = await countOpen(ctx.db)
    for (const environment of environments) {
      for (const kind of exceptionKinds) {
        const found = counts.find((one) => one.environment === environment && one.kind === kind)
        exceptionsOpen.set({ environment, kind }, Number(found?.count ?? 0n))
      }
    }
  }
  lookAtScrape(ctx, look, () => exceptionsOpen.reset())
}
