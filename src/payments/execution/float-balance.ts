// What rails hold for us, as a process remembers it while payments look for another rail. No provider is asked more often
// than that needs: a rail that fails sends all its payments on at once.

import { finishesWithin, type Clock } from '#platform/clock.ts'
import type { Environment } from '#platform/context.ts'
import { secondMs } from '#platform/durations.ts'
import type { RailPayee } from '#rails/choose.ts'
import { walletFor, type Wallet } from '#rails/rail.ts'
import type { RailRegistry } from '#rails/registry.ts'

/** The wallet of a payment, and the amount that it needs there. */
export type FloatNeeds = Pick<RailPayee, 'currency' | 'country'> & { amount: bigint }

export type FloatWatch = {
  /**
   * Returns false if the wallet of the payment is known to hold less. If the provider does not tell, sending the payment
   * finds out.
   */
  covers(environment: Environment, rail: string, needs: FloatNeeds): Promise<boolean>
}

const rememberedMs = 10 * secondMs
/** Providers answer within seconds, or their breaker opens. The payment waits for it under its lease. */
const answerMsMax = 5 * secondMs

type Known = { untilMs: number; wallets: Promise<Wallet[] | undefined> }

export function watchFloats(clock: Clock, rails: Pick<RailRegistry, 'float'>): FloatWatch {
  const known = new Map<string, Known>()

  async function ask(environment: Environment, rail: string): Promise<Wallet[] | undefined> {
    const answer = rails.float(environment, { rail })
    if (answer.kind === 'missing') return undefined
    const asking = answer.port.balance().catch(() => undefined)
    const balance = (await finishesWithin(answerMsMax, asking)) ? await asking : undefined
    return balance?.kind === 'known' ? balance.wallets : undefined
  }

  return {
    async covers(environment, rail, { amount, ...which }) {
      const before = known.get(rail)
      const isFresh = before !== undefined && before.untilMs > clock.now()
      const one = isFresh ? before : { untilMs: clock.now() + rememberedMs, wallets: ask(environment, rail) }
      known.set(rail, one)
      const wallets = await one.wallets
      return wallets === undefined || (walletFor(wallets, which)?.amount ?? 0n) >= amount
    },
  }
}
