// The delivery service without HTTP: a business, its subscriptions, and events that happen to it.

import { randomBytes } from 'node:crypto'
import { afterAll } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { createDb } from '#platform/db/db.ts'
import { newUuid, type Uuid } from '#platform/ids.ts'
import { createLog } from '#platform/observability/log.ts'
import { createNet } from '#platform/http-client/client.ts'
import { createSecretBox } from '#platform/secrets.ts'
import { createBusiness } from '#businesses/business.ts'
import type { EventName } from '#events/catalogue.ts'
import { createEventOutbox } from '#events/outbox.ts'
import { secretContext } from '#events/signature.ts'
import { serviceRole } from '#postgres/migrations/migrate.ts'
import { createFakeClock, type FakeClock } from '#tests/support/clock.ts'
import { createTestContext, type TestContext } from '#tests/support/context.ts'
import { useTestDatabase, type TestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { eventually } from '#tests/support/patience.ts'
import {
  createDeliveryService,
  deliveryConnections,
  testConnections,
  type DeliveryService,
  type DeliveryServiceOptions,
} from '#webhooks/delivery/service.ts'
import { newSecret } from '#webhooks/subscription.ts'

export type DeliveryRow = {
  id: Uuid
  subscription_id: Uuid
  status: string
  attempts: number
  automatic_attempts: number
  response_code: number | null
  last_error: string | null
  last_attempt_at: Date | null
  next_attempt_at: Date | null
  retry_requested: boolean
  delivered_at: Date | null
  due_at: Date | null
  ordinal: string
  subscription_ordinal: string
  reference: string
}

export type AttemptRow = {
  attempt: number
  trigger: string
  response_code: number | null
  error: string | null
  duration_ms: number
  response_body: string | null
}

export type SubscriptionRow = { status: string; disabled_because: string | null; failing_since: Date | null }

export type Bench = {
  database: TestDatabase
  ctx: TestContext
  clock: FakeClock
  tenant: Tenant
  sending: DeliveryService
  lines: string[]
  /** Starts another process on the same database, or the same one again. */
  start(changes?: Partial<Omit<DeliveryServiceOptions, 'net' | 'testNet'>>): DeliveryService
  newTenant(): Promise<Tenant>
  subscribe(url: string, changes?: { tenant?: Tenant; events?: EventName[]; status?: string }): Promise<Uuid>
  secretOf(subscriptionId: Uuid): string
  /** A secret as the row of this subscription would hold it. */
  seal(secret: string, subscriptionId: Uuid): Buffer
  /** Writes one event for each reference in one transaction; `by` leases their deliveries. */
  happen(
    references: string[],
    options?: { by?: DeliveryService | undefined; tenant?: Tenant; name?: EventName },
  ): Promise<void>
  rows(reference: string): Promise<DeliveryRow[]>
  row(reference: string): Promise<DeliveryRow>
  attempts(deliveryId: Uuid): Promise<AttemptRow[]>
  subscription(id: Uuid): Promise<SubscriptionRow>
  until(reference: string, what: string, condition: (row: DeliveryRow) => boolean): Promise<DeliveryRow>
}

/** `through`: wraps the address, to put a proxy between the delivery service and its database. */
export async function useBench({ through }: { through?: (url: string) => Promise<string> } = {}): Promise<Bench> {
  const database = await useTestDatabase()
  const lines: string[] = []
  const log = createLog({ level: 'info', format: 'json', write: (line) => lines.push(line) })
  const plain = createTestContext(database.connect(), createFakeClock())
  const wire = through === undefined ? undefined : await through(database.serviceUrl)
  const db = wire === undefined ? plain.db : createDb({ url: wire, role: serviceRole, log, metrics: plain.metrics })
  const ctx = { ...plain, db, log }
  const box = createSecretBox(randomBytes(32))
  const secrets = new Map<Uuid, string>()
  const started: DeliveryService[] = []
  const net = createNet({ ...deliveryConnections, clock: ctx.clock })
  const testNet = createNet({ ...testConnections, clock: ctx.clock })
  afterAll(async () => {
    await Promise.all(started.map((one) => one.release()))
    await Promise.all([net.close(), testNet.close()])
    await db.close()
  })
  const newTenant = async (): Promise<Tenant> => (await createBusiness(ctx, 'Told')).tenants.staging
  const tenant = await newTenant()

  function start(changes: Partial<Omit<DeliveryServiceOptions, 'net' | 'testNet'>> = {}): DeliveryService {
    const usual = { ctx, net, testNet, box, leasesNew: true, local: true, schedule: undefined, logDays: 90 }
    const one = createDeliveryService({ ...usual, ...changes })
    started.push(one)
    return one
  }
  const sending = start()

  const rows = (reference: string): Promise<DeliveryRow[]> =>
    asOwner<DeliveryRow>(database, 'select * from webhook_delivery where reference = $1 order by ordinal', [reference])

  const row = async (reference: string): Promise<DeliveryRow> => {
    const [first] = await rows(reference)
    if (first === undefined) throw new Error(`there is no delivery of ${reference}`)
    return first
  }

  return {
    database,
    ctx,
    clock: ctx.clock,
    tenant,
    sending,
    lines,
    start,
    newTenant,
    async subscribe(url, { tenant: owner = tenant, events = ['transfer.success'], status = 'active' } = {}) {
      const [id, secret, at] = [newUuid(ctx.clock.now()), newSecret(), new Date(ctx.clock.now())]
      secrets.set(id, secret)
      await asOwner(
        database,
        `insert into webhook_subscription (lane, tenant_id, id, url, events, status, secret, secret_hint, created_at, updated_at)
         values ($1, $2, $3, $4, $5, $6, $7, '…', $8, $8)`,
        [owner.lane, owner.id, id, url, events, status, box.seal(secret, secretContext(id)), at],
      )
      return id
    },
    seal: (secret, id) => box.seal(secret, secretContext(id)),
    secretOf: (id) => secrets.get(id) ?? '',
    async happen(references, { by = sending, tenant: owner = tenant, name = 'transfer.success' } = {}) {
      const pipe = createEventOutbox(ctx.clock, by)
      await ctx.db.transaction(async (tx) => {
        const atMs = ctx.clock.now()
        for (const reference of references) {
          const event = { tenantId: owner.id, name, sourceId: newUuid(atMs), reference, atMs, data: { reference } }
          pipe.emit(tx, event)
        }
      }, owner.lane)
    },
    rows,
    row,
    attempts: (id) => asOwner(database, 'select * from webhook_attempt where delivery_id = $1 order by attempt', [id]),
    async subscription(id) {
      const [found] = await asOwner<SubscriptionRow>(database, 'select * from webhook_subscription where id = $1', [id])
      if (found === undefined) throw new Error(`there is no subscription ${id}`)
      return found
    },
    until: (reference, what, condition) =>
      eventually(`${reference} to be ${what}`, async () => {
        const found = await row(reference)
        return condition(found) ? found : undefined
      }),
  }
}

/** A process that leases no delivery. */
export const nobody = { keepMs: () => 0, take: () => undefined } as unknown as DeliveryService
