import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { openEmbeddedPostgres } from '#postgres/embedded/open.ts'
import {
  dataFolder,
  killAndWait,
  newDataDir,
  postmasterPid,
  query,
  spawnOpener,
  until,
  newInitializedDataDir,
} from './support.ts'

test('a first run makes the database, its owner and a service role that can create nothing', async () => {
  const dataDir = await newDataDir()
  const steps: string[] = []
  const opened = await openEmbeddedPostgres({ dataDir, use: 'command', onStep: (step) => steps.push(step) })
  try {
    expect(steps).toEqual(['preparing the database'])
    expect(await query(opened.ownerUrl, 'select current_user::text')).toEqual(['manilla_owner'])
    await query(opened.ownerUrl, 'create table note (text text)')
    await query(opened.ownerUrl, 'grant select on note to manilla_service')
    expect(await query(opened.serviceUrl, 'select count(*)::int from note')).toEqual([0])
    for (const forbidden of ['create table x ()', 'create schema x', 'create database x', 'drop table note']) {
      await expect(query(opened.serviceUrl, forbidden)).rejects.toThrow(/permission denied|must be owner/)
    }
    const superusers = await query(opened.ownerUrl, 'select rolname::text from pg_roles where rolsuper')
    expect(superusers).toEqual(['postgres'])
  } finally {
    await opened.release()
  }
})

test('a commit is durable unless the opener says otherwise, and then a durable opener corrects it', async () => {
  const dataDir = await newDataDir()
  const careless = await openEmbeddedPostgres({ dataDir, use: 'command', durable: false })
  expect(await query(careless.ownerUrl, 'show fsync')).toEqual(['off'])
  const careful = await openEmbeddedPostgres({ dataDir, use: 'serve' })
  for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes']) {
    await until(async () => (await query(careful.serviceUrl, `show ${setting}`))[0] === 'on')
  }
  await careless.release()
  await careful.release()
})

test('text is UTF-8 in byte order, times are UTC, and no network port is open', async () => {
  const dataDir = await newInitializedDataDir()
  const { ownerUrl, release } = await openEmbeddedPostgres({ dataDir, use: 'command', durable: false })
  try {
    const asked = ['server_encoding', 'timezone', 'listen_addresses', 'jit', 'max_connections', 'data_checksums']
    const answers = await Promise.all(asked.map(async (name) => (await query(ownerUrl, `show ${name}`))[0]))
    expect(answers).toEqual(['UTF8', 'UTC', '', 'off', '400', 'on'])
    const collation = `select datcollate from pg_database where datname = 'manilla'`
    expect(await query(ownerUrl, collation)).toEqual(['C'])
  } finally {
    await release()
  }
})

test('no other user can read the passwords, enter the data or reach the socket', async () => {
  const dataDir = await newInitializedDataDir()
  const { release } = await openEmbeddedPostgres({ dataDir, use: 'command', durable: false })
  const others = async (path: string) => (await stat(path)).mode & 0o007
  try {
    const home = join(dataDir, 'postgres')
    for (const path of [dataDir, ...(await readdir(home)).map((name) => join(home, name))]) {
      expect(`${path} ${await others(path)}`).toBe(`${path} 0`)
    }
    expect((await stat(join(home, 'passwords.json'))).mode & 0o777).toBe(0o600)
    expect((await stat(join(home, 'run'))).mode & 0o777).toBe(0o700)
  } finally {
    await release()
  }
})

test('a wrong password is refused, also on the socket', async () => {
  const dataDir = await newInitializedDataDir()
  const { ownerUrl, release } = await openEmbeddedPostgres({ dataDir, use: 'command', durable: false })
  const client = new Client({ connectionString: ownerUrl.replace(/:[0-9a-f]+@/, ':wrong@') })
  try {
    await expect(client.connect()).rejects.toMatchObject({ code: '28P01' })
  } finally {
    await client.end()
    await release()
  }
})

test('a first run that is killed half-way leaves nothing that stops the next one', async () => {
  const dataDir = await newDataDir()
  const home = join(dataDir, 'postgres')
  const unfinished = async () => (await readdir(home).catch(() => [])).filter((name) => name.startsWith('data.new-'))
  const doomed = spawnOpener({ dataDir, use: 'serve' })
  await until(async () => (await unfinished()).length > 0)
  await killAndWait(doomed.pid, 'SIGKILL')
  expect(await readdir(home)).not.toContain('data')

  const { ownerUrl, release } = await openEmbeddedPostgres({ dataDir, use: 'command', durable: false })
  expect(await query(ownerUrl, 'select 1')).toEqual([1])
  await release()
  // The orphaned initdb of the first run may have written for a moment longer; the next first run would remove that
  // too.
  expect(await readdir(home)).toContain('data')
})

test('the unfinished folder of an earlier first run is removed', async () => {
  const dataDir = await newDataDir()
  const leftOver = `${dataFolder(dataDir)}.new-0badcafe`
  await mkdir(leftOver, { recursive: true })
  await writeFile(join(leftOver, 'PG_VERSION'), '18\n')
  const { release } = await openEmbeddedPostgres({ dataDir, use: 'command', durable: false })
  await release()
  expect(await readdir(join(dataDir, 'postgres'))).not.toContain('data.new-0badcafe')
})

test('two first runs at once make one database that both use', async () => {
  const dataDir = await newDataDir()
  const openers = [1, 2].map(() => spawnOpener({ dataDir, use: 'command' }))
  const urls = await Promise.all(openers.map((opener) => opener.line('ownerUrl')))
  expect(urls[0]).toBe(urls[1])
  expect(await query(urls[0] ?? '', 'select 1')).toEqual([1])
  expect(openers.flatMap(({ lines }) => lines).filter(({ step }) => step === 'preparing the database')).toHaveLength(1)
  await Promise.all(openers.map((opener) => opener.release()))
  expect(await postmasterPid(dataDir)).toBeUndefined()
})

test('a DATA_DIR too deep for a socket works, with the socket among the temporary files', async () => {
  const dataDir = await newDataDir({ name: `${'deep'.repeat(20)}/it's a "long", one` })
  const { ownerUrl, release } = await openEmbeddedPostgres({ dataDir, use: 'command', durable: false })
  const socketFolder = new URL(ownerUrl.replace('@/', '@socket/')).searchParams.get('host') ?? ''
  try {
    expect(await query(ownerUrl, 'select 1')).toEqual([1])
    expect(socketFolder).toMatch(/\/manilla-[0-9a-f]{16}$/)
    expect((await stat(socketFolder)).mode & 0o777).toBe(0o700)
  } finally {
    await release()
  }
  await expect(stat(socketFolder)).rejects.toThrow('ENOENT')
})

test('the next start takes the settings of this version, and keeps what ALTER SYSTEM said', async () => {
  const dataDir = await newInitializedDataDir()
  const first = await openEmbeddedPostgres({ dataDir, use: 'command', durable: false })
  await first.release()
  const settings = join(dataDir, 'postgres', 'postgresql.conf')
  await writeFile(settings, (await readFile(settings, 'utf8')).replace('max_connections = 400', 'max_connections = 7'))
  await writeFile(join(dataFolder(dataDir), 'postgresql.auto.conf'), "work_mem = '9MB'\n")

  const second = await openEmbeddedPostgres({ dataDir, use: 'command', durable: false })
  expect(await query(second.ownerUrl, 'show max_connections')).toEqual(['400'])
  expect(await query(second.ownerUrl, 'show work_mem')).toEqual(['9MB'])
  await second.release()
})
