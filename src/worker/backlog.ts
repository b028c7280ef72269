// What is due and nobody has taken up: how much, and since when. A process that only serves tells it too, so that a worker
// that is missing shows, whoever is asked.

import type { Context } from '#base/context.ts'
import { lookAtScrape } from '#base/scrape.ts'
import { dueAccounts } from '#customers/due.ts'
import { duePayments } from '#payments/due.ts'
import { dueDeliveries } from '#sending/due.ts'

const queues = { payments: duePayments, deliveries: dueDeliveries, accounts: dueAccounts }

export type Queue = keyof typeof queues

export type Backlog = { queue: Queue; count: number; oldestSeconds: number }

/** Over all lanes, one after the other: it must not take the connections that requests wait for. */
export async function lookAtBacklog(ctx: Context, lanes: number[]): Promise<Backlog[]> {
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

/** Exports it, as it is when somebody asks. */
export function exportBacklog(ctx: Context, laneNumbers: () => Promise<number[]>): void {
  const { due, oldestDueSeconds } = ctx.metrics
  async function look(): Promise<void> {
    for (const { queue, count, oldestSeconds } of await lookAtBacklog(ctx, await laneNumbers())) {
      due.set({ queue }, count)
      oldestDueSeconds.set({ queue }, oldestSeconds)
    }
  }
  lookAtScrape(ctx, look, () => {
    due.reset()
    oldestDueSeconds.reset()
  })
}
