// A service with one rail that lists, on a clock that a test moves, and helpers for tests of reconciliation.

import { afterEach, beforeEach, expect } from 'vitest'
import type { Uuid } from '#platform/ids.ts'
import type { DepositNotice, Rail } from '#rails/rail.ts'
import type { RailsFile } from '#rails/rails-file.ts'
import { railReferenceOf } from '#rails/formats.ts'
import { type BreakKind, closeBreak, listBreaks, type RailBreak } from '#reconciliation/mismatches.ts'
import { newReference, transferBody, untilStatus } from '#tests/payments/requests.ts'
import { signed } from '#tests/rail-notices/telling-rail.ts'
import { createClient, expectSuccess } from '#tests/support/client.ts'
import { createFakeClock, type FakeClock } from '#tests/support/clock.ts'
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts'
import { createListingRail, type ListingRail } from '#tests/support/listing-rail.ts'
import { asOwner } from '#tests/support/owner.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { startService, type TestService } from '#tests/support/service.ts'
import { succeeded } from '#tests/support/scripted-rail.ts'

export const minuteMs = 60_000
export const hourMs = 60 * minuteMs

export type Sent = { reference: string; railReference: string }

export type World = {
  clock: FakeClock
  rail: ListingRail
  database: TestDatabase
  service: TestService
  /** Starts another process on the same database, with another address of it if one is given. */
  start(roles?: ('api' | 'worker')[], serviceUrl?: string): Promise<TestService>
  stop(service: TestService): Promise<void>
  send(body?: Record<string, unknown>): Promise<Sent>
  pay(body?: Record<string, unknown>): Promise<Sent>
  /** Moves the clock until the near loop has run, and again until nothing is due. */
  near(): Promise<void>
  /** The same for the close of the day before. */
  close(): Promise<void>
  open(kind?: BreakKind): Promise<RailBreak[]>
  /** The provider reports money, as by a notice. */
  receive(notice: DepositNotice): Promise<void>
  closeByHand(one: RailBreak): Promise<void>
}

/** For the top of a test file: each test has a world of its own, which has closed its first day. */
/** `fee`: the cost of a payout by RAILS_FILE. */
export function useWorld(ports: Partial<Rail> = {}, { fee }: { fee?: number } = {}): World {
  const running: TestService[] = []
  const world = {} as World

  async function untilProved(loop: 'near' | 'close', advanceMs: number): Promise<void> {
    const { clock, database } = world
    const nowMs = clock.now() + advanceMs
    await untilHolds(async () => {
      // A first look may put work off until a little later; this waits for that too.
      clock.advance(Math.max(nowMs - clock.now(), 1_000))
      const rows = await asOwner<{ proved_until: Date | null; from_at: Date | null }>(
        database,
        'select proved_until, from_at from rail_check where loop = $1',
        [loop],
      )
      expect(rows).toHaveLength(1)
      expect(rows[0]?.from_at).toBeNull()
      expect(rows[0]?.proved_until?.getTime() ?? 0).toBeGreaterThanOrEqual(nowMs - 1_000)
    })
  }

  beforeEach(async () => {
    const clock = createFakeClock()
    const rail = Object.assign(createListingRail('acme', clock), ports)
    const database = await createTestDatabase()
    Object.assign(world, { clock, rail, database })
    world.service = await world.start()
    await untilHolds(async () => {
      const done = await asOwner(database, 'select 1 from rail_check where proved_until is not null')
      expect(done).toHaveLength(2)
    })
  })

  afterEach(async () => {
    for (const service of running.splice(0)) await service.stop()
    await world.database.drop()
  })

  const own: Omit<World, 'clock' | 'rail' | 'database' | 'service'> = {
    async start(roles = ['api', 'worker'], serviceUrl = world.database.serviceUrl) {
      const { clock, rail } = world
      const database = { ...world.database, serviceUrl }
      const config = fee === undefined ? {} : { rails: fileOf(fee) }
      const service = await startService({ clock, roles, database, config, rails: { staging: [rail] } })
      running.push(service)
      return service
    },
    async stop(service) {
      running.splice(running.indexOf(service), 1)
      await service.stop()
    },
    async send(body = {}) {
      const reference = newReference()
      const before = world.rail.payout.asked.length
      expectSuccess(await world.service.staging.post('/v1/transfers/initiate', transferBody({ reference, ...body })))
      await untilHolds(() => expect(world.rail.payout.asked.length).toBeGreaterThan(before))
      const [row] = await asOwner<{ id: Uuid }>(world.database, 'select id from payment where reference = $1', [
        reference,
      ])
      return { reference, railReference: railReferenceOf(row?.id as Uuid) }
    },
    async pay(body) {
      const { rail, service } = world
      const usual = rail.payout.onSubmit
      rail.payout.onSubmit = () => succeeded
      const sent = await world.send(body)
      rail.payout.onSubmit = usual
      rail.payout.onStatus = () => succeeded
      await untilStatus(service.staging, sent.reference, 'SUCCESS')
      return sent
    },
    near: () => untilProved('near', 5 * minuteMs + 1_000),
    async close() {
      const { clock } = world
      const dayMs = 24 * hourMs
      // 02:00 in Lagos is 01:00 UTC.
      const next = Math.floor((clock.now() - hourMs) / dayMs) * dayMs + dayMs + hourMs
      await untilProved('close', next - clock.now() + 1_000)
    },
    async open(kind) {
      const found = await listBreaks(world.service.ctx, { open: true })
      return found.filter((one) => kind === undefined || one.kind === kind)
    },
    async receive(notice) {
      const provider = createClient(world.service.url)
      const body = JSON.stringify({ about: 'deposit', deposit: notice }, (_key, value: unknown) =>
        typeof value === 'bigint' ? Number(value) : value,
      )
      const posted = await provider.call('/staging/rails/acme/notices', { method: 'POST', headers: signed, body })
      provider.close()
      expect(posted.status).toBe(200)
      await untilHolds(async () => {
        world.clock.advance(1_000)
        expect(await asOwner(world.database, "select 1 from rail_notice where state <> 'done'")).toEqual([])
      })
    },
    async closeByHand({ id }) {
      expect(await closeBreak(world.service.ctx, id, 'ticket 7')).toMatchObject({ kind: 'closed' })
    },
  }
  return Object.assign(world, own)
}

function fileOf(fee: number): RailsFile {
  const route = { rail: 'acme', weight: 1, cost: 'agreed' }
  const routes = { staging: { NGN: { payout: [route] } } } as RailsFile['routes']
  return { rails: {}, routes, costs: { agreed: [{ upTo: null, fee }] }, policy: 'weight' }
}

export const stops = (database: TestDatabase): Promise<{ rail: string; why: string }[]> =>
  asOwner(database, 'select rail, reason as why from brake where rail is not null')
