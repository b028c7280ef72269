// A provider's adapter against its fake, which checks requests strictly and follows the script of an account.

import { afterAll, afterEach } from 'vitest'
import type { Money } from '#platform/money.ts'
import { createNet, type Net } from '#platform/http-client/client.ts'
import type { PayoutOrder } from '#rails/rail.ts'
import type { FakeClock } from '#tests/support/clock.ts'
import type { Fate } from './conformance.ts'
import { createOrderMaker } from './orders.ts'

type Strict = {
  faults: string[]
  close(): Promise<unknown>
}

type Fake<Script> = Strict & { script(accountNumber: string, script: Script): void }

type Scenario = { title: string; fate: Fate; newOrder: () => PayoutOrder }

/** For the top of a test file. After each test the fake must have found no fault. */
export function useFake(fake: Strict, clock: FakeClock) {
  const net: Net = createNet()
  afterAll(() => Promise.all([net.close(), fake.close()]))
  afterEach(() => {
    if (fake.faults.length > 0) throw new Error(`the provider would have refused: ${fake.faults.join('; ')}`)
  })
  return { net, orders: createOrderMaker(clock) }
}

/** The same for payouts, with a script for each account. */
export function useProvider<Script extends object>(fake: Fake<Script>, clock: FakeClock) {
  const { net, orders } = useFake(fake, clock)
  let numbersUsed = 1_000_000_000
  const newNumber = (): string => String(++numbersUsed)

  function newOrder(script: Script, amount?: Money): PayoutOrder {
    const accountNumber = newNumber()
    fake.script(accountNumber, script)
    // Test mode limits calls by the minute, so each order has its own minute.
    clock.advance(60_000)
    return orders.payout(accountNumber, amount)
  }

  return {
    net,
    limits: { submitMs: 1_000, readMs: 1_000, resolveMs: 1_000 },
    orders,
    newNumber,
    newOrder,
    scenario: (title: string, fate: Fate, script: Script): Scenario => ({
      title,
      fate,
      newOrder: () => newOrder(script),
    }),
  }
}
