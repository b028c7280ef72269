// The set-up of tests about the payments that a process has leased: rails that answer as a test says, a lane that
// records its commands and writes nothing, and a clock that only a test moves.

import { afterEach, beforeEach, vi } from 'vitest'
import { createFirstSeen } from '#platform/cache.ts'
import type { Db } from '#platform/db/db.ts'
import { hourMs } from '#platform/durations.ts'
import type { LeasedPayment, Means } from '#payments/execution/step.ts'
import type { Payment } from '#payments/payment.ts'
import type { PostponeCommand } from '#payments/execution/record-step.ts'
import type { SettleCommand, SettleOutcome } from '#payments/settle.ts'
import type { BankPayout, MomoCollection, Rail } from '#rails/rail.ts'
import { createRailRegistry } from '#rails/registry.ts'
import { createTestContext } from '#tests/support/context.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { createScriptedPayout } from '#tests/support/scripted-rail.ts'
import { at, bankTransfer } from './made.ts'
import { turn } from './process.ts'

export const submitLeaseMs = 1_000
export const leaseMs = 60_000

const [settling, postponing] = [{ name: 'settle' }, { name: 'postponed' }]

/** For the top of a test file. Each test begins with no payments and with rails that got no calls. */
export function useLeases() {
  const clock = createFakeClock(at.getTime())
  const rails = { a: createScriptedPayout(clock, submitLeaseMs), b: createScriptedPayout(clock, submitLeaseMs) }
  const lane = {
    settled: [] as SettleCommand[],
    postponed: [] as PostponeCommand[],
    outcome: (): SettleOutcome['kind'] => 'settled',
    broken: false,
  }

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    for (const rail of Object.values(rails)) rail.forget()
    Object.assign(lane, { settled: [], postponed: [], outcome: () => 'settled', broken: false })
  })
  afterEach(() => vi.useRealTimers())

  async function submitOwn(operation: unknown, command: unknown): Promise<unknown> {
    if (lane.broken) throw new Error('the database is away')
    if (operation === postponing) return void lane.postponed.push(command as PostponeCommand)
    lane.settled.push(command as SettleCommand)
    return { kind: lane.outcome() }
  }

  return {
    clock,
    rails,
    lane,
    /** `asksStops`: the answer to the question which rails are stopped. */
    means(asksStops: () => boolean | Promise<boolean> = () => false): Means {
      const ctx = createTestContext({ transaction: () => Promise.resolve() } as unknown as Db, clock)
      // One fake answers all calls to a rail.
      const portsOf = (port: BankPayout) => ({ payout: port, momoCollection: port as unknown as MomoCollection })
      const production: Rail[] = Object.entries(rails).map(([name, port]) => ({ name, ...portsOf(port) }))
      return {
        ctx,
        rails: createRailRegistry({ clock, settleMs: 0, rails: { production } }),
        stops: { isStopped: asksStops, now: () => ({ isPaused: () => false, isStopped: () => false }) },
        floats: { covers: async () => true },
        absences: createFirstSeen(clock),
        floatPatienceMs: hourMs,
        laneOf: () => ({ submitOwn }) as unknown as ReturnType<Means['laneOf']>,
        ...({ settling, postponing } as unknown as Pick<Means, 'settling' | 'postponing'>),
      }
    },
    leased: (rail: string | null = 'a', changes: Partial<Payment> = {}): LeasedPayment => ({
      payment: bankTransfer({ ...(changes as object), rail }),
      environment: 'production',
      sentBefore: false,
      leaseEnd: new Date(clock.now() + leaseMs),
      leaveBeforeMs: clock.monotonicMs() + leaseMs,
    }),
    async pass(ms: number): Promise<void> {
      clock.advance(ms)
      await vi.advanceTimersByTimeAsync(ms)
      await turn()
    },
  }
}

export const never = (): Promise<never> => new Promise(() => undefined)
