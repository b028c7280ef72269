// The review queue: lists, counts and closes open items.

import { closeOnce, type ClosingRules, type ReviewCloseOutcome } from '#audit/record.ts'
import { type Context, type Tenant, environments } from '#platform/context.ts'
import { formatId, type Uuid } from '#platform/ids.ts'
import { lookAtScrape } from '#platform/observability/metrics.ts'
import {
  closeLocked,
  countOpen,
  countOpenOfTenant,
  findOpen,
  lockException,
  exceptionKinds,
  type Exception,
  type ExceptionKind,
} from './review-item.ts'

export { isOpen } from './review-item.ts'

/** One page for an operator; more items appear when some are closed. */
const listedMax = 200

/** The oldest come first; `total` counts all. */
export async function listOpenExceptions(
  { db }: Context,
  kinds: readonly ExceptionKind[] = exceptionKinds,
): Promise<{ exceptions: Exception[]; total: number }> {
  const [exceptions, counts] = await Promise.all([findOpen(db, kinds, listedMax), countOpen(db)])
  const total = counts.filter(({ kind }) => kinds.includes(kind)).reduce((sum, { count }) => sum + count, 0n)
  return { exceptions, total: Number(total) }
}

/** Counts the open items about one tenant's money. */
export function countOpenOf({ db }: Pick<Context, 'db'>, tenant: Tenant): Promise<number> {
  return countOpenOfTenant(db, tenant)
}

export function closeException(ctx: Context, id: Uuid, note: string): Promise<ReviewCloseOutcome<Exception>> {
  return closeOnce(ctx, exceptionClosing(id), note)
}

export function exceptionClosing(id: Uuid): ClosingRules<Exception> {
  return {
    lock: (tx) => lockException(tx, id),
    beganAt: ({ raisedAt }) => raisedAt,
    write: closeLocked,
    entryOf: ({ kind, subject, fact, tenantId }, note) => ({
      act: 'exception.closed',
      ...(tenantId === null ? {} : { tenantId }),
      subject: formatId('exception', id),
      details: { kind, about: subject, fact, note },
    }),
  }
}

/**
 * Exports the number of open items at each scrape, in every process and for every kind, including kinds without open
 * items.
 */
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
