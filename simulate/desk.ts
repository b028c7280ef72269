// Commands of an operator. They do what the commands of the CLI do, over the database connection of one instance.

import { createLanes } from '#platform/db/lane.ts'
import { toMoney } from '#platform/money.ts'
import type { Tenant } from '#platform/context.ts'
import { laneNumbers } from '#businesses/lanes.ts'
import { createCorrections } from '#corrections/corrections.ts'
import { createAdopting } from '#deposits/adopt.ts'
import { resolveRefund } from '#deposits/refunds.ts'
import { type Exception, closeException, listOpenExceptions } from '#review/review-queue.ts'
import { formatId, type Uuid } from '#platform/ids.ts'
import { createSettleByHand } from '#payments/manual-settlement.ts'
import { pausePayouts, resumePayouts, resumeRail } from '#payments/brakes.ts'
import type { Instance } from './instance.ts'
import { strangeProvider } from './notices.ts'

/** The kind of a command's outcome, or `unclear` if it failed, so that the person does not know whether it took effect. */
export type Done = string

export type Desk = {
  settle(tenant: Tenant, reference: string, as: 'success' | 'failed' | 'returned'): Promise<Done>
  adjust(tenant: Tenant, amount: number, because: string): Promise<Done>
  adopt(providerId: string, accountNumber: string): Promise<Done>
  pause(whose: { businessId?: Uuid }): Promise<Done>
  resume(whose: { businessId?: Uuid }): Promise<Done>
  resumeRail(rail: string): Promise<Done>
  resolveRefund(reference: string, as: 'refunded' | 'retry'): Promise<Done>
  open(): Promise<Exception[] | undefined>
  close(id: Uuid): Promise<Done>
}

const note = 'asked the far side'
const environment = 'staging'

export function createDesk({ app: { ctx }, pulse }: Instance): Desk {
  const lanes = createLanes(ctx)
  const corrections = createCorrections({ ctx, laneOf: lanes.of, settleByHand: createSettleByHand(ctx, lanes.of) })
  const adopting = createAdopting(ctx, lanes.of)
  const wordOf = (work: () => Promise<{ kind: string } | void>): Promise<Done> =>
    pulse.run(work).then(
      (outcome) => outcome?.kind ?? 'done',
      () => 'unclear',
    )
  return {
    settle: (tenant, reference, as) =>
      wordOf(() =>
        corrections.settle(tenant, { reference, as, note, by: ctx.by, ...(as === 'returned' ? { toBank: true } : {}) }),
      ),
    adjust: (tenant, amount, because) =>
      wordOf(() => corrections.adjust(tenant, { currency: 'NGN', amount: toMoney(amount), because, note, by: ctx.by })),
    adopt: (providerId, accountNumber) =>
      wordOf(() =>
        adopting({
          noticeId: { environment, provider: strangeProvider, providerId },
          accountNumber,
          note,
          by: ctx.by,
        }),
      ),
    pause: (whose) => wordOf(() => pausePayouts(ctx, { ...whose, environment })),
    resume: (whose) =>
      wordOf(async () => void (await resumePayouts(ctx, await laneNumbers(ctx), { ...whose, environment }))),
    resumeRail: (rail) =>
      wordOf(async () => void (await resumeRail(ctx, await laneNumbers(ctx), { environment, rail }))),
    resolveRefund: (reference, as) =>
      wordOf(async () => resolveRefund(ctx, await laneNumbers(ctx), { reference, as, note, by: ctx.by })),
    open: () =>
      pulse
        .run(() => listOpenExceptions(ctx))
        .then(
          ({ exceptions }) => exceptions,
          () => undefined,
        ),
    close: (id) => wordOf(async () => ({ kind: (await closeException(ctx, id, note)).kind })),
  }
}

export const nameOf = ({ id }: Exception): string => formatId('exception', id)
