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
import { createSettleByHand } from '#payments/settle.ts'
import { pausePayouts, resumePayouts, resumeRail } from '#payments/brakes.ts'
import type { Instance } from './instance.ts'
import { strangeProvider } from './notices.ts'

/** The kind of a command's outcome, or `unclear` if it failed, so that the person does not know whether it took effect. */
export type CommandOutcome = string

export type Desk = {
  settle(tenant: Tenant, reference: string, as: 'success' | 'failed' | 'returned'): Promise<CommandOutcome>
  adjust(tenant: Tenant, amount: number, because: string): Promise<CommandOutcome>
  adopt(providerId: string, accountNumber: string): Promise<CommandOutcome>
  pause(whose: { businessId?: Uuid }): Promise<CommandOutcome>
  resume(whose: { businessId?: Uuid }): Promise<CommandOutcome>
  resumeRail(rail: string): Promise<CommandOutcome>
  resolveRefund(reference: string, as: 'refunded' | 'retry'): Promise<CommandOutcome>
  open(): Promise<Exception[] | undefined>
  close(id: Uuid): Promise<CommandOutcome>
}

const note = 'asked the far side'
const environment = 'staging'

export function createDesk({ app: { ctx }, pulse }: Instance): Desk {
  const lanes = createLanes(ctx)
  const corrections = createCorrections({ ctx, laneOf: lanes.of, settleByHand: createSettleByHand(ctx, lanes.of) })
  const adopting = createAdopting(ctx, lanes.of)
  const outcomeOf = (work: () => Promise<{ kind: string } | void>): Promise<CommandOutcome> =>
    pulse.run(work).then(
      (outcome) => outcome?.kind ?? 'done',
      () => 'unclear',
    )
  return {
    settle: (tenant, reference, as) =>
      outcomeOf(() =>
        corrections.settle(tenant, { reference, as, note, by: ctx.by, ...(as === 'returned' ? { toBank: true } : {}) }),
      ),
    adjust: (tenant, amount, because) =>
      outcomeOf(() =>
        corrections.adjust(tenant, { currency: 'NGN', amount: toMoney(amount), because, note, by: ctx.by }),
      ),
    adopt: (providerId, accountNumber) =>
      outcomeOf(() =>
        adopting({
          noticeId: { environment, provider: strangeProvider, providerId },
          accountNumber,
          note,
          by: ctx.by,
        }),
      ),
    pause: (whose) => outcomeOf(() => pausePayouts(ctx, { ...whose, environment })),
    resume: (whose) =>
      outcomeOf(async () => void (await resumePayouts(ctx, await laneNumbers(ctx), { ...whose, environment }))),
    resumeRail: (rail) =>
      outcomeOf(async () => void (await resumeRail(ctx, await laneNumbers(ctx), { environment, rail }))),
    resolveRefund: (reference, as) =>
      outcomeOf(async () => resolveRefund(ctx, await laneNumbers(ctx), { reference, as, note, by: ctx.by })),
    open: () =>
      pulse
        .run(() => listOpenExceptions(ctx))
        .then(
          ({ exceptions }) => exceptions,
          () => undefined,
        ),
    close: (id) => outcomeOf(async () => ({ kind: (await closeException(ctx, id, note)).kind })),
  }
}

export const nameOf = ({ id }: Exception): string => formatId('exception', id)
