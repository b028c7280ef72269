// The live stream reports changes within seconds, and only to users who may see them.

import { get, type IncomingMessage } from 'node:http'
import pg from 'pg'
import { afterEach, describe, expect, it } from 'vitest'
import { neverEnding, transferBody } from '#tests/payments/requests.ts'
import { expectError, expectSuccess } from '#tests/support/client.ts'
import { addPerson, below, pageHeaders, type TestPerson } from '#tests/support/dashboard.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { asOwner } from '#tests/support/owner.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { startService, useService, type TestService } from '#tests/support/service.ts'

const service = await useService({ roles: ['api'] })
const path = `${below(service, 'staging')}/live`
const open: IncomingMessage[] = []

afterEach(() => {
  for (const stream of open.splice(0)) stream.destroy()
})

type Stream = { text: () => string; ended: () => boolean; hints: () => Record<string, unknown>[] }

async function listen(person: TestPerson, query = '', at: TestService = service): Promise<Stream> {
  const url = `${at.url.replace('127.0.0.1', 'localhost')}/dashboard/api${below(at, 'staging')}/live${query}`
  const response = await new Promise<IncomingMessage>((resolve, reject) =>
    get(url, { headers: { ...pageHeaders, Cookie: person.cookie } }, resolve).on('error', reject),
  )
  open.push(response)
  let [text, ended] = ['', false]
  response.setEncoding('utf8')
  response.on('data', (chunk: string) => (text += chunk))
  response.on('error', () => (ended = true))
  response.on('end', () => (ended = true))
  await untilHolds(() => expect(text).toContain(': hello'))
  const hints = (): Record<string, unknown>[] =>
    [...text.matchAll(/^data: (.*)$/gm)].map(([, json = '{}']) => JSON.parse(json) as Record<string, unknown>)
  return { text: () => text, ended: () => ended, hints }
}

async function deposit(): Promise<unknown> {
  const account = expectSuccess(await service.staging.post('/v1/virtual-accounts/dynamic', { amount: 250_000 }))
  const body = { accountNumber: account['accountNumber'], amount: 250_000 }
  return expectSuccess(await service.staging.post('/v1/sandbox/deposits', body))['reference']
}

describe('a page that listens', () => {
  it('gets a message about new records, and reads them itself', async () => {
    const owner = await addPerson(service, { role: 'owner' })
    const stream = await listen(owner)
    await service.staging.post('/v1/transfers/initiate', transferBody())
    await untilHolds(() => expect(stream.hints()).toContainEqual(expect.objectContaining({ noun: 'transfers' })))
    expect(Object.keys(stream.hints()[0] ?? {})).toEqual(['noun', 'reference', 'status'])
  })

  it('gets no more messages after it has closed its side of the connection', async () => {
    const owner = await addPerson(service, { role: 'owner' })
    for (let count = 0; count < 2 * 5; count += 1) {
      const stream = await listen(owner)
      open.at(-1)?.socket.end()
      await untilHolds(() => expect(stream.ended()).toBe(true))
    }
  })

  it('gets a message when a payment that it names ends', async () => {
    const owner = await addPerson(service, { role: 'owner' })
    const body = transferBody({ accountNumber: neverEnding })
    expectSuccess(await service.staging.post('/v1/transfers/initiate', body))
    const stream = await listen(owner, `?names=${String(body['reference'])}`)
    const ended = { noun: 'transfers', reference: body['reference'], status: 'FAILED' }
    expectSuccess(
      await service.staging.post(`/v1/sandbox/transfers/${String(body['reference'])}/complete`, { status: 'FAILED' }),
    )
    await untilHolds(() => expect(stream.hints()).toContainEqual(ended))
  })

  it('gets the changes of the minute before its stream began, also if another stream reported them already', async () => {
    const clock = createFakeClock(Date.now())
    const other = await startService({ roles: ['api'], clock })
    const body = transferBody({ accountNumber: neverEnding })
    expectSuccess(await other.staging.post('/v1/transfers/initiate', body))
    const query = `?names=${String(body['reference'])}`
    const earlier = await listen(await addPerson(other, { role: 'owner' }), query, other)
    expectSuccess(
      await other.staging.post(`/v1/sandbox/transfers/${String(body['reference'])}/complete`, { status: 'FAILED' }),
    )
    const ended = { noun: 'transfers', reference: body['reference'], status: 'FAILED' }
    await untilHolds(() => expect(earlier.hints()).toContainEqual(ended))
    const later = await listen(await addPerson(other, { role: 'viewer' }), query, other)
    await untilHolds(() => expect(later.hints()).toEqual([ended, ended]))
    clock.advance(61_000)
    const afterwards = await listen(await addPerson(other, { role: 'viewer' }), query, other)
    expectSuccess(await other.staging.post('/v1/transfers/initiate', transferBody({ reference: 'NEW-1' })))
    await untilHolds(() => expect(afterwards.hints()).toEqual([expect.objectContaining({ reference: 'NEW-1' })]))
    await other.stop()
  })

  it('gets no message about another business', async () => {
    const owner = await addPerson(service, { role: 'owner' })
    const other = await service.addBusiness('Another')
    const stream = await listen(owner)
    const theirs = transferBody()
    await other.staging.post('/v1/transfers/initiate', theirs)
    await service.staging.post('/v1/transfers/initiate', transferBody())
    await untilHolds(() => expect(stream.hints()).toContainEqual(expect.objectContaining({ noun: 'transfers' })))
    expect(stream.text()).not.toContain(String(theirs['reference']))
  })
})

