import { createServer, type AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createPrimary, createSessions, serversOf } from '#platform/db/sessions.ts'
import { parseConfig } from '#config.ts'
import { refusal } from '#tests/support/refusal.ts'

const address = 'postgres://app:p@db1,db2:5433,[::1]/manilla?target_session_attrs=read-write&sslmode=verify-full'

describe('an address of several servers', () => {
  it('becomes a URL for each, with the parts that they share', () => {
    expect(serversOf(address)).toEqual([
      'postgres://app:p@db1/manilla?sslmode=verify-full',
      'postgres://app:p@db2:5433/manilla?sslmode=verify-full',
      'postgres://app:p@[::1]/manilla?sslmode=verify-full',
    ])
    expect(serversOf('postgres://db1,db2/manilla?target_session_attrs=primary')).toEqual([
      'postgres://db1/manilla',
      'postgres://db2/manilla',
    ])
  })

  it.each([
    'postgres://app:p%40ss@db1/manilla?options=-c%20jit%3Doff',
    'postgresql://db1',
    'postgres://app@/manilla?host=/run/postgresql',
  ])('%s, of one, stays what it is', (one) => {
    expect(serversOf(one)).toEqual([one])
  })

  it.each(['any', 'standby', 'read-only', 'prefer-standby', ''])(
    'is refused as a setting when it asks for sessions that are %s',
    (wanted) => {
      const DATABASE_URL = `postgres://db1,db2/manilla?target_session_attrs=${wanted}`
      expect(refusal({ DATABASE_URL })).toBe(
        'Wrong setting: DATABASE_URL asks for target_session_attrs=read-write, or says nothing of it: Manilla writes.',
      )
    },
  )

  it('is taken as a setting when it asks for sessions that write', () => {
    expect(parseConfig({ DATABASE_URL: address, SECRET_KEY: 'a'.repeat(64) }).databaseUrl).toBe(address)
  })
})

describe('the search for the primary', () => {
  it('asks all servers once for all callers, and again after a failure', async () => {
    const asked: string[] = []
    const signals: AbortSignal[] = []
    const primary = createPrimary('postgres://a,b,c/x', (url, over) => {
      asked.push(url)
      signals.push(over)
      // Server a refuses, and server b never answers.
      if (url.includes('//a')) return Promise.reject(new Error('a is a standby'))
      return url.includes('//b') ? new Promise(() => undefined) : Promise.resolve()
    })
    await Promise.all([primary.find(), primary.find()])
    await primary.find()
    expect(primary.url()).toBe('postgres://c/x')
    expect(asked).toEqual(['postgres://a/x', 'postgres://b/x', 'postgres://c/x'])
    expect(signals.every(({ aborted }) => aborted)).toBe(true)
    primary.forget()
    await primary.find()
    expect(asked).toHaveLength(6)
  })

  it('reports for each server why it cannot be used', async () => {
    const primary = createPrimary('postgres://a,b/x', (url) => Promise.reject(new Error(`${url} is a standby`)))
    await expect(primary.find()).rejects.toThrow(
      'no server takes writes: postgres://a/x is a standby; postgres://b/x is a standby',
    )
  })

  it('ends when a server answers and then falls silent before its session is closed', async () => {
    const port = await startSilentServer()
    const sessions = createSessions(`postgres://app@127.0.0.1:${port},127.0.0.1:${port}/x`)
    await expect(sessions.findPrimary()).resolves.toBeUndefined()
  })

  it('asks no server if there is only one', async () => {
    const primary = createPrimary('postgres://a/x', () => Promise.reject(new Error('nobody asks')))
    await primary.find()
    primary.forget()
    await primary.find()
    expect(primary.url()).toBe('postgres://a/x')
  })
})

/** Accepts the sign-in of each session and answers nothing after that, not even its end. Resolves with its port. */
async function startSilentServer(): Promise<number> {
  const signedIn = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0])
  const ready = Buffer.from([0x5a, 0, 0, 0, 5, 0x49])
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.write(Buffer.concat([signedIn, ready])))
    socket.resume()
    onTestFinished(() => void socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}
