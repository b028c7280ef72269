// Paused payouts: the service accepts no new ones, sends none that has not left, and goes on with those that have.

import { beforeEach, describe, expect, it } from 'vitest'
import { listAudit } from '#audit/list.ts'
import type { Actor, Environment, Tenant } from '#platform/context.ts'
import { toMoney } from '#platform/money.ts'
import { createBusiness, type NewBusiness } from '#businesses/business.ts'
import { claimPayments } from '#payments/queries.ts'
import { listPauses, pausePayouts, resumePayouts, type Whose } from '#payments/brakes.ts'
import { waitingForLocks } from '#tests/support/locks.ts'
import { asOwner } from '#tests/support/owner.ts'
import { succeeded, timesOf, unknown } from '#tests/support/scripted-rail.ts'
import { useExecuting } from './executing.ts'
import { createTenant, requestOf, rowOf, turn, until, type Process } from './process.ts'
import { newReference } from './requests.ts'

const { accept, clock, database, pass, rail, start, untilStatus } = await useExecuting()
let one: Process
let tenant: Tenant

beforeEach(async () => {
  await asOwner(database, 'truncate brake')
  one = start()
  tenant = await createTenant(one)
})

const pause = (whose: Whose = {}): Promise<void> => pausePayouts(one.ctx, whose)
const resume = (whose: Whose = {}): Promise<{ woken: number }> => resumePayouts(one.ctx, [tenant.lane], whose)
/** By then every process has read the pause, also one that had just asked. */
const heard = (): void => clock.advance(900)
const send = async (by: Process, to = tenant): Promise<string> =>
  (await by.payments.initiate(to, requestOf({ amount: toMoney(1_000) }))).kind

const wallet = { phoneNumber: '+2348030000000', operator: 'mtn-momo', currency: 'NGN' as const, narration: null }
const walletRequest = () => ({ ...wallet, reference: newReference(), amount: toMoney(1_000), metadata: null })

async function workAll({ payments }: Process): Promise<void> {
  while ((await payments.work(tenant.lane)) > 0) await turn()
}

describe('a new payout', () => {
  it('is refused by every process within a second, and leaves no trace', async () => {
    const other = start()
    for (const process of [one, other]) expect(await send(process, await createTenant(process))).toBe('accepted')
    await pause()
    heard()
    const reference = newReference()
    expect((await one.payments.initiate(tenant, requestOf({ reference }))).kind).toBe('paused')
    expect((await other.payments.initiate(tenant, requestOf({ reference }))).kind).toBe('paused')
    expect((await one.payments.sendMomo(tenant, { ...walletRequest(), accountName: null })).kind).toBe('paused')
    const many = await other.payments.initiateMany(tenant, [requestOf(), requestOf({ bankSlug: 'no-such-bank' })])
    expect(many.map(({ kind }) => kind)).toEqual(['paused', 'paused'])
    expect(await asOwner(database, 'select 1 from payment where tenant_id = $1', [tenant.id])).toEqual([])
    await resume()
    heard()
    expect((await other.payments.initiate(tenant, requestOf({ reference }))).kind).toBe('accepted')
  })

  it('with a known reference is answered as without a pause: a replay, or a conflict', async () => {
    const reference = await accept(one, tenant)
    await pause()
    heard()
    expect(await send(one)).toBe('paused')
    expect((await one.payments.initiate(tenant, requestOf({ reference }))).kind).toBe('replayed')
    expect((await one.payments.initiate(tenant, requestOf({ reference, amount: toMoney(7) }))).kind).toBe('differs')
  })

  it('is refused, but a collection is accepted', async () => {
    const staging = await createTenant(one, 'staging')
    await pause()
    expect((await one.payments.collect(staging, { ...walletRequest(), customerName: null })).kind).toBe('accepted')
  })
})

