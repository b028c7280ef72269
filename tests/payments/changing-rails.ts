// The set-up of tests about changing rails: processes on one database whose routes lead to three fake rails.

import { afterEach, beforeEach, expect, vi } from 'vitest'
import type { Uuid } from '#platform/ids.ts'
import { toMoney } from '#platform/money.ts'
import type { Tenant } from '#platform/context.ts'
import { stopRail } from '#payments/brakes.ts'
import { railReferenceOf } from '#rails/formats.ts'
import type { Rail } from '#rails/rail.ts'
import type { Routing } from '#rails/registry.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { createScriptedPayout, type ScriptedPayout } from '#tests/support/scripted-rail.ts'
import { requestOf, rowOf, startProcess, turn, until, type Process, type ProcessOptions } from './process.ts'

export const names = ['a', 'b', 'c'] as const
export type Name = (typeof names)[number]

export type Left = { rail: string; attempt: number; why: string }

export async function useChangingRails() {
  const database = await useTestDatabase()
  const clock = createFakeClock()
  const rails = {} as Record<Name, ScriptedPayout & { balance: bigint }>

  beforeEach(async () => {
    await asOwner(database, 'truncate payment, event, rail_attempt, rail_try, brake, review_item')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    for (const name of names) rails[name] = Object.assign(createScriptedPayout(clock), { balance: 10_000_000n })
  })
  afterEach(() => vi.useRealTimers())

  const railOf = (name: Name): Rail => ({
    name,
    payout: {
      submitLeaseMs: 1_000,
      submit: (order) => rails[name].submit(order),
      status: (order) => rails[name].status(order),
    },
    float: {
      balance: () =>
        Promise.resolve({ kind: 'known', wallets: [{ currency: 'NGN', amount: toMoney(rails[name].balance) }] }),
    },
  })

  function routingOver(...over: Name[]): Routing {
    const routes = over.map((rail, index) => ({ rail, weight: index === 0 ? 1 : 0 }))
    return {
      rails: { production: over.map(railOf) },
      policy: 'weight',
      costs: {},
      routesOf: (environment, _currency, port) => (environment === 'production' && port === 'payout' ? routes : []),
    }
  }

  const one = {
    database,
    clock,
    rails,
    /** New payments go to the first of these rails; the others are in reserve, in this order. */
    start: (over: Name[] = ['a', 'b'], options: Partial<ProcessOptions> = {}): Process =>
      startProcess({ database, clock, leasesNew: false, routing: routingOver(...over), ...options }),
    async accept({ payments }: Process, tenant: Tenant): Promise<string> {
      const request = requestOf()
      expect((await payments.initiate(tenant, request)).kind).toBe('accepted')
      await turn()
      return request.reference
    },
    pass(seconds: number): void {
      clock.advance(seconds * 1_000)
      vi.advanceTimersByTime(seconds * 1_000)
    },
    async stop({ ctx }: Process, rail: Name): Promise<void> {
      await ctx.db.transaction((tx) => stopRail(ctx, tx, { environment: 'production', rail, why: 'a test' }))
      // A process that has cached the brakes reads them again.
      one.pass(2)
    },
    row: (reference: string) => rowOf(database, reference),
    left: (): Promise<Left[]> =>
      asOwner<Left>(database, 'select rail, attempt, why from rail_attempt order by attempt'),
    calls: (name: Name): string[] => rails[name].asked.map(({ call }) => call),
    railReference: async (reference: string): Promise<string> =>
      railReferenceOf((await rowOf(database, reference)).id as Uuid),
    untilStatus: (reference: string, status: string): Promise<void> =>
      until(async () => (await rowOf(database, reference)).status === status, `it is ${status}`),
    untilRail: (reference: string, rail: Name): Promise<void> =>
      until(async () => (await rowOf(database, reference)).rail === rail, `its rail is ${rail}`),
  }
  return one
}
