// Every written delivery is sent and signed: at once by the process that wrote it, or later by a process that finds it
// due.

import { Webhook } from 'standardwebhooks'
import { describe, expect, it, vi } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import type { Uuid } from '#platform/ids.ts'
import { asOwner } from '#tests/support/owner.ts'
import { eventually } from '#tests/support/patience.ts'
import { useReceiver } from '#tests/support/receiver.ts'
import { hexSignature } from '#tests/events/reference.ts'
import { nobody, useBench } from './support.ts'

const bench = await useBench()
const { clock, sending, happen, subscribe, until } = bench
const receiver = await useReceiver()
const isDelivered = ({ status }: { status: string }): boolean => status === 'delivered'
const hasAttempts = (count: number) => (row: { attempts: number }) => row.attempts === count

async function tell(path: string, reference: string, by = sending): Promise<{ subscriptionId: Uuid; tenant: Tenant }> {
  const tenant = await bench.newTenant()
  const subscriptionId = await subscribe(receiver.url(path), { tenant })
  await happen([reference], { tenant, by })
  return { subscriptionId, tenant }
}

async function advanceTo(reference: string): Promise<void> {
  const { next_attempt_at } = await bench.row(reference)
  clock.advance((next_attempt_at?.getTime() ?? Number.NaN) - clock.now())
  await sending.work(bench.tenant.lane)
}