describe('a pause', () => {
  const outcomes = async ({ tenants }: NewBusiness): Promise<string> => {
    heard()
    const kinds = [await send(one, tenants.staging), await send(one, tenants.production)]
    return kinds.map((kind) => (kind === 'paused' ? 'paused' : 'open')).join(' ')
  }

  it.each<[string, (of: NewBusiness) => Whose, string, string]>([
    ['of all', () => ({}), 'paused paused', 'paused paused'],
    ['of an environment', () => ({ environment: 'staging' }), 'paused open', 'paused open'],
    ['of a business', ({ id }) => ({ businessId: id }), 'paused paused', 'open open'],
    ['of both', ({ id }) => ({ businessId: id, environment: 'production' }), 'open paused', 'open open'],
  ])('%s holds for its tenants, also for later ones', async (_which, whoseOf, of, ofOthers) => {
    const business = await createBusiness(one.ctx, 'Paused')
    await pause(whoseOf(business))
    expect(await outcomes(business)).toBe(of)
    expect(await outcomes(await createBusiness(one.ctx, 'Later'))).toBe(ofOthers)
    await resume(whoseOf(business))
    expect(await outcomes(business)).toBe('open open')
    expect(await listPauses(one.ctx)).toEqual([])
  })

  it('is stored once, with its time, and ends only for the business that it names', async () => {
    const { id, tenants } = await createBusiness(one.ctx, 'Paused')
    const by = one.ctx.by.name
    const pausedAt = new Date(clock.now())
    await pause({ businessId: id, environment: 'production' })
    clock.advance(1_000)
    await pause({ businessId: id, environment: 'production' })
    await pause({ environment: 'production' })
    expect(await listPauses(one.ctx)).toEqual([
      {
        environment: 'production' satisfies Environment,
        businessId: id,
        businessName: 'Paused',
        pausedAt,
        reason: null,
        by,
        isByOperator: false,
      },
      {
        environment: 'production',
        businessId: undefined,
        businessName: null,
        pausedAt: new Date(clock.now()),
        reason: null,
        by,
        isByOperator: false,
      },
    ])
    await resume()
    heard()
    expect([await send(one, tenants.production), await send(one)]).toEqual(['paused', 'accepted'])
    await resume({ businessId: id })
    heard()
    expect(await send(one, tenants.production)).not.toBe('paused')
  })
})

