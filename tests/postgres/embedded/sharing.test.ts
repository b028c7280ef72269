import { expect, test } from 'vitest'
import { OperatorError } from '#platform/errors.ts'
import { openEmbeddedPostgres } from '#postgres/embedded/open.ts'
import { postmasterPid, query, spawnOpener, newInitializedDataDir } from './support.ts'

test('a second server on the same DATA_DIR is refused with the process that holds it, here and elsewhere', async () => {
  const dataDir = await newInitializedDataDir()
  const server = await openEmbeddedPostgres({ dataDir, use: 'serve', durable: false })
  const refusal =
    `Another Manilla server (process ${process.pid}) already uses DATA_DIR ${dataDir}. ` +
    'Stop it, or set DATA_DIR to another folder.'
  await expect(openEmbeddedPostgres({ dataDir, use: 'serve', durable: false })).rejects.toThrow(
    new OperatorError(refusal),
  )
  const second = spawnOpener({ dataDir, use: 'serve' })
  expect(await second.line('error')).toBe(refusal)
  expect(second.lines[0]?.name).toBe('OperatorError')
  expect(await query(server.serviceUrl, 'select 1')).toEqual([1])
  await server.release()
})

test('two servers that start at the same moment: exactly one serves', async () => {
  const dataDir = await newInitializedDataDir()
  const openers = [1, 2, 3].map(() => spawnOpener({ dataDir, use: 'serve' }))
  const ends = openers.map((opener) => Promise.any([opener.line('ownerUrl'), opener.line('error')]))
  const answers = await Promise.all(ends)
  expect(answers.filter((answer) => answer.startsWith('postgres://'))).toHaveLength(1)
  await Promise.all(openers.map((opener) => opener.release()))
  expect(await postmasterPid(dataDir)).toBeUndefined()
})

test('a server that was killed is replaced at once: nothing stale refuses the next one', async () => {
  const dataDir = await newInitializedDataDir()
  for (let round = 0; round < 3; round += 1) {
    const server = spawnOpener({ dataDir, use: 'serve' })
    expect(await query(await server.line('serviceUrl'), 'select 1')).toEqual([1])
    await server.kill()
  }
  const last = await openEmbeddedPostgres({ dataDir, use: 'serve', durable: false })
  await last.release()
  expect(await postmasterPid(dataDir)).toBeUndefined()
})

test('a command beside a server uses its PostgreSQL and leaves it running', async () => {
  const dataDir = await newInitializedDataDir()
  const server = await openEmbeddedPostgres({ dataDir, use: 'serve', durable: false })
  const pid = await postmasterPid(dataDir)
  const command = spawnOpener({ dataDir, use: 'command' })
  expect(await command.line('ownerUrl')).toBe(server.ownerUrl)
  await command.release()
  expect(await postmasterPid(dataDir)).toBe(pid)
  expect(await query(server.serviceUrl, 'select 1')).toEqual([1])
  await server.release()
  expect(await postmasterPid(dataDir)).toBeUndefined()
})

test('a command without a server starts PostgreSQL for the moment and stops it', async () => {
  const dataDir = await newInitializedDataDir()
  const command = await openEmbeddedPostgres({ dataDir, use: 'command', durable: false })
  expect(await postmasterPid(dataDir)).toBeTypeOf('number')
  await command.release()
  expect(await postmasterPid(dataDir)).toBeUndefined()
})

test('a server that leaves while a command works leaves it PostgreSQL, which the command stops', async () => {
  const dataDir = await newInitializedDataDir()
  const server = await openEmbeddedPostgres({ dataDir, use: 'serve', durable: false })
  const command = await openEmbeddedPostgres({ dataDir, use: 'command', durable: false })
  await server.release()
  expect(await query(command.ownerUrl, 'select 1')).toEqual([1])
  await command.release()
  expect(await postmasterPid(dataDir)).toBeUndefined()
})

test('a process that comes while the last one stops PostgreSQL waits and gets a running one', async () => {
  const dataDir = await newInitializedDataDir()
  let current = await openEmbeddedPostgres({ dataDir, use: 'command', durable: false })
  for (let round = 0; round < 5; round += 1) {
    const leaving = current.release()
    const [next] = await Promise.all([openEmbeddedPostgres({ dataDir, use: 'serve', durable: false }), leaving])
    expect(await query(next.serviceUrl, 'select 1')).toEqual([1])
    current = next
  }
  await current.release()
})

test('many commands of many processes come and go, and each finds its database', async () => {
  const dataDir = await newInitializedDataDir()
  const rounds = Array.from({ length: 6 }, async () => {
    const command = spawnOpener({ dataDir, use: 'command' })
    expect(await query(await command.line('ownerUrl'), 'select 1')).toEqual([1])
    await command.release()
  })
  await Promise.all(rounds)
  expect(await postmasterPid(dataDir)).toBeUndefined()
})

test('release can be called twice, and after it nothing keeps the process alive', async () => {
  const dataDir = await newInitializedDataDir()
  const server = await openEmbeddedPostgres({ dataDir, use: 'serve', durable: false })
  await Promise.all([server.release(), server.release()])
  await server.release()
  // Its release waits for the natural end of the process.
  const opener = spawnOpener({ dataDir, use: 'serve' })
  await opener.line('ownerUrl')
  await opener.release()
  expect(await postmasterPid(dataDir)).toBeUndefined()
})

test('sessions that were left open do not delay the stop', async () => {
  const dataDir = await newInitializedDataDir()
  const server = await openEmbeddedPostgres({ dataDir, use: 'serve', durable: false })
  const forgotten = query(server.serviceUrl, 'select pg_sleep(60)').catch((error: unknown) => error)
  const started = performance.now()
  await server.release()
  expect(await forgotten).toBeInstanceOf(Error)
  // A stop that waits for sessions is forced after 30 s.
  expect(performance.now() - started).toBeLessThan(25_000)
})