describe('a delivery', () => {
  it('is sent at once by the process that wrote it, verifiable by both signatures, and recorded', async () => {
    const { subscriptionId: id } = await tell('/first', 'FIRST')
    const [came] = await receiver.received('/first', 1)
    const row = await until('FIRST', 'delivered', isDelivered)
    expect(row).toMatchObject({
      attempts: 1,
      automatic_attempts: 1,
      response_code: 200,
      last_error: null,
      last_attempt_at: new Date(clock.now()),
      next_attempt_at: null,
      delivered_at: new Date(clock.now()),
      due_at: null,
    })
    expect(await bench.attempts(row.id)).toMatchObject([
      { attempt: 1, trigger: 'automatic', response_code: 200, error: null, response_body: null },
    ])
    const { headers = {}, body = '', event } = came ?? {}
    const time = Math.floor(clock.now() / 1_000)
    const secret = bench.secretOf(id)
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Manilla-Webhooks/1',
      'x-webhook-signature': `t=${time},v1=${hexSignature(secret, time, body)}`,
      'x-webhook-event': 'transfer.success',
      'x-webhook-id': event?.id,
      'x-webhook-attempt': '1',
    })
    vi.setSystemTime(clock.now())
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({ reference: 'FIRST' })
    vi.useRealTimers()
  })

  it('is claimed and sent by any worker when the process that wrote it has no room for it', async () => {
    await tell('/claimed', 'CLAIMED', nobody)
    expect(await bench.row('CLAIMED')).toMatchObject({ status: 'pending', due_at: new Date(clock.now()) })
    await sending.work(bench.tenant.lane)
    await until('CLAIMED', 'delivered', isDelivered)
    expect(receiver.at('/claimed')).toHaveLength(1)
  })

  it('has the same bytes and id at every attempt, and a new signature', async () => {
    receiver.behave('/again', 500, 503, 204)
    const { subscriptionId } = await tell('/again', 'AGAIN')
    const waits = [5, 30]
    for (const [index, wait] of waits.entries()) {
      const row = await until('AGAIN', `tried ${index + 1} times`, hasAttempts(index + 1))
      const delay = (row.next_attempt_at?.getTime() ?? 0) - clock.now()
      expect(row).toMatchObject({ status: 'failed', delivered_at: null, due_at: row.next_attempt_at })
      expect(delay).toBeGreaterThanOrEqual(wait * 800)
      expect(delay).toBeLessThanOrEqual(wait * 1_200)
      await advanceTo('AGAIN')
    }
    const row = await until('AGAIN', 'delivered', isDelivered)
    expect(row).toMatchObject({
      attempts: 3,
      response_code: 204,
      last_error: null,
      next_attempt_at: null,
      due_at: null,
    })
    expect(await bench.attempts(row.id)).toMatchObject([
      { attempt: 1, response_code: 500, error: 'The receiver answered 500.' },
      { attempt: 2, response_code: 503, error: 'The receiver answered 503.' },
      { attempt: 3, response_code: 204, error: null },
    ])
    const came = receiver.at('/again')
    expect(new Set(came.map(({ body }) => body)).size).toBe(1)
    expect(new Set(came.map(({ headers }) => headers['x-webhook-signature'])).size).toBe(3)
    expect(came.map(({ headers }) => headers['x-webhook-attempt'])).toEqual(['1', '2', '3'])
    expect(await bench.subscription(subscriptionId)).toMatchObject({ status: 'active', failing_since: null })
  })

  it('waits as long as the receiver asks, up to twice the usual wait', async () => {
    receiver.behave(
      '/later',
      { status: 429, headers: { 'Retry-After': '8' } },
      { status: 503, headers: { 'Retry-After': '7200' } },
    )
    await tell('/later', 'LATER')
    const first = await until('LATER', 'tried', hasAttempts(1))
    expect(first.next_attempt_at?.getTime()).toBe(clock.now() + 8_000)
    await advanceTo('LATER')
    const second = await until('LATER', 'tried twice', hasAttempts(2))
    expect(second.next_attempt_at?.getTime()).toBe(clock.now() + 60_000)
  })

  it('is not sent again after the last attempt of the schedule', async () => {
    receiver.behave('/never', 500)
    const worker = bench.start({ schedule: [1] })
    await tell('/never', 'NEVER', worker)
    await until('NEVER', 'tried', hasAttempts(1))
    clock.advance(1_200)
    await worker.work(bench.tenant.lane)
    const row = await until('NEVER', 'tried twice', hasAttempts(2))
    expect(row).toMatchObject({ status: 'failed', next_attempt_at: null, due_at: null })
  })

  it('is signed with both secrets while one is being replaced, the new one first', async () => {
    const tenant = await bench.newTenant()
    const [now, url] = [clock.now(), receiver.url('/rotating')]
    const [id, other] = [
      await subscribe(url, { tenant }),
      await subscribe(url, { tenant, events: ['deposit.success'] }),
    ]
    const rotate = (end: Date): Promise<unknown> =>
      asOwner(bench.database, 'update webhook_subscription set old_secret = $2, old_secret_until = $3 where id = $1', [
        id,
        bench.seal(bench.secretOf(other), id),
        end,
      ])
    await rotate(new Date(now + 1))
    await happen(['BOTH'], { tenant })
    await receiver.received('/rotating', 1)
    await rotate(new Date(now))
    await happen(['NEW'], { tenant })
    await receiver.received('/rotating', 2)
    const signatures = receiver.at('/rotating').map(({ headers }) => String(headers['x-webhook-signature']))
    const bodies = receiver.at('/rotating').map(({ body }) => body)
    const t = Math.floor(now / 1_000)
    const sign = (secretId: Uuid, body = ''): string => `v1=${hexSignature(bench.secretOf(secretId), t, body)}`
    expect(signatures).toEqual([
      `t=${t},${sign(id, bodies[0])},${sign(other, bodies[0])}`,
      `t=${t},${sign(id, bodies[1])}`,
    ])
  })
})

