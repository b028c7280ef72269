// How long a payout waits for its rail's balance by default.

import { expect, it } from 'vitest'
import type { PayoutState } from '#rails/rail.ts'
import { useChangingRails } from './changing-rails.ts'
import { createTenant } from './process.ts'

const { clock, rails, start, accept, row } = await useChangingRails()
const hourMs = 3_600_000

it('is a day', async () => {
  const process = start(['a'])
  const tenant = await createTenant(process)
  const empty: PayoutState = { kind: 'unknown', detail: 'not enough', sent: false, why: 'float', askAgainAfterMs: 1 }
  rails.a.onSubmit = () => empty
  const reference = await accept(process, tenant)
  const look = async (): Promise<string> => {
    await process.payments.work(tenant.lane)
    return (await row(reference)).status
  }
  expect(await look()).toBe('queued')
  clock.advance(24 * hourMs - 1)
  expect(await look()).toBe('queued')
  clock.advance(10)
  expect(await look()).toBe('FAILED')
})