describe('the pause of a business that an operator set at the terminal', () => {
  const operator: Actor = { kind: 'terminal', name: 'ada@ops' }
  const admin: Actor = { kind: 'person', name: 'bola@shop' }
  const place = { environment: 'production' } as const
  const pauseAs = (by: Actor, whose: Whose): Promise<void> => pausePayouts({ ...one.ctx, by }, { ...place, ...whose })
  const resumeAs = (by: Actor, whose: Whose) => resumePayouts({ ...one.ctx, by }, [tenant.lane], { ...place, ...whose })

  it('is ended only at the terminal, and a refused attempt has no entry in the audit log', async () => {
    const { id, tenants } = await createBusiness(one.ctx, 'Fraud')
    await pauseAs(operator, { businessId: id })
    expect(await resumeAs(admin, { businessId: id })).toEqual({ woken: 0, isRefused: true })
    heard()
    expect(await send(one, tenants.production)).toBe('paused')
    expect(await listAudit(one.ctx, { sinceMs: 0, limit: 1 })).toMatchObject([{ act: 'payouts.paused' }])
    expect(await resumeAs(operator, { businessId: id })).toEqual({ woken: 0 })
    expect(await listPauses(one.ctx)).toEqual([])
  })

  it('stays as it is when a person of the business pauses as well', async () => {
    const { id } = await createBusiness(one.ctx, 'Fraud')
    await pauseAs(operator, { businessId: id, reason: 'Fraud' })
    const before = await listPauses(one.ctx)
    clock.advance(1_000)
    await pauseAs(admin, { businessId: id, reason: 'Ours' })
    expect(await listPauses(one.ctx)).toEqual(before)
    expect(before).toMatchObject([{ reason: 'Fraud', by: 'ada@ops', isByOperator: true }])
  })

  it('replaces the pause of the business, and keeps the time since when its payouts are paused', async () => {
    const { id } = await createBusiness(one.ctx, 'Fraud')
    const pausedAt = new Date(clock.now())
    await pauseAs(admin, { businessId: id, reason: 'Ours' })
    clock.advance(1_000)
    await pauseAs(operator, { businessId: id, reason: 'Fraud' })
    await pauseAs({ ...operator, name: 'second@ops' }, { businessId: id, reason: 'Second' })
    const [only, ...more] = await listPauses(one.ctx)
    expect(only).toMatchObject({ pausedAt, reason: 'Fraud', by: 'ada@ops', isByOperator: true })
    expect(more).toEqual([])
    expect(await resumeAs(admin, { businessId: id })).toMatchObject({ isRefused: true })
  })

  it('is not ended by a person whose request waits for the operator to commit it', async () => {
    const { id } = await createBusiness(one.ctx, 'Fraud')
    await pauseAs(admin, { businessId: id })
    const resuming = await one.ctx.db.transaction(async (tx) => {
      const db = { ...one.ctx.db, transaction: (work: (within: typeof tx) => Promise<unknown>) => work(tx) }
      await pausePayouts({ ...one.ctx, db: db as typeof one.ctx.db, by: operator }, { ...place, businessId: id })
      let hasEnded = false
      const lifting = resumeAs(admin, { businessId: id }).finally(() => (hasEnded = true))
      await until(async () => hasEnded || (await waitingForLocks(database)) > 0, 'the request waits')
      return { lifting }
    })
    expect(await resuming.lifting).toEqual({ woken: 0, isRefused: true })
    expect(await listPauses(one.ctx)).toMatchObject([{ by: 'ada@ops' }])
  })

  it('that a process of the version before wrote may be ended by the business, until an operator pauses again', async () => {
    const { id } = await createBusiness(one.ctx, 'Old')
    const write = () =>
      asOwner(
        database,
        `insert into brake (environment, business_id, since, by) values ('production', $1, now(), 'an operator')`,
        [id],
      )
    await write()
    expect(await resumeAs(admin, { businessId: id })).toEqual({ woken: 0 })
    await write()
    await pauseAs(operator, { businessId: id })
    expect(await resumeAs(admin, { businessId: id })).toEqual({ woken: 0, isRefused: true })
  })
})

it('pausing and resuming have entries in the audit log, for each tenant that they name or for all', async () => {
  const { id } = await createBusiness(one.ctx, 'Told')
  await pause({ businessId: id })
  await resume({ environment: 'staging' })
  const entries = await listAudit(one.ctx, { sinceMs: 0, limit: 3 })
  expect(entries.map(({ act, businessId, environment, details }) => [act, businessId, environment, details])).toEqual([
    ['payouts.resumed', null, null, { environments: ['staging'] }],
    ['payouts.paused', id, 'staging', {}],
    ['payouts.paused', id, 'production', {}],
  ])
})

