// Notices that one process stores and another one works on, in any order and any number.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { present } from '#platform/assert.ts'
import type { Uuid } from '#platform/ids.ts'
import { inLane } from '#platform/db/db.ts'
import { createSecretBox } from '#platform/secrets.ts'
import { recordOutcome } from '#rail-notices/worker.ts'
import { resealNotices, retryStuckNotice } from '#rail-notices/service.ts'
import type { Rail } from '#rails/rail.ts'
import { claimNotices } from '#rail-notices/queries.ts'
import { railReferenceOf } from '#rails/formats.ts'
import { createClient, expectError, expectSuccess, type Answer } from '#tests/support/client.ts'
import { createFakeClock, type FakeClock } from '#tests/support/clock.ts'
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts'
import { fundTenant } from '#tests/support/fund.ts'
import { asOwner } from '#tests/support/owner.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { usePostgresProxy } from '#tests/support/postgres-proxy.ts'
import { startService, testSecretKey, type TestService } from '#tests/support/service.ts'
import { succeeded } from '#tests/support/scripted-rail.ts'
import { newReference, transferBody, untilStatus } from '#tests/payments/requests.ts'
import { aboutNothing, aboutPayment, createTellingRail, signed, type TellingRail } from './telling-rail.ts'

let clock: FakeClock
let rail: TellingRail
let database: TestDatabase
const running: TestService[] = []

beforeEach(async () => {
  clock = createFakeClock()
  rail = createTellingRail('acme', clock)
  database = await createTestDatabase()
})

afterEach(async () => {
  for (const service of running.splice(0)) await service.stop()
  await database.drop()
})

type Start = { serviceUrl?: string; environment?: 'staging' | 'production'; more?: Rail[] }

async function start(
  roles: ('api' | 'worker')[],
  { serviceUrl = database.serviceUrl, environment = 'staging', more = [] }: Start = {},
): Promise<TestService> {
  const given = { ...database, serviceUrl }
  const service = await startService({ clock, roles, database: given, rails: { [environment]: [rail, ...more] } })
  running.push(service)
  return service
}

async function stop(service: TestService): Promise<void> {
  running.splice(running.indexOf(service), 1)
  await service.stop()
}

async function tell({ url }: TestService, body: string, environment = 'staging', from = 'acme'): Promise<Answer> {
  const provider = createClient(url)
  const answer = await provider.call(`/${environment}/rails/${from}/notices`, { method: 'POST', headers: signed, body })
  provider.close()
  return answer
}

type Row = { why: string | null; state: string; due_at: Date | null; tries: number; body: Buffer | null }
const rows = (): Promise<Row[]> => asOwner<Row>(database, 'select * from rail_notice order by received_at')

async function send(
  service: TestService,
  client = service.staging,
): Promise<{ reference: string; railReference: string }> {
  const reference = newReference()
  expectSuccess(await client.post('/v1/transfers/initiate', transferBody({ reference })))
  await untilHolds(() => expect(rail.payout.asked.length).toBeGreaterThan(0))
  const [row] = await asOwner<{ id: Uuid }>(database, 'select id from payment where reference = $1', [reference])
  return { reference, railReference: railReferenceOf(row?.id as Uuid) }
}

type Open = { kind: string; subject: string; fact: string; amount: bigint | null }
const openExceptions = (): Promise<Open[]> =>
  asOwner<Open>(database, 'select * from review_item where closed_at is null')

const untilStates = (...states: string[]): Promise<void> =>
  untilHolds(async () => expect((await rows()).map(({ state }) => state)).toEqual(states))

