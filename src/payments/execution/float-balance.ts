// What rails hold for us, as a process remembers it while payments look for another rail. No provider is asked more often
// than that needs: a rail that fails sends all its payments on at once.

import { finishesWithin, type Clock } from '#platform/clock.ts'
import type { Environment } from '#platform/context.ts'
import { secondMs } from '#platform/durations.ts'
import type { RailRegistry } from '#rails/registry.ts'

export type FloatWatch = {
  /** False: it is known to hold less. What nobody can tell is found out by sending. */
  covers(environment: Environment, rail: string, amount: bigint): Promise<boolean>
}

const rememberedMs = 10 * secondMs
/** Providers answer within seconds, or their breaker opens. The payment waits for it under its lease. */
const answerMsMax = 5 * secondMs

type Known = { untilMs: number; balance: Promise<bigint | undefined> }

export function watchFloats(clock: Clock, rails: Pick<RailRegistry, 'float'>): FloatWatch {
  const known = new Map<string, Known>()

  async function ask(environment: Environment, rail: string): Promise<bigint | undefined> {
    const answer = rails.float(environment, { rail })
    if (answer.kind === 'missing') return undefined
    const asking = answer.port.balance().catch(() => undefined)
    const balance = (await finishesWithin(answerMsMax, asking)) ? await asking : undefined
    return balance?.kind === 'known' ? balance.amount : undefined
  }

  return {
    async covers(environment, rail, amount) {
      const before = known.get(rail)
      const isFresh = before !== undefined && before.untilMs > clock.now()
      const one = isFresh ? before : { untilMs: clock.now() + rememberedMs, balance: ask(environment, rail) }
      known.set(rail, one)
      const balance = await one.balance
      return balance === undefined || balance >= amount
    },
  }
}
