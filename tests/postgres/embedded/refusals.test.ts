import { execFileSync } from 'node:child_process'
import { chmod, mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { OperatorError } from '#platform/errors.ts'
import { findBinaries } from '#postgres/embedded/launch.ts'
import { openEmbeddedPostgres } from '#postgres/embedded/open.ts'
import {
  dataFolder,
  isRoot,
  newDataDir,
  openerScript,
  postmasterPid,
  query,
  spawnOpener,
  newInitializedDataDir,
} from './support.ts'

const nobody = 65_534

async function refusal(dataDir: string): Promise<string> {
  const error: unknown = await openEmbeddedPostgres({ dataDir, use: 'serve', durable: false }).then(
    async (opened) => await opened.release(),
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(OperatorError)
  expect(await postmasterPid(dataDir)).toBeUndefined()
  const { message } = error as OperatorError
  expect(message).not.toContain('\n')
  return message
}

async function expectSound(dataDir: string): Promise<void> {
  const { serviceUrl, release } = await openEmbeddedPostgres({ dataDir, use: 'serve', durable: false })
  expect(await query(serviceUrl, 'select 1')).toEqual([1])
  await release()
}

test('a DATA_DIR that is a file, or lies below one, is refused and the file kept', async () => {
  const dataDir = await newDataDir()
  await writeFile(dataDir, 'precious')
  const sentence = `DATA_DIR ${dataDir} is not a folder, a file is in its way: move it, or set DATA_DIR to another folder.`
  expect(await refusal(dataDir)).toBe(sentence)
  expect(await refusal(join(dataDir, 'below'))).toMatch(/is not a folder, a file is in its way/)
  expect(await readFile(dataDir, 'utf8')).toBe('precious')
})

test('a DATA_DIR without write permission is refused, and the error names the user', async () => {
  const dataDir = await newDataDir()
  await chmod(dirname(dataDir), 0o555)
  const opener = spawnOpener({ dataDir, use: 'serve' }, isRoot ? { uid: nobody } : {})
  expect(await opener.line('error')).toMatch(/^DATA_DIR .* cannot be written by user \S+: give it to that user, or set/)
  expect(opener.lines[0]?.name).toBe('OperatorError')
  await chmod(dirname(dataDir), 0o755)
})

test('data of another PostgreSQL version is refused and left as it is', async () => {
  const dataDir = await newInitializedDataDir()
  const version = join(dataFolder(dataDir), 'PG_VERSION')
  await writeFile(version, '17\n')
  expect(await refusal(dataDir)).toMatch(/was made by PostgreSQL 17, and this Manilla brings PostgreSQL 18: /)
  await writeFile(version, '18\n')
  await expectSound(dataDir)
})

test('a data folder without data is refused, not overwritten', async () => {
  const dataDir = await newDataDir()
  await mkdir(dataFolder(dataDir), { recursive: true })
  await writeFile(join(dataFolder(dataDir), 'precious'), '')
  expect(await refusal(dataDir)).toMatch(/exists but holds no PostgreSQL data/)
  expect(await readdir(dataFolder(dataDir))).toEqual(['precious'])
})

test('a first run that fails says why in one sentence, and leaves nothing', async () => {
  const dataDir = await newDataDir()
  const options = JSON.stringify({ dataDir, use: 'serve', durable: false })
  // A limit on the size of files stands for a full disk.
  const command = `ulimit -f 100; exec '${process.execPath}' '${openerScript}' '${options}' < /dev/null`
  const output = execFileSync('sh', ['-c', command], { encoding: 'utf8' })
  expect(output).toMatch(/"error":"The database in DATA_DIR \S+ could not be prepared: .*(too large|File size limit)/)
  expect(await readdir(join(dataDir, 'postgres'))).toEqual(['passwords.json'])
  await expectSound(dataDir)
})

test('a server that cannot start is refused with the reason in its log', async () => {
  const dataDir = await newInitializedDataDir()
  const control = join(dataFolder(dataDir), 'global', 'pg_control')
  await rename(control, `${control}.away`)
  expect(await refusal(dataDir)).toMatch(/does not start: .*pg_control.* \(its log is .*server\.log\)$/)
  await rename(`${control}.away`, control)
  await expectSound(dataDir)
})

test('lost or foreign passwords are refused by name, and no server is left running', async () => {
  const dataDir = await newInitializedDataDir()
  const path = join(dataDir, 'postgres', 'passwords.json')
  const kept = await readFile(path, 'utf8')
  await rm(path)
  expect(await refusal(dataDir)).toMatch(/passwords\.json is missing or damaged/)
  await writeFile(path, JSON.stringify({ admin: 'a', owner: 'b', service: 'c' }))
  expect(await refusal(dataDir)).toMatch(/does not accept the passwords in .*passwords\.json/)
  await writeFile(path, kept)
  await expectSound(dataDir)
})

test('a folder among the temporary files that others may enter is not trusted with the socket', async () => {
  const dataDir = await newDataDir({ name: 'deep'.repeat(25) })
  const { ownerUrl, release } = await openEmbeddedPostgres({ dataDir, use: 'command', durable: false })
  await release()
  const socketFolder = new URL(ownerUrl.replace('@/', '@socket/')).searchParams.get('host') ?? ''
  await mkdir(socketFolder)
  await chmod(socketFolder, 0o777)
  expect(await refusal(dataDir)).toMatch(/belongs to another user or is open to others/)
  await rmdir(socketFolder)
  await expectSound(dataDir)
})

test('a server that only its socket shows, as in another container, is not started over', async () => {
  const dataDir = await newInitializedDataDir()
  const unseen = createServer()
  const socket = join(dataDir, 'postgres', 'run', '.s.PGSQL.5432')
  await new Promise<void>((listening) => unseen.listen(socket, listening))
  expect(await refusal(dataDir)).toMatch(/^A PostgreSQL that this process cannot see, perhaps in another container/)
  await new Promise((closed) => unseen.close(closed))
  await expectSound(dataDir)
})

test('a platform without binaries is refused, and the error says to set DATABASE_URL', async () => {
  await expect(findBinaries('sunos-x64')).rejects.toThrow(
    new OperatorError('There is no embedded PostgreSQL for sunos-x64: set DATABASE_URL to a PostgreSQL 15 or newer.'),
  )
})