describe('a notice about a payment', () => {
  it('ends it at once, by what the rail answers now', async () => {
    const service = await start(['api', 'worker'])
    const { reference, railReference } = await send(service)
    rail.payout.onStatus = () => succeeded
    expect((await tell(service, aboutPayment(railReference, 'failed'))).status).toBe(200)
    expect(await untilStatus(service.staging, reference, 'SUCCESS')).toMatchObject({ sessionId: succeeded.sessionId })
    await untilStates('done')
  })

  it('that rests is how a late return is learned; it waits until the rail says so, too', async () => {
    const service = await start(['api', 'worker'])
    const { reference, railReference } = await send(service)
    rail.payout.onStatus = () => succeeded
    await tell(service, aboutPayment(railReference, 'succeeded'))
    await untilStatus(service.staging, reference, 'SUCCESS')
    clock.advance(1_000)
    await tell(service, aboutPayment(railReference, 'reversed'))
    await untilHolds(async () => expect((await rows())[1]).toMatchObject({ state: 'new', tries: 1 }))
    rail.payout.onStatus = () => ({ kind: 'reversed', sessionId: null })
    clock.advance(5_000)
    await untilStatus(service.staging, reference, 'REVERSED')
    await untilStates('done', 'done')
    const [account] = (await service.staging.get('/v1/balance')).body.data.balances
    expect(account).toMatchObject({ reserved: 0 })
  })

  it.each(['not-found', 'unknown'] as const)('changes nothing while the rail answers %s', async (kind) => {
    const service = await start(['api', 'worker'])
    const { reference, railReference } = await send(service)
    rail.payout.onStatus = () => (kind === 'unknown' ? { kind, detail: 'no answer' } : { kind })
    const submissions = (): number => rail.payout.asked.filter(({ call }) => call === 'submit').length
    await tell(service, aboutPayment(railReference, 'failed'))
    await untilHolds(async () => expect((await rows())[0]).toMatchObject({ state: 'new', tries: 1 }))
    expect(expectSuccess(await service.staging.get(`/v1/transfers/${reference}`)).status).toBe('queued')
    const [payment] = await asOwner<{ submitted_at: Date | null }>(database, 'select submitted_at from payment')
    expect(payment?.submitted_at).not.toBeNull()
    expect(submissions()).toBe(1)
  })

  it('that contradicts how it ended moves nothing, and waits for a person, once', async () => {
    const service = await start(['api', 'worker'], { environment: 'production' })
    const { production, business } = service
    await fundTenant(database, business.tenants.production.id, 1_000_000)
    const { reference, railReference } = await send(service, production)
    rail.payout.onStatus = () => succeeded
    await tell(service, aboutPayment(railReference, 'succeeded'), 'production')
    await untilStatus(production, reference, 'SUCCESS')
    rail.payout.onStatus = () => ({ kind: 'failed', reason: 'DORMANT_ACCOUNT' })
    for (const again of [1, 2])
      await tell(service, aboutPayment(railReference, 'failed') + ' '.repeat(again), 'production')
    await untilStates('done', 'done', 'done')
    const fact = expect.stringContaining('its rail says failed, after it had ended SUCCESS')
    expect(await openExceptions()).toMatchObject([{ kind: 'payment-contradicted', fact }])
    expect(expectSuccess(await production.get(`/v1/transfers/${reference}`)).status).toBe('SUCCESS')
  })

  it('from another rail has no effect', async () => {
    const service = await start(['api', 'worker'], { more: [createTellingRail('bolt', clock)] })
    const { reference, railReference } = await send(service)
    rail.payout.onStatus = () => ({ kind: 'succeeded', sessionId: null })
    await tell(service, aboutPayment(railReference, 'succeeded'), 'staging', 'bolt')
    await untilStates('done')
    expect(expectSuccess(await service.staging.get(`/v1/transfers/${reference}`)).status).not.toBe('SUCCESS')
    expect(service.lines.filter((line) => line.includes('a payment that is not ours'))).toHaveLength(1)
  })

  it('that is not ours is done, and becomes a review item', async () => {
    const service = await start(['api', 'worker'])
    await tell(service, aboutPayment('11111111-1111-4111-8111-111111111111', 'succeeded'))
    await tell(service, aboutPayment("x'; --", 'succeeded'))
    await untilStates('done', 'done')
    expect(service.lines.filter((line) => line.includes('a payment that is not ours'))).toHaveLength(2)
  })
})

