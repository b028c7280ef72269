// The dashboard's endpoints under attack: they refuse abuse as the API does, and go on serving everyone else.

import { connect } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { addPerson, below, callsOf } from '#tests/support/dashboard.ts'
import { connectRaw } from '#tests/support/raw-http.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { startService, useService } from '#tests/support/service.ts'

const limits = { headersMs: 2_000, requestMs: 2_000, checkMs: 50 }
const service = await useService({ roles: ['api'], limits })
const owner = await addPerson(service, { role: 'owner' })
const port = Number(new URL(service.url).port)
const fund = `${below(service, 'staging')}/v1/sandbox/balance/fund`

describe('a body', () => {
  it.each([
    ['that is no JSON', '{"amount":', 'PARSE_ERROR'],
    ['that is a list', '[1]', 'PARSE_ERROR'],
    ['that is empty', '', 'PARSE_ERROR'],
    ['that is not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'PARSE_ERROR'],
    ['that holds a NUL', '{"amount":"\\u0000"}', 'VALIDATION_ERROR'],
    ['that is nested ten thousand times', `{"amount":${'['.repeat(10_000)}${']'.repeat(10_000)}}`, 'VALIDATION_ERROR'],
  ])('%s is refused', async (_, body, code) => {
    expectError(await owner.call(fund, { method: 'POST', body }), 400, code)
  })

  it('that is too large is refused before it is read', async () => {
    const answer = await owner.call(fund, {
      method: 'POST',
      body: JSON.stringify({ amount: 1, more: 'x'.repeat(200_000) }),
    })
    expectError(answer, 413, 'PAYLOAD_TOO_LARGE')
  })

  it('that comes too slowly is cut off, with an answer', async () => {
    const connection = connectRaw(port)
    const headers = [
      `POST /dashboard/api${fund} HTTP/1.1`,
      `Host: localhost:${port}`,
      `Cookie: ${owner.cookie}`,
      'Sec-Fetch-Site: same-origin',
      'X-Manilla-Dashboard: 1',
      'Content-Type: application/json',
      'Content-Length: 1000',
    ]
    connection.send(`${headers.join('\r\n')}\r\n\r\n{`)
    const [answer] = await connection.receive(1)
    expect({ status: answer?.status, code: answer?.body.error?.code }).toEqual({ status: 400, code: 'PARSE_ERROR' })
    expect(answer?.headers['access-control-allow-origin']).toBeUndefined()
    await connection.closed()
  })
})

describe('a request', () => {
  it('whose headers are too large is refused', async () => {
    const connection = connectRaw(port)
    connection.send(`GET /dashboard HTTP/1.1\r\nHost: localhost\r\nCookie: ${'x'.repeat(20_000)}\r\n\r\n`)
    const [answer] = await connection.receive(1)
    expect(answer?.status).toBe(400)
  })

  it.each(['/dashboard/api/b/%E0%A4%A/staging/v1/balance', '/dashboard/api/b/%00/settings', '/dashboard/api//me'])(
    'to %s finds nothing and breaks nothing',
    async (path) => {
      const { status } = await owner.get(path.replace('/dashboard/api', ''))
      expect([400, 404]).toContain(status)
    },
  )

  it('beyond 600 of a person in a minute waits, and the business does not', async () => {
    const busy = await addPerson(service, { role: 'viewer' })
    const path = `${below(service, 'staging')}/v1/balance`
    let last = await busy.get(path)
    for (let count = 0; last.status === 200 && count < 1_300; count++) last = await busy.get(path)
    expectError(last, 429, 'RATE_LIMIT_EXCEEDED')
    expect(last.headers['x-ratelimit-limit']).toBe('600')
    expectSuccess(await owner.get(path))
    expectSuccess(await service.staging.get('/v1/balance'))
  })

  it('with a valid session counts as no guess, however many an office sends', async () => {
    const guesses = 5
    const office = await startService({
      limits: { guessesPerNetworkMax: guesses },
      clock: createFakeClock(),
      roles: ['api'],
    })
    const person = await addPerson(office, { role: 'owner' })
    for (let count = 0; count < 4 * guesses; count++) expectSuccess(await person.get('/me'))
    for (let guess = 0; guess < guesses; guess++) {
      const stranger = callsOf(office, `${person.cookie.split('=')[0]}=${String(guess).padStart(43, 'x')}`)
      expectError(await stranger.get('/me'), 401, 'UNAUTHORIZED')
    }
    // A signed-in user is asked to wait, and not to sign in again.
    expectError(await person.get('/me'), 429, 'RATE_LIMIT_EXCEEDED')
    await office.stop()
  })
})

describe('a thousand sockets', () => {
  const sockets = Array.from({ length: 1_000 }, () => connect({ host: '127.0.0.1', port }).on('error', () => undefined))
  afterAll(() => {
    for (const socket of sockets) socket.destroy()
  })

  it('that stay silent block no other client', async () => {
    for (const socket of sockets) socket.write('GET /dashboard/api/me HTTP/1.1\r\n')
    expectSuccess(await owner.get(`${below(service, 'staging')}/v1/balance`))
    expectError(await callsOf(service).get('/me'), 401, 'UNAUTHORIZED')
  })
})
