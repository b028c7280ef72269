// A client with many connections blocks no other client. The addresses of one machine stand in for those of many
// networks.

import { afterEach, describe, expect, it } from 'vitest'
import { startFrontDoor, type FrontDoor, type FrontDoorOptions } from '#tests/support/front-door.ts'
import { connectRaw, type RawAnswer, type RawConnection } from '#tests/support/raw-http.ts'

const limits = { connectionsMax: 8, connectionsPerNetworkMax: 3 }
const health = 'GET /health HTTP/1.1\r\nHost: a\r\n\r\n'
const doors: FrontDoor[] = []
const clients: RawConnection[] = []
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy()
  await Promise.all(doors.splice(0).map((door) => door.stop()))
})

async function openDoor(options: FrontDoorOptions = {}): Promise<FrontDoor> {
  const door = await startFrontDoor({ limits, ...options })
  doors.push(door)
  return door
}

function connectFrom(door: FrontDoor, from: string): RawConnection {
  const client = connectRaw(door.port, { from })
  clients.push(client)
  return client
}

/** Connects and waits for an answer, so that the server has certainly seen the connection, and keeps it open. */
async function holdFrom(door: FrontDoor, from: string): Promise<RawConnection> {
  const client = connectFrom(door, from)
  expect(await askAgain(client)).toMatchObject({ status: 200 })
  return client
}

/** Undefined when the connection is closed. */
async function askAgain(client: RawConnection, bytes = health): Promise<RawAnswer | undefined> {
  const before = client.answers.length
  client.send(bytes)
  return (await client.receive(before + 1))[before]
}

const slow = (key: string): string => `GET /staging/v1/slow HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`

/** A business's request in progress. */
async function work(door: FrontDoor, from: string): Promise<RawConnection> {
  const client = connectFrom(door, from)
  const before = door.endpoints.gates.length
  client.send(slow(door.testKey))
  await expect.poll(() => door.endpoints.gates.length).toBe(before + 1)
  return client
}

const closed = async (door: FrontDoor): Promise<string[]> => {
  const { values } = await door.metrics.httpConnectionsClosed.get()
  return values.filter(({ value }) => value > 0).map(({ labels, value }) => `${labels['because']} ${value}`)
}

describe('a network', () => {
  it('that holds as many as it may loses the one that was idle for longest to its next', async () => {
    const door = await openDoor()
    const [first, second, third] = [
      await holdFrom(door, '127.0.0.2'),
      await holdFrom(door, '127.0.0.2'),
      await holdFrom(door, '127.0.0.2'),
    ]
    const neighbour = await holdFrom(door, '127.0.0.3')
    await askAgain(first)
    await holdFrom(door, '127.0.0.2')
    await second.closed()
    for (const left of [first, third, neighbour]) expect(await askAgain(left)).toMatchObject({ status: 200 })
    expect(await closed(door)).toEqual(['network 1'])
  })

  it('whose connections stay silent blocks no other network, nor its own new connections', async () => {
    const door = await openDoor()
    const silent = Array.from({ length: 50 }, () => connectFrom(door, '127.0.0.2'))
    await holdFrom(door, '127.0.0.2')
    await Promise.all(silent.slice(0, -limits.connectionsPerNetworkMax).map((client) => client.closed()))
    expect(await closed(door)).toEqual([`network ${silent.length + 1 - limits.connectionsPerNetworkMax}`])
  })

  it('loses nothing that is at work for a business: then its next one is turned away', async () => {
    const door = await openDoor()
    const busy = [await work(door, '127.0.0.2'), await work(door, '127.0.0.2'), await work(door, '127.0.0.2')]
    const late = connectFrom(door, '127.0.0.2')
    expect(await askAgain(late)).toBeUndefined()
    await holdFrom(door, '127.0.0.3')
    for (const open of door.endpoints.gates.splice(0)) open()
    for (const client of busy) expect((await client.receive(1))[0]).toMatchObject({ status: 200 })
    expect(await closed(door)).toEqual(['busy 1'])
  })

  it('of a trusted proxy has no limit', async () => {
    const door = await openDoor({ settings: { TRUSTED_PROXIES: '127.0.0.2' } })
    const held: RawConnection[] = []
    for (let count = 0; count < 6; count++) held.push(await holdFrom(door, '127.0.0.2'))
    for (const client of held) expect(await askAgain(client)).toMatchObject({ status: 200 })
    expect(await closed(door)).toEqual([])
  })
})

describe('a process that is full', () => {
  const networks = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5']

  it('closes the connection that was idle for longest, and a business gets in', async () => {
    const door = await openDoor()
    const held: RawConnection[] = []
    for (const from of networks) held.push(await holdFrom(door, from), await holdFrom(door, from))
    const business = connectFrom(door, '127.0.0.9')
    const note = `GET /staging/v1/notes HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${door.testKey}\r\n\r\n`
    expect(await askAgain(business, note)).toMatchObject({ status: 200 })
    await held[0]?.closed()
    for (const client of held.slice(1)) expect(await askAgain(client)).toMatchObject({ status: 200 })
    expect(await closed(door)).toEqual(['process 1'])
  })

  it('closes an unfinished request of a stranger before it turns a business away', async () => {
    const door = await openDoor()
    const readiness = Promise.withResolvers<string[]>()
    door.readiness.missingMigrations = () => readiness.promise
    const strangers = networks.flatMap((from) => [connectFrom(door, from), connectFrom(door, from)])
    // The server parses both at once: a caller that has the first answer has begun the second request.
    const neverDone = `${health}GET /ready HTTP/1.1\r\nHost: a\r\n\r\n`
    for (const stranger of strangers) expect(await askAgain(stranger, neverDone)).toMatchObject({ status: 200 })
    const business = await work(door, '127.0.0.9')
    for (const open of door.endpoints.gates.splice(0)) open()
    expect((await business.receive(1))[0]).toMatchObject({ status: 200 })
    expect(await closed(door)).toEqual(['process 1'])
    readiness.resolve([])
  })
})