describe('a payment that was accepted before', () => {
  it('is not sent while it is paused, and sent once after that', async () => {
    const reference = await accept(start({ leasesNew: false }), tenant)
    await pause()
    await workAll(one)
    pass(3_600)
    await workAll(one)
    expect(timesOf(rail)).toEqual([])
    expect(await rowOf(database, reference)).toMatchObject({ status: 'queued', submitted_at: null, asks: 0 })
    rail.onSubmit = () => succeeded
    expect(await resume()).toEqual({ woken: 1 })
    await workAll(one)
    await untilStatus(reference, 'SUCCESS')
    expect(timesOf(rail)).toEqual(['submit 3600'])
  })

  it('goes on within ten minutes when the process that lifted the pause died before it woke a payment', async () => {
    const reference = await accept(start({ leasesNew: false }), tenant)
    await pause()
    await workAll(one)
    await asOwner(database, 'truncate brake')
    pass(599)
    expect(await one.payments.work(tenant.lane)).toBe(0)
    pass(1)
    rail.onSubmit = () => succeeded
    await workAll(one)
    await untilStatus(reference, 'SUCCESS')
  })

  it('is asked about until its end if it had been sent', async () => {
    const reference = await accept(one, tenant)
    await until(() => rail.asked.length === 1, 'it is submitted')
    await turn()
    await pause()
    rail.onStatus = () => succeeded
    pass(5)
    await untilStatus(reference, 'SUCCESS')
    expect(timesOf(rail)).toEqual(['submit 0', 'status 5'])
  })

  it('is asked about by another process too', async () => {
    const reference = await accept(one, tenant)
    await until(() => rail.asked.length === 1, 'it is submitted')
    await turn()
    await one.payments.release()
    await pause()
    rail.onStatus = () => succeeded
    await workAll(start())
    await untilStatus(reference, 'SUCCESS')
    expect(timesOf(rail)).toEqual(['submit 0', 'status 0'])
  })

  it('is not sent again when its rail does not know it', async () => {
    const reference = await accept(one, tenant)
    await until(() => rail.asked.length === 1, 'it is submitted')
    await turn()
    await pause()
    rail.onStatus = () => ({ kind: 'not-found' })
    pass(5)
    await until(async () => (await rowOf(database, reference)).asks === 2, 'it was asked about')
    pass(15 * 60)
    await workAll(one)
    await until(async () => (await rowOf(database, reference)).submitted_at === null, 'it counts as unsent')
    await workAll(one)
    pass(600)
    await workAll(one)
    expect(timesOf(rail)).toEqual(['submit 0', 'status 5', 'status 905'])
    rail.onSubmit = () => succeeded
    await resume()
    await workAll(one)
    await untilStatus(reference, 'SUCCESS')
    expect(timesOf(rail)).toEqual(['submit 0', 'status 5', 'status 905', 'submit 1505'])
  })

  it('delays no payment of another business', async () => {
    const { tenants, id } = await createBusiness(one.ctx, 'Paused')
    const serving = start({ leasesNew: false })
    await serving.payments.initiateMany(
      tenants.staging,
      Array.from({ length: 600 }, () => requestOf({ amount: toMoney(1_000) })),
    )
    await asOwner(database, `update payment set rail = 'fake' where tenant_id = $1`, [tenants.staging.id])
    clock.advance(1_000)
    const reference = await accept(serving, tenant)
    await pause({ businessId: id })
    rail.onSubmit = () => succeeded
    await workAll(one)
    await untilStatus(reference, 'SUCCESS')
    expect(rail.asked).toHaveLength(1)
    // From now on the loop does not even claim them.
    expect(await one.payments.work(tenant.lane)).toBe(0)
  })

  it('is woken if the pause is lifted while a claim holds it back', async () => {
    await accept(start({ leasesNew: false }), tenant)
    await pause()
    const now = new Date(clock.now())
    const later = new Date(clock.now() + 600_000)
    const claim = {
      now,
      leaseEnd: later,
      leaveBeforeMs: Infinity,
      heldUntil: later,
      limit: 10,
      limitPerQueue: 10,
      rooms: [],
    }
    let woken: number | undefined
    const resuming = await one.ctx.db.transaction(async (tx) => {
      expect(await claimPayments(tx, claim)).toMatchObject({ leased: [], held: [{ sentBefore: false }] })
      const lifting = resume().then((lifted) => (woken = lifted.woken))
      await until(async () => woken !== undefined || (await waitingForLocks(database)) > 0, 'it is lifted')
      return { lifting }
    }, tenant.lane)
    expect(await resuming.lifting).toBe(1)
    rail.onSubmit = () => succeeded
    expect(await one.payments.work(tenant.lane)).toBe(1)
  })

  it('is never left behind, whenever the pause is lifted', async () => {
    const serving = start({ leasesNew: false })
    const workers = [one, start(), start()]
    rail.onSubmit = () => unknown
    for (let round = 0; round < 5; round++) {
      for (let made = 0; made < 6; made++) expect(await send(serving)).toBe('accepted')
      await pause()
      await Promise.all([...workers.map(({ payments }) => payments.work(tenant.lane)), resume()])
      await workAll(one)
      const unsent = 'select 1 from payment where tenant_id = $1 and submitted_at is null'
      expect(await asOwner(database, unsent, [tenant.id])).toEqual([])
    }
    expect(rail.asked).toHaveLength(30)
  })
})
