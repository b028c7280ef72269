// Going live: a list that checks itself, and the first live key only when nothing of it is open.

import { describe, expect, it } from 'vitest'
import { formatId } from '#base/ids.ts'
import { createBusiness } from '#businesses/business.ts'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { addPerson } from '#tests/support/dashboard.ts'
import { useService } from '#tests/support/service.ts'

const service = await useService({ roles: ['api'] })
const strong = { hasFactor: true, steppedUp: true }
// As it is made at a terminal: without a key.
const { id: business } = await createBusiness(service.ctx, 'To be live')
const path = `/b/${formatId('business', business)}`
const owner = await addPerson(service, { role: 'owner', business, ...strong })
const goLive = `${path}/production/go-live`

type Point = { id: string; state: string; says: string; waivedBy: string | null; reason: string | null }

async function stateOf(id: string): Promise<Point | undefined> {
  return expectSuccess(await owner.get(goLive)).points.find((point: Point) => point.id === id)
}

describe('the list', () => {
  it('says of each point what is missing', async () => {
    const { points, isReady, hasLiveKey } = expectSuccess(await owner.get(goLive))
    expect(points.map(({ id, state }: Point) => [id, state])).toEqual([
      ['second-factors', 'done'],
      ['two-owners', 'open'],
      ['webhook', 'open'],
      ['failed-transfer', 'open'],
      ['unknown-transfer', 'open'],
      ['rail', 'open'],
    ])
    expect({ isReady, hasLiveKey }).toEqual({ isReady: false, hasLiveKey: false })
  })

  it('checks itself: whoever may send money and has no second factor opens a point, and another owner closes one', async () => {
    const finance = await addPerson(service, { role: 'finance', business })
    expect(await stateOf('second-factors')).toMatchObject({ state: 'open', says: expect.stringContaining('Person') })
    await addPerson(service, { role: 'owner', business, ...strong })
    expect(await stateOf('two-owners')).toMatchObject({ state: 'done' })
    expectError(await finance.get(goLive), 403, 'FORBIDDEN')
  })
})

describe('the first live key', () => {
  it('is not made while a point is open, and the refusal names it', async () => {
    const answer = await owner.post(`${path}/production/keys`, { name: 'Live' })
    expectError(answer, 409, 'CONFLICT', /A webhook of production has answered a test/)
  })

  it('is made by an owner once each open point is done or waived, with a reason that stands in the log', async () => {
    const { points } = expectSuccess(await owner.get(goLive))
    const admin = await addPerson(service, { role: 'admin', business, ...strong })
    expectError(await admin.post(`${goLive}/waive`, { id: 'rail', reason: 'Later' }), 403, 'FORBIDDEN')
    for (const { id } of points.filter(({ state }: Point) => state === 'open'))
      expectSuccess(await owner.post(`${goLive}/waive`, { id, reason: 'Tried on another machine' }))
    expect(expectSuccess(await owner.get(goLive)).isReady).toBe(true)
    expect(await stateOf('rail')).toMatchObject({
      state: 'waived',
      waivedBy: owner.email,
      reason: 'Tried on another machine',
    })
    const { entries } = expectSuccess(await owner.get(`${path}/audit?act=go-live.waived`))
    expect(entries[0].details).toMatchObject({ reason: 'Tried on another machine' })

    expectError(await admin.post(`${path}/production/keys`, { name: 'Live' }), 403, 'FORBIDDEN')
    expectSuccess(await owner.post(`${path}/production/keys`, { name: 'Live' }))
    expect(expectSuccess(await owner.get(goLive)).hasLiveKey).toBe(true)
    expectSuccess(await admin.post(`${path}/production/keys`, { name: 'Another' }))
  })

  it('waits for no point that does not exist, and for no reason that is none', async () => {
    expectError(await owner.post(`${goLive}/waive`, { id: 'nothing', reason: 'x' }), 400, 'VALIDATION_ERROR')
    expectError(await owner.post(`${goLive}/waive`, { id: 'rail', reason: ' ' }), 400, 'VALIDATION_ERROR')
  })
})
