// Sends several thousand malformed requests. Each gets a complete answer or a closed connection within a limit, never a
// 5xx, and the next good request is answered as usual.

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { expectCommonHeaders, expectSuccess, type Answer } from '#tests/support/client.ts'
import { useFrontDoor } from '#tests/support/front-door.ts'
import { jsonRequests, rawRequests, type JsonRequest, type RawRequest } from '#tests/support/malformed-requests.ts'
import { connectRaw } from '#tests/support/raw-http.ts'

const seed = 20_260_115
const door = await useFrontDoor({ limits: { headersMs: 300, requestMs: 400, checkMs: 50 } })
const atOnce = 64

/** Runs all samples, so many at a time; a failure names the sample. */
async function forAll<T>(
  samples: T[],
  nameOf: (sample: T) => string,
  attempt: (sample: T) => Promise<void>,
): Promise<void> {
  const queue = samples.values()
  const worker = async (): Promise<void> => {
    for (const sample of queue) {
      await attempt(sample).catch((error: unknown) =>
        Promise.reject(new Error(`with ${nameOf(sample)}`, { cause: error })),
      )
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

function expectSound(answer: Answer): void {
  expect([200, 204, 400, 401, 403, 404, 405, 413]).toContain(answer.status)
  expectCommonHeaders(answer.headers)
  expect(answer.headers['access-control-allow-origin']).toBe('*')
  if (answer.status === 204 || answer.headers['content-type']?.startsWith('application/json') !== true) return
  expect(answer.body.success).toBe(answer.status === 200)
  expect(answer.body.requestId).toBe(answer.headers['x-request-id'])
  if (answer.status === 200) return
  expect(answer.body.error?.message).not.toBe('')
  expect(answer.body.timestamp).toMatch(/Z$/)
}

async function sendRaw({ pieces, ends }: RawRequest): Promise<void> {
  const connection = connectRaw(door.port)
  for (const piece of pieces) {
    connection.send(piece)
    await new Promise((resolve) => setImmediate(resolve))
  }
  if (ends) connection.socket.end()
  const answers = await connection.receive(1)
  connection.destroy()
  answers.forEach(expectSound)
}

async function sendJson({ method, path, headers, body }: JsonRequest): Promise<void> {
  expectSound(await door.stranger.call(path, { method, headers, body }))
}

async function expectUnharmed(): Promise<void> {
  expectSuccess(await door.staging.post('/v1/notes', { reference: 'N-1', amount: 1, title: 'still here' }))
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  expect(door.lines.filter((line) => line['level'] === 'error' || line['level'] === 'fatal')).toEqual([])
}

it('raw bytes on a socket', async () => {
  const samples = fc.sample(rawRequests(door.testKey), { seed, numRuns: 3_000 })
  await forAll(samples, (sample) => sample.name, sendRaw)
  await expectUnharmed()
})

it('well-formed HTTP with malformed contents', async () => {
  const samples = fc.sample(jsonRequests(door.testKey), { seed, numRuns: 2_000 })
  await forAll(samples, (sample) => JSON.stringify(sample).slice(0, 600), sendJson)
  await expectUnharmed()
})

it('other protocols', async () => {
  const greetings = [
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0', // HTTP/2 with prior knowledge
    '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03', // TLS
    'GET /\r\n', // HTTP/0.9
    'SSH-2.0-OpenSSH_9.6\r\n',
    'EHLO a\r\n',
    'USER anonymous\r\n',
    '*1\r\n$4\r\nPING\r\n',
    '\0\0\0\x08\x04\xd2\x16\x2f',
    '\r\n\r\n\r\n',
    '\n',
    '\0',
    '<?xml version="1.0"?>',
  ]
  const samples = greetings.flatMap((text) =>
    [true, false].map((ends) => ({ name: text, pieces: [Buffer.from(text, 'latin1')], ends })),
  )
  await forAll(samples, (sample) => sample.name, sendRaw)
  await expectUnharmed()
})
