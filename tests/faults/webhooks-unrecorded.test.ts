// The receiver has a delivery, and the database that should record it is away or cut off: the attempt is recorded once,
// later, and the process that knows of it does not send it again.

import { describe, expect, it } from 'vitest'
import { untilHolds } from '#tests/support/patience.ts'
import { usePostgresProxy, type PostgresProxy } from '#tests/support/postgres-proxy.ts'
import { useReceiver } from '#tests/support/receiver.ts'
import { useBench } from '#tests/webhooks/delivery/support.ts'

let proxy: PostgresProxy | undefined
const bench = await useBench({
  async through(url) {
    proxy = await usePostgresProxy(url)
    return proxy.url
  },
})
const receiver = await useReceiver()

/** Resolves when the receiver has the delivery and has not answered. */
async function arrive(path: string, reference: string): Promise<void> {
  const tenant = await bench.newTenant()
  await bench.subscribe(receiver.url(path), { tenant })
  receiver.behave(path, 'hang', 200)
  await bench.happen([reference], { tenant })
  await receiver.received(path, 1)
}

/** Runs the loop, again after a cut connection. */
const look = (): Promise<unknown> => untilHolds(() => bench.sending.work(bench.tenant.lane))

async function expectRecordedOnce(path: string, reference: string): Promise<void> {
  const row = await bench.until(reference, 'delivered', ({ status }) => status === 'delivered')
  expect(row).toMatchObject({ attempts: 1, due_at: null })
  expect(await bench.attempts(row.id)).toMatchObject([{ attempt: 1, response_code: 200 }])
  bench.clock.advance(3_600_000)
  await look()
  expect(receiver.at(path)).toHaveLength(1)
}

describe('an answer that cannot be recorded', () => {
  it('because PostgreSQL is away: is recorded when it is back, and nothing is sent again', async () => {
    await arrive('/away', 'AWAY')
    await proxy?.close()
    receiver.answerAll(200)
    // A process sends only the deliveries that it already holds meanwhile; no new event can be written.
    await expect(bench.happen(['REFUSED'])).rejects.toThrow('cannot be reached')
    await proxy?.open()
    await expectRecordedOnce('/away', 'AWAY')
  })

  it.each(['lose-answer', 'lose-request'] as const)(
    'because its COMMIT was cut off (%s): is recorded once',
    async (fate) => {
      await arrive(`/${fate}`, fate)
      proxy?.setCommitFate(fate)
      receiver.answerAll(200)
      await expectRecordedOnce(`/${fate}`, fate)
    },
  )

  it('until its lease ends: the log of the process says so, and the delivery is sent again', async () => {
    await arrive('/given-up', 'GIVEN-UP')
    await proxy?.close()
    receiver.answerAll(500)
    bench.clock.advance(60_000)
    await expect.poll(() => bench.lines.some((line) => line.includes('could not record a webhook attempt'))).toBe(true)
    await proxy?.open()
    await look()
    const row = await bench.until('GIVEN-UP', 'delivered', ({ status }) => status === 'delivered')
    expect(row.attempts).toBe(1)
    expect(receiver.at('/given-up')).toHaveLength(2)
  })
})

it('a test delivery that cannot be recorded is over: the log says that no process sends it again, and none does', async () => {
  const tenant = await bench.newTenant()
  await bench.subscribe(receiver.url('/test'), { tenant, status: 'disabled' })
  await bench.happen(['TEST'], { tenant })
  const { id } = await bench.row('TEST')
  receiver.behave('/test', 'hang')
  const sending = bench.sending.sendNow(tenant, id)
  await receiver.received('/test', 1)
  await proxy?.close()
  receiver.answerAll(200)
  await expect(sending).resolves.toMatchObject({ outcome: 'delivered' })
  expect(bench.lines.at(-1)).toContain('could not record a webhook attempt; it is not sent again')
  await proxy?.open()
  bench.clock.advance(3_600_000)
  await look()
  expect(receiver.at('/test')).toHaveLength(1)
  expect(await bench.row('TEST')).toMatchObject({ status: 'pending', attempts: 0 })
})

it('a receiver whose TLS fails is a failure in the log, and is tried again', async () => {
  const tenant = await bench.newTenant()
  await bench.subscribe(receiver.url('/tls').replace('http:', 'https:'), { tenant })
  await bench.happen(['TLS'], { tenant })
  const row = await bench.until('TLS', 'tried', ({ attempts }) => attempts === 1)
  expect(row.last_error).toMatch(/^The TLS connection failed \(\w+\)\.$/)
  expect(row).toMatchObject({ status: 'failed', response_code: null, due_at: row.next_attempt_at })
})