describe('a notice', () => {
  it('that was kept by a process which died is taken up by another', async () => {
    const first = await start(['api', 'worker'])
    const { reference, railReference } = await send(first)
    await stop(first)
    const door = await start(['api'])
    await tell(door, aboutPayment(railReference, 'succeeded'))
    await stop(door)
    // A process claimed it, and died: its lease ends after a minute.
    const leaseEnd = new Date(clock.now() + 60_000)
    await asOwner(database, 'update rail_notice set due_at = $1', [leaseEnd])
    rail.payout.onStatus = () => succeeded
    const second = await start(['api', 'worker'])
    await tell(second, aboutNothing('later'))
    await untilHolds(async () => expect((await rows()).filter(({ state }) => state === 'done')).toHaveLength(1))
    expect((await rows()).find(({ state }) => state === 'new')?.due_at).toEqual(leaseEnd)
    clock.advance(60_000)
    await untilStates('done', 'done')
    const statuses = await asOwner<{ status: string }>(database, 'select status from payment where reference = $1', [
      reference,
    ])
    expect(statuses).toEqual([{ status: 'SUCCESS' }])
  })

  it('that comes again unchanged counts once', async () => {
    const service = await start(['api', 'worker'])
    const { reference, railReference } = await send(service)
    rail.payout.onStatus = () => succeeded
    for (const _ of [1, 2]) expect((await tell(service, aboutPayment(railReference, 'succeeded'))).status).toBe(200)
    await untilStatus(service.staging, reference, 'SUCCESS')
    expect((await tell(service, aboutPayment(railReference, 'succeeded'))).status).toBe(200)
    await untilStates('done')
    expect(await asOwner(database, "select 1 from event where name = 'transfer.success'")).toHaveLength(1)
  })

  it('that cannot be confirmed is asked about after 5 s, 30 s, 2 min …, and stuck after three days', async () => {
    const service = await start(['api', 'worker'])
    const unavailable = { kind: 'unavailable' as const, detail: 'no answer' }
    rail.inbound.read = () => Promise.resolve(unavailable)
    const startMs = clock.now()
    await tell(service, aboutNothing('slow'))
    const waits: number[] = []
    for (const tries of [1, 2, 3, 4]) {
      await untilHolds(async () => expect((await rows())[0]?.tries).toBe(tries))
      const dueMs = (await rows())[0]?.due_at?.getTime() ?? Number.NaN
      waits.push((dueMs - clock.now()) / 1_000)
      clock.advance(dueMs - clock.now())
    }
    expect(waits).toEqual([5, 30, 120, 600])
    expect(await service.ctx.metrics.text()).toContain(`manilla_rail_notice_age_seconds ${5 + 30 + 120 + 600}\n`)
    clock.advance(72 * 3_600_000 - (clock.now() - startMs))
    await untilStates('stuck')
    const found = async () => (await openExceptions())[0]
    await untilHolds(async () => expect(await found()).toMatchObject({ kind: 'notice-stuck', amount: null }))
    expect((await found())?.subject).toMatch(/^staging:acme:[0-9a-f]{64}$/)
    expect((await found())?.fact).toContain('no answer')

    // The provider sends it again, and its question is answered this time.
    rail.inbound.read = () => Promise.resolve({ kind: 'notices', notices: [] })
    await tell(service, aboutNothing('slow'))
    await untilStates('done')
    expect(await openExceptions()).toEqual([])
  })

  it('that waits for a limit of calls waits that long, and its later pauses stay short', async () => {
    const service = await start(['api', 'worker'])
    const limited = { kind: 'unavailable' as const, detail: 'our own limit of calls', askAgainAfterMs: 52_000 }
    rail.inbound.read = () => Promise.resolve(limited)
    const { railReference } = await send(service)
    await tell(service, aboutNothing('deposit'))
    for (const askAgainAfterMs of [52_000, 20, 7_000]) {
      limited.askAgainAfterMs = askAgainAfterMs
      const pauseMs = Math.max(askAgainAfterMs, 1_000)
      await untilHolds(async () => {
        const [row] = await rows()
        expect([row?.tries, row?.why]).toEqual([0, limited.detail])
        expect((row?.due_at?.getTime() ?? 0) - clock.now()).toBe(pauseMs)
      })
      clock.advance(pauseMs)
    }
    rail.inbound.read = (rawBody) =>
      Promise.resolve({ kind: 'notices', notices: [JSON.parse(rawBody.toString('utf8'))] })
    await untilStates('done')

    // The same for the question about a payment that a notice causes.
    rail.payout.onStatus = () => ({ kind: 'unknown', detail: limited.detail, sent: false, askAgainAfterMs: 9_000 })
    await tell(service, aboutPayment(railReference, 'succeeded'))
    await untilHolds(async () => {
      const row = (await rows()).at(-1)
      expect([row?.tries, row?.why]).toEqual([0, limited.detail])
      expect((row?.due_at?.getTime() ?? 0) - clock.now()).toBe(9_000)
    })
  })

  it('that is stuck and sent again in vain is stuck again, and the same exception', async () => {
    const service = await start(['api', 'worker'])
    for (const _ of [1, 2]) {
      await tell(service, 'not JSON')
      await untilStates('stuck')
      await untilHolds(async () => expect(await openExceptions()).toHaveLength(1))
    }
    await tell(service, 'not JSON')
    await untilHolds(async () => {
      const { values } = await service.ctx.metrics.railNotices.get()
      expect(values.find(({ labels }) => labels.outcome === 'stuck')?.value).toBe(3)
    })
    expect(await openExceptions()).toHaveLength(1)
  })

  it('that its rail cannot read is stuck at once, and holds up no other', async () => {
    const service = await start(['api', 'worker'])
    await tell(service, 'not JSON')
    clock.advance(1)
    await tell(service, aboutNothing('next'))
    await untilStates('stuck', 'done')
    expect(await openExceptions()).toMatchObject([{ fact: expect.stringContaining('its rail cannot read it') }])
  })

  it('that is stuck is looked at once more when a person says so, and its exception closes when it comes true', async () => {
    const service = await start(['api', 'worker'])
    const { read } = rail.inbound
    rail.inbound.read = () => Promise.resolve({ kind: 'unreadable' })
    await tell(service, aboutNothing('new words'))
    await untilStates('stuck')
    await untilHolds(async () => expect(await openExceptions()).toHaveLength(1))
    rail.inbound.read = read
    const [row] = await asOwner<{ digest: Buffer }>(database, 'select digest from rail_notice')
    const key = { environment: 'staging' as const, rail: 'acme', digest: row?.digest ?? Buffer.alloc(32) }
    expect(await retryStuckNotice(service.ctx, key)).toBe(true)
    expect(await retryStuckNotice(service.ctx, key)).toBe(false)
    await untilStates('done')
    expect(await openExceptions()).toEqual([])
  })

  it('that is old is not stuck again before its rail was asked', async () => {
    const service = await start(['api', 'worker'])
    const { read } = rail.inbound
    rail.inbound.read = () => Promise.resolve({ kind: 'unavailable', detail: 'our own limit', askAgainAfterMs: 9_000 })
    clock.advance(1)
    await tell(service, aboutNothing('after an outage'))
    clock.advance(73 * 3_600_000)
    await untilHolds(async () => {
      const [row] = await rows()
      expect([row?.state, row?.why, (row?.due_at?.getTime() ?? 0) - clock.now()]).toEqual([
        'new',
        'our own limit',
        9_000,
      ])
    })
    rail.inbound.read = read
    clock.advance(9_000)
    await untilStates('done')
  })

  it('is given up by no process that has lost its lease', async () => {
    const { ctx } = await start(['api'])
    await tell(await start(['api']), aboutNothing('slow'))
    const claim = async (seconds: number) => {
      const now = new Date(clock.now())
      const leaseEnd = new Date(clock.now() + seconds * 1_000)
      const [found] = await claimNotices(ctx.db, { environment: 'staging', rail: 'acme', now, leaseEnd, limit: 1 })
      return present(found, 'it is due')
    }
    const stalled = await claim(60)
    clock.advance(60_000)
    const taken = await claim(90)
    await recordOutcome(ctx, stalled, { kind: 'hopeless', detail: 'its rail cannot read it' })
    expect(await rows()).toMatchObject([{ state: 'new', due_at: taken.leaseEnd }])
    expect(await openExceptions()).toEqual([])
    await recordOutcome(ctx, taken, { kind: 'hopeless', detail: 'its rail cannot read it' })
    expect(await rows()).toMatchObject([{ state: 'stuck', due_at: null }])
  })

  it('that is old and retried is stuck again after the second try, because the first only hastens a refund', async () => {
    const { ctx } = await start(['api'])
    await tell(await start(['api']), aboutNothing('refund'))
    const asked = { kind: 'again' as const, detail: 'its rail is asked what became of the refund' }
    const tryOnce = async () => {
      const now = new Date(clock.now())
      const leaseEnd = new Date(clock.now() + 60_000)
      const [found] = await claimNotices(ctx.db, { environment: 'staging', rail: 'acme', now, leaseEnd, limit: 1 })
      await recordOutcome(ctx, present(found, 'it is due'), asked)
      return (await rows())[0]
    }
    expect(await tryOnce()).toMatchObject({ state: 'new' })
    clock.advance(72 * 3_600_000)
    expect(await tryOnce()).toMatchObject({ state: 'stuck' })
    const [row] = await asOwner<{ digest: Buffer }>(database, 'select digest from rail_notice')
    const key = { environment: 'staging' as const, rail: 'acme', digest: row?.digest ?? Buffer.alloc(32) }
    const retries = [
      () => retryStuckNotice(ctx, key),
      () => tell(present(running[0], 'it runs'), aboutNothing('refund')),
    ]
    for (const retry of retries) {
      await retry()
      expect(await tryOnce()).toMatchObject({ state: 'new', due_at: new Date(clock.now() + 5_000) })
      clock.advance(5_000)
      expect(await tryOnce()).toMatchObject({ state: 'stuck' })
    }
  })

  it('is answered with 503 while the database is away, and kept when it comes again', async () => {
    const proxy = await usePostgresProxy(database.serviceUrl)
    const service = await start(['api'], { serviceUrl: proxy.url })
    await proxy.close()
    expectError(await tell(service, aboutNothing('lost?')), 503, 'SERVICE_UNAVAILABLE')
    await stop(service)
    expect(await rows()).toEqual([])
    expect((await tell(await start(['api']), aboutNothing('lost?'))).status).toBe(200)
    expect(await rows()).toHaveLength(1)
  })

  it('can be sealed with another key, loses its body after 90 days and is deleted after a year', async () => {
    const service = await start(['api'])
    await tell(service, aboutNothing('old'))
    const box = createSecretBox(Buffer.alloc(32, 9), [testSecretKey])
    const db = service.ctx.db
    expect(await resealNotices(inLane(db, 2), box, 'write')).toBe(0)
    expect(await resealNotices(inLane(db, 1), box, 'count')).toBe(1)
    expect(await resealNotices(inLane(db, 1), box, 'write')).toBe(1)
    expect(await resealNotices(inLane(db, 1), box, 'count')).toBe(0)
    await asOwner(database, "update rail_notice set state = 'done', due_at = null")
    clock.advance(90 * 24 * 3_600_000 + 1)
    await start(['worker'])
    await untilHolds(async () => expect((await rows())[0]).toMatchObject({ state: 'done', body: null }))
    clock.advance(275 * 24 * 3_600_000)
    await untilHolds(async () => expect(await rows()).toEqual([]))
  })
})