it('a stream begins after a check has recorded the state, so it misses no later change', async () => {
  const owner = await addPerson(service, { role: 'owner' })
  const lock = new pg.Client({ connectionString: service.database.ownerUrl })
  await lock.connect()
  await lock.query('begin; lock table payment in access exclusive mode')
  const listening = listen(owner)
  await deposit()
  expect(open).toHaveLength(0)
  await lock.query('commit')
  await lock.end()
  const stream = await listening
  const reference = await deposit()
  await untilHolds(() =>
    expect(stream.hints()).toContainEqual(expect.objectContaining({ noun: 'deposits', reference })),
  )
})

describe('a stream is refused', () => {
  it('to a stranger, and in the frame of another site', async () => {
    const owner = await addPerson(service, { role: 'owner' })
    expectError(await owner.call(path, { headers: { Cookie: '' } }), 401, 'UNAUTHORIZED')
    expectError(await owner.call(path, { headers: { 'Sec-Fetch-Site': 'same-site' } }), 403, 'FORBIDDEN')
  })

  it('beyond five of one person', async () => {
    const owner = await addPerson(service, { role: 'owner' })
    for (let count = 0; count < 5; count++) await listen(owner)
    const sixth = await owner.get(path)
    expectError(sixth, 503, 'SERVICE_UNAVAILABLE')
    expect(sixth.headers['retry-after']).toBe('10')
    await listen(await addPerson(service, { role: 'viewer' }))
  })

  it('for more than a hundred names', async () => {
    const owner = await addPerson(service, { role: 'owner' })
    const names = Array.from({ length: 101 }, (_, index) => `R${index}`).join(',')
    expectError(await owner.get(`${path}?names=${names}`), 400, 'VALIDATION_ERROR')
  })
})

describe('a stream ends', () => {
  it('first of all when the service stops', async () => {
    const other = await startService({ roles: ['api'] })
    const stream = await listen(await addPerson(other, { role: 'owner' }), '', other)
    await other.stop()
    await untilHolds(() => expect(stream.ended()).toBe(true))
  })
})

describe('a person who was removed', () => {
  it('gets no message any more after a minute', async () => {
    const clock = createFakeClock(Date.now())
    const other = await startService({ roles: ['api'], clock })
    const leaver = await addPerson(other, { role: 'viewer' })
    const [stream, staying] = [
      await listen(leaver, '', other),
      await listen(await addPerson(other, { role: 'viewer' }), '', other),
    ]
    await asOwner(other.database, `delete from membership where person_id = '${leaver.id}'`)
    clock.advance(61_000)
    await untilHolds(() => expect(stream.ended()).toBe(true))
    expect(staying.ended()).toBe(false)
    await other.stop()
  })

  it('asks again at the next call, and is a stranger to the business', async () => {
    const leaver = await addPerson(service, { role: 'viewer' })
    expectSuccess(await leaver.get(`${below(service, 'staging')}/v1/balance`))
    await asOwner(service.database, `delete from membership where person_id = '${leaver.id}'`)
    expectError(await leaver.get(`${below(service, 'staging')}/v1/balance`), 404, 'NOT_FOUND')
  })
})
