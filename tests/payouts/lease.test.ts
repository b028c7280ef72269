import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { createPayoutWork, type SendDeps } from '#payouts/send.ts'
import { assert } from '#platform/assert.ts'
import { secondMs } from '#platform/durations.ts'
import { parseId } from '#platform/ids.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { addPerson, below } from '#tests/support/dashboard.ts'
import { asOwner } from '#tests/support/owner.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { useService } from '#tests/support/service.ts'

const clock = createFakeClock()
const service = await useService({ clock, roles: ['api'] })

it('renews the lease of a draft as long as the work on it takes, so that no other process takes it up', async () => {
  const maker = await addPerson(service, { role: 'finance' })
  const rows = [{ amount: '1,500.00', bank: 'GTBank', account: '2000000001' }]
  const body = { key: randomUUID(), title: 'Salaries', rows }
  const { id } = expectSuccess(await maker.post(`${below(service, 'staging')}/payout-drafts`, body))
  const readDraft = async (): Promise<{ lane: number; dueAt: Date | null }> => {
    const sql = `select lane, due_at as "dueAt" from payout_draft where id = '${parseId('payoutDraft', id)}'`
    const [found] = await asOwner<{ lane: number; dueAt: Date | null }>(service.database, sql)
    assert(found !== undefined, 'the draft is stored')
    return found
  }
  const answer = Promise.withResolvers<{ kind: 'not-found' }>()
  const asked = Promise.withResolvers<void>()
  const resolver = {
    account: () => {
      asked.resolve()
      return answer.promise
    },
  }
  const work = createPayoutWork({ ctx: service.ctx, resolver } as unknown as SendDeps)
  const { lane } = await readDraft()
  const working = work(lane)
  await asked.promise
  for (let turn = 0; turn < 2; turn += 1) {
    // The lease is close to its end.
    clock.advance(12 * secondMs)
    await untilHolds(async () => expect((await readDraft()).dueAt?.getTime()).toBe(clock.now() + 15 * secondMs))
    expect(await work(lane)).toBe(0)
  }
  answer.resolve({ kind: 'not-found' })
  expect(await working).toBe(1)
  expect((await readDraft()).dueAt).toBeNull()
})