describe('a failure', () => {
  it.each([
    [
      'a redirect',
      { status: 307, headers: { Location: receiver.url('/elsewhere') } },
      307,
      'The receiver answered 307, a redirect, which is not followed.',
    ],
    ['a connection that is closed', 'close', null, 'The connection was closed before the answer was complete.'],
    ['no answer', 'hang', null, 'There was no complete answer within 300 ms.'],
  ] as const)('is %s', async (what, behaviour, code, error) => {
    const path = `/${what.replaceAll(' ', '-')}`
    receiver.behave(path, behaviour)
    await tell(path, what.toUpperCase(), bench.start(behaviour === 'hang' ? { attemptMs: 300 } : {}))
    const row = await until(what.toUpperCase(), 'tried', hasAttempts(1))
    expect(row).toMatchObject({ status: 'failed', response_code: code, last_error: error })
    expect(row.next_attempt_at).not.toBeNull()
    expect(receiver.at('/elsewhere')).toEqual([])
  })

  it('is also a response that does not end in time; the beginning of a long response is stored', async () => {
    receiver.behave('/endless', 'dribble')
    await tell('/endless', 'ENDLESS', bench.start({ attemptMs: 300 }))
    expect(await until('ENDLESS', 'tried', hasAttempts(1))).toMatchObject({ status: 'failed', response_code: null })
    receiver.behave('/long', { status: 200, body: `${'x'.repeat(4_095)}é${'y'.repeat(1_000_000)}` })
    await tell('/long', 'LONG')
    const row = await until('LONG', 'delivered', isDelivered)
    expect((await bench.attempts(row.id))[0]?.response_body).toBe('x'.repeat(4_095))
  })

  it('may have a body that no text column can store', async () => {
    receiver.behave('/bytes', { status: 500, body: Buffer.from([0x00, 0xff, 0x41, 0xc3]) })
    await tell('/bytes', 'BYTES')
    const row = await until('BYTES', 'tried', hasAttempts(1))
    expect((await bench.attempts(row.id))[0]?.response_body).toBe('\uFFFD\uFFFDA')
  })

  it("is an address without a listener, or a local address outside a developer's machine", async () => {
    const tenant = await bench.newTenant()
    await subscribe('http://127.0.0.1:1/', { tenant })
    await happen(['NOBODY'], { tenant })
    const row = await until('NOBODY', 'tried', hasAttempts(1))
    expect(row.last_error).toBe('No connection was made (ECONNREFUSED).')
    await tell('/guarded', 'GUARDED', bench.start({ local: false }))
    const guarded = await until('GUARDED', 'tried', hasAttempts(1))
    expect(guarded.last_error).toBe('The address is not a public one, so it is not called.')
    expect(receiver.at('/guarded')).toEqual([])
  })

  it('is a secret that cannot be opened: it is logged and retried', async () => {
    const tenant = await bench.newTenant()
    const id = await subscribe(receiver.url('/sealed'), { tenant })
    await asOwner(bench.database, `update webhook_subscription set secret = '\\x00' where id = $1`, [id])
    await happen(['SEALED'], { tenant })
    expect(await until('SEALED', 'tried', hasAttempts(1))).toMatchObject({
      status: 'failed',
      last_error: 'The delivery could not be prepared: the fault is on our side.',
    })
    expect(bench.lines.some((line) => line.includes('could not prepare'))).toBe(true)
  })
})

describe('fairness', () => {
  it('a receiver that hangs delays no other, however many deliveries wait for it', async () => {
    receiver.behave('/hanging', 'hang')
    const limits = { slots: 64 }
    const worker = bench.start({ limits })
    const hanging = await Promise.all(Array.from({ length: 4 }, () => bench.newTenant()))
    for (const tenant of hanging) await subscribe(receiver.url('/hanging'), { tenant })
    const references = Array.from({ length: 20 }, (_, index) => `HANGING-${index}`)
    for (const tenant of hanging) await happen(references, { tenant, by: worker })
    await receiver.received('/hanging', 16)
    const tenant = await bench.newTenant()
    await subscribe(receiver.url('/healthy'), { tenant })
    const healthy = Array.from({ length: 30 }, (_, index) => `HEALTHY-${index}`)
    await happen(healthy, { tenant, by: worker })
    for (const reference of healthy) await until(reference, 'delivered', isDelivered)
    expect(receiver.at('/hanging')).toHaveLength(16)
    expect(receiver.at('/healthy')).toHaveLength(30)
  })

  it('a receiver that refuses gets a few attempts at each look, however many deliveries wait, and does not keep the loop busy', async () => {
    receiver.behave('/refusing', 500)
    const worker = bench.start()
    const tenant = await bench.newTenant()
    await subscribe(receiver.url('/refusing'), { tenant })
    const references = Array.from({ length: 300 }, (_, index) => `REFUSED-${index}`)
    await happen(references, { tenant, by: nobody })
    await worker.work(tenant.lane)
    await receiver.received('/refusing', 64)
    await eventually('what was claimed to be recorded', async () => {
      const all = await Promise.all(references.slice(0, 64).map(bench.row))
      return all.every(({ attempts }) => attempts === 1) ? true : undefined
    })
    const { rows, more } = await worker.work(tenant.lane)
    expect({ rows, more }).toEqual({ rows: 4, more: false })
  })
})
