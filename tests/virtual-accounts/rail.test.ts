// An account stays with the first rail that was asked for it, even if the routes change later.

import { beforeEach, describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import type { NewAccount } from '#rails/ports.ts'
import { railReferenceOf } from '#rails/formats.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { createScriptedAccounts } from '#tests/support/scripted-rail.ts'
import { createRoom, openedNumber } from './room.ts'

const database = await useTestDatabase()
let room: ReturnType<typeof createRoom>
let tenant: Tenant

beforeEach(async () => {
  room = createRoom(database)
  tenant = await room.newTenant()
})

/** The same database, with another rail first. */
function afterTheMove() {
  const port = createScriptedAccounts()
  const rails = room.registryOf(
    { name: 'new', virtualAccounts: port },
    { name: 'scripted', virtualAccounts: room.port },
  )
  return { port, ...room.startProcess(rails) }
}

const openings = () => asOwner(database, 'select 1 from virtual_account_opening where tenant_id = $1', [tenant.id])

describe('the rail of an account', () => {
  it('closes it, by what it knows it by, also when new ones are opened elsewhere', async () => {
    room.port.handleFor = () => 'handle-7'
    const number = openedNumber(await room.openStatic(tenant, await room.newCustomer(tenant)))
    const moved = afterTheMove()
    expect(await moved.accounts.close(tenant, number)).toMatchObject({ kind: 'closed', account: { rail: 'scripted' } })
    expect([room.port.closed, room.port.closedBy, moved.port.closed]).toEqual([[number], ['handle-7'], []])
    const next = await room.openStatic(tenant, await room.newCustomer(tenant), undefined, moved.accounts)
    expect(next).toMatchObject({ kind: 'opened', account: { rail: 'new' } })
  })

  it('is asked again for the account that it may have opened, and no other rail is', async () => {
    room.port.onCall = () => Promise.reject(new Error('the answer is lost'))
    const customer = await room.newCustomer(tenant)
    await expect(room.openStatic(tenant, customer)).rejects.toThrow('lost')
    room.port.onCall = () => undefined
    const moved = afterTheMove()
    const again = await room.openStatic(tenant, customer, undefined, moved.accounts)
    expect(again).toMatchObject({ kind: 'opened', account: { rail: 'scripted' } })
    expect(room.port.live).toEqual(new Set([openedNumber(again)]))
    expect(moved.port.asked).toEqual([])
  })
})

describe('a number that another account has', () => {
  it('is closed by its handle, and another one is asked for', async () => {
    const taken = openedNumber(await room.openDynamic(tenant))
    room.port.numberFor = ({ attempt }) => (attempt === 0 ? taken : '2999999999')
    room.port.handleFor = ({ railReference, attempt }) => `${railReference} ${attempt}`
    const outcome = await room.openDynamic(tenant)
    expect(openedNumber(outcome)).toBe('2999999999')
    const reference = outcome.kind === 'opened' ? railReferenceOf(outcome.account.id) : ''
    expect(room.port.closedBy).toEqual([`${reference} 0`])
  })

  it('leaves the opening to the next request while it cannot be closed', async () => {
    const taken = openedNumber(await room.openDynamic(tenant))
    room.port.numberFor = () => taken
    room.port.handleFor = () => 'h'
    room.port.onCall = (call) => {
      room.port.down = call === 'create'
    }
    await expect(room.openDynamic(tenant)).rejects.toThrow('does not answer now')
    expect(await openings()).toHaveLength(1)
  })
})

describe('an account that a rail does not open', () => {
  const refusals: Exclude<NewAccount, { kind: 'created' }>[] = [
    { kind: 'unsupported', what: 'any-amount' },
    { kind: 'incomplete-customer', missing: ['phoneNumber'] },
  ]

  it.each(refusals)('$kind leaves nothing behind', async (refusal) => {
    room.port.refusal = refusal
    expect(await room.openDynamic(tenant)).toEqual(refusal)
    expect(await openings()).toEqual([])
  })
})

it('ends when its rail closes it, if that is sooner', async () => {
  const { createDynamic } = room.port
  const soonMs = room.ctx.clock.now() + 60_000
  room.port.createDynamic = async (order) => {
    const answer = await createDynamic(order)
    return answer.kind === 'created' ? { ...answer, expiresAtMs: soonMs } : answer
  }
  const outcome = await room.openDynamic(tenant, 30)
  expect(outcome).toMatchObject({ account: { order: { expiresAt: new Date(soonMs) } } })
  room.ctx.clock.advance(60_000)
  await room.accounts.expire(tenant.lane)
  expect(await room.accounts.read(tenant, openedNumber(outcome))).toMatchObject({ status: 'EXPIRED' })
})
