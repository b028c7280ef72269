// A caller of a world gets a refusal while the service still works on an earlier request that the caller gave up.

import { expect, it } from 'vitest'
import { createModel, type ModelTenant, type Payout } from '#simulate/model.ts'
import { ask } from '#simulate/traffic/ask.ts'
import { requestOf, sendPayout } from '#simulate/traffic/payouts.ts'
import { resolveUnclear } from '#simulate/unclear.ts'
import type { Member, World } from '#simulate/world.ts'
import type { Answer } from '#tests/support/client.ts'
import { untilHolds } from '#tests/support/patience.ts'

const tenant = { name: 'tenant 1', key: 'sk', accounts: [], subscriptions: [] } as unknown as ModelTenant

function newPayout(): Payout {
  const payee = '1000000001'
  const fate = { ends: 'succeeds' } as Payout['fate']
  return { kind: 'bank_transfer', tenant, standing: 'unclear', reference: 'PAYOUT-1', amount: 50_000, payee, fate }
}

/**
 * Plays the service: the first request waits until the test releases it, and by then there is money. Before that there
 * is none.
 */
function createService() {
  let [asked, funded] = [0, false]
  let accepted: { replayed: boolean } | undefined
  let goOn: () => void = () => undefined
  const held = new Promise<void>((resolve) => (goOn = resolve))

  function judge({ amount }: { amount: number }): Answer {
    const headers = accepted === undefined ? {} : { 'idempotent-replayed': 'true' }
    if (!funded)
      return { status: 422, headers: {}, text: '', body: { error: { code: 'INSUFFICIENT_BALANCE', message: '' } } }
    accepted ??= { replayed: false }
    const data = { amount, fee: 1_000, totalDebit: amount + 1_000, status: 'queued' }
    return { status: 200, headers, text: '', body: { data } }
  }

  const call = async (_key: string, _path: string, { body }: { body?: unknown } = {}): Promise<Answer> => {
    asked += 1
    if (asked === 1) await held
    return judge(body as { amount: number })
  }
  return {
    member: { instance: { call, errors: [] } } as unknown as Member,
    asked: () => asked,
    isAccepted: () => accepted !== undefined,
    fundAndGoOn() {
      funded = true
      goOn()
    },
  }
}

it('no caller asks again in the quiet before the service has finished the requests that were given up, so no refusal counts too early', async () => {
  const [service, payout] = [createService(), newPayout()]
  const model = { ...createModel(false), patienceMs: 1, payouts: [payout] }
  const world = { model, quiet: true } as unknown as World
  await sendPayout(world, service.member, payout)
  expect(payout).toMatchObject({ standing: 'unclear', lost: true })
  expect(model.underWay.size).toBe(1)
  const resolving = resolveUnclear(world, service.member)
  // Within one turn of the event loop a caller that does not wait has asked again.
  expect(service.asked()).toBe(1)
  service.fundAndGoOn()
  await resolving
  expect(service.isAccepted()).toBe(true)
  expect(payout.standing).toBe('acknowledged')
  expect([...model.wrong]).toEqual([])
})

it('requests that were broken off are not under way any more', async () => {
  const model = createModel(false)
  const instance = { call: () => Promise.reject(new Error('socket hang up')), errors: [] }
  expect(await ask(model, instance as never, tenant, '/v1/transfers/initiate', { body: requestOf(newPayout()) })).toBe(
    'silence',
  )
  await untilHolds(() => expect(model.underWay.size).toBe(0))
})

it('a refusal contradicts an acceptance only if its request began after the acceptance', async () => {
  const payout = newPayout()
  const model = { ...createModel(false), patienceMs: 60_000, payouts: [payout] }
  const world = { model, quiet: false } as unknown as World
  const refused = { status: 422, headers: {}, text: '', body: { error: { code: 'INSUFFICIENT_BALANCE', message: '' } } }
  const data = { amount: 50_000, fee: 1_000, totalDebit: 51_000, status: 'queued' }
  const accepted = { status: 200, headers: {}, text: '', body: { data } }
  const memberThat = (answer: () => Promise<unknown>): Member =>
    ({ instance: { call: answer, errors: [] } }) as unknown as Member

  const slow = Promise.withResolvers<unknown>()
  const early = sendPayout(
    world,
    memberThat(() => slow.promise),
    payout,
  )
  await sendPayout(
    world,
    memberThat(() => Promise.resolve(accepted)),
    payout,
  )
  slow.resolve(refused)
  await early
  expect(payout.standing).toBe('acknowledged')
  expect([...model.wrong]).toEqual([])

  await sendPayout(
    world,
    memberThat(() => Promise.resolve(refused)),
    payout,
  )
  expect([...model.wrong]).toEqual(['PAYOUT-1 was accepted first and refused then'])
})
