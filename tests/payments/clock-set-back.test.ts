// The clock of the database goes back by an hour. A running process is then ahead of one that starts later, and sees
// its leases as ended. Even so, no payout is at two rails, and none is sent again while its first submission can still
// arrive.

import { beforeEach, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import type { PayoutState } from '#rails/rail.ts'
import { succeeded, unknown } from '#tests/support/scripted-rail.ts'
import { useChangingRails } from './changing-rails.ts'
import { createTenant, until, type Process } from './process.ts'

const { clock, rails, start, accept, pass, row, left, calls } = await useChangingRails()
const hourMs = 3_600_000
const graceMs = 900_000
/** Both clocks run at the same pace. */
const aheadClock = { now: () => clock.now() + hourMs, monotonicMs: clock.monotonicMs }
let [ahead, behind] = [] as unknown as [Process, Process]
let tenant: Tenant

beforeEach(async () => {
  ahead = start(['a', 'b'], { clock: aheadClock })
  behind = start()
  tenant = await createTenant(behind)
})

const work = ({ payments }: Process): Promise<number> => payments.work(tenant.lane)

it('a payout that is being sent is asked about by the other process, and nothing else', async () => {
  const answer = Promise.withResolvers<PayoutState>()
  rails.a.onSubmit = () => answer.promise
  rails.a.onStatus = () => ({ kind: 'not-found' })
  const reference = await accept(behind, tenant)
  void work(behind)
  await until(() => calls('a').includes('submit'), 'it is being sent')
  await work(ahead)
  await until(() => calls('a').includes('status'), 'the other process takes the lease for ended')
  // By the monotonic clock of the sending process nothing leaves after its lease, whatever the clock of the database
  // says.
  const leaveBeforeMs = rails.a.asked[0]?.order.leaveBeforeMs ?? Infinity
  expect(leaveBeforeMs - clock.monotonicMs()).toBeLessThan(graceMs)
  answer.resolve({ ...unknown, sent: false, why: 'resting' })
  for (let minute = 0; minute < 14; minute++) {
    pass(60)
    await work(ahead)
    await work(behind)
  }
  expect(await row(reference)).toMatchObject({ rail: 'a', submitted_at: expect.any(Date) })
  expect([calls('a').filter((call) => call === 'submit'), calls('b'), await left()]).toEqual([['submit'], [], []])
})

it('a payout with an unclear outcome goes to its rail again when one process has missed it for the grace period', async () => {
  const sentAtMs: number[] = []
  rails.a.onSubmit = () => (sentAtMs.push(clock.monotonicMs()), unknown)
  rails.a.onStatus = () => (sentAtMs.length === 2 ? succeeded : { kind: 'not-found' })
  const reference = await accept(behind, tenant)
  await work(behind)
  await until(async () => {
    pass(60)
    await work(ahead)
    await work(behind)
    return (await row(reference)).status === 'SUCCESS'
  }, 'it is paid')
  expect(sentAtMs).toHaveLength(2)
  expect((sentAtMs[1] ?? 0) - (sentAtMs[0] ?? 0)).toBeGreaterThanOrEqual(graceMs)
  expect([calls('b'), await left()]).toEqual([[], []])
})
