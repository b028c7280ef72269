// Several requests on one connection: each gets its own answer, in order, also when the last one is broken or the
// caller hangs up.

import { beforeEach, describe, expect, it } from 'vitest'
import { restSilenceMsMax } from '#api/server/answer.ts'
import { expectError, expectSuccess, type Answer } from '#tests/support/client.ts'
import { useFrontDoor } from '#tests/support/front-door.ts'
import { connectRaw, type RawConnection } from '#tests/support/raw-http.ts'

const door = await useFrontDoor()
const body = '{"reference":"N-1","amount":1,"title":"A note"}'

const head = (line: string, id: string, headers = ''): string =>
  `${line} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${door.testKey}\r\nX-Request-ID: ${id}\r\n${headers}\r\n`
const get = (path: string, id: string): string => head(`GET /staging${path}`, id)
const post = (id: string): string =>
  head('POST /staging/v1/notes', id, `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`) + body
const chunkedHead = (id: string): string =>
  head('POST /staging/v1/notes', id, 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n')

beforeEach(() => {
  door.endpoints.gates.splice(0)
  door.endpoints.handled.splice(0)
  door.lines.splice(0)
})

function open(): RawConnection {
  return connectRaw(door.port)
}

async function openGate(): Promise<void> {
  await expect.poll(() => door.endpoints.gates.length).toBe(1)
  door.endpoints.gates.forEach((letGo) => letGo())
}

const ids = (answers: Answer[]): (string | undefined)[] => answers.map((answer) => answer.body.requestId)
const errors = (): unknown[] => door.lines.filter((line) => line['level'] === 'error')

describe('good requests', () => {
  it('are answered in their order, though a later one is ready first', async () => {
    const connection = open()
    connection.send(
      get('/v1/slow', '1') + get('/v1/notes', '2') + post('3') + get('/v1/nothing', '4') + head('GET /health', '5'),
    )
    await openGate()
    const answers = await connection.receive(5)
    expect(ids(answers)).toEqual(['1', '2', '3', '4', '5'])
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 404, 200])
    connection.destroy()
  })

  it('come a thousand at once', async () => {
    const connection = open()
    connection.send(Array.from({ length: 1_000 }, (_, index) => post(`p${index}`)).join(''))
    const answers = await connection.receive(1_000)
    expect(ids(answers)).toEqual(Array.from({ length: 1_000 }, (_, index) => `p${index}`))
    expect(door.endpoints.handled).toHaveLength(1_000)
    connection.destroy()
  })

  it('go on after one that was refused with its body unread', async () => {
    const connection = open()
    const refused =
      head('POST /staging/v1/notes', '1', `X-API-Version: v2\r\nContent-Length: ${body.length}\r\n`) + body
    const tooLarge =
      head('POST /staging/v1/notes', '2', 'Content-Type: application/json\r\nContent-Length: 300000\r\n') +
      body.padEnd(300_000)
    connection.send(refused + tooLarge + post('3'))
    const answers = await connection.receive(3)
    expect(answers.map((answer) => answer.status)).toEqual([400, 413, 200])
    connection.destroy()
  })
})

describe('answers without a body to requests with one', () => {
  it.each(['OPTIONS', 'HEAD'])('%s leaves the connection in order', async (method) => {
    const connection = connectRaw(door.port, { bodiless: true })
    const asked = head(`${method} /staging/v1/notes`, '1', 'Content-Length: 5\r\n')
    connection.send(asked)
    const [first] = await connection.receive(1)
    connection.send('abcde' + asked + 'abcde' + get('/v1/notes', '3').replace('GET', 'HEAD'))
    const answers = await connection.receive(3)
    expect(first?.status).toBe(method === 'HEAD' ? 200 : 204)
    expect(answers.map((answer) => answer.headers['x-request-id'])).toEqual(['1', '1', '3'])
    connection.destroy()
  })
})

