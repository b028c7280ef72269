// The backlog of due work, for monitoring and for the operator's page.

import { duePayments } from '#payments/execution/executor.ts'
import type { Context } from '#platform/context.ts'
import { refreshAtScrape } from '#platform/observability/metrics.ts'
import { dueAccounts } from '#virtual-accounts/provisioning.ts'
import { dueDeliveries } from '#webhooks/delivery/claims.ts'

const queues = { payments: duePayments, deliveries: dueDeliveries, accounts: dueAccounts }

type Queue = keyof typeof queues

export type Backlog = { queue: Queue; count: number; oldestSeconds: number }

/**
 * Returns the due work that no worker has claimed. Processes that only serve the API export it too, so that a missing
 * worker is visible. Lanes are read one after the other, because requests need the connections.
 */
export async function readDueWork(ctx: Context, lanes: number[]): Promise<Backlog[]> {
  const nowMs = ctx.clock.now()
  const backlog: Backlog[] = []
  for (const [queue, dueIn] of Object.entries(queues) as [Queue, typeof duePayments][]) {
    let [count, oldestMs] = [0, nowMs]
    for (const lane of lanes) {
      const due = await dueIn(ctx, lane)
      count += due.count
      oldestMs = Math.min(oldestMs, due.oldest?.getTime() ?? nowMs)
    }
    backlog.push({ queue, count, oldestSeconds: (nowMs - oldestMs) / 1_000 })
  }
  return backlog
}

export function exportBacklog(ctx: Context, laneNumbers: () => Promise<number[]>): void {
  const { due, oldestDueSeconds } = ctx.metrics
  async function read(): Promise<void> {
    for (const { queue, count, oldestSeconds } of await readDueWork(ctx, await laneNumbers())) {
      due.set({ queue }, count)
      oldestDueSeconds.set({ queue }, oldestSeconds)
    }
  }
  refreshAtScrape(ctx, read, () => {
    due.reset()
    oldestDueSeconds.reset()
  })
}
