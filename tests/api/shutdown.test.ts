// Shutdown: requests in flight are finished, new ones are refused, and no client delays it.

import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { queueLetters } from '#mail/queue.ts'
import { finishesWithin } from '#platform/concurrency.ts'
import { expectError, expectSuccess, type Answer } from '#tests/support/client.ts'
import { startFrontDoor, type FrontDoor } from '#tests/support/front-door.ts'
import { patienceMs } from '#tests/support/patience.ts'
import { startFakeSmtp } from '#tests/support/fakes/smtp-server.ts'
import { connectRaw, type RawConnection } from '#tests/support/raw-http.ts'
import { startService } from '#tests/support/service.ts'

/** The time limits are an hour, so that only the shutdown itself can end a connection. */
const hourMs = 3_600_000
const limits = { headersMs: hourMs, requestMs: hourMs, idleMs: hourMs, stalledMs: hourMs, drainMs: hourMs }

async function withSlowRequest(
  changes: Partial<typeof limits> = {},
): Promise<{ door: FrontDoor; busy: RawConnection }> {
  const door = await startFrontDoor({ limits: { ...limits, ...changes } })
  const busy = connectRaw(door.port)
  busy.send(get(door, '/v1/slow'))
  await expect.poll(() => door.endpoints.gates.length).toBe(1)
  return { door, busy }
}

const get = (door: FrontDoor, path: string): string =>
  `GET /staging${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${door.testKey}\r\n\r\n`
const letGo = (door: FrontDoor): void => door.endpoints.gates.forEach((open) => open())

function isRefused(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.on('connect', () => {
      socket.destroy()
      resolve(false)
    })
    socket.on('error', () => resolve(true))
  })
}

describe('stop', () => {
  it('waits for requests in flight, and their answers are whole', async () => {
    const { door, busy } = await withSlowRequest()
    let stopped = false
    const end = door.stop().then(() => (stopped = true))
    await expect.poll(() => isRefused(door.port)).toBe(true)
    expect(stopped).toBe(false)
    letGo(door)
    const [answer] = await busy.receive(1)
    expectSuccess(answer as Answer)
    await end
    await busy.closed()
  })

  it('refuses what still comes on an open connection with 503, and closes it', async () => {
    const { door, busy } = await withSlowRequest()
    const end = door.stop()
    busy.send(get(door, '/v1/notes') + get(door, '/health'))
    letGo(door)
    const [first, second, third] = await busy.receive(3)
    expectSuccess(first as Answer)
    expectError(second as Answer, 503, 'SERVICE_UNAVAILABLE', /shutting down/)
    expect(Number(second?.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    expect(second?.headers['connection']).toBe('close')
    expect(third).toBeUndefined()
    expect(door.endpoints.handled).toHaveLength(1)
    await end
  })

  it('is not held up by connections that wait for their next request', async () => {
    const door = await startFrontDoor({ limits })
    const idle = Array.from({ length: 20 }, () => connectRaw(door.port))
    for (const connection of idle) connection.send(get(door, '/v1/notes'))
    await Promise.all(idle.map((connection) => connection.receive(1)))
    expect(await finishesWithin(patienceMs, door.stop())).toBe(true)
    await Promise.all(idle.map((connection) => connection.closed()))
  })

  it.each([
    ['sent nothing yet', ''],
    ['sent half of its headers', 'GET /health HTTP/1.1\r\nHo'],
  ])('is not held up by a connection that has %s', async (_name, bytes) => {
    const door = await startFrontDoor({ limits })
    const silent = connectRaw(door.port)
    silent.send(bytes)
    expectSuccess(await door.staging.get('/v1/notes'))
    expect(await finishesWithin(patienceMs, door.stop())).toBe(true)
    await silent.closed()
  })

  it('is not held up by a client that goes on asking', async () => {
    const { door, busy } = await withSlowRequest()
    const asking = setInterval(() => busy.send(get(door, '/v1/notes')), 5)
    const end = finishesWithin(patienceMs, door.stop())
    letGo(door)
    expect(await end).toBe(true)
    clearInterval(asking)
    busy.destroy()
  })

  it('cuts off after drainMs what does not end', async () => {
    const { door, busy } = await withSlowRequest({ drainMs: 200 })
    expect(await finishesWithin(patienceMs, door.stop())).toBe(true)
    await busy.closed()
    expect(busy.answers).toEqual([])
  })
})

describe('the whole service', () => {
  it('answers every request in flight, with data or with 503, and stops once even if it is called twice', async () => {
    const service = await startService()
    const answers = Promise.allSettled(Array.from({ length: 200 }, () => service.staging.get('/v1/balance')))
    await service.staging.get('/v1/balance')
    const [first, second] = [service.app.stop(), service.app.stop()]
    expect(second).toBe(first)
    await first
    const ends = await answers
    const statuses = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value.status] : []))
    expect(statuses.length).toBeGreaterThan(0)
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([])
    expect(await isRefused(Number(new URL(service.url).port))).toBe(true)
    await service.stop()
  })

  it('does not wait for work that outlasts the time of a stop, such as an e-mail to a silent server', async () => {
    const smtp = await startFakeSmtp()
    smtp.mischief = () => ({ at: 'BODY', silent: true })
    const settings = { SMTP_URL: smtp.url(), MAIL_FROM: 'no-reply@pay.example' }
    const { app, ctx, lines } = await startService({ settings, stopMs: 200 })
    const to = [{ email: 'ada@shop.example', personId: null }]
    const letter = { kind: 'mismatches' as const, facts: { count: 1, sinceMs: 0 }, to }
    await ctx.db.transaction((tx) => queueLetters(ctx, tx, letter))
    await expect.poll(() => smtp.mails.length, { timeout: patienceMs }).toBe(1)
    await app.stop()
    expect(lines.join()).toContain('work was still under way when the time for stopping was over')
    await smtp.close()
  })
})