describe('a broken request behind good ones', () => {
  it.each([
    ['garbage', 'no HTTP at all\r\n\r\n', 400],
    ['CONNECT', 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n', 404],
    ['headers too large', `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 400],
  ])('%s is answered after them, and ends the connection', async (_name, bytes, status) => {
    const connection = open()
    connection.send(post('1') + get('/v1/slow', '2') + bytes)
    await openGate()
    const answers = await connection.receive(3)
    await connection.closed()
    expect(ids(answers).slice(0, 2)).toEqual(['1', '2'])
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, status])
    expect(answers[2]?.headers['connection']).toBe('close')
    connection.destroy()
  })

  it('a broken body is answered in its turn, under the id of its own request', async () => {
    const connection = open()
    connection.send(`${get('/v1/slow', '1')}${chunkedHead('2')}zz\r\n`)
    await openGate()
    const answers = await connection.receive(2)
    expect(ids(answers)).toEqual(['1', '2'])
    expectError(answers[1] as Answer, 400, 'PARSE_ERROR', /not valid HTTP/)
    expect(answers[1]?.headers['connection']).toBe('close')
    expect(door.endpoints.handled).toEqual([{ slow: '1' }])
    connection.destroy()
  })

  it('a body that breaks after its request was refused changes nothing about the answer', async () => {
    const connection = open()
    connection.send(chunkedHead('1').replace('X-Request-ID', 'X-API-Version: v2\r\nX-Request-ID'))
    const [answer] = await connection.receive(1)
    expectError(answer as Answer, 400, 'UNSUPPORTED_API_VERSION')
    connection.send('zz\r\n')
    await connection.closed()
    expect(connection.answers).toHaveLength(1)
    connection.destroy()
  })

  it('a refused request with a broken body waits for those before it', async () => {
    const connection = open()
    connection.send(
      get('/v1/slow', '1') + chunkedHead('2').replace('X-Request-ID', 'X-API-Version: v2\r\nX-Request-ID'),
    )
    await expect.poll(() => door.endpoints.gates.length).toBe(1)
    connection.send('zz\r\n')
    const startedAt = performance.now() // Longer than the server waits for the rest of a refused body:
    await expect.poll(() => performance.now() - startedAt).toBeGreaterThan(restSilenceMsMax + 100)
    await openGate()
    const answers = await connection.receive(2)
    expect(ids(answers)).toEqual(['1', '2'])
    await connection.closed()
    connection.destroy()
  })

  it('garbage that keeps coming is answered once', async () => {
    const connection = open()
    connection.send('garbage\r\n\r\n')
    for (let index = 0; index < 20; index++) {
      await new Promise((resolve) => setImmediate(resolve))
      connection.send('more garbage\r\n\r\n')
    }
    await connection.closed()
    expect(connection.answers).toHaveLength(1)
    connection.destroy()
  })

  it('garbage behind a request that closes the connection is not looked at', async () => {
    const connection = open()
    connection.send(`${head('GET /staging/v1/notes', '1', 'Connection: close\r\n')}garbage\r\n\r\n`)
    await connection.closed()
    expect(ids(connection.answers)).toEqual(['1'])
    connection.destroy()
  })
})

describe('a caller who hangs up', () => {
  const countOf =
    (...statuses: number[]) =>
    async (): Promise<number> => {
      const { values } = await door.metrics.httpRequests.get()
      const counted = values.filter(({ labels }) => statuses.includes(Number(labels['status'])))
      return counted.reduce((sum, { value }) => sum + value, 0)
    }

  it('in the middle of a body executes nothing, and is no fault of ours', async () => {
    const before = await countOf(499)()
    const connection = open()
    connection.send(post('gone').slice(0, -5))
    await expect.poll(() => door.keyring.touched.length).toBeGreaterThan(0)
    connection.socket.resetAndDestroy()
    await expect.poll(countOf(499)).toBe(before + 1)
    expect(errors()).toEqual([])
    expect(door.endpoints.handled).toEqual([])
  })

  it('while the work is done does not undo it', async () => {
    const before = await countOf(499)()
    const connection = open()
    connection.send(get('/v1/slow', 'gone'))
    await expect.poll(() => door.endpoints.gates.length).toBe(1)
    connection.socket.resetAndDestroy()
    await expect.poll(countOf(499)).toBe(before + 1)
    await openGate()
    await expect.poll(() => door.endpoints.handled).toEqual([{ slow: 'gone' }])
    expect(errors()).toEqual([])
    expectSuccess(await door.staging.get('/v1/notes'))
  })

  it('hundreds of times leaves nothing behind', async () => {
    const [touched, before] = [door.keyring.touched.length, await countOf(400, 499)()]
    const connections = Array.from({ length: 500 }, open)
    for (const connection of connections) connection.send(post('gone').slice(0, -1))
    await expect.poll(() => door.keyring.touched.length).toBe(touched + 500)
    for (const connection of connections) connection.destroy()
    await expect.poll(countOf(400, 499)).toBe(before + 500)
    expect(errors()).toEqual([])
    expect(door.endpoints.handled).toEqual([])
  })
})
