// A number that a rail has given and that became no account goes back to the rail, also if processes die meanwhile.

import { describe, expect, it, onTestFinished } from 'vitest'
import { Unavailable } from '#platform/errors.ts'
import { toMoney } from '#platform/money.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { freshNumber } from '#tests/support/scripted-rail.ts'
import { died, minuteMs, newReference, resumableMs, useOpenings } from './openings.ts'
import { openedNumber } from './room.ts'

const database = await useTestDatabase()
const room = await useOpenings(database)
const { accounts, ctx, port, tenant, other, dieAt, openOrder, leaveOpening, expectNothingLost } = room

describe('giving back', () => {
  it('waits while the rail is down, asks more and more seldom, and ends when it is up', async () => {
    const reference = newReference()
    await leaveOpening(reference)
    const [number] = port.live
    port.down = true
    ctx.clock.advance(resumableMs)
    const pauses: number[] = []
    for (let tries = 0; tries < 9; tries++) {
      expect(await accounts.releaseNumbers(tenant.lane)).toBe(1)
      let minutes = 0
      do {
        expect(await accounts.releaseNumbers(tenant.lane)).toBe(0)
        ctx.clock.advance(minuteMs)
        minutes += 1
      } while ((await dueNow()) === 0)
      pauses.push(minutes)
    }
    expect(pauses).toEqual([1, 1, 2, 4, 8, 16, 32, 60, 60])
    // The number is being returned, so no request continues with it, and a request with other terms conflicts as
    // before.
    await expect(openOrder(reference)).rejects.toThrow(/given back/)
    expect((await openOrder(reference, { amount: toMoney(1) })).kind).toBe('exists')
    port.down = false
    expect(await accounts.releaseNumbers(tenant.lane)).toBe(1)
    expect(port.closed).toEqual([number])
    await expectNothingLost()
    expect(openedNumber(await openOrder(reference))).not.toBe(number)
  })

  async function dueNow(): Promise<number> {
    const sql = 'select count(*)::int from virtual_account_opening where due_at <= $1'
    const [row] = await asOwner<{ count: number }>(database, sql, [new Date(ctx.clock.now())])
    return row?.count ?? -1
  }

  const endings: [string, () => void][] = [
    ['when it was claimed', () => room.setCut({ at: 'openings.claim', when: 'after' })],
    ['when the rail has named the number', () => dieAt('create')],
    ['when the rail has closed it', () => dieAt('close')],
    ['before the opening is gone', () => room.setCut({ at: 'openings.delete', when: 'before' })],
    ['when the opening is gone', () => room.setCut({ at: 'openings.delete', when: 'after' })],
  ]

  it.each(endings)('by a process that dies %s is done by the next', async (_moment, die) => {
    await leaveOpening(null)
    const live = [...port.live]
    ctx.clock.advance(resumableMs)
    die()
    await accounts.releaseNumbers(tenant.lane).catch(() => undefined)
    ctx.clock.advance(minuteMs)
    await other.accounts.releaseNumbers(tenant.lane)
    expect([...new Set(port.closed)]).toEqual(live)
    await expectNothingLost()
  })

  it('stops a request that its rail answers too late from becoming an account', async () => {
    const answer = Promise.withResolvers<void>()
    port.gate = answer.promise
    const late = openOrder(newReference())
    while (port.asked.length === 0) await new Promise((resolve) => setImmediate(resolve))
    port.gate = undefined
    ctx.clock.advance(resumableMs)
    expect(await other.accounts.releaseNumbers(tenant.lane)).toBe(1)
    answer.resolve()
    await expect(late).rejects.toThrow(Unavailable)
    expect(port.live.size).toBe(0)
    // The loop asks once more, because the rail may have opened another account since.
    expect(await other.accounts.releaseNumbers(tenant.lane)).toBe(1)
    await expectNothingLost()
  })

  /** Lets the next request reach the rail late. A reference whose account was closed opens another one, as at a provider. */
  function holdNextRequest() {
    const { createDynamic } = port
    const [arrived, passed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const reopening: typeof createDynamic = (order) =>
      createDynamic({ ...order, railReference: `${order.railReference} ${port.closed.length}` })
    port.createDynamic = async (order) => {
      port.createDynamic = reopening
      arrived.resolve()
      await passed.promise
      return reopening(order)
    }
    onTestFinished(() => void (port.createDynamic = createDynamic))
    return { arrived: arrived.promise, pass: passed.resolve }
  }

  it('gives back what the rail opens for a request that reaches it after the opening was given back', async () => {
    const held = holdNextRequest()
    const late = openOrder(newReference())
    await held.arrived
    ctx.clock.advance(resumableMs)
    expect(await other.accounts.releaseNumbers(tenant.lane)).toBe(1)
    expect(await room.openingsLeft()).toBe(0)
    held.pass()
    await expect(late).rejects.toThrow(/given back/)
    expect(port.live.size).toBe(1)
    expect(await accounts.releaseNumbers(tenant.lane)).toBe(1)
    expect(port.live.size).toBe(0)
    await expectNothingLost()
  })

  it('gives back what the rail opens while another process ends the opening', async () => {
    const held = holdNextRequest()
    const late = openOrder(newReference())
    await held.arrived
    ctx.clock.advance(resumableMs)
    port.onCall = async (call) => {
      if (call !== 'close') return
      port.onCall = () => undefined
      held.pass()
      await expect(late).rejects.toThrow(/given back/)
    }
    expect(await other.accounts.releaseNumbers(tenant.lane)).toBe(1)
    expect(port.live.size).toBe(1)
    ctx.clock.advance(minuteMs)
    expect(await accounts.releaseNumbers(tenant.lane)).toBe(1)
    expect(port.live.size).toBe(0)
    await expectNothingLost()
  })

  it('closes no number that is an account, and passes on to the one that is not', async () => {
    const taken = openedNumber(await openOrder(null))
    const mine = freshNumber()
    port.numberFor = ({ attempt }) => (attempt < 2 ? taken : mine)
    port.onCall = () => {
      if (port.live.has(mine)) {
        port.onCall = () => undefined
        throw died
      }
    }
    await expect(openOrder(null)).rejects.toThrow(died)
    ctx.clock.advance(resumableMs)
    await accounts.releaseNumbers(tenant.lane)
    expect(port.closed).toEqual([mine])
    expect([...port.live]).toEqual([taken])
    await expectNothingLost()
  })

  it('tells the rail of a static account whose it was, the BVN too', async () => {
    const customer = await room.newCustomer(tenant, '22212345678')
    room.setCut({ at: 'accounts.open', when: 'before' })
    await expect(room.openStatic(tenant, customer, 'guaranty-trust-bank')).rejects.toThrow(Unavailable)
    ctx.clock.advance(resumableMs)
    await other.accounts.releaseNumbers(tenant.lane)
    expect(port.asked[1]).toEqual(port.asked[0])
    expect(port.asked[1]).toMatchObject({ bank: { slug: 'guaranty-trust-bank' }, customer: { bvn: '22212345678' } })
    expect(JSON.stringify(await asOwner(database, 'select * from virtual_account_opening'))).not.toContain(
      '22212345678',
    )
    await expectNothingLost()
  })
})

describe('a bank that holds no virtual accounts', () => {
  it('leaves no opening', async () => {
    const customer = await room.newCustomer(tenant)
    port.refusal = { kind: 'unsupported-bank' }
    expect((await room.openStatic(tenant, customer)).kind).toBe('unsupported-bank')
    await expectNothingLost()
  })

  it('leaves none either when the process dies before it is gone', async () => {
    const customer = await room.newCustomer(tenant)
    port.refusal = { kind: 'unsupported-bank' }
    room.setCut({ at: 'openings.delete', when: 'before' })
    await expect(room.openStatic(tenant, customer)).rejects.toThrow(Unavailable)
    ctx.clock.advance(resumableMs)
    await accounts.releaseNumbers(tenant.lane)
    expect(port.closed).toEqual([])
    await expectNothingLost()
  })
})

describe('a number that the rail gave for an account that another customer has', () => {
  const cuts: [string, string, (() => void) | undefined][] = [
    ['is closed at once', 'exists', undefined],
    [
      'is closed by the loop when the process dies first',
      'died',
      () => room.setCut({ at: 'accounts.open', when: 'after' }),
    ],
    ['is closed by the loop when the rail is down', 'exists', () => (port.onCall = () => void (port.down = true))],
  ]

  it.each(cuts)('%s', async (_when, told, die) => {
    const customer = await room.newCustomer(tenant)
    const kept = openedNumber(await room.openStatic(tenant, customer, 'guaranty-trust-bank'))
    // The rail chose a bank at which the customer has an account already.
    const { createStatic } = port
    port.createStatic = async (order) => {
      const answer = await createStatic(order)
      return answer.kind === 'created' ? { ...answer, bankSlug: 'guaranty-trust-bank' } : answer
    }
    die?.()
    const kind = await room.openStatic(tenant, customer).then(
      (outcome) => outcome.kind,
      () => 'died',
    )
    port.createStatic = createStatic
    expect(kind).toBe(told)
    port.down = false
    port.onCall = () => undefined
    ctx.clock.advance(minuteMs)
    await other.accounts.releaseNumbers(tenant.lane)
    expect([...port.live]).toEqual([kept])
    expect(port.closed).toHaveLength(1)
    await expectNothingLost()
  })
})

describe('while a rail is asked', () => {
  /** Counts our tables that another open transaction has touched. */
  const held = async (): Promise<number> => {
    const [row] = await asOwner<{ count: number }>(
      database,
      `select count(*)::int from pg_locks
        where database = (select oid from pg_database where datname = current_database()) and pid <> pg_backend_pid()
          and relation in ('virtual_account_opening'::regclass, 'virtual_account'::regclass, 'ledger_account'::regclass)`,
    )
    return row?.count ?? -1
  }

  it('no transaction is open', async () => {
    const seen: [string, number][] = []
    port.onCall = async (call) => void seen.push([call, await held()])
    await openOrder(null)
    room.setCut({ at: 'accounts.open', when: 'before' })
    await expect(openOrder(null)).rejects.toThrow(Unavailable)
    ctx.clock.advance(resumableMs)
    await accounts.releaseNumbers(tenant.lane)
    expect(seen).toEqual(['create', 'create', 'create', 'close'].map((call) => [call, 0]))
    // The check works: it sees a transaction that is open.
    const looked = await ctx.db.transaction(async (tx) => {
      await tx.query({ name: 'test.touch', text: 'select 1 from virtual_account_opening' })
      return held()
    })
    expect(looked).toBeGreaterThan(0)
  })
})
